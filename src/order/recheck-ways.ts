import { kindOf, rowsTouching, type Step, stepOf, type Trace, type Way, wordAt } from '../follow/trace.js';
import type { PollStep } from '../follow/wait-steps.js';
import { areByVote, leadingTo, waysOf } from '../follow/ways-of-thread.js';
import { computeArithmetic } from '../program/integer.js';
import { initialValue } from '../program/locations.js';
import type { Chains } from './recheck-chains.js';
import type { Claims } from './recheck-links.js';
import { reachEachOther } from './recheck-patterns.js';

/** Values that are counted through, at most. */
const MOST_VALUES = 4096;

/** What an atomic may find of a count, one after the other, and the others that do not come behind it in any case. */
interface Count {
  readonly mayBe: readonly bigint[];
  readonly others: ReadonlySet<number>;
}

/** Ways by what is found, looked at again: what leads to them, and which of them no execution has both of. */
export class FoundWays {
  private readonly ways: readonly (readonly Way[])[];
  private readonly writesOf = new Map<string, readonly number[]>();
  /** By word: all that atomics find there, if each finds something else. */
  private readonly chains = new Map<string, ReadonlySet<bigint> | undefined>();
  /** By atomic whose result leads to ways: what that may be. */
  private readonly counts = new Map<number, ReturnType<FoundWays['countAt']>>();
  /** By thread: what leads to its way. */
  private readonly leading = new Map<number, string>();

  constructor(
    private readonly trace: Trace,
    private readonly claims: Claims,
  ) {
    this.ways = trace.threads.map((thread) => waysOf(trace.threads, thread));
  }

  /** Whether a thread is followed on a way. */
  isOnWay(row: number): boolean {
    return (this.ways[this.trace.accesses.threads.at(row)]?.length ?? 0) > 0;
  }

  /** Whether no execution has both of two accesses. */
  areApart(a: number, b: number): boolean {
    const { threads } = this.trace.accesses;
    const [one = [], other = []] = [this.ways[threads.at(a)], this.ways[threads.at(b)]];
    return one.some((way) => other.some((of) => this.exclude(way, of)));
  }

  private exclude(a: Way, b: Way): boolean {
    if (areByVote(a, b)) return true;
    const word = wordAt(this.trace, a.row);
    if (word !== wordAt(this.trace, b.row)) return false;
    const all = this.trace.results.get(word) ?? [];
    if (a.row === b.row) return all.every((found) => !a.leads(found) || !b.leads(found));
    if (!this.chains.has(word)) this.chains.set(word, this.chainAt(a.row));
    if (this.chains.get(word) === undefined) return false;
    return all.every((found) => !a.leads(found) || all.every((of) => of === found || !b.leads(of)));
  }

  /** Whether the threads of some steps are on ways. */
  areOnWays(steps: readonly Step[]): boolean {
    return steps.some(({ thread }) => (this.ways[thread]?.length ?? 0) > 0);
  }

  /** Whether no execution has the steps of some threads, and those of others. */
  areNeverBoth([a]: readonly Step[], [b]: readonly Step[]): boolean {
    const [one = [], other = []] = [this.ways[a?.thread ?? -1], this.ways[b?.thread ?? -1]];
    return one.some((way) => other.some((of) => this.exclude(way, of)));
  }

  /** Whether threads are all on ways that the same leads to, whatever is found; or none of them is on any. */
  areTogether(steps: readonly Step[]): boolean {
    return new Set(steps.map(({ thread }) => this.leadingOf(thread))).size <= 1;
  }

  /** By each access that leads to the way of a thread, what this must find of all that it may; empty on no way. */
  private leadingOf(thread: number): string {
    const known = this.leading.get(thread);
    if (known !== undefined) return known;
    const { trace } = this;
    const leading = leadingTo(this.ways[thread] ?? [], (row) => trace.results.get(wordAt(trace, row)) ?? []);
    this.leading.set(thread, leading);
    return leading;
  }

