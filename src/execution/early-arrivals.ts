import { type EventStructure, inProgramOrder } from '../events/events.js';
import type { EventSet } from '../relation/event-set.js';
import { Relation } from '../relation/relation.js';
import type { Violation } from './candidate-execution.js';

/**
 * Arrivals of warps that have arrived already (PTX ISA 9.7.15.1) and that what completes the barrier waits for, so that
 * they come before the completion. `rearrival`: from what the completion needed to the arrival; `waits`: from what a
 * barrier of any kind needed to what it let go.
 */
export function earlyArrivals(
  { events }: EventStructure,
  executed: EventSet,
  rearrival: Relation,
  waits: readonly Relation[],
): readonly Violation[] {
  if ([...rearrival].length === 0) return [];
  const size = rearrival.size;
  const taking = events.filter(({ id, kind }) => executed.has(id) && (kind === 'barrier' || kind === 'exit'));
  const inTurn = Relation.ofPairs(
    size,
    taking.flatMap((a) => taking.filter((b) => inProgramOrder(a, b)).map((b) => [a.id, b.id] as const)),
  );
  const before = waits.reduce((all, one) => all.union(one), inTurn).transitiveClosure();
  const early = [...rearrival].filter(([needed, arrival]) => before.has(arrival, needed)).map(([, arrival]) => arrival);
  return [...new Set(early)].map((event) => ({ rule: 'barrier-arrival-before-reset', event }));
}
