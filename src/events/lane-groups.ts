import type { EventStructure } from './events.js';
import type { ProgramEvent } from './program-event.js';

/**
 * The warp instructions that can meet: of one warp, with the same qualifiers (PTX ISA, vote.sync and the like). Where a
 * warp comes together before it arrives (9.7.15.1), whatever its lanes execute at that barrier counts.
 */
export interface LaneGroup {
  readonly name: string;
  /** All of them name the same lanes; else those that do, execution by execution. */
  readonly isOfOneMask: boolean;
  /** Of each thread of the warp in the test, in program order. */
  readonly members: readonly {
    readonly thread: number;
    readonly lane: number;
    readonly events: readonly ProgramEvent[];
  }[];
}

/** The number of the barrier of the CTA at which an event is, or before which a warp comes together by it. */
export type BarrierNumber = (event: ProgramEvent) => bigint | undefined;

/** The membermask of a warp instruction, where it is known. */
export type Membermask = (event: ProgramEvent) => bigint | undefined;

export function laneGroups(
  structure: EventStructure,
  numberOf: BarrierNumber,
  membermaskOf: Membermask,
): readonly LaneGroup[] {
  const groups = new Map<string, ProgramEvent[]>();
  for (const event of structure.events) {
    const what = meetingOf(structure, event, numberOf);
    if (what === undefined) continue;
    const name = `${event.placement.warp}, ${what}`;
    groups.set(name, [...(groups.get(name) ?? []), event]);
  }
  // Instructions of one kind meet if they have one mask; where one is not known, all of the kind may.
  for (const [name, events] of [...groups]) {
    const masks = events.map((event) => (hasMembers(event) ? membermaskOf(event) : 'any'));
    if (masks.includes(undefined) || new Set(masks).size === 1) continue;
    groups.delete(name);
    for (const mask of new Set(masks))
      groups.set(
        `${name}, mask ${mask}`,
        events.filter((_, i) => masks[i] === mask),
      );
  }
  const waited = [...groups].filter(([, events]) => events.some(isOfLanes));
  return waited.map(([name, events]) => ({
    name,
    isOfOneMask: !events.some((event) => hasMembers(event) && membermaskOf(event) === undefined),
    members: structure.program.threads
      .filter(({ placement }) => placement.warp === events[0]?.placement?.warp)
      .map(({ index, placement }) => ({
        thread: index,
        lane: placement.lane,
        events: events.filter(({ thread }) => thread === index),
      })),
  }));
}

/** Whether an event is of an instruction that names the lanes that it waits for. */
export const hasMembers = ({ barrier }: ProgramEvent): boolean =>
  barrier?.kind === 'barrier' &&
  barrier.level === 'lanes' &&
  barrier.action === 'red' &&
  barrier.reduction?.operation !== 'converge';

/** A warp instruction; what else is in a group is only waited for. */
export function isOfLanes({ barrier }: ProgramEvent): boolean {
  return barrier?.kind === 'barrier' && barrier.level === 'lanes';
}

/** What the lanes of a warp meet at by this event; undefined for one by which they do not. */
function meetingOf(structure: EventStructure, event: ProgramEvent, numberOf: BarrierNumber): string | undefined {
  const { barrier } = event;
  if (barrier?.kind !== 'barrier') return undefined;
  const here = (instance: bigint | undefined): string =>
    `barrier ${numberOf(event)}${instance === undefined ? '' : ` of instance ${instance}`}`;
  if (barrier.level === 'cta') return barrier.action === 'arrive' ? undefined : here(barrier.instance);
  if (!isOfLanes(event) || barrier.reduction === undefined || barrier.action !== 'red') return undefined;
  const { operation, width, signed } = barrier.reduction;
  if (operation !== 'converge') return `${operation}${width}${signed ? 's' : ''}`;
  const arrival = structure
    .eventsOf(event.thread, event.node)
    .find((other) => other.barrier !== undefined && other !== event)?.barrier;
  return arrival?.kind === 'barrier' ? here(arrival.instance) : 'barrier.cluster';
}
