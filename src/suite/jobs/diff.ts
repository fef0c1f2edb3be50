import { Claims } from '../../axiomatic/confirmation/claims.js';
import { mayBeJudgedDifferently } from '../../axiomatic/session/judged-differently.js';
import type { Model } from '../../cat/model.js';
import { deadlineOf } from '../../check/limits.js';
import { executionChoices } from '../../check/open-choices.js';
import type { ModelComparison } from '../../compare/compare-models.js';
import { compareModels } from '../../library/compare-models.js';
import type { Program } from '../../program/program.js';
import { type ModelPair, type ReportedComparison, reportedComparison } from '../../report/comparison.js';
import { eachProgram } from '../each-program.js';
import type { DecidingSettings, Job, ModelSettings, SuiteTask, Workplace } from '../job.js';
import { loadSource } from '../test-source.js';
import { modelOf } from './check.js';

export interface DiffSettings extends DecidingSettings, Omit<ModelSettings, 'model' | 'without'> {
  /** Built-in models or `.cat` files. */
  readonly models: { readonly A: string; readonly B: string };
  /** The axioms that are left out of each. */
  readonly omitted: { readonly A: readonly string[]; readonly B: readonly string[] };
  /** The names by which they are shown. */
  readonly shown: ModelPair;
}

const MOST_OUTCOMES = 2000;

/** Compares what two models say of the tests of a source. */
export function diffJob(settings: DiffSettings): Job<SuiteTask, ReportedComparison> {
  const { models, omitted, shown, unroll } = settings;
  const a = modelOf({ ...settings, model: models.A, without: omitted.A });
  const b = modelOf({ ...settings, model: models.B, without: omitted.B });
  return ({ source }, place) =>
    eachProgram(
      loadSource(source, settings),
      (program) => reportedComparison({ program, comparison: compareBriefly(program, a, b, unroll, place) }, shown),
      ({ open }) => open.length > 0,
    );
}

/** What two models say differently of a test: one question first, which is mostly enough. */
export function compareBriefly(
  program: Program,
  a: Model,
  b: Model,
  unroll: number,
  { solver, limits }: Workplace,
): ModelComparison {
  const claims = new Claims(solver.secondParty);
  const deadline = deadlineOf(limits);
  const engine = { unroll, deadline, claims, mostStates: MOST_OUTCOMES };
  const start = limits.clock();
  if (!mayBeJudgedDifferently(solver, program, a, b, { ...engine, ...executionChoices(a) })) {
    claims.confirm(deadline, limits.clock() - start);
    // What nobody confirms is asked in many questions, each of which says so if it must.
    if (claims.openIn(0, claims.count) === undefined) return { differences: [], open: [] };
  }
  return compareModels(solver, program, a, b, { ...limits, unroll, mostOutcomes: MOST_OUTCOMES });
}
