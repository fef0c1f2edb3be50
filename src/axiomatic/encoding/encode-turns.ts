import { FALSE, type Formula, not } from '../formula/formula.js';
import { symbolicAcyclic } from '../relations/closure.js';
import { symbolicAlgebra } from '../relations/symbolic-algebra.js';
import type { SymbolicRelation } from '../relations/symbolic-relation.js';
import type { ExecutionEncoding } from './encode-execution.js';

/** What threads that take turns do one after the other; explain/thread-order.ts has the same of one execution. */
const FORWARD = ['po', 'issue', 'rf', 'done', 'mbo'] as const;
const MEETINGS = ['syncbar', 'syncwarp', 'syncclu', 'syncexit'] as const;

/**
 * What taking turns on one memory asks of an execution: that all writes of a location have an order, that no access
 * comes before itself; and for each access, that it is stale.
 */
export function encodeTurns(encoding: ExecutionEncoding): {
  readonly total: Formula;
  readonly acyclic: Formula;
  readonly stale: readonly Formula[];
} {
  const { builder, executedEvents } = encoding;
  const { emptyRelation, emptySet, relation, ...algebra } = symbolicAlgebra(builder, executedEvents);
  const base = (name: string): SymbolicRelation => {
    const value = encoding.base(name);
    return value?.kind === 'relation' ? value.value : emptyRelation;
  };
  const union = (relations: readonly SymbolicRelation[]): SymbolicRelation =>
    relations.reduce((all, one) => relation.union(all, one), emptyRelation);
  const symmetric = (one: SymbolicRelation): SymbolicRelation => relation.union(one, algebra.inverse(one));
  const given = encoding.base('W');
  const writes = given?.kind === 'set' ? given.value : emptySet;
  const rivals = relation.intersection(algebra.product(writes, writes), relation.difference(base('loc'), base('id')));
  const unordered = relation.difference(rivals, symmetric(base('co')));
  const total = builder.all([...unordered.may].map(([a, b]) => not(unordered.at(a, b))));
  const meetings = union(MEETINGS.map(base));
  // Barriers that meet are passed together: each comes before what follows the other.
  const together = relation.intersection(meetings, algebra.inverse(meetings));
  const met = relation.union(relation.difference(meetings, together), algebra.compose(together, base('po')));
  const forward = union([...FORWARD.map(base), met]);
  const back = relation.union(base('fr'), base('co'));
  // The halves of an atomic operation happen at once: what comes before its write comes before its read.
  const halves = base('rmw');
  const atOnce = relation.difference(
    relation.difference(relation.union(back, algebra.compose(back, algebra.inverse(halves))), halves),
    base('id'),
  );
  const acyclic = symbolicAcyclic(builder, executedEvents, relation.union(forward, atOnce));
  const against = relation.intersection(back, algebra.inverse(algebra.transitiveClosure(forward)));
  const stale: Formula[] = [];
  for (const access of against.may.domain()) {
    const formula = builder.any([...against.may.successors(access)].map((write) => against.at(access, write)));
    if (formula !== FALSE) stale.push(formula);
  }
  return { total, acyclic, stale };
}
