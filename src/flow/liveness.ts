import { registersRead, registersWritten } from '../program/operands.js';
import { isComputation, type Operation } from '../program/operation.js';
import { type Body, successorsIn } from './graph.js';

export interface LivenessOptions {
  /** Registers that are asked for at the end. */
  readonly asked: Iterable<string>;
  /** What a register is computed from is live only if that register is: what only a delay is computed from is not. */
  readonly isStrong?: boolean;
  /** Branches that decide nothing: what they are taken by is not used there. */
  readonly idle?: ReadonlySet<number>;
  /** The registers that an operation uses, if not all that it reads. */
  readonly uses?: (operation: Operation) => readonly string[];
}

/** The registers whose values may still be used before a statement; the number of statements stands for the end. */
export interface Liveness {
  /** By their places among the names. */
  before(statement: number): readonly number[];
  has(statement: number, register: string): boolean;
}

/**
 * Live registers, by what is executed or asked for at the end: backward from the end, until nothing changes. With
 * `isStrong` strongly live ones (a computation uses its operands only where its result is live).
 */
export function liveRegisters(
  body: Body,
  names: readonly string[],
  { asked, isStrong = false, idle = new Set(), uses = registersRead }: LivenessOptions,
): Liveness {
  const indexOf = new Map(names.map((name, index) => [name, index]));
  const placed = (registers: Iterable<string>): readonly number[] =>
    [...registers].flatMap((name) => indexOf.get(name) ?? []);
  const successors = successorsIn(body);
  const rows = body.statements.map(() => new RegisterSet(names.length));
  const end = new RegisterSet(names.length);
  end.add(placed(asked));
  const facts = body.statements.map(({ operation, guard }, at) => ({
    reads: placed(uses(operation)),
    guard: guard === undefined || idle.has(at) ? [] : placed([guard.register]),
    writes: placed(registersWritten(operation)),
    isGuarded: guard !== undefined,
    isFaint: isStrong && isComputation(operation),
  }));
  const live = new RegisterSet(names.length);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [at, { reads, guard, writes, isGuarded, isFaint }] of [...facts.entries()].reverse()) {
      live.clear();
      for (const next of successors[at] ?? []) live.addAll(rows[next] ?? end);
      const matters = !isFaint || writes.some((register) => live.has(register));
      if (!isGuarded) live.remove(writes);
      if (matters) live.add([...reads, ...guard]);
      changed = rows[at]?.become(live) === true || changed;
    }
  }
  return {
    before: (statement) => (rows[statement] ?? end).members,
    has: (statement, register) => (rows[statement] ?? end).has(indexOf.get(register) ?? names.length),
  };
}

/** The names of all registers that some statements use. */
export const registersOf = ({ statements }: Body): readonly string[] => [
  ...new Set(
    statements.flatMap(({ operation, guard }) => [
      ...registersRead(operation),
      ...registersWritten(operation),
      ...(guard === undefined ? [] : [guard.register]),
    ]),
  ),
];

/** The names of the registers that some statements may write, by their places. */
export const writtenBy = ({ statements }: Pick<Body, 'statements'>, some: Iterable<number>): readonly string[] =>
  [...some].flatMap((at) => registersWritten(statements[at]?.operation ?? { kind: 'exit' }));

/** A set of registers by their places, as bits. */
class RegisterSet {
  private readonly words: Uint32Array;

  constructor(private readonly size: number) {
    this.words = new Uint32Array(Math.ceil(size / 32) + 1);
  }

  clear(): void {
    this.words.fill(0);
  }

  has(register: number): boolean {
    return (((this.words[register >> 5] ?? 0) >>> (register & 31)) & 1) === 1;
  }

  add(registers: readonly number[]): void {
    for (const one of registers) this.words[one >> 5] = (this.words[one >> 5] ?? 0) | (1 << (one & 31));
  }

  remove(registers: readonly number[]): void {
    for (const one of registers) this.words[one >> 5] = (this.words[one >> 5] ?? 0) & ~(1 << (one & 31));
  }

  addAll({ words }: RegisterSet): void {
    for (let i = 0; i < words.length; i++) this.words[i] = (this.words[i] ?? 0) | (words[i] ?? 0);
  }

  /** Takes the members of another set; whether they were others. */
  become({ words }: RegisterSet): boolean {
    if (this.words.every((word, i) => word === words[i])) return false;
    this.words.set(words);
    return true;
  }

  get members(): readonly number[] {
    return Array.from({ length: this.size }, (_, register) => register).filter((register) => this.has(register));
  }
}
