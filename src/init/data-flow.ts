import type { FlatStatement } from '../isa/decode-thread.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import { namesIn } from '../syntax/operands.js';

/** An instruction of a body, or what a call hands over: what it makes of what. */
export interface Step {
  readonly mnemonic: string;
  readonly words: ReadonlySet<string>;
  /** Registers. */
  readonly targets: readonly string[];
  readonly sources: readonly OperandSyntax[];
  readonly instruction: InstructionSyntax | undefined;
}

/** Where an address comes from: some bytes of a parameter, the parameter itself, a variable, or memory. */
export type Root =
  | { readonly kind: 'slot'; readonly parameter: string; readonly at: number; readonly isCertain: boolean }
  | { readonly kind: 'parameter'; readonly parameter: string; readonly at: number }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'loaded'; readonly step: Step };

/** A byte of a parameter. */
interface ParameterPlace {
  readonly parameter: string;
  readonly at: number;
}

/** Of additions that make an address. */
const MOST_SUMS = 8;

/** Instructions whose first operand is none that they write. */
const WITHOUT_RESULT = new Set(['bra', 'brx', 'nanosleep', 'setmaxnreg', 'discard', 'applypriority', 'prefetch']);
/** Instructions whose result is an address if an operand is one, by which operands. */
const HANDS_ON: Readonly<Record<string, readonly number[]>> = {
  ...{ mov: [0], cvta: [0], cvt: [0], add: [0, 1], sub: [0], mad: [2], selp: [0, 1], and: [0], or: [0, 1] },
  ...{ shfl: [0], mapa: [0], max: [0, 1], min: [0, 1], copy: [0] },
};

/** Registers that say which thread, or how many: `tid.x`. */
const PREDEFINED = /^n?(tid|ctaid)\.[xyz]$/;

/** What the registers of a body are made of, and what is made of them; whichever way control goes. */
export class DataFlow {
  readonly steps: readonly Step[];
  private readonly writing = new Map<string, Step[]>();
  private readonly reading = new Map<string, Step[]>();
  private readonly specials = new Map<Step, readonly string[]>();

  constructor(
    statements: readonly FlatStatement[],
    private readonly parameters: ReadonlySet<string>,
  ) {
    this.steps = statements.flatMap((one) => stepOf(one, parameters));
    for (const step of this.steps) {
      for (const name of step.targets) add(this.writing, name, step);
      for (const name of readBy(step)) add(this.reading, name, step);
    }
  }

  /** Where the address that a register holds comes from. */
  rootsOf(register: string): readonly Root[] {
    const found: Root[] = [];
    const seen = new Set<string>();
    const follow = (name: string, isCertain: boolean): void => {
      if (seen.has(name)) return;
      seen.add(name);
      for (const step of this.writing.get(name) ?? []) {
        const own = loadedSlot(step, name, this.parameters);
        if (own !== undefined) found.push({ kind: 'slot', ...own, isCertain });
        else if (step.mnemonic === 'ld' || step.mnemonic === 'ldu') found.push({ kind: 'loaded', step });
        else {
          const toGlobal = isCertain || (step.mnemonic === 'cvta' && step.words.has('to'));
          for (const index of HANDS_ON[step.mnemonic] ?? []) this.operand(step.sources[index], toGlobal, found, follow);
        }
      }
    };
    follow(register, false);
    const certain = found.filter((one) => one.kind !== 'slot' || one.isCertain);
    return certain.length > 0 ? certain : found;
  }

  private operand(
    one: OperandSyntax | undefined,
    isCertain: boolean,
    found: Root[],
    follow: (name: string, isCertain: boolean) => void,
  ): void {
    if (one?.kind !== 'name' && one?.kind !== 'addressOf') return;
    if (one.kind === 'name' && this.writing.has(one.name)) return follow(one.name, isCertain);
    const at = one.kind === 'name' ? Number(one.offset) : 0;
    if (this.parameters.has(one.name)) found.push({ kind: 'parameter', parameter: one.name, at });
    else if (!this.reading.has(one.name) || one.kind === 'addressOf') found.push({ kind: 'variable', name: one.name });
    else if (!isRegister(one)) found.push({ kind: 'variable', name: one.name });
  }

  /** Where the array in a parameter begins of which a step loads an element. */
  elementOf({ mnemonic, words, sources }: Step): ParameterPlace | undefined {
    const [from] = sources;
    if (mnemonic !== 'ld' || !words.has('param') || from?.kind !== 'address' || typeof from.base !== 'string')
      return undefined;
    const place = this.parameters.has(from.base) ? undefined : this.placeIn(from.base, MOST_SUMS);
    return place && { ...place, at: place.at + Number(from.offset) };
  }

