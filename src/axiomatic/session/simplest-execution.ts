import { BudgetExceeded } from '../../program/undecided.js';
import { FALSE, type Formula, type FormulaBuilder, not } from '../formula/formula.js';
import { symbolicAcyclic } from '../relations/closure.js';
import { symbolicAlgebra } from '../relations/symbolic-algebra.js';
import type { SymbolicRelation } from '../relations/symbolic-relation.js';
import type { ConsistentExecutions, Extent, Fits, Verified } from './consistent-executions.js';

/** What threads that take turns do one after the other; explain/thread-order.ts has the same of one execution. */
const FORWARD = ['po', 'issue', 'rf', 'done', 'mbo'] as const;
const MEETINGS = ['syncbar', 'syncwarp', 'syncclu', 'syncexit'] as const;

/**
 * Of the executions that reach a goal the one that is easiest to follow: one that threads reach by taking turns, if
 * there is one; otherwise one in which as few accesses as can be are stale: reads of what was overwritten before, and
 * writes that what was written before overwrites.
 */
export function simplestExecution(
  executions: ConsistentExecutions,
  goal: Formula,
  fits: Fits,
  extent: Extent,
  first: Verified,
): Verified {
  const { builder } = executions.encoding;
  let simplest = first;
  try {
    const { total, acyclic, stale } = turnTaking(executions);
    const inTurns = executions.find(builder.all([goal, total, acyclic]), fits, extent);
    if (inTurns.kind === 'reachable') return inTurns;
    // Where writes race, an execution need not order them; one that does shows what is overlooked.
    const ordered = executions.find(builder.and(goal, total), fits, extent);
    const kept = ordered.kind === 'reachable' ? builder.and(goal, total) : goal;
    if (ordered.kind === 'reachable') simplest = ordered;
    for (let most = stale.length - 1; most >= 0; most--) {
      const fewer = executions.find(builder.and(kept, atMost(builder, stale, most)), fits, extent);
      if (fewer.kind !== 'reachable') return simplest;
      simplest = fewer;
    }
    return simplest;
  } catch (thrown) {
    // Any execution shows what was asked; that there was no time for a simpler one costs no verdict.
    if (thrown instanceof BudgetExceeded) return simplest;
    throw thrown;
  }
}

/**
 * What taking turns on one memory asks of an execution: that all writes of a location have an order, that no access
 * comes before itself; and for each access, that it is stale.
 */
function turnTaking({ encoding }: ConsistentExecutions): {
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

/** That no more than so many formulas hold: by counting through them (Sinz 2005, sequential counter). */
function atMost(builder: FormulaBuilder, formulas: readonly Formula[], most: number): Formula {
  if (most === 0) return builder.all(formulas.map(not));
  /** At place i: that more than i of those so far hold. */
  let counted: readonly Formula[] = Array.from({ length: most }, () => FALSE);
  const fits: Formula[] = [];
  for (const formula of formulas) {
    fits.push(not(builder.and(formula, counted[most - 1] ?? FALSE)));
    counted = counted.map((held, i) =>
      builder.or(held, i === 0 ? formula : builder.and(formula, counted[i - 1] ?? FALSE)),
    );
  }
  return builder.all(fits);
}
