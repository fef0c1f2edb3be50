import { readDirectives } from '../build/read-directives.js';
import { findInstruction } from '../isa/instruction-table.js';
import type { ArgumentSyntax } from '../syntax/launch-ast.js';
import type {
  InstructionSyntax,
  LitmusFile,
  LocationDeclaration,
  Statement,
  ThreadSyntax,
  VariableSyntax,
} from '../syntax/litmus-ast.js';
import { namesIn } from '../syntax/operands.js';
import { KernelBody, type KernelThread } from './kernel-body.js';
import type { KernelFrame } from './kernel-frame.js';
import { argumentOf, type KernelMemory, spaceOf, variableText } from './kernel-memory.js';
import { KernelNames } from './kernel-names.js';
import type { KernelGrid } from './kernel-places.js';
import { Inexpressible } from './written-thread.js';

/** A thread of the test with its text. */
export interface WrittenOf extends KernelThread {
  readonly syntax: ThreadSyntax;
}

/** Threads that take one body. */
interface Shared {
  readonly label: string;
  readonly body: KernelBody;
  readonly members: readonly { readonly of: WrittenOf; readonly initial: readonly string[] }[];
}

const NOWHERE = { source: { path: '', text: '' }, start: 0, end: 0 };

/** One kernel of the module that a test becomes. */
export class KernelEntry {
  readonly arguments: readonly ArgumentSyntax[];
  readonly variables: readonly VariableSyntax[];
  private readonly names: KernelNames;
  private readonly groups: readonly Shared[];
  private readonly parameters: readonly LocationDeclaration[];
  private readonly locals: readonly LocationDeclaration[];

  constructor(
    readonly name: string,
    readonly grid: KernelGrid,
    private readonly threads: readonly WrittenOf[],
    file: LitmusFile,
    private readonly memory: KernelMemory,
    private readonly frame?: KernelFrame,
  ) {
    this.names = new KernelNames(new Set(file.source.text.match(/[\w$]+/g) ?? []));
    const functions = new Set(file.functions.map(({ name: one }) => one));
    // Registers that conditions name keep their names.
    for (const { thread } of threads)
      for (const { name: register, type } of thread.registers.values())
        if (isOwn(register)) this.names.register(register, type);
    const written = threads.map((of) => {
      const body = new KernelBody(of, memory, this.names, functions, frame);
      body.write(of.syntax.statements);
      return { of, body, initial: this.initialOf(of, body, file) };
    });
    const groups = new Map<string, (typeof written)[number][]>();
    for (const one of written) {
      const lines = one.body.lines.filter((line) => !/^\s*\.loc /.test(line));
      const text = [...one.body.setup.values(), ...lines].join('\n');
      groups.set(text, [...(groups.get(text) ?? []), one]);
    }
    this.groups = [...groups.values()].map((members) => ({
      label: this.names.fresh(`body_of_${members[0]?.of.thread.name}`),
      body: (members[0] as (typeof written)[number]).body,
      members,
    }));
    this.refuseDivergence();
    this.refuseIdleLanes();
    this.refuseMissingCtas();
    const isNamed = (one: string): boolean => this.names.used.has(one);
    this.parameters = memory.parameters(isNamed);
    this.locals = memory.locals(isNamed);
    this.variables = written.flatMap(({ body }) => body.shared);
    this.arguments = [
      ...[...this.names.handedOver.keys()].map(
        (one): ArgumentSyntax => ({ kind: 'location', name: one, offset: 0n, span: NOWHERE }),
      ),
      ...this.parameters.map(argumentOf),
    ];
  }

