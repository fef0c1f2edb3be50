import type { PlacedLane } from '../kernel/grid.js';
import type { BarrierOperation } from '../program/operation.js';
import { electionResult } from '../semantics/elections.js';
import { reducedBy } from './exchanges.js';
import { at, each, type LaneValue } from './lane-value.js';

type Reduction = NonNullable<BarrierOperation['reduction']>;

/**
 * What a warp instruction returns to each of some threads that execute it together, where what all lanes of its mask
 * give is known before the launch.
 */
export function meetingValue(
  { level }: BarrierOperation,
  reduction: Reduction,
  lanes: readonly PlacedLane[],
  { mask, given }: { readonly mask: LaneValue; readonly given: LaneValue },
  /** The lanes that are run, where that is known. */
  run = -1n,
): LaneValue {
  if (level !== 'lanes') return undefined;
  const warps = new Map<string, number[]>();
  lanes.forEach(({ cta, warp }, place) => {
    const key = `${cta},${warp}`;
    const list = warps.get(key);
    if (list === undefined) warps.set(key, [place]);
    else list.push(place);
  });
  return each(lanes.length, (place) => {
    const own = lanes[place];
    const within = at(mask, place);
    if (own === undefined || within === undefined) return undefined;
    const mates = warps.get(`${own.cta},${own.warp}`) ?? [];
    // Which other lanes are active with it is not promised (PTX ISA 9.7.15.11).
    if (reduction.operation === 'active') return own.warpMask === 1n ? 1n : undefined;
    const members = within & own.warpMask;
    if (reduction.operation === 'elect') return elected(members & run, own.lane);
    const others = mates.filter((mate) => has(members, lanes[mate]?.lane ?? 0));
    if (BigInt(others.length) !== countOf(members)) return undefined;
    const bits = others.map((mate) => ({ lane: lanes[mate]?.lane ?? 0, bits: at(given, mate) }));
    return reducedBy(reduction, bits)(own.lane);
  });
}

const has = (mask: bigint, lane: number): boolean => ((mask >> BigInt(lane)) & 1n) === 1n;

function countOf(mask: bigint): bigint {
  let count = 0n;
  for (let rest = mask; rest > 0n; rest >>= 1n) count += rest & 1n;
  return count;
}

/**
 * Which lane elect.sync takes is open (PTX ISA 9.7.15.15), unless there is one only: in its mask, or of that in what is
 * run. Of lanes that are not run nobody knows what they do as leaders, so that a lane that is run is taken. It stands
 * for the others as far as the threads that are run stand for the rest: of a renaming of lanes that nothing tells
 * apart, executions are executions again; what does tell them apart, a number of a thread in a condition or an address,
 * makes ways and pairs of instructions for which other lanes are run, and then each of those may be the one.
 */
function elected(members: bigint, own: number): bigint | undefined {
  return countOf(members) === 1n && has(members, own) ? electionResult(own, own) : undefined;
}
