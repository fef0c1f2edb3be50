import { computed } from '../flow/evaluate.js';
import type { Poll } from '../flow/polls.js';
import type { Code } from '../kernel/code.js';
import { resize } from '../program/integer.js';
import { type Atomic, type BarrierOperation, isComputation, type Load, type Operand } from '../program/operation.js';

/** What the registers of a lane hold, by their names; undefined: an open value. */
export type Held = ReadonlyMap<string, bigint | undefined>;

/** A word of memory that a lane looks at, by a name of its own. */
export type Word = string;

/** What may be in the words that a lane looks at; undefined where that is not known. */
export type Values = (word: Word) => readonly bigint[] | undefined;

/** Where a lane leaves a waiting region, and how: the same for all ways that come to one end. */
interface Exit {
  readonly kind: 'exit';
  readonly at: number;
  readonly manner: string;
  /** What the last look at each word is. */
  readonly last: ReadonlyMap<Word, string>;
}

/** Whether two exits are the same, whichever words each has looked at again before. */
const leaveAlike = (a: Exit, b: Exit): boolean =>
  a.manner === b.manner && [...a.last].every(([word, kind]) => (b.last.get(word) ?? kind) === kind);

/** A lane that looks: what it has found last in each word, and by which look. */
interface Looking {
  readonly kind: 'look';
  readonly at: number;
  readonly held: Held;
  readonly found: ReadonlyMap<Word, { readonly value: bigint; readonly at: number }>;
  /** Fences since the last look. */
  readonly fences: readonly number[];
  /** The registers of the last look that have other elements of its vector, which come in no order with its own. */
  readonly beside: readonly string[];
}

/** Where a lane is in the region behind a look. */
type Behind = Pick<Looking, 'at' | 'found' | 'fences' | 'beside'>;

const MOST_STEPS = 10_000;
const MOST_STATES = 256;

/**
 * What a lane does in a region that waits. It waits for values if it leaves the region, always at one place with one
 * content of its registers, when and only when the last that it has found in each word is one of certain values: then
 * all looks before these may be left out.
 */
export class Waiting {
  private readonly start: Looking;
  private readonly region: Poll['region'];
  /** What it looks at; undefined among them: what cannot be told. */
  private readonly words: ReadonlySet<Word | undefined>;
  /** It looks at one word, and nothing of what it has found is kept from one look to the next. */
  private readonly isMemoryless: boolean;

  constructor(
    private readonly code: Code,
    { region }: Poll,
    at: number,
    held: Held,
    /** The word of an access, or an element of it, with such registers. */
    private readonly wordOf: (access: Load | Atomic, held: Held, element: number) => Word | undefined,
  ) {
    this.region = region;
    this.start = { kind: 'look', at, held, found: new Map(), fences: [], beside: [] };
    const looks = [...region.looks.keys()];
    this.words = new Set(looks.map((look) => this.wordAt({ ...this.start, at: look })));
    this.isMemoryless = this.words.size === 1 && looks.every((look) => this.keptAt(look).length === 0);
  }

  /** Where it goes if memory stays as it is: out of the region, or round again; undefined where that is open. */
  ending(current: (word: Word) => bigint | undefined): number | 'again' | undefined {
    const end = this.goRound(this.start, current);
    return end === undefined || end === 'again' ? end : end.at;
  }

  /** Whether a value in its own word may end the wait, where words have some of these values. */
  ends(value: bigint, values: Values): boolean | undefined {
    const own = this.wordAt(this.start);
    if (own === undefined) return undefined;
    if (this.isMemoryless) return this.endsAnywhere(value);
    const ends = this.explored((word) => {
      const all = values(word);
      return word === own && all?.includes(value) === false ? [...all, value] : all;
    });
    return ends?.some((one) => one.get(own) === value);
  }

  /** Whether what it does with some values follows from the last that it has found. */
  isWait(values: Values): boolean {
    const own = this.wordAt(this.start);
    const all = own === undefined ? undefined : values(own);
    return this.isMemoryless
      ? all?.every((value) => this.endsAnywhere(value) !== undefined) === true
      : this.explored(values) !== undefined;
  }

  /** Of one word: each look that finds the value ends in the same way, or none does. */
  private endsAnywhere(value: bigint): boolean | undefined {
    const ends = [...this.region.looks.keys()].map((at) => this.goRound({ ...this.start, at }, () => value));
    const [first] = ends;
    if (first === undefined) return undefined;
    const areAlike = ends.every((end) => {
      if (first === 'again' || end === 'again' || end === undefined) return end === first;
      return leaveAlike(first, end);
    });
    return areAlike ? first !== 'again' : undefined;
  }

