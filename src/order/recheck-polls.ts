import { firstDoubtful, type LastStep } from '../follow/last-step.js';
import { type Assumption, kindOf, rowsTouching, stepOf, type Trace, threadOf } from '../follow/trace.js';
import type { PollStep } from '../follow/wait-steps.js';
import { computeArithmetic } from '../program/integer.js';
import { initialValue } from '../program/locations.js';
import type { Chains } from './recheck-chains.js';
import type { Claims, Steps } from './recheck-links.js';
import { reach } from './recheck-patterns.js';

/** Values that are counted through, at most. */
const MOST_VALUES = 4096;

/** What is behind a write is looked for so often; then all that is behind it is, and kept, of so many writes. */
const MOST_SEARCHES = 4;
const MOST_KEPT = 256;

/** Something that a thread waits for, or counts by, and that may be different from what is claimed. */
export function firstDoubtfulValue(
  trace: Trace,
  chains: Chains,
  claims: Claims,
  /** Waits that somebody else looks at. */
  isTurn: (read: number) => boolean = () => false,
  isOrdered: (read: number) => boolean = () => false,
): string | undefined {
  return new ValueCheck(trace, chains, claims, isTurn, isOrdered).first();
}

/** What comes before something, what behind it, and what may come on either side; rows of writes. */
interface Sides {
  readonly before: readonly number[];
  readonly beside: readonly number[];
}

/** Whether a poll finds in any case what it is said to find, if that is one write. */
export const isFinder = ({ threads }: Trace, { step }: PollStep): boolean => threads[step.thread]?.way === undefined;

class ValueCheck {
  /** By the bytes: all writes that touch them. */
  private readonly writesOf = new Map<string, readonly number[]>();
  /** By write: polls that have found it for certain. */
  private readonly finders = new Map<number, Pick<PollStep, 'step'>[]>();
  /** By write: how often it was asked what is behind it, and who is. */
  private readonly asked = new Map<number, number>();
  private readonly behind = new Map<number, Steps>();
  private readonly questions: Assumption[] = [];

  constructor(
    private readonly trace: Trace,
    private readonly chains: Chains,
    private readonly claims: Claims,
    private readonly isTurn: (read: number) => boolean,
    private readonly isOrdered: (read: number) => boolean,
  ) {}

  first(): string | undefined {
    const polls = this.trace.synchronizations.filter(
      (one): one is PollStep => one.kind === 'poll' && !this.isTurn(one.read),
    );
    for (const one of polls) {
      const [only, ...others] = this.claims.polls.get(one.read) ?? [];
      for (const row of others.length === 0 && isFinder(this.trace, one) ? (only ?? []) : [])
        this.finders.set(row, [...(this.finders.get(row) ?? []), one]);
    }
    const lasts = this.trace.synchronizations.filter((one): one is LastStep => one.kind === 'last');
    for (const { thread, rows } of lasts)
      for (const row of rows)
        this.finders.set(row, [...(this.finders.get(row) ?? []), { step: { thread, position: 0 } }]);
    if (firstDoubtful(this.trace, lasts, this, this.claims.polls) !== undefined)
      return 'atomics of which it is not known that one comes last';
    for (const one of polls.filter(({ read, makes }) => makes === undefined && !this.isOrdered(read))) {
      const wrong = this.wrongOf(one);
      if (wrong !== undefined) return wrong;
    }
    const known = new Map<number, readonly bigint[] | undefined>();
    for (const { row, of, now, isAsked } of [...this.questions, ...this.trace.assumptions]) {
      if (!known.has(row)) known.set(row, this.resultsOf(row));
      const results = known.get(row)?.filter((one) => isAsked?.(one) !== false);
      if (results === undefined || results.some((one) => of(one) !== now)) return 'an atomic may find another value';
    }
    return undefined;
  }

