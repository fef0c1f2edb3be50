import type { Formula, FormulaBuilder } from '../formula/formula.js';
import type { ProofId, ProofStep } from './proof-log.js';

/** What a given clause of a proof says, in terms of formulas. */
export type Given =
  /** A formula that is asserted wherever a condition, a literal, holds. */
  | { readonly kind: 'constraint'; readonly formula: Formula; readonly condition: Formula }
  /** That the conjunction at a node implies one of its operands, or, with `operand` -1, that all together imply it. */
  | { readonly kind: 'definition'; readonly node: number; readonly operand: number };

/** That some assumptions do not hold together: which constraints and definitions that takes, and the proof. */
export interface Refutation {
  readonly builder: FormulaBuilder;
  /** Some of the formulas that were added for the question alone, and `condition`. */
  readonly assumptions: readonly Formula[];
  /** What stands for all that was added to this solver outside of any question. */
  readonly condition?: Formula;
  /** Formulas among the assumptions that hold whatever is asked, and were learned on the way. */
  readonly facts?: readonly Formula[];
  /** What was used, by its number in the proof. */
  readonly given: ReadonlyMap<ProofId, Given>;
  readonly steps: ProofSteps;
  /** Where the numbers of clauses are from: equal ones of two refutations are of one clause if this is the same. */
  readonly log: object;
}

/** The learned clauses, each behind those that it follows from; the last one excludes the assumptions. */
export interface ProofSteps {
  readonly ids: readonly ProofId[];
  at(id: ProofId): ProofStep;
}
