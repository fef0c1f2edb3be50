import { WARP_SIZE } from '../kernel/grid.js';

/** All lanes of a warp, as bits. */
const ALL = 0xffff_ffff;

/** So many lanes, from the lowest on, as bits. */
export const firstLanes = (count: number): number => (count >= WARP_SIZE ? ALL : 2 ** count - 1);

export const has = (lanes: number, lane: number): boolean => ((lanes >>> lane) & 1) === 1;

const OF_WARP: readonly number[] = Array.from({ length: WARP_SIZE }, (_, lane) => lane);

/** The numbers of lanes, from the lowest on. */
export function lanesIn(lanes: number): readonly number[] {
  if (lanes === ALL) return OF_WARP;
  const numbers: number[] = [];
  for (let lane = 0; lane < WARP_SIZE; lane++) if (has(lanes, lane)) numbers.push(lane);
  return numbers;
}
