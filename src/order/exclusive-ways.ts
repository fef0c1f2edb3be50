import { type Step, type Trace, type Way, wordAt } from '../follow/trace.js';
import { areByVote, leadingTo, waysOf } from '../follow/ways-of-thread.js';
import { chainOf } from './atomic-chains.js';

/** Ways of which no execution has both: what leads to one is not found where what leads to the other is. */
export class ExclusiveWays {
  private readonly ways: readonly (readonly Way[])[];
  private readonly known = new Map<string, boolean>();
  /** By word: whether all atomics there find different values. */
  private readonly distinct = new Map<string, boolean>();
  /** By thread: what leads to its way. */
  private readonly keys = new Map<number, string | undefined>();

  constructor(private readonly trace: Trace) {
    this.ways = trace.threads.map((thread) => waysOf(trace.threads, thread));
  }

  /** Whether no execution has both of two accesses. */
  exclude(first: number, second: number): boolean {
    const { threads } = this.trace.accesses;
    const [a, b] = [threads.at(first), threads.at(second)];
    if (this.ways[a]?.length === 0 || this.ways[b]?.length === 0) return false;
    const key = `${Math.min(a, b)} ${Math.max(a, b)}`;
    const known = this.known.get(key) ?? this.areExclusive(a, b);
    this.known.set(key, known);
    return known;
  }

  /** Whether no execution has what two threads do. */
  areExclusive(a: number, b: number): boolean {
    const [one = [], other = []] = [this.ways[a], this.ways[b]];
    return one.some((way) => other.some((of) => this.areApart(way, of)));
  }

  /** Whether the threads of some steps are on no way, or all of them on such as the same results lead to. */
  areOnOneWay(steps: readonly Pick<Step, 'thread'>[]): boolean {
    if (steps.every(({ thread }) => this.ways[thread]?.length === 0)) return true;
    const keys = new Set(steps.map(({ thread }) => this.keyOf(thread)));
    return keys.size <= 1 && !keys.has(undefined);
  }

  /** What leads to the way of a thread: by access, of all that this may find. */
  private keyOf(thread: number): string | undefined {
    if (!this.keys.has(thread)) this.keys.set(thread, this.newKeyOf(thread));
    return this.keys.get(thread);
  }

  private newKeyOf(thread: number): string | undefined {
    const own = this.ways[thread] ?? [];
    const resultsOf = (row: number): readonly bigint[] | undefined => this.trace.results.get(wordAt(this.trace, row));
    return own.some(({ row }) => resultsOf(row) === undefined)
      ? undefined
      : leadingTo(own, (row) => resultsOf(row) ?? []);
  }

  private areApart(a: Way, b: Way): boolean {
    if (areByVote(a, b)) return true;
    const word = wordAt(this.trace, a.row);
    if (word !== wordAt(this.trace, b.row)) return false;
    const results = this.trace.results.get(word) ?? [];
    const [one, other] = [a, b].map(({ leads }) => results.filter(leads)) as [bigint[], bigint[]];
    if (a.row === b.row) return !one.some((result) => other.includes(result));
    return this.areDistinct(a.row) && one.every((result) => other.every((of) => of === result));
  }

  /** Whether no two atomics find the same in a word, in whatever order they come: each makes the same of the last. */
  private areDistinct(row: number): boolean {
    const word = wordAt(this.trace, row);
    const known = this.distinct.get(word) ?? chainOf(this.trace, row) !== undefined;
    this.distinct.set(word, known);
    return known;
  }
}
