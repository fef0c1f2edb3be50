import type { Family, Range } from './family.js';

/** Which of the tests of a family: `n = 1, 3..8`, or `n = 1, grid = 2..4 and n = 2, grid = 4`; `''` for none. */
export function describeValues({ ranges }: Pick<Family, 'ranges'>, indices: readonly number[]): string {
  return ways(
    ranges,
    [...indices].sort((a, b) => a - b),
  ).join(' and ');
}

function ways([range, ...rest]: readonly Range[], indices: readonly number[]): readonly string[] {
  if (range === undefined) return indices.length === 0 ? [] : [''];
  const size = rest.reduce((product, { values }) => product * values.length, 1);
  /** By what there is of the other ranges: the positions of values of this one. */
  const alike = new Map<string, { readonly positions: number[]; readonly others: readonly number[] }>();
  for (const [position, others] of byPosition(indices, size)) {
    const key = others.join(' ');
    const known = alike.get(key);
    if (known === undefined) alike.set(key, { positions: [position], others });
    else known.positions.push(position);
  }
  return [...alike.values()].flatMap(({ positions, others }) => {
    const own = `${range.name} = ${runsOf(range.values, positions).join(', ')}`;
    return ways(rest, others).map((other) => (other === '' ? own : `${own}, ${other}`));
  });
}

function byPosition(indices: readonly number[], size: number): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const index of indices) {
    const position = Math.floor(index / size);
    const own = found.get(position) ?? [];
    own.push(index % size);
    found.set(position, own);
  }
  return found;
}

/** Fewer values are listed. */
const SHORTEST_RUN = 3;

/** Values at some positions, what goes on by one step as a run. */
function runsOf(values: readonly bigint[], positions: readonly number[]): readonly string[] {
  const shown: string[] = [];
  for (let at = 0; at < positions.length; ) {
    const from = positions[at] ?? 0;
    const step = (values[from + 1] ?? 0n) - (values[from] ?? 0n);
    let end = at;
    while (isNext(values, positions, end, step)) end += 1;
    const to = positions[end] ?? from;
    const isRun = end - at + 1 >= SHORTEST_RUN;
    if (!isRun) shown.push(`${values[from]}`);
    else shown.push(`${values[from]}..${values[to]}${step === 1n ? '' : ` step ${step}`}`);
    at = isRun ? end + 1 : at + 1;
  }
  return shown;
}

function isNext(values: readonly bigint[], positions: readonly number[], at: number, step: bigint): boolean {
  const [here, next] = [positions[at] ?? 0, positions[at + 1]];
  return next === here + 1 && (values[next] ?? 0n) - (values[here] ?? 0n) === step;
}