  /** The place in a parameter from which an address is counted. */
  private placeIn(register: string, left: number): ParameterPlace | undefined {
    const [step, ...others] = this.writing.get(register) ?? [];
    if (step === undefined || others.length > 0 || left === 0) return undefined;
    const numbers = step.sources.flatMap((one) => (one.kind === 'number' ? [Number(one.value)] : []));
    const sum = step.mnemonic === 'add' ? numbers.reduce((a, b) => a + b, 0) : 0;
    for (const index of HANDS_ON[step.mnemonic] ?? []) {
      const one = step.sources[index];
      if (one?.kind !== 'name' && one?.kind !== 'addressOf') continue;
      const found = this.parameters.has(one.name)
        ? { parameter: one.name, at: one.kind === 'name' ? Number(one.offset) : 0 }
        : this.placeIn(one.name, left - 1);
      if (found !== undefined) return { ...found, at: found.at + sum };
    }
    return undefined;
  }

  /** The instructions that what is in some registers comes to, not by way of memory. */
  reachedFrom(registers: Iterable<string>): ReadonlySet<Step> {
    const reached = new Set<Step>();
    const waiting = [...registers];
    const seen = new Set(waiting);
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
      for (const step of this.reading.get(name) ?? []) {
        if (reached.has(step)) continue;
        reached.add(step);
        if (isAccess(step)) continue;
        for (const target of step.targets) {
          if (seen.has(target)) continue;
          seen.add(target);
          waiting.push(target);
        }
      }
    return reached;
  }

  /** The instructions that write a register. */
  readonly writersOf = (register: string): readonly Step[] => this.writing.get(register) ?? [];

  /** The instructions that read a register. */
  readonly readersOf = (register: string): readonly Step[] => this.reading.get(register) ?? [];

  /** The predefined registers that a step takes, be it by way of moves. */
  specialsOf(step: Step): readonly string[] {
    const known = this.specials.get(step);
    if (known !== undefined) return known;
    this.specials.set(step, []);
    const found = step.sources.flatMap((one) => {
      const [name] = one.kind === 'name' ? [one.name] : [];
      if (name === undefined) return [];
      const writing = this.writing.get(name);
      if (writing === undefined) return PREDEFINED.test(name) ? [name] : [];
      // A register may go on as something else, such as what a loop counts.
      return writing.flatMap((one) =>
        one !== step && (one.mnemonic === 'mov' || one.mnemonic === 'cvt') ? this.specialsOf(one) : [],
      );
    });
    this.specials.set(step, found);
    return found;
  }

  /** The predefined registers that what is in some registers is made of, not by way of memory. */
  specialsBehind(registers: Iterable<string>): ReadonlySet<string> {
    const found = new Set<string>();
    const seen = new Set(registers);
    const waiting = [...seen];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const writing = this.writing.get(name);
      if (writing === undefined && PREDEFINED.test(name)) found.add(name);
      // A comparison, and what is found in memory, is another number.
      const going = (writing ?? []).filter((step) => !isAccess(step) && step.mnemonic !== 'setp');
      for (const next of going.flatMap((step) => step.sources.flatMap(namesIn))) {
        if (seen.has(next)) continue;
        seen.add(next);
        waiting.push(next);
      }
    }
    return found;
  }

  /** Numbers that are written in what a register is made of, not by way of memory. */
  numbersIn(register: string, depth = 6): readonly bigint[] {
    const numbers: bigint[] = [];
    const seen = new Set<string>();
    const follow = (name: string, left: number): void => {
      if (left === 0 || seen.has(name)) return;
      seen.add(name);
      for (const { mnemonic, words, sources } of this.writing.get(name) ?? [])
        if (mnemonic !== 'ld') {
          numbers.push(...numbersOf(mnemonic, words, sources));
          for (const next of sources.flatMap(namesIn)) follow(next, left - 1);
        }
    };
    follow(register, depth);
    return numbers;
  }

  /** The registers into which some bytes of a parameter are loaded, by the place in it. */
  slots(): readonly SlotLoad[] {
    return this.steps.flatMap((step) =>
      step.targets.flatMap((register): readonly SlotLoad[] => {
        const field = loadedSlot(step, register, this.parameters);
        const own = field ?? this.elementOf(step);
        if (own === undefined) return [];
        const bytes = widthIn(step.words) / 8;
        const isFloat = /^f\d/.test(typeIn(step.words)) || this.isFloat(register);
        return [{ ...own, register, bytes, isFloat, isElement: field === undefined }];
      }),
    );
  }

  /** Whether a register is an operand of floating-point arithmetic. */
  private isFloat(register: string): boolean {
    const reading = (this.reading.get(register) ?? []).flatMap((step) =>
      step.mnemonic === 'mov' ? step.targets.flatMap((name) => this.reading.get(name) ?? []) : [step],
    );
    const computing = reading.filter((step) => !isAccess(step) && step.mnemonic !== 'cvt');
    return computing.length > 0 && computing.every(({ words }) => /^b?f(16|32|64|16x2)$/.test(typeIn(words)));
  }
}