  /** Aligned instructions are one for all lanes of a warp (PTX ISA, barrier; wgmma). */
  private refuseDivergence(): void {
    const warpOf = ({ place }: WrittenOf): string => `${place.cta} ${Math.floor(place.tid / 32)}`;
    const aligned = this.groups.filter(({ body }) => body.aligned !== undefined);
    for (const one of aligned)
      for (const { of } of one.members)
        if (this.groups.some((other) => other !== one && other.members.some((mate) => warpOf(mate.of) === warpOf(of))))
          throw new Inexpressible(
            `${of.thread.name}: an aligned instruction, where another lane of its warp has another body`,
            one.body.aligned?.span,
            'let the lanes of a warp have one body, as in P0, P1 @ warp 0 { … }',
          );
  }

  /** A launch fills all warps of a CTA but the last: its lanes that are not in the test execute nothing. */
  private refuseIdleLanes(): void {
    for (const { thread, place, syntax } of this.threads) {
      const [from, to] = [
        32 * Math.floor(place.tid / 32),
        Math.min(this.grid.block, 32 * Math.floor(place.tid / 32) + 32),
      ];
      const own = this.threads.filter(({ place: { cta, tid } }) => cta === place.cta && tid >= from && tid < to);
      const whole = instructionsIn(syntax.statements).find(isOfWholeWarp);
      if (own.length < to - from && whole !== undefined)
        throw new Inexpressible(
          `${thread.name}: an instruction of a whole warp, where the launch has lanes in it that the test has not`,
          whole.span,
          'give the thread a CTA of its own, or write all 32 lanes',
        );
    }
  }

  /** A launch has the CTAs of the test, and no others that it says nothing of. */
  private refuseMissingCtas(): void {
    for (const { thread, syntax } of this.threads) {
      const instructions = instructionsIn(syntax.statements);
      const hasWord = (one: InstructionSyntax, word: string): boolean =>
        one.qualifiers.some(({ text }) => text === word);
      const request = instructions.find((one) => one.mnemonic === 'clusterlaunchcontrol' && hasWord(one, 'try_cancel'));
      if (request !== undefined)
        throw new Inexpressible(
          `${thread.name}: a request that may be granted with a CTA that the test does not show: a launch has none`,
          request.span,
          'write the kernel by hand, with a grid that has more CTAs',
        );
      const paired = this.grid.cluster % 2 === 0 ? undefined : instructions.find((one) => hasWord(one, 'cta_group::2'));
      if (paired !== undefined)
        throw new Inexpressible(
          `${thread.name}: an instruction of a pair of CTAs, where the launch has no peer`,
          paired.span,
          'give the test a second CTA of the cluster',
        );
    }
  }

  /** How the registers of a thread begin, where that can matter. */
  private initialOf({ thread, syntax }: WrittenOf, body: KernelBody, file: LitmusFile): readonly string[] {
    const given = new Map(
      file.declarations.flatMap((one) =>
        one.kind === 'register' && one.thread === syntax.name ? [[one.register, one] as const] : [],
      ),
    );
    const set = setFirst(syntax.statements);
    const generic = genericBases(syntax.statements);
    const registers = [...thread.registers.values()].flatMap(({ name, type, initial }): readonly string[] => {
      if (!isOwn(name)) return [];
      const declared = given.get(name)?.initial;
      if (declared?.kind === 'address' || declared?.kind === 'copy') {
        const from = this.memory.isDescriptor(declared.name)
          ? this.names.argument(declared.name)
          : body.location(declared.name, !generic.has(name));
        const to = this.names.register(name, type);
        const offset = declared.kind === 'address' ? declared.offset : 0n;
        return [`mov.b64 ${to}, ${from};`, ...(offset === 0n ? [] : [`add.s64 ${to}, ${to}, ${offset};`])];
      }
      return set.has(name) ? [] : body.initial(name, initial, type);
    });
    const locals = this.memory
      .locals((name) => this.names.used.has(name))
      .filter(({ name }) => mentions(syntax.statements, name));
    return [...registers, ...locals.flatMap(zeroed)];
  }

  holds(thread: string): boolean {
    return this.threads.some(({ syntax }) => syntax.name === thread);
  }

