import { findInstruction } from '../isa/instruction-table.js';
import { PREDEFINED } from '../kernel/grid.js';
import type { DataType } from '../program/data-type.js';
import { parseDataType } from '../program/data-type.js';
import type { Placement } from '../program/placement.js';
import type { Thread } from '../program/program.js';
import type { InstructionSyntax, OperandSyntax, Statement, VariableSyntax } from '../syntax/litmus-ast.js';
import { printInstruction, printUsedBytes } from '../syntax/print-litmus.js';
import type { KernelFrame } from './kernel-frame.js';
import type { KernelMemory } from './kernel-memory.js';
import { variableText } from './kernel-memory.js';
import type { KernelNames } from './kernel-names.js';
import type { KernelPlace } from './kernel-places.js';
import { Inexpressible } from './written-thread.js';

/** What is known of a thread that is written as part of a kernel. */
export interface KernelThread {
  readonly thread: Thread;
  readonly place: KernelPlace;
  /** The predefined registers of the thread in the test. */
  readonly special: ReadonlyMap<string, bigint>;
}

/** Names that a block declares, and what they are. */
type Scope = ReadonlyMap<string, 'register' | 'variable'>;

/** Where an operand stands. */
interface Use {
  readonly scope: Scope;
  /** Labels of tables of branch targets. */
  readonly tables: ReadonlySet<string>;
  /** The state spaces that the instruction names. */
  readonly spaces: ReadonlySet<string>;
  /** It works on 32 bits. */
  readonly isNarrow: boolean;
  /** It asks where a generic address lies. */
  readonly isAsked: boolean;
}

/** Where the address of an instruction stands, as shorthand without brackets has it too. */
const ADDRESS_AT: Readonly<Record<string, number>> = { ld: 1, atom: 1, st: 0, red: 0 };

/** Writes the body of a thread with the names that its kernel has. */
export class KernelBody {
  readonly lines: string[] = [];
  /** Addresses that the body computes before anything else, by the register that holds each. */
  readonly setup = new Map<string, string>();
  /** Variables of the body that are one for all threads. */
  readonly shared: VariableSyntax[] = [];
  /** The first instruction that all lanes of a warp execute together. */
  aligned: InstructionSyntax | undefined;
  private readonly inKernel: (special: string) => bigint | undefined;
  private readonly placement: Placement;

  constructor(
    private readonly own: KernelThread,
    private readonly memory: KernelMemory,
    private readonly names: KernelNames,
    functions: ReadonlySet<string>,
    private readonly frame?: KernelFrame,
  ) {
    const { grid, cta, tid } = own.place;
    const shape = { grid: [grid.ctas, 1, 1], block: [grid.block, 1, 1], cluster: [grid.cluster, 1, 1] } as const;
    // In a frame there are more CTAs: whatever the test says of a special register is a number.
    this.inKernel = (name) => (frame === undefined ? PREDEFINED.get(name)?.(shape, { cta, tid }) : undefined);
    this.placement = own.thread.placement;
    this.functions = functions;
  }
  private readonly functions: ReadonlySet<string>;

  write(statements: readonly Statement[], outer: Scope = new Map(), depth = 0): void {
    const scope = new Map(outer);
    for (const one of statements) declare(one, scope, depth);
    const tables = tablesIn(statements);
    const indent = '  '.repeat(depth + 2);
    for (const one of statements) {
      switch (one.kind) {
        case 'label':
          this.passed.add(one.name);
          this.lines.push(`${indent.slice(2)}${one.name}:`);
          break;
        case 'registers': {
          const list = one.names.map(({ name, count }) => `%${name}${count === undefined ? '' : `<${count}>`}`);
          if (depth > 0) this.lines.push(`${indent}.reg .${one.type} ${list.join(', ')};`);
          break;
        }
        case 'block':
          this.lines.push(`${indent}{`);
          this.write(one.statements, scope, depth + 1);
          this.lines.push(`${indent}}`);
          break;
        case 'variable':
          this.variable(one, depth, indent);
          break;
        case 'targets':
          this.lines.push(`${indent}.branchtargets ${one.names.join(', ')};`);
          break;
        case 'note':
          break;
        case 'instruction':
          this.lines.push(...this.aroundBranch(one).map((line) => `${indent}${line}`));
          if (this.frame !== undefined)
            this.lines.push(`${indent}${this.frame.lineOf(this.placement.thread, this.written++)}`);
          this.lines.push(...printUsedBytes(one).map((line) => `${indent}${line}`));
          this.lines.push(`${indent}${printInstruction(this.placed(one, scope, tables))};`);
      }
    }
  }

  /** How many instructions it has. */
  private written = 0;
  /** The labels behind which the body has come. */
  private readonly passed = new Set<string>();

  private aroundBranch({ mnemonic, operands }: InstructionSyntax): readonly string[] {
    if (this.frame === undefined) return [];
    if (/^(exit|ret|trap|brx|call)$/.test(mnemonic)) throw new Inexpressible(`${mnemonic}: the results come behind it`);
    const to = operands.at(-1);
    const isBack = mnemonic === 'bra' && to?.kind === 'name' && this.passed.has(to.name);
    return isBack ? this.frame.beforeBranchBack(this.names) : [];
  }

