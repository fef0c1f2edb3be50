/**
 * The value of a register in each of some threads: one for all of them, or one each; undefined where it does not follow
 * from what is known before the launch.
 */
export type LaneValue = bigint | undefined | readonly (bigint | undefined)[];

export const at = (value: LaneValue, lane: number): bigint | undefined =>
  typeof value === 'object' ? value[lane] : value;

/** What a function makes of the values, lane by lane; where one is not known, nothing is. */
export function lift(
  lanes: number,
  values: readonly LaneValue[],
  of: (values: readonly bigint[], lane: number) => bigint | undefined,
): LaneValue {
  if (values.every((value) => typeof value !== 'object'))
    return values.some((value) => value === undefined) ? undefined : of(values as readonly bigint[], 0);
  return each(lanes, (lane) => {
    const own = values.map((value) => at(value, lane));
    return own.some((value) => value === undefined) ? undefined : of(own as readonly bigint[], lane);
  });
}

/** One value for each lane, or one for all where they are the same. */
export function each(lanes: number, of: (lane: number) => bigint | undefined): LaneValue {
  const values = new Array<bigint | undefined>(lanes);
  let areSame = true;
  for (let lane = 0; lane < lanes; lane++) {
    values[lane] = of(lane);
    areSame &&= values[lane] === values[0];
  }
  return areSame ? values[0] : values;
}

/** The values of some of the lanes. */
export const select = (value: LaneValue, lanes: readonly number[]): LaneValue =>
  typeof value === 'object' ? each(lanes.length, (lane) => value[lanes[lane] ?? 0]) : value;

export function same(a: LaneValue, b: LaneValue): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  return a.length === b.length && a.every((value, lane) => value === b[lane]);
}

/** Where two states hold the same value, that; elsewhere nothing is known. */
export function agreed(lanes: number, a: LaneValue, b: LaneValue): LaneValue {
  if (same(a, b)) return a;
  return each(lanes, (lane) => (at(a, lane) === at(b, lane) ? at(a, lane) : undefined));
}
