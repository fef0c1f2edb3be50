import { inProgramOrder, isIssueOf } from '../events/events.js';
import type { ExecutionEvent } from '../events/program-event.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { amongExecuted } from '../execution/named-relations.js';
import { Relation } from '../relation/relation.js';
import { rangesOverlap } from '../semantics/cells.js';

/** What an execution relates, by the short names of the models. */
export type OrderName =
  | 'po'
  | 'issue'
  | 'completes'
  | 'done'
  | 'barrier'
  | 'mbo'
  | 'rf'
  | 'fr'
  | 'co'
  | 'left'
  | 'overtaken';

/**
 * The order in which someone reads a test who thinks of threads that take turns: each thread in program order, an
 * asynchronous operation somewhere between its issue and the wait that tells that it is complete, barriers and mbarrier
 * operations in the order in which they met; and what was read and overwritten.
 */
export function turnTakingOrders(execution: CandidateExecution): ReadonlyMap<OrderName, Relation> {
  const { relations: given, executed } = execution;
  const programOrder = amongExecuted(execution, inProgramOrder);
  const meetings = [
    given.barrierSynchronization,
    given.warpSynchronization,
    given.clusterSynchronization,
    given.exitSynchronization,
  ].reduce((all, one) => all.union(one));
  // Barriers that meet are passed together: each comes before what follows the other.
  const together = meetings.intersection(meetings.inverse());
  // The halves of an atomic operation happen at once: what comes before its write comes before its read.
  const halves = halvesOfAtomics(execution);
  const atOnce = (order: Relation): Relation =>
    order.union(order.compose(halves.inverse())).difference(halves).difference(Relation.identity(executed));
  return new Map<OrderName, Relation>([
    ['po', programOrder],
    ['rf', given.readsFrom],
    ['fr', atOnce(given.fromReads)],
    ['co', atOnce(given.coherence)],
    ['issue', amongExecuted(execution, isIssueOf)],
    ['completes', amongExecuted(execution, isToldBy)],
    ['done', given.completion],
    ['barrier', meetings.difference(together).union(together.compose(programOrder))],
    ['mbo', given.mbarrierOrder],
    ['left', atOnce(beforeWhatIsLeft(execution)).difference(given.coherence)],
  ]);
}

/**
 * Of orders without a cycle: from a read to a write that is not coherence-ordered with its source, and yet would come
 * after that source in any order of turns: the read overlooks it.
 */
export function overtaken(execution: CandidateExecution, orders: ReadonlyMap<OrderName, Relation>): Relation {
  const { universe, relations } = execution;
  const before = [...orders.values()].reduce((all, one) => all.union(one)).transitiveClosure();
  const pairs = [...relations.readsFrom].flatMap(([source, read]) =>
    universe.events
      .filter(
        ({ id, kind }) =>
          kind === 'write' &&
          id !== universe.events[read]?.partner &&
          before.has(source, id) &&
          relations.sameLocation.has(id, read),
      )
      .filter(({ id }) => !relations.coherence.has(source, id))
      .map(({ id }) => [read, id] as const),
  );
  return Relation.ofPairs(universe.events.length, pairs);
}

/** From each write to the one whose value is left of the same bytes at the end. */
function beforeWhatIsLeft({ universe, executed, targets, finalWrites }: CandidateExecution): Relation {
  const writes = [...executed].filter(
    (id) => universe.events[id]?.kind === 'write' && universe.events[id]?.thread !== undefined,
  );
  const pairs = finalWrites.flatMap(({ write, objectId, offset, bytes }) =>
    writes
      .filter((other) => {
        const target = targets[other];
        return other !== write && target?.object.id === objectId && rangesOverlap(target, { offset, bytes });
      })
      .map((other) => [other, write] as const),
  );
  return Relation.ofPairs(universe.events.length, pairs);
}

/** From an access of an asynchronous operation to the complete-tx that tells of it. */
function isToldBy(a: ExecutionEvent, b: ExecutionEvent): boolean {
  return (
    a.thread === b.thread &&
    a.node === b.node &&
    a.tags.has('ASY') &&
    a.kind !== 'mbarrier' &&
    b.tags.has('ASY') &&
    b.kind === 'mbarrier'
  );
}

/** From the read of an atomic operation to its own write. */
function halvesOfAtomics({ universe: { events } }: CandidateExecution): Relation {
  return Relation.ofPairs(
    events.length,
    events.flatMap(({ id, kind, partner }) =>
      kind === 'read' && partner !== undefined ? [[id, partner] as const] : [],
    ),
  );
}