  private variable(one: VariableSyntax, depth: number, indent: string): void {
    const space = one.directives[0]?.name ?? '';
    if (space === 'param' || space === 'local') this.lines.push(`${indent}${variableText(one)};`);
    else if (depth === 0) this.shared.push(one);
    else throw new Inexpressible(`${one.name}: a variable in .${space} memory of an inner block`);
  }

  /** An instruction with the names of the kernel; what it cannot say is told with its place. */
  private placed(given: InstructionSyntax, scope: Scope, tables: ReadonlySet<string>): InstructionSyntax {
    try {
      return this.instruction(given, scope, tables);
    } catch (thrown) {
      if (!(thrown instanceof Inexpressible) || thrown.span !== undefined) throw thrown;
      throw new Inexpressible(thrown.message, given.span, thrown.hint);
    }
  }

  private instruction(given: InstructionSyntax, scope: Scope, tables: ReadonlySet<string>): InstructionSyntax {
    const { mnemonic, qualifiers } = given;
    const found = findInstruction(given);
    if (found?.entry?.since === 'dialect')
      throw new Inexpressible(
        `${found.name} is a word of a dialect, and no instruction of PTX`,
        given.span,
        'write what PTX has in its place',
      );
    if (qualifiers.some(({ text }) => text === 'aligned') || (mnemonic === 'bar' && qualifiers[0]?.text !== 'warp'))
      this.aligned ??= given;
    const mayLackType = found?.entry?.untyped === true && !/^bar/.test(mnemonic);
    const typed = mayLackType ? this.typed(given, found.entry.slots['type'] ?? []) : given;
    const spaces = new Set(qualifiers.map(({ text }) => text.replace(/::.*$/, '')));
    const labelAt = mnemonic === 'bra' ? given.operands.length - 1 : -1;
    const isNarrow = qualifiers.some(({ text }) => parseDataType(text)?.width === 32);
    const use = { scope, tables, spaces, isNarrow, isAsked: mnemonic === 'isspacep' };
    const operands = typed.operands.map((operand, i) => (i === labelAt ? operand : this.operand(operand, use)));
    const { guard } = typed;
    const held = guard === undefined ? {} : { guard: { ...guard, register: this.register(guard.register, scope) } };
    return { ...typed, ...held, operands };
  }

  /** With the type of its location, and its brackets, where the test leaves them out. */
  private typed(given: InstructionSyntax, types: readonly string[]): InstructionSyntax {
    const at = ADDRESS_AT[given.mnemonic];
    const hasType = given.qualifiers.some(({ text }) => types.includes(text));
    const operands = given.operands.map(
      (one, i): OperandSyntax =>
        i === at && one.kind === 'name'
          ? { kind: 'address', base: one.name, percent: false, offset: one.offset, span: one.span }
          : one,
    );
    if (hasType) return { ...given, operands };
    const address = at === undefined ? undefined : operands[at];
    if (address?.kind !== 'address' || typeof address.base !== 'string' || !this.memory.isLocation(address.base))
      throw new Inexpressible(`${given.mnemonic} without a type: write it as PTX has it`);
    const { kind, width } = this.memory.rangeOf(address.base, this.placement).elementType;
    const text = `${given.mnemonic === 'atom' || given.mnemonic === 'red' ? 'b' : kind}${width}`;
    return { ...given, operands, qualifiers: [...given.qualifiers, { text, span: given.mnemonicSpan }] };
  }

  private operand(one: OperandSyntax, use: Use): OperandSyntax {
    const all = (operands: readonly OperandSyntax[]): readonly OperandSyntax[] =>
      operands.map((inner) => this.operand(inner, use));
    switch (one.kind) {
      case 'name':
        return use.tables.has(one.name) ? one : this.value(one, use);
      case 'addressOf':
        return this.value({ ...one, kind: 'name', offset: 0n }, use);
      case 'address':
        return typeof one.base === 'string'
          ? { ...one, base: this.base(one.base, one.percent, use), percent: false }
          : one;
      case 'tensor': {
        const base = typeof one.base === 'string' ? this.base(one.base, one.percent, use) : one.base;
        const sampler = one.sampler === undefined ? {} : { sampler: this.register(one.sampler, use.scope) };
        return { ...one, base, ...sampler, percent: false, coordinates: all(one.coordinates) };
      }
      case 'vector': {
        const predicate = one.predicate === undefined ? {} : { predicate: this.register(one.predicate, use.scope) };
        return { ...one, elements: all(one.elements), ...predicate };
      }
      case 'list':
        return { ...one, elements: all(one.elements) };
      case 'negated':
      case 'selected':
        return { ...one, name: this.register(one.name, use.scope) };
      case 'pair': {
        const part = (name: string | undefined): string | undefined =>
          name === undefined ? undefined : this.register(name, use.scope);
        return { ...one, first: part(one.first), second: part(one.second) };
      }
      case 'number':
      case 'sink':
        return one;
    }
  }