/** Some bytes of a parameter that are loaded into a register. */
export interface SlotLoad {
  readonly parameter: string;
  readonly at: number;
  readonly register: string;
  readonly bytes: number;
  readonly isFloat: boolean;
  /** It is one element of an array there, whose number is computed. */
  readonly isElement: boolean;
}

/** Whether a step accesses memory: what it loads is no longer what its address is made of. */
export const isAccess = ({ instruction }: Step): boolean =>
  instruction?.operands.some(({ kind }) => kind === 'address' || kind === 'tensor') === true;

/** The registers by which a step addresses memory. */
export const addressedBy = ({ instruction }: Step): readonly string[] =>
  (instruction?.operands ?? []).flatMap((one) =>
    (one.kind === 'address' || one.kind === 'tensor') && typeof one.base === 'string' ? [one.base] : [],
  );

/** The type that a step has behind its last words, such as `u32`. */
export const typeIn = (words: ReadonlySet<string>): string =>
  [...words].filter((word) => /^[ubsfe]\d/.test(word) || /^bf16/.test(word)).at(-1) ?? '';

/** In bits. */
export function widthIn(words: ReadonlySet<string>): number {
  const [, width = '32', pairs] = /(\d+)(x2)?$/.exec(typeIn(words)) ?? [];
  return pairs === undefined ? Number(width) : 2 * Number(width);
}

function stepOf(statement: FlatStatement, parameters: ReadonlySet<string>): readonly Step[] {
  if (statement.kind === 'copy') {
    const sources = statement.source === undefined ? [] : [statement.source];
    return [{ mnemonic: 'copy', words: new Set(), targets: [statement.target], sources, instruction: undefined }];
  }
  if (statement.kind !== 'instruction') return [];
  const { mnemonic, qualifiers, operands } = statement;
  const words = new Set(qualifiers.map(({ text }) => text));
  const [first, ...rest] = operands;
  const handed = words.has('param') ? operands.find(({ kind }) => kind === 'address') : undefined;
  if (handed?.kind === 'address' && typeof handed.base === 'string' && !handed.percent && !parameters.has(handed.base))
    return [handedOver(mnemonic, words, operands, handed.base)];
  const isBarrier = (mnemonic === 'bar' || mnemonic === 'barrier') && !words.has('red');
  const hasTargets = !isBarrier && !WITHOUT_RESULT.has(mnemonic) && first !== undefined && TARGETS.has(first.kind);
  return [
    {
      ...{ mnemonic, words, instruction: statement },
      targets: hasTargets ? namesIn(first) : [],
      sources: hasTargets ? rest : operands,
    },
  ];
}

/** What a call hands over goes by way of a variable of its own, as by a register. */
function handedOver(
  mnemonic: string,
  words: ReadonlySet<string>,
  operands: readonly OperandSyntax[],
  variable: string,
): Step {
  const others = operands.filter(({ kind }) => kind !== 'address');
  const isGiven = mnemonic === 'st';
  const [span] = operands.map((one) => one.span);
  return {
    ...{ mnemonic: 'copy', words, instruction: undefined },
    targets: isGiven ? [variable] : others.flatMap(namesIn),
    sources: isGiven || span === undefined ? others : [{ kind: 'name', name: variable, offset: 0n, span }],
  };
}

const TARGETS: ReadonlySet<OperandSyntax['kind']> = new Set(['name', 'vector', 'pair']);
const isRegister = ({ span }: OperandSyntax): boolean => span.source.text.startsWith('%', span.start);

const readBy = ({ sources, instruction }: Step): readonly string[] => [
  ...sources.flatMap(namesIn),
  ...(instruction?.guard === undefined ? [] : [instruction.guard.register]),
];

function add(all: Map<string, Step[]>, name: string, step: Step): void {
  const own = all.get(name);
  if (own === undefined) all.set(name, [step]);
  else own.push(step);
}

/** The bytes of a parameter that a step loads into one of its targets. */
function loadedSlot(
  { mnemonic, words, targets, sources }: Step,
  register: string,
  parameters: ReadonlySet<string>,
): { readonly parameter: string; readonly at: number } | undefined {
  const [from] = sources;
  if (mnemonic !== 'ld' || !words.has('param') || from?.kind !== 'address') return undefined;
  if (typeof from.base !== 'string' || !parameters.has(from.base)) return undefined;
  const at = Number(from.offset) + (targets.indexOf(register) * widthIn(words)) / 8;
  return { parameter: from.base, at };
}

/** The numbers that a step is written with; of shifts by how much they multiply. */
export function numbersOf(mnemonic: string, words: ReadonlySet<string>, sources: readonly OperandSyntax[]): bigint[] {
  return sources.flatMap((one) => {
    if (one.kind !== 'number' || one.fraction !== undefined || one.floatWidth !== undefined) return [];
    if (mnemonic === 'shl' || mnemonic === 'shr') return one.value < 20n ? [1n << one.value] : [];
    const width = widthIn(words);
    return [BigInt.asIntN(width, one.value)].map((value) => (value < 0n ? -value : value));
  });
}
