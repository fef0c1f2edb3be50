/** Ranges in order, those that meet as one. */
export function joinedRanges(ranges: readonly (readonly [from: number, to: number])[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([x], [y]) => x - y)) {
    const last = runs.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else runs.push([from, to]);
  }
  return runs;
}