  private register(name: string, scope: Scope): string {
    if (scope.get(name) === 'register') return `%${name}`;
    const type = this.own.thread.registers.get(name)?.type;
    if (type === undefined) throw new Inexpressible(`${name} is no register of ${this.own.thread.name}`);
    return this.names.register(name, type);
  }

  private value(one: Extract<OperandSyntax, { kind: 'name' }>, use: Use): OperandSyntax {
    const { name, offset } = one;
    const inner = use.scope.get(name);
    if (inner === 'variable') return one;
    if (inner === 'register' || this.own.thread.registers.has(name))
      return { ...one, name: this.register(name, use.scope) };
    if (this.memory.isDescriptor(name)) return { ...one, name: this.names.argument(name) };
    if (this.memory.isLocation(name)) {
      const base = this.location(name, !use.isAsked, use.isNarrow);
      if (offset === 0n || base === name) return { ...one, name: base };
      return { ...one, name: this.sum(base, offset), offset: 0n };
    }
    return this.functions.has(name) ? one : this.special(one);
  }

  /** What the thread finds in a predefined register in the test: where the kernel has another number, that one. */
  private special(one: Extract<OperandSyntax, { kind: 'name' }>): OperandSyntax {
    const inTest = this.own.special.get(one.name);
    const inKernel = this.inKernel(one.name);
    if (inTest !== undefined && inTest !== inKernel) return { kind: 'number', value: inTest, span: one.span };
    if (inTest === undefined && (inKernel !== undefined || /^envreg[12]$/.test(one.name)))
      throw new Inexpressible(`%${one.name}, of which the test says nothing, and a launch does`);
    return one.name === 'WARP_SZ' ? one : { ...one, name: `%${one.name}` };
  }

  private base(name: string, percent: boolean, { scope, spaces }: Use): string {
    const inner = scope.get(name);
    if (inner === 'variable') return name;
    const isRegister = percent || (this.own.thread.registers.has(name) && !this.memory.isLocation(name));
    if (inner === 'register' || isRegister) return this.register(name, scope);
    if (!this.memory.isLocation(name)) return name;
    return this.location(name, spaces.has(this.memory.rangeOf(name, this.placement).object.space));
  }

  /** The address by which the kernel means a location: `isWindow`, within its state space; otherwise a generic one. */
  location(name: string, isWindow: boolean, isNarrow = false): string {
    const reached = this.memory.reached(name, this.placement);
    if (reached.how === 'argument') return this.names.argument(name);
    const { space } = this.memory.rangeOf(name, this.placement).object;
    this.names.use(name);
    const generic = (): string => this.address(`${name}_generic`, (to) => `cvta.${space}.u64 ${to}, ${name};`);
    if (reached.how === 'name') return isWindow || space === 'param' ? name : generic();
    const { rank } = reached;
    if (isWindow) {
      const width = isNarrow ? 32 : 64;
      const line = (to: string): string => `mapa.shared::cluster.u${width} ${to}, ${name}, ${rank};`;
      return this.address(`${name}_of_${rank}${isNarrow ? '_narrow' : ''}`, line, `b${width}`);
    }
    const own = generic();
    return this.address(`${name}_generic_of_${rank}`, (to) => `mapa.u64 ${to}, ${own}, ${rank};`);
  }

  private sum(base: string, offset: bigint): string {
    const word = `${base.replace(/^%/, '')}_${offset < 0n ? `minus_${-offset}` : offset}`;
    return this.address(word, (to) => `add.s64 ${to}, ${base}, ${offset};`);
  }

  private address(word: string, line: (register: string) => string, type = 'b64'): string {
    const register = this.names.address(word, type);
    if (!this.setup.has(register)) this.setup.set(register, line(register));
    return register;
  }

  /** What lets a register begin as it does in the test. */
  initial(name: string, value: bigint, type: DataType): readonly string[] {
    const to = this.names.register(name, type);
    if (type.kind === 'pred') return [`mov.pred ${to}, ${value};`];
    if (type.width <= 64) return [`mov.b${Math.max(16, type.width)} ${to}, ${value};`];
    const half = this.names.address('half');
    if (value !== 0n) throw new Inexpressible(`${name}: a number of 128 bits`);
    return [`mov.b64 ${half}, 0;`, `mov.b128 ${to}, {${half}, ${half}};`];
  }
}

function declare(one: Statement, scope: Map<string, 'register' | 'variable'>, depth: number): void {
  if (
    one.kind === 'variable' &&
    (depth > 0 || one.directives[0]?.name === 'param' || one.directives[0]?.name === 'local')
  )
    scope.set(one.name, 'variable');
  if (one.kind !== 'registers' || depth === 0) return;
  for (const { name, count } of one.names)
    if (count === undefined) scope.set(name, 'register');
    else for (let i = 0; i < count; i++) scope.set(`${name}${i}`, 'register');
}

/** The labels of tables of branch targets, which `brx` names. */
function tablesIn(statements: readonly Statement[]): ReadonlySet<string> {
  const tables = new Set<string>();
  let label: string | undefined;
  for (const one of statements) {
    if (one.kind === 'targets' && label !== undefined) tables.add(label);
    label = one.kind === 'label' ? one.name : undefined;
  }
  return tables;
}
