import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import { type CheckOptions, checkTest } from '../check/check-test.js';
import { type NamedOrder, reasonsFor } from '../check/order-reasons.js';
import type { TestResult } from '../check/result.js';
import { explainCondition } from '../explain/explain-condition.js';
import { hintAtUndefined } from '../explain/undefined.js';
import { DEFAULT_MOST_THREADS } from '../follow/choose-threads.js';
import type { Program } from '../program/program.js';
import { reportTestExplanation } from '../report/explanation.js';
import { PLAIN, type Style } from '../report/text.js';

/**
 * Why each condition of a test is as it is, and what is missing: the text of `ptx-litmus explain`.
 *
 * @example
 * ```ts
 * console.log(explainTest(solver, program, model));
 * ```
 */
export function explainTest(
  solver: SatSolver,
  program: Program,
  model: Model,
  options: CheckOptions = {},
  style: Style = PLAIN,
): string {
  const result = checkTest(solver, program, model, { ...options, ...toExplain(program) });
  return explainResult(model, result, style, reasonsFor(program, result, options));
}

/** What a check is to find for an explanation: executions where these say more than a run of all threads. */
export function toExplain(program: Program, mostThreads?: number): CheckOptions {
  return { reasons: true, core: true, simplest: true, follow: isByRun(program, mostThreads) };
}

/** Whether a test launches more threads than are decided together: a run of all of them says more than executions. */
export function isByRun({ launches }: Program, mostThreads: number = DEFAULT_MOST_THREADS): boolean {
  return launches.reduce((sum, { threads }) => sum + threads, 0) > mostThreads;
}

/** The explanation of a test that was checked with what it takes. */
export function explainResult(
  model: Model,
  result: TestResult,
  style: Style,
  reasons: readonly NamedOrder[] = [],
): string {
  const { undefinedBy, conditions, followed } = result;
  const isOfRun = followed !== undefined || result.isByRun === true;
  const explanations = undefinedBy === undefined ? conditions.map((one) => explainCondition(model, one, isOfRun)) : [];
  const hint =
    undefinedBy?.witness === undefined
      ? undefined
      : hintAtUndefined(undefinedBy.witness, undefinedBy.rule, undefinedBy.events);
  return reportTestExplanation(result, explanations, hint, style, reasons);
}
