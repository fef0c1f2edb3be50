import type { EventStructure, ProgramEvent } from './events.js';

/** The warp instructions that can meet: of one warp, with the same qualifiers (PTX ISA, vote.sync and the like). */
export interface LaneGroup {
  readonly name: string;
  /** Of each thread of the warp in the test, in program order. */
  readonly members: readonly { readonly thread: number; readonly lane: number; readonly events: readonly ProgramEvent[] }[];
}

/** A thread that is not in the mask of its own warp instruction: undefined (PTX ISA, vote.sync). */
export const OUTSIDE_MASK_RULE = 'warp instruction by a thread that is not in its membermask';

export function laneGroups(structure: EventStructure): readonly LaneGroup[] {
  const groups = new Map<string, ProgramEvent[]>();
  for (const event of structure.events) {
    const { barrier, placement } = event;
    if (barrier?.kind !== 'barrier' || barrier.level !== 'lanes' || barrier.reduction === undefined || barrier.action !== 'red') continue;
    const { operation, width, signed } = barrier.reduction;
    const what = operation === 'converge' ? `arrivals at ${barrierOf(structure, event)}` : `${operation}${width}${signed ? 's' : ''}`;
    const name = `${placement?.warp}, ${what}`;
    groups.set(name, [...(groups.get(name) ?? []), event]);
  }
  return [...groups].map(([name, events]) => ({
    name,
    members: structure.program.threads
      .filter(({ placement }) => placement.warp === events[0]?.placement?.warp)
      .map(({ index, placement }) => ({ thread: index, lane: placement.lane, events: events.filter(({ thread }) => thread === index) })),
  }));
}

/** The barrier at which a warp comes together before it arrives there. */
function barrierOf(structure: EventStructure, event: ProgramEvent): string {
  const arrival = structure.eventsOf(event.thread ?? -1, event.node).find(({ barrier }) => barrier?.action === 'arrive')?.barrier;
  if (arrival?.kind !== 'barrier') return 'barrier.cluster';
  return arrival.id.kind === 'constant' ? `barrier ${arrival.id.value}` : `barrier %${arrival.id.name}`;
}
