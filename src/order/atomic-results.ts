import type { Span } from '../diagnostics/source.js';
import type { ComesLast } from '../follow/comes-last.js';
import type { LastStep } from '../follow/last-step.js';
import { type Assumption, kindOf, type Trace } from '../follow/trace.js';
import { areAlike, changedByAll, reachableBy } from './reachable-values.js';
import { areStrong, parted, type Variable, type VariableWrites, type Write } from './variable-writes.js';

/** What an atomic that comes last finds, and those that it comes after. */
interface Last {
  readonly value: bigint | undefined;
  readonly all: readonly Write[];
}

/** What an atomic finds behind all those beside it, which are one case, and what behind fewer of them. */
interface Counted {
  readonly cases: readonly (readonly Write[])[];
  readonly fewer: readonly bigint[];
  readonly all: bigint;
}

/** What atomics may find that come in no order, and what depends on it. */
export class AtomicResults {
  /** Atomics of which one comes last in each execution: what follows differs with which one. */
  oneIsLast: readonly ComesLast[] = [];
  /** The word of the first of which it is not known what it finds. */
  openWord: string | undefined;
  /** By the word: what atomics may find there, where something depends on that. */
  readonly values = new Map<string, ReadonlySet<bigint>>();
  /** Those that come last here, by their accesses. */
  private readonly last = new Map<number, Last>();
  /** What the threads of a CTA ask of one atomic, one after the other. */
  private lastAround: { readonly row: number; readonly counted: Counted | undefined } | undefined;
  /** What is asked of each result, in the end. */
  private readonly asked: { readonly of: Assumption; readonly what: string }[] = [];

  constructor(
    private readonly writes: VariableWrites,
    private readonly trace: Trace,
    /** What a poll may find. */
    private readonly foundBy: (row: number) => ReadonlySet<bigint> | undefined,
  ) {}

  /** An atomic comes behind others in this case. */
  comesLast(row: number, found: Last): void {
    this.last.set(row, found);
  }

  /** Something must be so for every value that an atomic may find. */
  ask(of: Assumption, what: string): void {
    this.asked.push({ of, what });
  }

  /** The first that is not so. */
  firstUnforced(): { readonly span: Span; readonly what: string } | undefined {
    const assumed = this.trace.assumptions.map((of) => ({ of, what: 'what depends on the order of atomics' }));
    let first: { readonly span: Span; readonly what: string } | undefined;
    const known = new Map<number, ReadonlySet<bigint> | undefined>();
    for (const { of, what } of [...this.asked, ...assumed]) {
      const isAtomic = kindOf(this.trace, of.row).writes;
      if (!known.has(of.row)) known.set(of.row, isAtomic ? this.resultsOf(of.row) : this.foundBy(of.row));
      const results = known.get(of.row);
      const isOut = (result: bigint): boolean => of.isAsked?.(result) === false || of.of(result) === of.now;
      if (results !== undefined && [...results].every(isOut)) continue;
      if (isAtomic && results !== undefined) this.values.set(this.writes.wordAt(of.row), results);
      if (first === undefined && isAtomic) {
        this.oneIsLast = this.groupOf(of.row);
        this.openWord = this.writes.wordAt(of.row);
      }
      first ??= { span: of.span, what };
    }
    return first;
  }

  /** All atomics that come before another one if what that finds is so, as one case; undefined if not all must. */
  allBefore(row: number, leads: (result: bigint) => boolean): readonly (readonly Write[])[] | undefined {
    if (this.lastAround?.row !== row) this.lastAround = { row, counted: this.countedAround(row) };
    const { counted } = this.lastAround;
    return counted === undefined || !leads(counted.all) || counted.fewer.some(leads) ? undefined : counted.cases;
  }

  /** Something is done by which more may be known of the order of atomics. */
  advance(): void {
    this.lastAround = undefined;
  }

  private countedAround(row: number): Counted | undefined {
    const variable = this.writes.of(row);
    const own = variable.writes.find((one) => one.row === row);
    if (own === undefined || variable.isMixed || !this.writes.areAllMade(variable)) return undefined;
    const [before, beside] = this.aroundOf(variable, own);
    const base = this.writes.baseOf(variable, before, beside);
    if (base === undefined || !areAlike([own, ...beside]) || !areStrong([own, ...beside])) return undefined;
    const [fewer, all] = [reachableBy(base, beside, true), changedByAll(base, beside)];
    return fewer === undefined || all === undefined ? undefined : { cases: [beside], fewer: [...fewer], all };
  }

