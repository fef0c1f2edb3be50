import type { Deadline, Undecided } from '../../program/undecided.js';
import type { Formula, FormulaBuilder } from '../formula/formula.js';
import type { Refutation } from './refutation.js';
import type { SecondParty } from './second-party.js';

export type CheckResult = 'sat' | 'unsat' | { readonly unknown: Undecided };

/** `query`: one satisfiability question at a time. `enumeration`: many, each with one more constraint. */
export type SolverKind = 'query' | 'enumeration';

/** What decides whether formulas can be satisfied: `Cdcl`, of this project, or `Z3`. */
export interface SatSolver {
  /** What it is, with its version. */
  readonly version: string;
  /** What confirms its refutations, if anything does. */
  readonly secondParty?: SecondParty | undefined;
  /** @internal */
  context(builder: FormulaBuilder): SolverContext;
}

/** The formulas of one test, shared by its solvers. */
export interface SolverContext {
  /** What every question is asked under, beside the definitions of the builder. */
  assert(formula: Formula): void;
  solver(kind: SolverKind): Solver;
  /** Gives its memory back. */
  dispose(): void;
}

/** One set of constraints. */
export interface Solver {
  add(formula: Formula): void;
  /** Constraints added by `build` hold during `build` only. */
  within<T>(build: () => T): T;
  check(deadline: Deadline): CheckResult;
  /**
   * After an unsatisfiable check: formulas that were added within the question and are ruled out together; undefined
   * where the solver does not tell.
   */
  core(): ReadonlySet<number> | undefined;
  /** Right after an unsatisfiable check: what it rests on, if that is known; `own`: the solver is the second party. */
  refutation(): Refutation | 'own' | undefined;
  /** Right after an unsatisfiable check: a formula that was the question is false from now on. */
  exclude(formula: Formula): void;
  /** The assignment of the last satisfiable check: whether the variable at that node is true. */
  assignment(): (node: number) => boolean;
}
