import { within } from '../../program/undecided.js';
import { encodeTurns } from '../encoding/encode-turns.js';
import { FALSE, type Formula, type FormulaBuilder, not } from '../formula/formula.js';
import type { ConsistentExecutions, Extent, Fits, Verified } from './consistent-executions.js';

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
  const look = (): Verified => {
    const { total, acyclic, stale } = encodeTurns(executions.encoding);
    const inTurns = executions.look(builder.all([goal, total, acyclic]), fits, extent);
    if (inTurns.kind === 'reachable') return inTurns;
    // Where writes race, an execution need not order them; one that does shows what is overlooked.
    const ordered = executions.look(builder.and(goal, total), fits, extent);
    const kept = ordered.kind === 'reachable' ? builder.and(goal, total) : goal;
    if (ordered.kind === 'reachable') simplest = ordered;
    for (let most = stale.length - 1; most >= 0; most--) {
      const fewer = executions.look(builder.and(kept, atMost(builder, stale, most)), fits, extent);
      if (fewer.kind !== 'reachable') return simplest;
      simplest = fewer;
    }
    return simplest;
  };
  // Any execution shows what was asked; that there was no time for a simpler one costs no verdict.
  return within(look, () => simplest);
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
