import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import { findingsOf } from '../check/findings.js';
import { DEFAULT_LIMITS, DEFAULT_UNROLL, deadlineOf, type Limits } from '../check/limits.js';
import { compareFindings, type ModelComparison } from '../compare/compare-models.js';
import type { Program } from '../program/program.js';

/** What each of two models may take to say what can happen in a test. */
export interface CompareOptions extends Partial<Limits> {
  /** How often a loop body is executed at most; 3 if not given. */
  readonly unroll?: number;
  /** More outcomes than that are not looked for; 20,000 if not given. */
  readonly mostOutcomes?: number;
}

const MOST_OUTCOMES = 20_000;

/**
 * What two models say differently of a test, whatever its conditions ask: outcomes, races, deadlocks and undefined
 * behavior.
 *
 * @example
 * ```ts
 * const { differences, open } = compareModels(solver, program, model, loadModel('sc').value ?? model);
 * if (open.length === 0 && differences.length === 0) console.log('the two models agree');
 * ```
 */
export function compareModels(
  solver: SatSolver,
  program: Program,
  a: Model,
  b: Model,
  { unroll = DEFAULT_UNROLL, mostOutcomes = MOST_OUTCOMES, ...limits }: CompareOptions = {},
): ModelComparison {
  const findings = (model: Model) =>
    findingsOf(solver, program, model, {
      unroll,
      mostOutcomes,
      deadline: deadlineOf({ ...DEFAULT_LIMITS, ...limits }),
    });
  return compareFindings(findings(a), findings(b));
}
