import type { Span } from '../diagnostics/source.js';
import { numberGrowths } from '../follow/ticket-growth.js';
import {
  type Count,
  type Counted,
  kindOf,
  rowsTouching,
  type TicketedAccess,
  type Trace,
  threadOf,
} from '../follow/trace.js';
import { groupBy } from '../program/group-by.js';
import { gcd } from '../program/integer.js';
import { initialValue } from '../program/locations.js';
import { holdEachOther } from './scopes.js';
import { ofTiles } from './tiles.js';

/**
 * Tickets: what atomics find that count a word upwards. If nothing else writes the word, no two find the same, and none
 * finds more than all together come to. Accesses whose addresses grow with their tickets are apart by that.
 */
export class Tickets {
  private readonly groups = new Map<number, string>();
  /** How far words are counted. */
  readonly drawn: ReadonlyMap<string, Counted>;
  /** The same, if one is counted further than it was taken to. */
  readonly counted: ReadonlyMap<string, Counted> | undefined;
  /** What is not so. */
  readonly unforced: { readonly span: Span; readonly what: string } | undefined;

  constructor(private readonly trace: Trace) {
    const { counts, tickets, accesses } = trace;
    const sums = counts.map((count) => ({ count, sum: this.sumOf(count) }));
    for (const { sum } of sums) if (sum.wrong !== undefined) this.unforced ??= open(trace, sum.wrong);
    const tooFar = sums.find(({ count, sum }) => sum.of > count.most || sum.unit % count.unit !== 0n);
    this.drawn = new Map(sums.map(({ count: { word }, sum: { of, unit } }) => [word, { most: of, unit }]));
    if (tooFar !== undefined) {
      this.counted = this.drawn;
      this.unforced ??= open(trace, tooFar.sum.last);
    }
    if (this.unforced !== undefined) return;
    const steps = new Map(sums.map(({ count: { word }, sum: { least } }) => [word, least]));
    const wordOf = ({ from }: TicketedAccess): string => `${accesses.pieces.at(from)} ${accesses.starts.at(from)}`;
    const numberOf = numberGrowths();
    const nameOf = (one: TicketedAccess): string => `ticket ${wordOf(one)} ${one.scale} ${numberOf(one.growth)}`;
    for (const [name, own] of groupBy([...tickets], ([, one]) => nameOf(one))) {
      const [[, some] = []] = own;
      const apart = some && (steps.get(wordOf(some)) ?? 0n) * (some.scale < 0n ? -some.scale : some.scale);
      const groups = some?.growth === undefined ? inReach(own, apart ?? 0n) : ofTiles(own, some.growth);
      for (const [at, rows] of groups.entries()) for (const row of rows) this.groups.set(row, `${name} ${at}`);
      const met = this.firstMet(groups);
      if (met !== undefined) this.unforced ??= open(trace, met, 'an address that two tickets may give');
    }
  }

  /** Whether any are drawn. */
  get areAny(): boolean {
    return this.trace.counts.length > 0;
  }

  /** Accesses of one group are at other places, by whatever threads. */
  groupOf(row: number): string | undefined {
    return this.groups.get(row);
  }

  /** A write that others of its instruction may meet, by other tickets: what is known of these is no help then. */
  private firstMet(groups: readonly (readonly number[])[]): number | undefined {
    const { kinds, pieces, starts, sizes } = this.trace.accesses;
    const ends = new Map<string, { readonly group: number; readonly end: number }>();
    const inOrder = groups
      .flatMap((rows, group) => rows.map((row) => ({ row, group })))
      .sort((a, b) => starts.at(a.row) - starts.at(b.row));
    for (const { row, group } of inOrder) {
      if (!kindOf(this.trace, row).writes) continue;
      const key = `${pieces.at(row)} ${kinds.at(row)}`;
      const end = starts.at(row) + sizes.at(row);
      const last = ends.get(key);
      if (last !== undefined && last.group !== group && starts.at(row) < last.end) return row;
      if (last === undefined || end > last.end) ends.set(key, { group, end });
    }
    return undefined;
  }

  /** How far atomics count a word, and the last of them; the first write that does not count it upwards. */
  private sumOf({ piece, offset, bytes, most, isOfQueue }: Count): Sum {
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
    // How often threads draw from a queue before it ends is another matter here than in any execution.
    const all = writes.reduce((sum, row) => sum + (accesses.values.at(row) ?? 0n), begin ?? 0n);
    const of = isOfQueue === true ? most : all;
    const isTooFar = begin === undefined || of >= 1n << BigInt(8 * bytes);
    const added = writes.map((row) => accesses.values.at(row) ?? 0n);
    const least = added.reduce<bigint | undefined>(lesser, undefined) ?? 0n;
    const unit = added.reduce(gcd, 0n) || 1n;
    return { of, last, wrong: other ?? (isTooFar ? last : undefined), least, unit };
  }
}

const lesser = (a: bigint | undefined, b: bigint): bigint => (a === undefined || b < a ? b : a);

/**
 * Accesses that grow alike with tickets, together as far as those of one ticket are within what is between two: then
 * those of different tickets are apart, whichever of them it is.
 */
function inReach(own: readonly (readonly [row: number, access: TicketedAccess])[], apart: bigint): readonly number[][] {
  const groups: { readonly from: bigint; readonly rows: number[] }[] = [];
  const inOrder = [...own].sort(([, a], [, b]) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  for (const [row, { first, bytes }] of inOrder) {
    if (bytes > apart) continue;
    const last = groups.at(-1);
    if (last !== undefined && first + bytes - last.from <= apart) last.rows.push(row);
    else groups.push({ from: first, rows: [row] });
  }
  return groups.map(({ rows }) => rows);
}

interface Sum {
  readonly of: bigint;
  readonly last: number;
  readonly wrong: number | undefined;
  /** The least that one of them adds. */
  readonly least: bigint;
  /** Of what all that they add is a multiple. */
  readonly unit: bigint;
}

const NOT_UPWARDS = 'what an atomic finds, where not all count upwards';

const open = (trace: Trace, row: number, what = NOT_UPWARDS): { readonly span: Span; readonly what: string } => ({
  span: kindOf(trace, row).span,
  what,
});