  /** Whether each of some atomics comes beside all others alone, and finds a value when all of these have been made. */
  isOneLast({ rows, finds }: LastStep): boolean {
    const [first = 0] = rows;
    const isSame = (row: number): boolean => this.value(row) === this.value(first);
    if (new Set(rows).size !== rows.length || !rows.every(isSame) || !this.areAlike(rows)) return false;
    return rows.every((own) => {
      const writes = this.writes(own);
      if (writes === undefined) return false;
      const sides = this.sides(
        writes.filter((one) => one !== own),
        (one) => one < own && this.isBefore(one, stepOf(this.trace, own)),
        (one) => one > own && this.isBefore(own, stepOf(this.trace, one)),
      );
      const { beside } = sides;
      if (beside.length !== rows.length - 1 || !beside.every((one) => rows.includes(one))) return false;
      const base = this.valueBehind(sides, own);
      const whole = beside.reduce<bigint | undefined>((value, row) => this.after(value, row), base);
      const fewer = base === undefined ? undefined : this.valuesOf(base, beside.slice(1));
      return whole === finds && fewer?.includes(finds) === false;
    });
  }

  private wrongOf(poll: PollStep): string | undefined {
    const { read, step, isUsed } = poll;
    const writes = this.writes(read);
    if (writes === undefined) return 'a wait for parts of what is written';
    const behind = { ...step, position: step.position + 1 };
    const sides = this.sides(
      writes.filter((row) => row !== read),
      (row) => row < read && this.isBefore(row, step),
      (row) => row > read && this.chains.leads({ kind: 'step', ...behind }, stepOf(this.trace, row)),
    );
    const base = this.valueBehind(sides, read);
    if (base === undefined) return 'a wait for what is open';
    const ends = (value: bigint): boolean => {
      const answer = poll.ends(value, undefined);
      const of = (result: bigint): bigint => (poll.ends(value, result) === true ? 1n : 0n);
      if (poll.after !== undefined)
        this.questions.push({ row: poll.after, of, now: answer === true ? 1n : 0n, span: poll.span });
      return answer === true;
    };
    const early = sides.beside.filter((row) => row < read);
    const late = sides.beside.filter((row) => row > read);
    const claimed = this.claims.polls.get(read) ?? [];
    if (early.every((row) => kindOf(this.trace, row).change === 'set')) {
      const seen = early.filter((row) => ends(this.value(row) ?? -1n));
      if (!seen.every((row) => this.isSeen(row, read))) return 'a wait for what need not be seen';
      const wrong = this.wrongStores(poll, base, early, late, claimed, ends);
      const values = new Set([...early.filter((row) => ends(this.value(row) ?? -1n)).map((row) => this.value(row))]);
      if (ends(base)) values.add(base);
      return wrong ?? (isUsed && (values.size > 1 || late.length > 0) ? 'a wait that several values end' : undefined);
    }
    if (!early.every((row) => this.isSeen(row, read))) return 'a wait for what need not be seen';
    return this.wrongCount(base, early, late, claimed, ends, isUsed);
  }

  /** Whether a read comes to see a write: both are strong, in scopes that have each other in them. */
  private isSeen(row: number, read: number): boolean {
    const [writer, reader] = [threadOf(this.trace, row), threadOf(this.trace, read)];
    const isStrong = [row, read].every((one) => !kindOf(this.trace, one).tags.has('WEAK'));
    return (
      isStrong &&
      reach(kindOf(this.trace, row).scope, writer, reader) &&
      reach(kindOf(this.trace, read).scope, reader, writer)
    );
  }