  /** What an atomic may find. */
  resultsOf(row: number): ReadonlySet<bigint> | undefined {
    const variable = this.writes.of(row);
    const own = variable.writes.find((one) => one.row === row);
    if (own === undefined || variable.isMixed) return undefined;
    const found = this.last.get(row);
    if (found?.value !== undefined) return new Set([found.value]);
    const [before, beside] = this.aroundOf(variable, own);
    const base = this.writes.baseOf(variable, before, beside);
    if (base === undefined || !areAlike(beside)) return undefined;
    if (!areStrong([own, ...beside])) return undefined;
    return reachableBy(base, beside);
  }

  /** The atomics of which one comes last, where all are the same: each finds another value, and one the last. */
  private groupOf(row: number): readonly ComesLast[] {
    const variable = this.writes.of(row);
    const own = variable.writes.find((one) => one.row === row);
    if (own === undefined || variable.isMixed) return [];
    // Whether it is reset by the last one alone is seen where that comes last.
    const [before, beside] = this.withoutResets(variable, own);
    const base = this.writes.baseOf(variable, before, beside);
    const all = [own, ...beside];
    if (base === undefined || !areAlike(all) || !areStrong(all)) return [];
    if (all.some(({ value }) => value !== own.value)) return [];
    const isTogether = (one: Write): boolean => this.withoutResets(variable, one)[1].length === beside.length;
    const finds = changedByAll(base, beside);
    if (finds === undefined || reachableBy(base, beside, true)?.has(finds) !== false || !all.every(isTogether))
      return [];
    return all.map((one) => this.asLast(one, finds));
  }

  /** Whether of several atomics one finds a value in each execution, when all others have been made. */
  isOneLast({ rows, finds }: LastStep): boolean {
    const [first] = rows;
    const variable = first === undefined ? undefined : this.writes.of(first);
    const all = variable?.writes.filter(({ row }) => rows.includes(row)) ?? [];
    if (variable === undefined || variable.isMixed || all.length !== rows.length) return false;
    const [own] = all;
    if (!areAlike(all) || !areStrong(all) || all.some(({ value }) => value !== own?.value)) return false;
    return all.every((one) => {
      const [before, beside] = this.aroundOf(variable, one);
      const isOfAll = beside.length === all.length - 1 && beside.every((other) => all.includes(other));
      const base = isOfAll ? this.writes.baseOf(variable, before, beside) : undefined;
      if (base === undefined || changedByAll(base, beside) !== finds) return false;
      return reachableBy(base, beside, true)?.has(finds) === false;
    });
  }

  private asLast({ row, step: { thread }, kind: { statement } }: Write, finds: bigint): ComesLast {
    let times = 0;
    for (let other = 0; other < row; other++)
      if (this.trace.accesses.threads.at(other) === thread && kindOf(this.trace, other).statement === statement)
        times += 1;
    return { thread, statement, times, finds };
  }

  /** What comes before a write, and what may on either side. */
  private aroundOf(variable: Variable, own: Write): readonly [readonly Write[], readonly Write[]] {
    const isLast = (one: Write): boolean => this.last.get(one.row)?.all.includes(own) === true;
    const [before, others] = parted(
      variable.writes.filter((one) => one !== own),
      (one) => this.writes.isBefore(one, own),
    );
    return [before, others.filter((one) => !this.writes.isBefore(own, one) && !isLast(one))];
  }

  /** The same, but for what a thread writes that has made such an atomic before: the last one resets a count. */
  private withoutResets(variable: Variable, own: Write): readonly [readonly Write[], readonly Write[]] {
    const [before, beside] = this.aroundOf(variable, own);
    const counts = [own, ...beside].filter(({ kind }) => kind.change !== 'set');
    const isReset = ({ kind, step }: Write): boolean =>
      kind.change === 'set' &&
      counts.some((one) => one.step.thread === step.thread && one.step.position < step.position);
    return [before, beside.filter((one) => !isReset(one))];
  }
}
