import type { CandidateExecution } from '../execution/candidate-execution.js';
import { findCycle, shortestPath } from '../relation/cycle.js';
import { Relation } from '../relation/relation.js';
import type { OrderName } from './thread-order.js';

/** One step round a cycle. */
export interface Hop {
  readonly from: number;
  readonly to: number;
  readonly by: OrderName;
}

/** Tried in this order where two events are related in several ways. */
const NAMES: readonly OrderName[] = [
  'po',
  'issue',
  'completes',
  'done',
  'barrier',
  'rf',
  'fr',
  'co',
  'left',
  'overtaken',
  'mbo',
];

const BACK: readonly OrderName[] = ['fr', 'co', 'left', 'overtaken'];
const FORWARD = NAMES.filter((name) => !BACK.includes(name));

/** A shortest way forward that a step back closes. */
function cycleWithOneStepBack(forward: Relation, back: Relation): readonly number[] | undefined {
  let best: readonly number[] | undefined;
  for (const [from, to] of back) {
    const path = shortestPath(forward, to, from);
    if (path !== undefined && (best === undefined || path.length < best.length)) best = path;
  }
  return best;
}

/**
 * A shortest cycle of the orders, which shows that no interleaving of the threads does what the execution does;
 * undefined if there is none. It starts where something older was read or overwritten, if it has such a step.
 */
export function findWeakCycle(
  { universe }: CandidateExecution,
  orders: ReadonlyMap<OrderName, Relation>,
): readonly Hop[] | undefined {
  const union = (names: readonly OrderName[]): Relation =>
    names.reduce(
      (all, name) => all.union(orders.get(name) ?? new Relation(universe.events.length)),
      new Relation(universe.events.length),
    );
  // With one step back the others lead forward, and are what synchronization could order: such a cycle says most.
  const cycle = cycleWithOneStepBack(union(FORWARD), union(BACK)) ?? findCycle(union(NAMES));
  if (cycle === undefined) return undefined;
  const hops = cycle.map((from, i): Hop => {
    const to = cycle[(i + 1) % cycle.length] ?? from;
    return { from, to, by: NAMES.find((name) => orders.get(name)?.has(from, to) === true) ?? 'po' };
  });
  const last =
    hops.findLastIndex(({ by }) => by === 'fr') >= 0
      ? hops.findLastIndex(({ by }) => by === 'fr')
      : hops.findLastIndex(({ by }) => by === 'co' || by === 'rf');
  return [...hops.slice(last + 1), ...hops.slice(0, last + 1)];
}
