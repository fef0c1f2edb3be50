import { LANE, WARP } from '../kernel/decode-kernel.js';
import { volume, WARP_SIZE } from '../kernel/grid.js';
import type { PlannedLaunch } from '../kernel/plan-launches.js';
import { at, each, type LaneValue } from './lane-value.js';
import { specialValues } from './launch-threads.js';
import type { FollowedThread } from './trace.js';
import type { Warp } from './warp.js';

/** What a register of a thread holds. */
export type Registers = (launch: number, cta: number, tid: number, name: string) => bigint | undefined;

/** What registers of threads hold at the end; keeps nothing else of the run. */
export const registersAtEnd =
  (threads: readonly FollowedThread[], warpsOfCta: readonly (readonly Warp[])[]): Registers =>
  (launch, cta, tid, name) => {
    const thread = threads.find((one) => one.launch === launch && one.cta === cta && one.tid === tid);
    const warp = thread === undefined ? undefined : warpsOfCta[thread.ctaId]?.[Math.floor(tid / WARP_SIZE)];
    const index = warp?.code.indexOf.get(name) ?? -1;
    if (warp?.isCanceled === true) return undefined;
    return warp?.elected?.owns(index) === true ? undefined : at(warp?.registers[index], tid % WARP_SIZE);
  };

/** By launch, and by the number of the first thread of a warp among all: a launch is followed again and again. */
const INITIAL = new WeakMap<PlannedLaunch, Map<number, ReadonlyMap<string, LaneValue>>>();

/** What the registers of lanes hold before they begin, but for what is the same for all threads. */
export function initialValues(
  planned: PlannedLaunch,
  lanes: readonly FollowedThread[],
): ReadonlyMap<string, LaneValue> {
  const own = INITIAL.get(planned) ?? new Map<number, ReadonlyMap<string, LaneValue>>();
  INITIAL.set(planned, own);
  const [{ cta, tid } = { cta: 0, tid: 0 }] = lanes;
  const first = cta * volume(planned.launch.shape.block) + tid;
  const values =
    own.get(first) ??
    new Map([
      ...specialValues(planned, lanes),
      [LANE, each(lanes.length, (lane) => BigInt(lane))],
      [WARP, BigInt(Math.floor(tid / WARP_SIZE))],
    ]);
  own.set(first, values);
  return values;
}