  /** What words hold where that ends the wait, from its first look on; undefined where it does more than to wait. */
  private explored(values: Values): readonly ReadonlyMap<Word, bigint>[] | undefined {
    const words = [...this.words].flatMap((word) => word ?? []);
    const first = { ...this.start, at: Math.min(...this.region.looks.keys()) };
    const ends = new Map<string, { readonly of: ReadonlyMap<Word, bigint>; readonly exit: Exit }>();
    const keyOf = (of: ReadonlyMap<Word, bigint>): string => words.map((word) => of.get(word)).join();
    for (const of of choices(words, values) ?? [new Map<Word, bigint>()]) {
      if (of.size < words.length) return undefined;
      const end = this.goRound(first, (word) => of.get(word));
      if (end === undefined) return undefined;
      if (end !== 'again') ends.set(keyOf(of), { of, exit: end });
    }
    const states = new Map([[this.keyOf(first), first]]);
    for (const state of states.values()) {
      if (states.size > MOST_STATES) return undefined;
      for (const { of, exit } of ends.values()) {
        const end = this.goRound(state, (word) => of.get(word));
        if (end === undefined || end === 'again' || !leaveAlike(exit, end)) return undefined;
      }
      for (const value of values(this.wordAt(state) ?? '') ?? []) {
        const next = this.look(state, value);
        if (next === undefined) return undefined;
        if (next.kind === 'look') {
          states.set(this.keyOf(next), next);
          continue;
        }
        // What it has not looked at may be anything.
        const last = new Map([...state.found].map(([word, found]) => [word, found.value] as const));
        last.set(this.wordAt(state) ?? '', value);
        const fitting = [...ends.values()].filter(({ of }) => [...last].every(([word, one]) => of.get(word) === one));
        const missing = words.filter((word) => !last.has(word));
        const expected = missing.reduce((count, word) => count * (values(word)?.length ?? 0), 1);
        if (fitting.length < expected || fitting.some(({ exit }) => !leaveAlike(exit, next))) return undefined;
      }
    }
    return [...ends.values()].map(({ of }) => of);
  }

  /** Goes on from look to look, each of which finds what there is. */
  private goRound(from: Looking, current: (word: Word) => bigint | undefined): Exit | 'again' | undefined {
    const seen = new Set<string>();
    for (let state = from; ; ) {
      const word = this.wordAt(state);
      const value = word === undefined ? undefined : current(word);
      const next = value === undefined ? undefined : this.look(state, value);
      if (next === undefined || next.kind === 'exit') return next;
      const key = this.keyOf(next);
      if (seen.has(key)) return 'again';
      if (seen.size > MOST_STATES) return undefined;
      seen.add(key);
      state = next;
    }
  }

  private wordAt({ at, held }: Looking): Word | undefined {
    const access = this.code.statements[at]?.operation;
    return access?.kind === 'load' || access?.kind === 'atomic'
      ? this.wordOf(access, this.fixed(access, held), this.region.looks.get(at) ?? 0)
      : undefined;
  }

  /** Registers, with those of an address that does not change in the region, wherever it is computed there. */
  private fixed({ address: { base } }: Load | Atomic, held: Held): Held {
    if (base.kind === 'constant' || !this.region.written.includes(base.name)) return held;
    const registers = new Map(held);
    const make = (name: string, depth: number): void => {
      const maker = [...this.region.statements]
        .map((at) => this.code.statements[at]?.operation)
        .find((one) => one?.kind === 'compute' && one.target === name);
      if (maker?.kind !== 'compute' || depth > this.region.statements.size) return;
      for (const operand of maker.operands) if (operand.kind === 'register') make(operand.name, depth + 1);
      registers.set(
        name,
        computed(maker, this.code.registers, (operand) => valueIn(registers, operand)),
      );
    };
    make(base.name, 0);
    return registers;
  }

  /** The registers that a region writes, and that matter at a statement. */
  private keptAt(at: number): readonly string[] {
    const live = this.code.liveAt(at);
    return this.region.written.filter((name) => live.includes(this.code.indexOf.get(name) ?? -1));
  }

  private keyOf({ at, held, found, fences }: Looking): string {
    const kept = this.keptAt(at).map((name) => held.get(name));
    const last = this.isMemoryless
      ? []
      : [...found].map(([word, one]) => `${word} ${one.value} ${this.kindOf(one.at)}`);
    return [at, kept.join(), last.sort().join(), fences.join()].join(';');
  }

  /** What a look is, wherever it stands. */
  private kindOf(at: number): string {
    const access = this.code.statements[at]?.operation;
    if (access?.kind !== 'load' && access?.kind !== 'atomic') return '';
    return [access.kind, access.order, access.scope, access.type.kind, access.type.width].join();
  }

