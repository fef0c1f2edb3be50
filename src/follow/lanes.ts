import { WARP_SIZE } from '../kernel/grid.js';

/** So many lanes, from the lowest on, as bits. */
export const firstLanes = (count: number): number => (count >= WARP_SIZE ? 0xffff_ffff : 2 ** count - 1);

export const has = (lanes: number, lane: number): boolean => ((lanes >>> lane) & 1) === 1;

/** The numbers of lanes, from the lowest on. */
export function lanesIn(lanes: number): readonly number[] {
  const numbers: number[] = [];
  for (let lane = 0; lane < WARP_SIZE; lane++) if (has(lanes, lane)) numbers.push(lane);
  return numbers;
}
