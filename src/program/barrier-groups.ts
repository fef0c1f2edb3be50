import type { EventStructure, ProgramEvent } from './events.js';
import type { BarrierOperation } from './operation.js';
import type { Thread } from './program.js';

/** The barrier instructions that can meet: of one barrier of one CTA, or of one mask of lanes of one warp. */
export interface BarrierGroup {
  readonly name: string;
  readonly level: BarrierOperation['level'];
  readonly events: readonly ProgramEvent[];
  /** How many arrivals complete the barrier. */
  readonly arrivals: number;
}

const WARP_SIZE = 32n;

/**
 * Groups the barrier events by the barrier they use (PTX ISA, bar: 16 barriers in each CTA; bar.warp.sync: one for each
 * mask). A count is in threads, 32 for each thread of the test, which stands for its warp; without one, the whole CTA
 * takes part. A sentence instead, where the test cannot be understood.
 */
export function barrierGroups(
  structure: EventStructure,
  operandsOf: (event: ProgramEvent) => { readonly id: bigint | undefined; readonly count: bigint | undefined },
): readonly BarrierGroup[] | string {
  const groups = new Map<string, { level: BarrierOperation['level']; events: ProgramEvent[]; arrivals: number }>();
  for (const event of structure.events) {
    const { barrier, placement } = event;
    if (barrier?.kind !== 'barrier' || barrier.level === 'lanes' || placement === undefined || event.thread === undefined) continue;
    const thread = structure.program.threads[event.thread];
    if (thread === undefined) continue;
    const { id, count } = operandsOf(event);
    if (id === undefined) return `${thread.name}: the number of the barrier must be known before the test is run`;
    if (barrier.count !== undefined && count === undefined) return `${thread.name}: the thread count of the barrier must be known before the test is run`;
    const arrivals = barrier.level === 'cta' ? ctaArrivals(structure, thread, count) : lanesIn(structure, thread, id);
    if (typeof arrivals === 'string') return arrivals;
    const name = barrier.level === 'cta' ? `${placement.cta}, barrier ${id}` : `${placement.warp}, mask 0x${id.toString(16)}`;
    const group = groups.get(name) ?? { level: barrier.level, events: [], arrivals };
    if (group.arrivals !== arrivals) return `${thread.name}: the threads that use ${name} give different thread counts`;
    group.events.push(event);
    groups.set(name, group);
  }
  return [...groups].map(([name, group]) => ({ name, ...group }));
}

function ctaArrivals(structure: EventStructure, thread: Thread, count: bigint | undefined): number | string {
  const inCta = structure.program.threads.filter((other) => other.placement.cta === thread.placement.cta);
  if (count === undefined) return inCta.length;
  const warps = new Set(inCta.map((other) => other.placement.warp));
  if (warps.size !== inCta.length) return `${thread.name}: a barrier with a thread count needs each thread of the CTA in a warp of its own`;
  if (count <= 0n || count % WARP_SIZE !== 0n) return `${thread.name}: the thread count of a barrier is a positive multiple of 32, not ${count}`;
  return Number(count / WARP_SIZE);
}

/** The threads of the test that are lanes in the mask: the n-th thread of a warp in the test is its lane n. */
function lanesIn(structure: EventStructure, thread: Thread, mask: bigint): number | string {
  const lanes = structure.program.threads.filter((other) => other.placement.warp === thread.placement.warp);
  const inMask = lanes.filter((_, lane) => ((mask >> BigInt(lane)) & 1n) === 1n);
  if (!inMask.includes(thread)) return `${thread.name}: bar.warp.sync is undefined for a thread that is not in its mask`;
  return inMask.length;
}