  private wrongStores(
    { isOpen }: PollStep,
    base: bigint,
    early: readonly number[],
    late: readonly number[],
    claimed: readonly (readonly number[])[],
    ends: (value: bigint) => boolean,
  ): string | undefined {
    const values = [...early, ...late].map((row) => this.value(row));
    if (values.includes(undefined)) return 'a wait for what is written open';
    const ending = early.filter((row) => ends(this.value(row) ?? 0n));
    const others = early.filter((row) => !ending.includes(row));
    if (!ends(base) && ending.length === 0) return 'a wait that nothing ends';
    if (!others.every((row) => ending.some((end) => this.isBefore(row, stepOf(this.trace, end)))))
      return 'what a thread waits for may be written over';
    const isClaimed = (row: number): boolean =>
      claimed.some((one) => one.length === 0 || (one.length === 1 && one[0] === row));
    if (claimed.length > 0 && (ends(base) || !ending.every(isClaimed))) return 'a wait that another write may end';
    const mayCome = (row: number): boolean => kindOf(this.trace, row).change === 'set' && ends(this.value(row) ?? 0n);
    // What the thread writes later that is said to be found tells as much.
    const writers = new Set(claimed.flat().map((row) => this.trace.accesses.threads.at(row)));
    const isLater = (row: number): boolean =>
      isOpen &&
      writers.size === 1 &&
      writers.has(this.trace.accesses.threads.at(row)) &&
      this.isSeen(row, claimed.flat()[0] ?? row);
    const isRight = late.length === 0 || (late.every(mayCome) && (claimed.length === 0 || late.every(isLater)));
    return isRight ? undefined : 'a wait that a later write may end';
  }

  private wrongCount(
    base: bigint,
    met: readonly number[],
    behind: readonly number[],
    claimed: readonly (readonly number[])[],
    ends: (value: bigint) => boolean,
    isUsed: boolean,
  ): string | undefined {
    const rows = new Set(claimed.flat());
    // What comes behind all that is said to be waited for is none of that.
    const isLate = (row: number): boolean =>
      rows.size > 0 && !rows.has(row) && [...rows].every((one) => this.isBefore(one, stepOf(this.trace, row)));
    const early = met.filter((row) => !isLate(row));
    const late = [...met.filter(isLate), ...behind];
    const all = [...early, ...late];
    if (!this.areAlike(all)) return 'a wait for writes of several kinds';
    const whole = early.reduce<bigint | undefined>((value, row) => this.after(value, row), base);
    if (whole === undefined || !ends(whole)) return 'a count that is not complete';
    if (late.length > 0 && isUsed) return 'a count that may go on';
    if (!late.every((row) => early.every((one) => this.isBefore(one, stepOf(this.trace, row)))))
      return 'a count in which a later one may be';
    const beyond = this.valuesOf(whole, late);
    if (beyond === undefined || !beyond.every(ends)) return 'a count that goes too far';
    // One of each operand is missing.
    const missing = new Map(early.map((row) => [this.value(row), row])).values();
    const without = (row: number): readonly number[] => early.filter((one) => one !== row);
    const short = [...missing].flatMap((row) => this.valuesOf(base, without(row)) ?? [whole]);
    const isExact = !short.some(ends);
    if (isUsed && !isExact) return 'a count that is complete early';
    const isRight = claimed.length === 0 || (claimed.length === 1 && [...rows].every((row) => early.includes(row)));
    return isRight && (isExact || rows.size === 0) ? undefined : 'a count that is complete early';
  }

  /** All values that some of several updates may come to; undefined if these are too many. */
  private valuesOf(base: bigint, rows: readonly number[]): readonly bigint[] | undefined {
    let values = new Set([base]);
    for (const row of rows) {
      const next = new Set(values);
      for (const value of values) {
        const after = this.after(value, row);
        if (after === undefined) return undefined;
        next.add(after);
      }
      if (next.size > MOST_VALUES) return undefined;
      values = next;
    }
    return [...values];
  }

