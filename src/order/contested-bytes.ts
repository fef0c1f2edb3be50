import type { UninitializedRead } from '../follow/accesses.js';
import type { BytesOfPieces, Contested } from '../follow/memory-image.js';
import type { Trace } from '../follow/trace.js';
import { joinedRanges } from '../program/joined-ranges.js';
import { firstAbove } from '../program/sorted.js';
import type { Conflicts } from './conflicts.js';

/** What is not known of memory in one case or another; the first, if the other has no more. */
export function joined(a: Contested, b: Contested): Contested {
  const [bytes, results] = [union(a.bytes, b.bytes), union(a.results, b.results)];
  const sameValue = union(a.sameValue, b.sameValue);
  const isSame = bytes === a.bytes && results === a.results && sameValue === a.sameValue;
  return isSame ? a : { bytes, results, sameValue };
}

/** Of what is said of the same bytes, what leaves more open. */
export const moreOpen = (one: keyof Contested, other: keyof Contested = one): keyof Contested =>
  OPENNESS.indexOf(one) > OPENNESS.indexOf(other) ? one : other;
const OPENNESS: readonly (keyof Contested)[] = ['sameValue', 'results', 'bytes'];

function union(a: BytesOfPieces, b: BytesOfPieces): BytesOfPieces {
  const all = new Map(a);
  let isMore = false;
  for (const [piece, ranges] of b) {
    const own = joinedRanges(a.get(piece) ?? []);
    const both = joinedRanges([...own, ...ranges]);
    if (own.length === both.length && own.every(([from, to], i) => from === both[i]?.[0] && to === both[i]?.[1]))
      continue;
    isMore = true;
    all.set(piece, both);
  }
  return isMore ? all : a;
}

/** Reads of memory that nothing has written. */
export interface Uninitialized {
  /** By instruction the first, where nothing conflicts: of a race that is told instead. */
  readonly rows: readonly number[];
  /** There are others, of bytes that conflict, which are not known to race themselves. */
  readonly isOpen: boolean;
}

/**
 * Reads of memory that nothing has written. An asynchronous read is made in parts. Where a run is not followed to its
 * end, a write that is still to come may race with a read (`mayRace`). What the test asks about is told by itself.
 */
export function uninitializedIn(
  { uninitialized, accesses, kinds }: Trace,
  { contested, racing, isAsked }: Pick<Conflicts, 'contested' | 'racing' | 'isAsked'>,
  mayRace: (row: number) => boolean,
): Uninitialized {
  const runs = new Map([...contested.bytes].map(([piece, ranges]) => [piece, joinedRanges(ranges)]));
  const isInParts = ({ row }: UninitializedRead): boolean => kinds[accesses.kinds.at(row)]?.tags.has('ASY') === true;
  const isContested = (one: UninitializedRead): boolean => {
    const { row, from, to } = one;
    const own = runs.get(accesses.pieces.at(row)) ?? [];
    // The last run that begins before the end of it.
    const [first = to, end = 0] = own[firstAbove(own, ([start]) => start, to - 1) - 1] ?? [];
    return isInParts(one) ? first <= from && to <= end : end > from;
  };
  const firsts = new Map<string, number>();
  let isOpen = false;
  for (const one of uninitialized) {
    const kind = `${accesses.kinds.at(one.row)} ${isAsked(one.row)}`;
    if (isContested(one)) isOpen ||= isInParts(one) || !racing.has(one.row);
    // Any of several atomics may come first, which are in no order.
    else if (!isAsked(one.row) && kinds[accesses.kinds.at(one.row)]?.tags.has('RMW') === true) isOpen = true;
    else if (firsts.has(kind)) continue;
    else if (mayRace(one.row)) isOpen = true;
    else firsts.set(kind, one.row);
  }
  return { rows: [...firsts.values()], isOpen };
}