  /** Goes on from a look that finds a value, to the next one or out of the region. */
  private look(state: Looking, value: bigint): Looking | Exit | undefined {
    const access = this.code.statements[state.at]?.operation;
    const word = this.wordAt(state);
    if ((access?.kind !== 'load' && access?.kind !== 'atomic') || word === undefined) return undefined;
    const held = new Map(state.held);
    const own = targetOf(access, this.region.looks.get(state.at));
    const beside = besides(access, own);
    for (const name of beside) held.set(name, undefined);
    const width = this.code.registers.get(own ?? '')?.type.width ?? access.type.width;
    if (own !== undefined) held.set(own, resize(value, access.type.width, width, access.type.kind === 's'));
    const found = new Map(state.found).set(word, { value, at: state.at });
    return this.goOn({ at: state.at + 1, found, fences: [], beside }, held);
  }

  private goOn(from: Behind, held: Map<string, bigint | undefined>): Looking | Exit | undefined {
    const { code, region } = this;
    let { at, fences } = from;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      if (!region.statements.has(at)) return this.exit({ ...from, at, fences }, held);
      const { operation, guard } = code.statements[at] ?? {};
      if (operation === undefined) return undefined;
      if (code.idleBranches.has(at)) {
        at = code.joins[at] ?? code.statements.length;
        continue;
      }
      const taken = guard === undefined ? 1n : held.get(guard.register);
      if (taken === undefined && !isComputation(operation)) return undefined;
      const isTaken = taken !== undefined && (guard === undefined || (taken & 1n) === (guard.negated ? 0n : 1n));
      if (taken === undefined && isComputation(operation)) held.set(operation.target, undefined);
      else if (isTaken) {
        if (region.looks.has(at)) return { ...from, kind: 'look', at, held, fences };
        if (operation.kind === 'branch') {
          at = code.targets[at] ?? code.statements.length;
          continue;
        }
        if (operation.kind === 'fence' || operation.kind === 'proxy-fence') fences = [...fences, at];
        else if (operation.kind === 'barrier') return this.vote({ ...from, at, fences }, operation, held);
        else if (operation.kind === 'compute')
          held.set(
            operation.target,
            computed(operation, code.registers, (one) => valueIn(held, one)),
          );
        else if (operation.kind === 'open') held.set(operation.target, undefined);
        else return undefined;
      }
      at += 1;
    }
    return undefined;
  }

  /** A vote ends the wait only if all give the same: where the others do not, they all go round again. */
  private vote(
    from: Behind,
    { reduction }: BarrierOperation,
    held: Map<string, bigint | undefined>,
  ): Looking | Exit | undefined {
    const given = reduction === undefined ? undefined : valueIn(held, reduction.value);
    if (reduction === undefined || given === undefined) return undefined;
    const goOn = (result: bigint): Looking | Exit | undefined =>
      this.goOn({ ...from, at: from.at + 1 }, new Map(held).set(reduction.target, result));
    const [all, some] = [goOn(given & 1n), goOn(reduction.operation === 'and' ? 0n : 1n)];
    return some === undefined || some.kind === 'exit' ? undefined : all;
  }

  private exit({ at, found, fences, beside }: Behind, held: Held): Exit | undefined {
    const names = this.keptAt(at).filter((name) => !beside.includes(name));
    const kept = names.map((name) => `${name} ${held.get(name)}`);
    if (names.some((name) => held.get(name) === undefined)) return undefined;
    const last = new Map([...found].map(([word, one]) => [word, this.kindOf(one.at)] as const));
    const kinds = fences.map((one) => JSON.stringify(this.code.statements[one]?.operation));
    return { kind: 'exit', at, manner: [at, kept.join(), kinds.join()].join(';'), last };
  }
}

/** The register that has what a look finds, or an element of it. */
export const targetOf = (access: Load | Atomic, element = 0): string | undefined =>
  access.kind === 'load' ? access.targets[element] : access.target;

/** Those of the other elements. */
export const besides = (access: Load | Atomic, own: string | undefined): readonly string[] =>
  access.kind === 'load' ? access.targets.filter((one) => one !== undefined).filter((one) => one !== own) : [];

const valueIn = (held: Held, operand: Operand): bigint | undefined =>
  operand.kind === 'constant' ? operand.value : held.get(operand.name);

/** Each choice of one value for each word; undefined where these are too many, or not known. */
function choices(words: readonly Word[], values: Values): readonly ReadonlyMap<Word, bigint>[] | undefined {
  let all: readonly ReadonlyMap<Word, bigint>[] = [new Map()];
  for (const word of words) {
    const own = values(word);
    if (own === undefined || all.length * own.length > MOST_STATES) return undefined;
    all = all.flatMap((one) => own.map((value) => new Map(one).set(word, value)));
  }
  return all;
}