  private resultsOf(row: number): readonly bigint[] | undefined {
    const writes = this.writes(row)?.filter((one) => one !== row);
    if (writes === undefined) return undefined;
    if (!kindOf(this.trace, row).writes) return this.valuesFoundBy(row, writes);
    const last = this.trace.synchronizations.find((one) => one.kind === 'poll' && one.read === row);
    const own = stepOf(this.trace, row);
    if (last?.kind === 'poll') return this.lastFinds(last, writes);
    const isFirst = (one: number): boolean => this.claims.polls.get(one)?.flat().includes(row) === true;
    const sides = this.sides(
      writes.filter((one) => !isFirst(one)),
      (one) => one < row && this.isBefore(one, own),
      (one) => one > row && this.isBefore(row, stepOf(this.trace, one)),
    );
    const base = this.valueBehind(sides, row);
    const isRight = this.areAlike(sides.beside) && this.areTogether([row, ...sides.beside]);
    return base === undefined || !isRight ? undefined : this.valuesOf(base, sides.beside);
  }

  /** What ends a poll of what is there at first, or written before it or beside it. */
  private valuesFoundBy(row: number, writes: readonly number[]): readonly bigint[] | undefined {
    const poll = this.trace.synchronizations.find((one) => one.kind === 'poll' && one.read === row);
    if (poll?.kind !== 'poll') return undefined;
    const behind = { kind: 'step', ...poll.step, position: poll.step.position + 1 } as const;
    const others = writes.filter((one) => !this.chains.leads(behind, stepOf(this.trace, one)));
    const { pieces, starts, sizes } = this.trace.accesses;
    const object = this.trace.pieces[pieces.at(row)]?.object;
    const first = object && initialValue(object, starts.at(row), sizes.at(row));
    const values = [first, ...others.map((one) => this.value(one))];
    if (values.includes(undefined) || !others.every((one) => kindOf(this.trace, one).change === 'set'))
      return undefined;
    return values.filter((value): value is bigint => value !== undefined && poll.ends(value, undefined) !== false);
  }

  /** What an atomic finds that is said to come behind others: all before it, or beside it, have been made. */
  private lastFinds({ read, ends }: PollStep, writes: readonly number[]): readonly bigint[] | undefined {
    const early = writes.filter((one) => one < read);
    const object = this.trace.pieces[this.trace.accesses.pieces.at(read)]?.object;
    const { starts, sizes } = this.trace.accesses;
    const start = object && initialValue(object, starts.at(read), sizes.at(read));
    // What is stored is before all that come behind, in whatever order these do.
    const stored = early.findLast((one) => kindOf(this.trace, one).change === 'set');
    const isStored = stored !== undefined && this.isBefore(stored, stepOf(this.trace, read));
    const value = isStored
      ? this.valueBehind({ before: early, beside: [] }, read)
      : early.reduce<bigint | undefined>((old, one) => this.after(old, one), start);
    return value === undefined || ends(value, undefined) !== true ? undefined : [value];
  }

  /** Atomics of one operation, in scopes that have each other in them. */
  private areAlike(rows: readonly number[]): boolean {
    const [first] = rows;
    if (first === undefined) return true;
    const like = kindOf(this.trace, first).change;
    if (typeof like === 'string') return false;
    const isBound = like.name.includes('modulo');
    const isLike = (row: number): boolean => {
      const { change } = kindOf(this.trace, row);
      if (typeof change === 'string' || change.name !== like.name || change.signed !== like.signed) return false;
      return !isBound || this.value(row) === this.value(first);
    };
    return rows.every(isLike) && this.areTogether(rows);
  }

  /** Strong, in scopes that have all of them. */
  private areTogether(rows: readonly number[]): boolean {
    const owners = new Map(
      rows.map((row) => [`${threadOf(this.trace, row).ctaId} ${kindOf(this.trace, row).scope}`, row]),
    );
    const ends = [...owners.values()];
    const isHeld = (a: number, b: number): boolean =>
      reach(kindOf(this.trace, a).scope, threadOf(this.trace, a), threadOf(this.trace, b));
    const areStrong = rows.every((row) => !kindOf(this.trace, row).tags.has('WEAK'));
    return areStrong && ends.every((a) => ends.every((b) => isHeld(a, b)));
  }

