/**
 * ptx-litmus as a library.
 *
 * ```ts
 * import { checkTest, loadTests, Z3 } from 'ptx-litmus';
 * import { loadModel } from 'ptx-litmus/node';
 *
 * const { value: tests, diagnostics } = loadTests({ path: 'MP.litmus', text });
 * const { value: model } = loadModel('ptx-7.5');
 * const z3 = await Z3.start();
 * const result = checkTest(z3, tests[0], model, { states: true, reasons: true });
 * ```
 *
 * Mistakes in a text come back as diagnostics; an undefined value has some. What is thrown is a bug of ours, or of the
 * caller's: a file that is not there.
 */
export { type Advice, advise, type Suggestion } from './advise/advise.js';
export { Judge, type JudgeOptions } from './advise/verdicts.js';
export { Z3 } from './axiomatic/formula/solver.js';
export type { EngineOptions, Reachability } from './axiomatic/session/consistent-executions.js';
export type { Enumeration } from './axiomatic/session/enumerate-states.js';
export type { AxiomFailure, Forbidden } from './axiomatic/session/explain-forbidden.js';
export { mayBeJudgedDifferently } from './axiomatic/session/judged-differently.js';
export { AxiomaticSession } from './axiomatic/session/session.js';
export { buildProgram } from './build/build-program.js';
export { type CheckVerdict, checkExecution, type ExecutionVerdict } from './cat/check-execution.js';
export type { Model } from './cat/model.js';
export { type Include, readModel } from './cat/resolve-model.js';
export { checkOperationally, exploreProgram, type OperationalOptions } from './check/check-operationally.js';
export { type CheckOptions, checkTest } from './check/check-test.js';
export { type CrossCheck, type CrossCheckOptions, crossCheck, type Difference } from './check/cross-check.js';
export { type Findings, type FindingsOptions, findingsOf } from './check/findings.js';
export { DEFAULT_LIMITS, type Limits } from './check/limits.js';
export { loadTests, parseTests } from './check/load-tests.js';
export { overrideCondition } from './check/override-condition.js';
export * from './check/result.js';
export { type Baseline, type RecordedTest, readBaseline, recordTest } from './compare/baseline.js';
export { compareWithBaseline } from './compare/compare-baselines.js';
export { compareLogs, judgeLog } from './compare/compare-logs.js';
export { compareFindings, type ModelComparison, type ModelDifference } from './compare/compare-models.js';
export { readObservations } from './compare/observations.js';
export { type Synthesis, synthesize } from './compare/synthesize.js';
export { DIAGNOSTIC_CODES, type DiagnosticCode } from './diagnostics/codes.js';
export type { Diagnosed, Diagnostic, Severity } from './diagnostics/diagnostic.js';
export { renderDiagnostic, renderDiagnostics } from './diagnostics/render.js';
export type { Source, Span } from './diagnostics/source.js';
export { UsageError } from './diagnostics/usage-error.js';
export { BASE_KINDS } from './execution/base-relations.js';
export type { CandidateExecution, FinalState } from './execution/candidate-execution.js';
export { type ConditionExplanation, explainCondition, explainExecution } from './explain/explain-condition.js';
export { FAMILIES, type Family } from './generate/families.js';
export {
  type CycleOptions,
  type GeneratedTest,
  type GenerationOptions,
  generateTests,
  testOfCycle,
} from './generate/generate-tests.js';
export type { Exploration, Run } from './operational/explore.js';
export type { Outcome } from './operational/outcomes.js';
export type { Condition, Observable, Program, Proposition, Term, Thread } from './program/program.js';
export { describeUndecided, type Undecided } from './program/undecided.js';
export { EventSet } from './relation/event-set.js';
export { Relation } from './relation/relation.js';
export { reportAdvice } from './report/advice.js';
export { describeRun } from './report/describe-run.js';
export { reportTestExplanation } from './report/explanation.js';
export { asciiGraph } from './report/graph/ascii.js';
export { dotGraph } from './report/graph/dot.js';
export { reportHerd } from './report/herd.js';
export { type JsonContext, jsonOf } from './report/json.js';
export { REPORTERS, type Reporter, type ReporterContext } from './report/reporters/reporters.js';
export { COLORED, PLAIN, reportSummary, reportTest, type Style } from './report/text.js';
export type { LitmusFile } from './syntax/litmus-ast.js';
export { parseLitmus } from './syntax/parse-litmus.js';
export { type LogBlock, parseLog } from './syntax/parse-log.js';
export { parseNvlitmus } from './syntax/parse-nvlitmus.js';
export { printLitmus } from './syntax/print-litmus.js';