  /** What a register of a thread is called here. */
  registerOf(thread: string, register: string): string | undefined {
    const type = this.threads.find(({ syntax }) => syntax.name === thread)?.thread.registers.get(register)?.type;
    return type === undefined ? undefined : this.names.register(register, type).replace(/^%/, '');
  }

  /** All instructions of its threads. */
  get instructions(): readonly InstructionSyntax[] {
    return this.threads.flatMap(({ syntax }) => instructionsIn(syntax.statements));
  }

  lines(): readonly string[] {
    const dispatch = this.dispatch();
    const handed = [...this.names.handedOver].map(
      ([name, register]) => `  ld.param.u64 ${register}, [${this.names.parameter(name)}];`,
    );
    if (this.frame !== undefined && this.parameters.length > 0)
      throw new Inexpressible(`${this.parameters[0]?.name}: a parameter`);
    const loads = this.frame?.begin(this.names).map((line) => `  ${line}`) ?? handed;
    const parameters = this.frame?.parameters ?? [
      ...[...this.names.handedOver.keys()].map((name) => `.param .u64 ${this.names.parameter(name)}`),
      ...this.parameters.map((one) => variableText({ ...one, name: one.name })),
    ];
    const byType = new Map<string, string[]>();
    for (const [register, type] of this.names.registers) byType.set(type, [...(byType.get(type) ?? []), register]);
    return [
      `.visible .entry ${this.name}(${parameters.join(', ')})`,
      '{',
      ...[...byType].map(([type, registers]) => `  .reg .${type} ${registers.join(', ')};`),
      ...this.locals.map((one) => `  ${variableText(one)};`),
      ...loads,
      ...dispatch,
      '}',
    ];
  }

  /** The numbers of CTA and thread lead to the bodies: nothing of that is seen by another thread. */
  private dispatch(): readonly string[] {
    const { ctas, block } = this.grid;
    const { frame } = this;
    if (ctas * block === 1 && frame === undefined)
      return this.groups.flatMap((group) => [...this.stubs(group), ...this.bodyOf(group, '')]);
    const cta = this.names.address('its_cta', 'b32');
    const number = this.names.address('its_number', 'b32');
    const isIt = this.names.address('is_it', 'pred');
    const lines = [
      `  ${frame?.ctaOf(cta) ?? `mov.u32 ${cta}, %ctaid.x;`}`,
      `  ${frame?.tidOf(number) ?? `mov.u32 ${number}, %tid.x;`}`,
    ];
    lines.push(`  mad.lo.u32 ${number}, ${cta}, ${block}, ${number};`);
    for (const group of this.groups)
      for (const { of } of group.members) {
        const at = of.place.cta * block + of.place.tid;
        lines.push(`  setp.eq.u32 ${isIt}, ${number}, ${at};`, `  @${isIt} bra ${this.labelOf(group, of)};`);
      }
    lines.push('  ret;');
    for (const group of this.groups) lines.push(...this.stubs(group), ...this.bodyOf(group, number));
    lines.push(...(frame?.finish(number).map((line) => `  ${line}`) ?? []));
    return lines;
  }

  private bodyOf({ body, members }: Shared, number: string): readonly string[] {
    const end = this.frame?.end(
      this.names,
      members.map(({ of }) => of),
      number,
    );
    return ['  {', ...body.lines, '  }', ...(end?.map((line) => `  ${line}`) ?? ['  ret;'])];
  }

  private isAlike({ members }: Shared): boolean {
    const [first, ...others] = members.map(({ initial }) => initial.join('\n'));
    return others.every((one) => one === first);
  }

  private labelOf(group: Shared, { thread }: WrittenOf): string {
    return this.isAlike(group) ? group.label : this.names.fresh(`start_of_${thread.name}`);
  }

