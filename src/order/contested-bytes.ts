import type { BytesOfPieces, Contested } from '../follow/memory-image.js';

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