  /** What leads to a way besides what is claimed. */
  firstDoubtful(chains: Chains): string | undefined {
    const polls = new Map(
      this.trace.synchronizations.flatMap((one) => (one.kind === 'poll' ? [[one.read, one] as const] : [])),
    );
    for (const [thread, [way]] of this.ways.entries()) {
      if (way === undefined) continue;
      const poll = polls.get(way.row);
      const wrong =
        poll === undefined ? this.wrongCount(thread, way, chains) : this.wrongFound(thread, way, poll, chains);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  /** Of a way by what a poll has found: another write that leads there, or a value that was not thought of. */
  private wrongFound(thread: number, { row }: Way, { step, ends }: PollStep, chains: Chains): string | undefined {
    const { accesses } = this.trace;
    const known = this.trace.results.get(wordAt(this.trace, row)) ?? [];
    const leads = this.leadsTo(thread, row);
    const cases = this.claims.ways.get(thread) ?? [];
    const first = this.initialAt(row);
    const behind = { kind: 'step', thread: step.thread, position: step.position + 1 } as const;
    const early = this.writesAt(row).filter((one) => !chains.leads(behind, stepOf(this.trace, one)));
    const isHidden = (one: number): boolean =>
      early.some((by) => by > one && this.isOver(chains, one, by) && this.isOver(chains, by, row));
    // What was there at first is before all that is written.
    const isWhole = (one: number): boolean =>
      accesses.starts.at(one) === accesses.starts.at(row) && accesses.sizes.at(one) === accesses.sizes.at(row);
    const isFirstHidden = early.some((by) => isWhole(by) && this.isOver(chains, by, row));
    const values = [...(isFirstHidden ? [] : [first]), ...early.map((one) => accesses.values.at(one))];
    if (values.includes(undefined)) return 'a way by what is written open';
    if (values.some((value) => ends(value ?? 0n, undefined) === true && !known.includes(value ?? 0n)))
      return 'a way by what was not thought of';
    if (cases.length === 0) return undefined;
    const claimed = new Set(cases.flat());
    const [writer, ...others] = [...new Set([...claimed].map((one) => accesses.threads.at(one)))];
    // What the same thread writes later tells all that it has told before.
    const isTold = (one: number): boolean =>
      claimed.has(one) ||
      (others.length === 0 && accesses.threads.at(one) === writer && [...claimed].every((of) => of < one));
    const isFound = (one: number): boolean => {
      const value = accesses.values.at(one) ?? 0n;
      return leads(value) && ends(value, undefined) !== false;
    };
    const mayBe = early.filter((one) => isFound(one) && !isHidden(one));
    const isFirst = !isFirstHidden && first !== undefined && leads(first) && ends(first, undefined) === true;
    return isFirst || !mayBe.every(isTold) ? 'a way that another write leads to' : undefined;
  }

  private isOver(chains: Chains, row: number, by: number): boolean {
    const { thread, position } = stepOf(this.trace, row);
    return chains.leads({ kind: 'step', thread, position: position + 1 }, stepOf(this.trace, by));
  }

  /** Of a way by what an atomic has found: that it may find this before all that are claimed have been made. */
  private wrongCount(thread: number, { row }: Way, chains: Chains): string | undefined {
    const claimed = (this.claims.ways.get(thread) ?? []).flat();
    const count = this.counts.get(row) ?? this.countAt(row, chains);
    this.counts.set(row, count);
    if (count === 'in any order' && claimed.length === 0) return undefined;
    if (typeof count === 'string') return 'a way by what atomics of several kinds have found';
    const { mayBe, others } = count;
    const known = this.trace.results.get(wordAt(this.trace, row)) ?? [];
    if (mayBe.some((value) => !known.includes(value))) return 'a way by what was not thought of';
    const leads = this.leadsTo(thread, row);
    const isLast = mayBe.every((value) => !leads(value) || value === mayBe.at(-1));
    const isBefore = claimed.every((one) => others.has(one));
    return claimed.length > 0 && !(isLast && isBefore) ? 'a way that is gone before all have counted' : undefined;
  }

  private countAt(row: number, chains: Chains): Count | 'in any order' | 'of several kinds' {
    const found = this.chainAt(row);
    if (found === undefined) {
      const known = this.trace.results.get(wordAt(this.trace, row)) ?? [];
      const isAnyKnown = this.reachedAt(row)?.every((value) => known.includes(value)) === true;
      return isAnyKnown ? 'in any order' : 'of several kinds';
    }
    const others = this.writesAt(row).filter((one) => one !== row);
    const first = others.filter((one) => this.isOver(chains, one, row)).length;
    const behind = new Set(others.filter((one) => this.isOver(chains, row, one)));
    const mayBe = [...found].slice(first, found.size - behind.size);
    return { mayBe, others: new Set(others.filter((one) => !behind.has(one))) };
  }

  private leadsTo(thread: number, row: number): (found: bigint) => boolean {
    const own = (this.ways[thread] ?? []).filter((way) => way.row === row);
    return (found) => own.every((way) => way.leads(found));
  }

  /** What atomics find one after the other that all do the same to a word, and nothing else; each something else. */
  private chainAt(row: number): ReadonlySet<bigint> | undefined {
    const { accesses } = this.trace;
    const rows = this.writesAt(row);
    const [size, kind] = [accesses.sizes.at(row), kindOf(this.trace, row)];
    const isAlike = (one: number): boolean => {
      const { change, isPossible, reads } = kindOf(this.trace, one);
      if (typeof change !== 'object' || typeof kind.change !== 'object' || isPossible || !reads) return false;
      const isSame = [accesses.starts, accesses.sizes, accesses.ranges].every(
        (column) => column.at(one) === column.at(row),
      );
      const isOne = change.name === kind.change.name && change.signed === kind.change.signed;
      return isSame && isOne && accesses.values.at(one) === accesses.values.at(row);
    };
    const own = accesses.values.at(row);
    if (!rows.every(isAlike) || !reachEachOther(this.trace, rows) || own === undefined) return undefined;
    if (typeof kind.change !== 'object') return undefined;
    const found = new Set<bigint>();
    let value = this.initialAt(row);
    for (const _ of rows) {
      if (value === undefined || found.has(value)) return undefined;
      found.add(value);
      value = BigInt.asUintN(8 * size, computeArithmetic(kind.change, [value, own]));
    }
    return found;
  }

  /** What an atomic may find if any of the others come before it, which do the same, be it by other amounts. */
  private reachedAt(row: number): readonly bigint[] | undefined {
    const { accesses } = this.trace;
    const { change } = kindOf(this.trace, row);
    const rows = this.writesAt(row);
    const isBound = typeof change === 'object' && change.name.includes('modulo');
    const isAlike = (one: number): boolean => {
      const { change: of, isPossible } = kindOf(this.trace, one);
      if (typeof of !== 'object' || typeof change !== 'object' || isPossible || of.name !== change.name) return false;
      return of.signed === change.signed && (!isBound || accesses.values.at(one) === accesses.values.at(row));
    };
    if (typeof change !== 'object' || !rows.every(isAlike) || !reachEachOther(this.trace, rows)) return undefined;
    let values = new Set([this.initialAt(row)]);
    for (const one of rows) {
      if (one === row) continue;
      const given = accesses.values.at(one);
      const next = new Set(values);
      for (const value of values)
        if (value === undefined || given === undefined) return undefined;
        else next.add(BigInt.asUintN(8 * accesses.sizes.at(row), computeArithmetic(change, [value, given])));
      if (next.size > MOST_VALUES) return undefined;
      values = next;
    }
    return values.has(undefined) ? undefined : ([...values] as bigint[]);
  }

  private writesAt(row: number): readonly number[] {
    const { pieces, starts, sizes } = this.trace.accesses;
    const word = wordAt(this.trace, row);
    const known =
      this.writesOf.get(word) ??
      rowsTouching(this.trace, pieces.at(row), starts.at(row), sizes.at(row)).filter(
        (one) => kindOf(this.trace, one).writes && kindOf(this.trace, one).change !== 'same',
      );
    this.writesOf.set(word, known);
    return known;
  }

  private initialAt(row: number): bigint | undefined {
    const { pieces, starts, sizes } = this.trace.accesses;
    const object = this.trace.pieces[pieces.at(row)]?.object;
    return object && initialValue(object, starts.at(row), sizes.at(row));
  }
}
