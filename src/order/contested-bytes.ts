import type { BytesOfPieces, Contested } from '../follow/memory-image.js';
import type { Trace, UninitializedRead } from '../follow/trace.js';
import { firstAbove } from '../program/sorted.js';

/** What is not known of memory in one case or another; the first, if the other has no more. */
export function joined(a: Contested, b: Contested): Contested {
  const [bytes, results] = [union(a.bytes, b.bytes), union(a.results, b.results)];
  return bytes === a.bytes && results === a.results ? a : { bytes, results };
}

function union(a: BytesOfPieces, b: BytesOfPieces): BytesOfPieces {
  const all = new Map(a);
  let isMore = false;
  for (const [piece, ranges] of b) {
    const own = runsOf(a.get(piece) ?? []);
    const both = runsOf([...own, ...ranges]);
    if (own.length === both.length && own.every(([from, to], i) => from === both[i]?.[0] && to === both[i]?.[1]))
      continue;
    isMore = true;
    all.set(piece, both);
  }
  return isMore ? all : a;
}

/** Ranges in order, those that meet as one. */
function runsOf(ranges: readonly (readonly [from: number, to: number])[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([x], [y]) => x - y)) {
    const last = runs.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else runs.push([from, to]);
  }
  return runs;
}

/**
 * By instruction, the first read of memory that nothing has written, where nothing conflicts: of a race that is told
 * instead. An asynchronous read is made in parts.
 */
export function uninitializedIn(
  { uninitialized, accesses, kinds }: Trace,
  contested: BytesOfPieces,
): readonly number[] {
  const runs = new Map([...contested].map(([piece, ranges]) => [piece, runsOf(ranges)]));
  const isContested = ({ row, from, to }: UninitializedRead): boolean => {
    const own = runs.get(accesses.pieces.at(row)) ?? [];
    // The last run that begins before the end of it.
    const [first = to, end = 0] = own[firstAbove(own, ([start]) => start, to - 1) - 1] ?? [];
    const isInParts = kinds[accesses.kinds.at(row)]?.tags.has('ASY') === true;
    return isInParts ? first <= from && to <= end : end > from;
  };
  const firsts = new Map<number, number>();
  for (const one of uninitialized) {
    const kind = accesses.kinds.at(one.row);
    if (!firsts.has(kind) && !isContested(one)) firsts.set(kind, one.row);
  }
  return [...firsts.values()];
}
