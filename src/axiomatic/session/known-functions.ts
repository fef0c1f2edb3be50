import { BudgetExceeded } from '../../program/undecided.js';
import type { ChosenValues } from '../encoding/chosen-values.js';
import { evaluator, type Formula, type FormulaBuilder } from '../formula/formula.js';
import type { Solver, SolverContext } from '../solver/solver.js';

const MOST_LEMMAS = 500;

/**
 * A context whose answers give functions of floating-point numbers their results: where the solver has chosen another
 * result for some operands, it is told that of these operands, and asked again.
 */
export function withKnownFunctions(
  builder: FormulaBuilder,
  context: SolverContext,
  chosen: ChosenValues,
): SolverContext {
  if (chosen.isSettled) return context;
  return {
    assert: (formula) => context.assert(formula),
    dispose: () => context.dispose(),
    solver: (kind) => refining(builder, context.solver(kind), chosen),
  };
}

function refining(builder: FormulaBuilder, solver: Solver, chosen: ChosenValues): Solver {
  const facts: Formula[] = [];
  return {
    add: (formula) => solver.add(formula),
    within: (build) => solver.within(build),
    core: () => solver.core(),
    refutation: () => {
      const found = solver.refutation();
      return typeof found === 'object' ? { ...found, facts } : found;
    },
    exclude: (formula) => solver.exclude(formula),
    assignment: () => solver.assignment(),
    check: (deadline) => {
      for (let lemmas = 0; ; ) {
        const result = solver.check(deadline);
        if (result !== 'sat') return result;
        const wrong = chosen.wrongResults(evaluator(builder, solver.assignment()));
        if (wrong.length === 0) return result;
        lemmas += wrong.length;
        if (lemmas > MOST_LEMMAS)
          throw new BudgetExceeded({
            kind: 'value',
            what: 'the values of floating-point numbers are too many to follow',
          });
        for (const lemma of wrong) {
          facts.push(lemma);
          solver.add(lemma);
        }
      }
    },
  };
}
