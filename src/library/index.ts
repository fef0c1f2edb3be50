/**
 * ptx-litmus as a library: decides litmus tests in PTX under an axiomatic memory model, and says why. What needs files
 * or threads of node is in `ptx-litmus/node`.
 *
 * Mistakes in a text come back as diagnostics; an undefined value has some. A mistake of the caller throws
 * `UsageError`; anything else that is thrown is a bug of ours.
 *
 * @module ptx-litmus
 */
export { type Advice, advise } from '../advise/advise.js';
export type { Repair, Way } from '../advise/repair.js';
export type { Change, Suggestion } from '../advise/suggestion.js';
export { Judge, type JudgeOptions } from '../advise/verdicts.js';
export type { AxiomFailure, Forbidden } from '../axiomatic/session/explain-forbidden.js';
export { Cdcl } from '../axiomatic/solver/cdcl.js';
export type { SecondParty } from '../axiomatic/solver/second-party.js';
export type { SatSolver } from '../axiomatic/solver/solver.js';
export { Z3 } from '../axiomatic/solver/z3.js';
export type { Model } from '../cat/model.js';
export type { Include } from '../cat/resolve-model.js';
export { type CheckOptions, checkTest } from '../check/check-test.js';
export type { Difference, NotCompared } from '../check/compare-engines.js';
export { type CrossCheck, type CrossCheckOptions, crossCheck } from '../check/cross-check.js';
export { DEFAULT_LIMITS, type Limits } from '../check/limits.js';
export { loadTests } from '../check/load-tests.js';
export { overrideCondition } from '../check/override-condition.js';
export {
  type ConditionResult,
  type ExpectationResult,
  isBroken,
  isUndecided,
  type Observation,
  type StateResult,
  type TestResult,
} from '../check/result.js';
export type { ModelComparison, ModelDifference } from '../compare/compare-models.js';
export { DIAGNOSTIC_CODES, type DiagnosticCode } from '../diagnostics/codes.js';
export type { Diagnosed, Diagnostic, Severity } from '../diagnostics/diagnostic.js';
export { renderDiagnostics } from '../diagnostics/render.js';
export type { Source, Span } from '../diagnostics/source.js';
export { UsageError } from '../diagnostics/usage-error.js';
export type { CandidateExecution, FinalState } from '../execution/candidate-execution.js';
export { FAMILIES, type Family } from '../generate/families.js';
export {
  type CycleOptions,
  type GeneratedTest,
  type GenerationOptions,
  generateTests,
  testOfCycle,
} from '../generate/generate-tests.js';
export type { Condition, Observable, Program, Proposition, Term, Thread } from '../program/program.js';
export { describeUndecided, type Undecided } from '../program/undecided.js';
export { reportHerd } from '../report/herd.js';
export { type JsonContext, jsonOf } from '../report/json.js';
export { COLORED, PLAIN, reportTest, type Style } from '../report/text.js';
export { type CompareOptions, compareModels } from './compare-models.js';
export { explainTest } from './explain-test.js';
export { readModel } from './read-model.js';