  /** What lets each of the threads begin, and leads to their body. */
  private stubs(group: Shared): readonly string[] {
    const setup = [...group.body.setup.values()].map((line) => `  ${line}`);
    if (this.isAlike(group)) {
      const initial = group.members[0]?.initial ?? [];
      return [`${group.label}:`, ...setup, ...initial.map((line) => `  ${line}`)];
    }
    const each = group.members.flatMap(({ of, initial }) => [
      `${this.labelOf(group, of)}:`,
      ...setup,
      ...initial.map((line) => `  ${line}`),
      `  bra ${group.label};`,
    ]);
    return [...each, `${group.label}:`];
  }
}

/** Registers of the thread itself, and not of a block in it or of a step between. */
const isOwn = (register: string): boolean => !/[#~]/.test(register);

/** All lanes execute it together (PTX ISA, .sync.aligned); of barriers those that have ended do not count. */
const isOfWholeWarp = ({ mnemonic, qualifiers }: InstructionSyntax): boolean =>
  mnemonic === 'activemask' || (!/^bar/.test(mnemonic) && qualifiers.some(({ text }) => text === 'aligned'));

/** The instructions of a body, those in its blocks too. */
export function instructionsIn(statements: readonly Statement[]): readonly InstructionSyntax[] {
  return statements.flatMap((one) =>
    one.kind === 'instruction' ? [one] : one.kind === 'block' ? instructionsIn(one.statements) : [],
  );
}

const mentions = (statements: readonly Statement[], name: string): boolean =>
  instructionsIn(statements).some(({ operands }) => operands.flatMap(namesIn).includes(name));

/** Registers that a body sets before anything else can matter: without a guard, before its first branch. */
function setFirst(statements: readonly Statement[]): ReadonlySet<string> {
  const set = new Set<string>();
  const read = new Set<string>();
  for (const one of statements) {
    if (one.kind === 'registers' || one.kind === 'variable' || one.kind === 'note') continue;
    if (one.kind !== 'instruction' || /^(bra|brx|ret|exit|trap|call)$/.test(one.mnemonic)) break;
    const [first, ...others] = one.operands;
    const isTarget = first?.kind === 'name' && findInstruction(one)?.entry?.destination === true;
    const reads = [...(isTarget || first === undefined ? [] : namesIn(first)), ...others.flatMap(namesIn)];
    for (const name of reads) if (!set.has(name)) read.add(name);
    if (one.guard !== undefined) {
      read.add(one.guard.register);
      if (first?.kind === 'name') read.add(first.name);
    } else if (isTarget && !read.has(first.name)) set.add(first.name);
  }
  return set;
}

/** Registers that hold an address for an instruction that names no state space. */
function genericBases(statements: readonly Statement[]): ReadonlySet<string> {
  return new Set(
    instructionsIn(statements)
      .filter(({ qualifiers }) => !qualifiers.some(({ text }) => /^(shared|const|local)/.test(text)))
      .flatMap(({ operands }) => operands.flatMap((one) => (one.kind === 'address' ? namesIn(one) : []))),
  );
}

/** A variable in local memory begins as anything in PTX: what the test says of it is stored. */
function zeroed(one: LocationDeclaration): readonly string[] {
  const { type } = readDirectives(one, () => undefined) ?? {};
  if (type === undefined || spaceOf(one) !== 'local') return [];
  if (one.initial?.kind === 'unknown' || one.initial?.kind === 'uninitialized') return [];
  const values = one.initial?.kind === 'array' ? one.initial.values : [];
  if (one.initial !== undefined && one.initial.kind !== 'number' && one.initial.kind !== 'array')
    throw new Inexpressible(`${one.name}: local memory that begins as such an object`);
  const single = one.initial?.kind === 'number' ? one.initial.value : 0n;
  const count = one.elements ?? Math.max(1, values.length);
  return Array.from({ length: count }, (_, i) => {
    const value = values.length > 0 ? (values[i] ?? 0n) : single;
    if (typeof value !== 'bigint' || type.width > 64)
      throw new Inexpressible(`${one.name}: local memory that begins as such a number`);
    return `st.local.b${type.width} [${one.name}+${(i * type.width) / 8}], ${value};`;
  });
}