  /** What is there when what is before has been made, and what is beside has not; undefined where that is not known. */
  private valueBehind({ before, beside }: Sides, row: number): bigint | undefined {
    const sets = before.filter((one) => kindOf(this.trace, one).change === 'set');
    const last = sets[sets.length - 1];
    const after = last === undefined ? before : before.filter((one) => one > last);
    if (last !== undefined) {
      const isFirst = (one: number): boolean => this.isBefore(last, stepOf(this.trace, one));
      if (!before.every((one) => one >= last || this.isBefore(one, stepOf(this.trace, last)))) return undefined;
      if (![...after, ...beside].every(isFirst)) return undefined;
    }
    if (after.length > 1 && !this.areAlike(after)) return undefined;
    const { pieces, starts, sizes } = this.trace.accesses;
    const object = this.trace.pieces[pieces.at(row)]?.object;
    const start = last === undefined ? object && initialValue(object, starts.at(row), sizes.at(row)) : this.value(last);
    return after.reduce<bigint | undefined>((value, one) => this.after(value, one), start);
  }

  private sides(
    writes: readonly number[],
    isBefore: (row: number) => boolean,
    isBehind: (row: number) => boolean,
  ): Sides {
    const before = writes.filter(isBefore);
    return { before, beside: writes.filter((row) => !before.includes(row) && !isBehind(row)) };
  }

  /** The writes of the bytes of an access; undefined if one is of others too, or not generic. */
  private writes(row: number): readonly number[] | undefined {
    const { pieces, ranges, starts, sizes } = this.trace.accesses;
    const key = [pieces, starts, sizes].map((column) => column.at(row)).join(' ');
    const touching = (): readonly number[] => rowsTouching(this.trace, pieces.at(row), starts.at(row), sizes.at(row));
    const found = this.writesOf.get(key) ?? touching().filter((one) => kindOf(this.trace, one).writes);
    this.writesOf.set(key, found);
    const isWhole = (one: number): boolean =>
      [ranges, starts, sizes].every((column) => column.at(one) === column.at(row)) &&
      kindOf(this.trace, one).tags.has('GEN') &&
      !kindOf(this.trace, one).tags.has('ASY') &&
      !kindOf(this.trace, one).isPossible;
    // An atomic that changes nothing hands on whom it finds.
    return found.every(isWhole) ? found.filter((one) => kindOf(this.trace, one).change !== 'same') : undefined;
  }

  private isBefore(row: number, to: { readonly thread: number; readonly position: number }): boolean {
    const own = stepOf(this.trace, row);
    const starts = [own, ...(this.finders.get(row) ?? []).map(({ step }) => step)];
    const behind = starts.map(({ thread, position }) => ({ thread, position: position + 1 }));
    const asked = (this.asked.get(row) ?? 0) + 1;
    this.asked.set(row, asked);
    if (asked <= MOST_SEARCHES) return behind.some((step) => this.chains.leads({ kind: 'step', ...step }, to));
    if (!this.behind.has(row) && this.behind.size >= MOST_KEPT) this.behind.clear();
    const all = this.behind.get(row) ?? this.chains.behind(behind);
    this.behind.set(row, all);
    return (all.get(to.thread) ?? Infinity) <= to.position;
  }

  private after(value: bigint | undefined, row: number): bigint | undefined {
    const { change } = kindOf(this.trace, row);
    const own = this.value(row);
    if (change === 'same') return value;
    if (value === undefined || own === undefined || change === 'unknown') return undefined;
    const bits = 8 * this.trace.accesses.sizes.at(row);
    return BigInt.asUintN(bits, change === 'set' ? own : computeArithmetic(change, [value, own]));
  }

  private value(row: number): bigint | undefined {
    const bits = 8 * this.trace.accesses.sizes.at(row);
    const value = this.trace.accesses.values.at(row);
    return value === undefined ? undefined : BigInt.asUintN(bits, value);
  }
}
