import { inProgramOrder } from '../events/events.js';
import { Relation } from '../relation/relation.js';
import type { ExecutionRelations, Violation } from './candidate-execution.js';
import type { RunThreads } from './run-threads.js';

/** From what a barrier of any kind needs to what it lets go. */
const WAITS = [
  'barrierSynchronization',
  'warpSynchronization',
  'clusterSynchronization',
  'exitSynchronization',
  'laneSynchronization',
] as const;

type Meetings = Pick<ExecutionRelations, 'rearrival' | (typeof WAITS)[number]>;

/**
 * Arrivals of warps that have arrived already (PTX ISA 9.7.15.1) and that what completes the barrier waits for, so that
 * they come before the completion.
 */
export function earlyArrivals(
  { universe, executed }: RunThreads,
  { rearrival, ...relations }: Meetings,
): readonly Violation[] {
  if (rearrival.isEmpty()) return [];
  const { events } = universe.structure;
  const taking = events.filter(({ id, kind }) => executed.has(id) && (kind === 'barrier' || kind === 'exit'));
  const inTurn = Relation.ofPairs(
    rearrival.size,
    taking.flatMap((a) => taking.filter((b) => inProgramOrder(a, b)).map((b) => [a.id, b.id] as const)),
  );
  const waits = WAITS.map((name) => relations[name]);
  const before = waits.reduce((all, one) => all.union(one), inTurn).transitiveClosure();
  const early = [...rearrival].filter(([needed, arrival]) => before.has(arrival, needed)).map(([, arrival]) => arrival);
  return [...new Set(early)].map((event) => ({ rule: 'barrier-arrival-before-reset', event }));
}
