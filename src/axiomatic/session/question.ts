import type { Deadline } from '../../program/undecided.js';
import type { Formula } from '../formula/formula.js';
import type { CheckResult, Solver } from '../solver/solver.js';

/** Whether some formulas can hold together, beside what a solver has been given; `read` looks at its answer. */
export function question<T>(
  solver: Solver,
  formulas: readonly Formula[],
  deadline: Deadline,
  read: (answer: CheckResult, solver: Solver) => T,
): T {
  return solver.within(() => {
    for (const formula of formulas) solver.add(formula);
    return read(solver.check(deadline), solver);
  });
}
