import type { Span } from '../diagnostics/source.js';
import { type Count, kindOf, rowsTouching, type Trace, threadOf } from '../follow/trace.js';
import { initialValue } from '../program/locations.js';
import { holdEachOther } from './scopes.js';

/**
 * Tickets: what atomics find that count a word upwards. If nothing else writes the word, no two find the same, and none
 * finds more than all together come to. Accesses whose addresses grow with their tickets are apart by that.
 */
export class Tickets {
  private readonly groups = new Map<number, string>();
  /** How far words are counted, if one is counted further than it was taken to. */
  readonly counted: ReadonlyMap<string, bigint> | undefined;
  /** What is not so. */
  readonly unforced: { readonly span: Span; readonly what: string } | undefined;

  constructor(private readonly trace: Trace) {
    const { counts, tickets, accesses } = trace;
    const sums = counts.map((count) => ({ count, sum: this.sumOf(count) }));
    for (const { sum } of sums) if (sum.wrong !== undefined) this.unforced ??= open(trace, sum.wrong);
    const tooFar = sums.find(({ count, sum }) => sum.of > count.most);
    if (tooFar !== undefined) {
      this.counted = new Map(sums.map(({ count: { word }, sum: { of } }) => [word, of]));
      this.unforced ??= open(trace, tooFar.sum.last);
    }
    if (this.unforced !== undefined) return;
    for (const [row, { from, scale, first }] of tickets) {
      const word = `${accesses.pieces.at(from)} ${accesses.starts.at(from)}`;
      this.groups.set(row, `ticket ${word} ${scale} ${first} ${kindOf(trace, row).unit}`);
    }
  }

  /** Accesses of one group are at other places, by whatever threads. */
  groupOf(row: number): string | undefined {
    return this.groups.get(row);
  }

  /** How far atomics count a word, and the last of them; the first write that does not count it upwards. */
  private sumOf({ piece, offset, bytes }: Count): Sum {
    const { accesses } = this.trace;
    const touching = rowsTouching(this.trace, piece.id, offset, bytes);
    const writes = touching.filter((row) => kindOf(this.trace, row).writes);
    const last = writes.at(-1) ?? 0;
    const users = writes.map((row) => ({ scope: kindOf(this.trace, row).scope, thread: threadOf(this.trace, row) }));
    const isCounting = (row: number): boolean => {
      const { change, unit } = kindOf(this.trace, row);
      const isWhole = accesses.starts.at(row) === offset && accesses.sizes.at(row) === bytes && unit === undefined;
      return isWhole && typeof change === 'object' && change.name === 'add' && (accesses.values.at(row) ?? 0n) > 0n;
    };
    const other = holdEachOther(users) ? writes.find((row) => !isCounting(row)) : last;
    const begin = initialValue(piece.object, offset, bytes);
    const of = writes.reduce((sum, row) => sum + (accesses.values.at(row) ?? 0n), begin ?? 0n);
    const isTooFar = begin === undefined || of >= 1n << BigInt(8 * bytes);
    return { of, last, wrong: other ?? (isTooFar ? last : undefined) };
  }
}

interface Sum {
  readonly of: bigint;
  readonly last: number;
  readonly wrong: number | undefined;
}

const open = (trace: Trace, row: number): { readonly span: Span; readonly what: string } => ({
  span: kindOf(trace, row).span,
  what: 'what an atomic finds, where not all count upwards',
});
