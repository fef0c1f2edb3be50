import { basename } from 'node:path';
import type { Model } from '../../cat/model.js';
import { checkOperationally } from '../../check/check-operationally.js';
import { type CheckOptions, checkTest } from '../../check/check-test.js';
import { checkVariants } from '../../check/check-variants.js';
import { crossCheck } from '../../check/cross-check.js';
import type { Wants } from '../../check/load-tests.js';
import { isBroken, isUndecided, type TestResult } from '../../check/result.js';
import { SAMPLING_PART, withSampledRuns } from '../../check/sample-runs.js';
import { type Diagnosed, type Diagnostic, warning } from '../../diagnostics/diagnostic.js';
import { didYouMean } from '../../diagnostics/nearest.js';
import { builtInModels, loadInOrder, loadModel } from '../../files/load-model.js';
import { VERSION } from '../../files/version.js';
import type { Program } from '../../program/program.js';
import type { ReportedPage } from '../../report/html/reported-page.js';
import { type ReportedTest, reportedTest } from '../../report/reported-test.js';
import { parseCondition } from '../../syntax/parse-condition.js';
import { citedHashes } from '../digests.js';
import { eachProgram } from '../each-program.js';
import { emitSmt2 } from '../emit-smt2.js';
import type { DecidingSettings, Job, ModelSettings, SuiteTask, Workplace } from '../job.js';
import { isShownByRun, type Pages, pageOf } from '../test-page.js';
import { loadSource } from '../test-source.js';

/** Who decides: the axioms by a solver, the operational machine, or both, which are then compared. */
export const ENGINES = ['axiomatic', 'operational', 'both'] as const;
export type Engine = (typeof ENGINES)[number];

/** By what launches are decided that are about all of their threads: by their order where that is enough, or not. */
export const DECIDERS = ['order', 'engines'] as const;

/** What `check` is asked of every test. */
export interface CheckSettings extends DecidingSettings, ModelSettings {
  readonly engine: Engine;
  readonly decide: (typeof DECIDERS)[number];
  /** Say which verdicts depend on a choice that the ISA leaves open. */
  readonly openChoices: boolean;
  readonly states: boolean;
  readonly witnesses: number;
  /** A condition in place of the tests' own. */
  readonly condition: string | undefined;
  /** A folder for the queries in SMT-LIB. */
  readonly emitSmt2: string | undefined;
  /** Which tests are told in full: a test that is the only one, all, or none. */
  readonly full: 'alone' | 'all' | 'none';
  /** With the functions that a compiler put in their callers' places. */
  readonly callers: boolean;
  readonly reasons: boolean;
  readonly herd: boolean;
  /** Which tests get what a page shows of them. */
  readonly pages: Pages;
  readonly json: boolean;
  readonly times: boolean;
  /** What nobody confirms is undecided. */
  readonly strict: boolean;
  /** The models of the run, and what they include, that do not come with the tool: tests may speak of them. */
  readonly ownModels: readonly string[];
}

/** Decides the tests of a source and says what reports say of them. */
export function checkJob(settings: CheckSettings): Job<SuiteTask, ReportedTest> {
  const model = modelOf(settings);
  const inOrder = settings.engine === 'both' ? loadInOrder() : undefined;
  return async ({ source }, place) => {
    const read = readTests(source, settings);
    const paged = new PagedTests(source, settings, model, place);
    const alone = read.value?.length === 1;
    const full = settings.full === 'all' || (settings.full === 'alone' && alone);
    const { sha256: hashOf, md5 } = citedHashes(source);
    const options = { ...reportOptions(settings, place), hashOf, md5, full };
    const answer = await eachProgram(
      read,
      async (program, at) => {
        const result = decided(program, model, inOrder, settings, place, full);
        const { emitSmt2: folder, unroll } = settings;
        if (folder !== undefined) emitSmt2(place.solver, program, model, unroll, folder);
        const page = await paged.pageFor(result, at);
        return { ...reportedTest(result, options), ...(page !== undefined && { page }) };
      },
      ({ undecided }) => undecided,
    );
    const { open, ...rest } = answer;
    return answer.value.some(({ page }) => page !== undefined) ? { ...rest, quotes: true, open } : answer;
  };
}

/** Pages of the tests of a source, which is read once more for them, if there are any. */
class PagedTests {
  private readonly programs = new Map<Wants, readonly Program[]>();

  constructor(
    private readonly source: SuiteTask['source'],
    private readonly settings: CheckSettings,
    private readonly model: Model,
    private readonly place: Workplace,
  ) {}

  async pageFor(result: TestResult, at: number): Promise<ReportedPage | undefined> {
    const { pages, unroll, engine } = this.settings;
    const isFound = isBroken(result) || isUndecided(result);
    if (pages === 'none' || (pages === 'found' && !isFound)) return undefined;
    // Where a run of all threads shows what is found, nothing is asked of the engines.
    const wants = isShownByRun(result) ? 'answers' : 'threads';
    // A page cites lines by number: it holds for this very text.
    const programs =
      this.programs.get(wants) ?? readTests({ ...this.source, isMarked: false }, this.settings, wants).value ?? [];
    this.programs.set(wants, programs);
    const again = engine === 'axiomatic' ? programs[at] : undefined;
    return pageOf(result, again, this.model, this.place, { unroll, mostThreads: this.source.mostThreads });
  }
}

function readTests(
  source: SuiteTask['source'],
  settings: CheckSettings,
  wanted?: Wants,
): Diagnosed<readonly Program[]> {
  const { condition, ownModels, decide, engine, emitSmt2: folder } = settings;
  const asked = condition === undefined ? undefined : parseCondition({ path: '--condition', text: condition });
  if (asked?.failure !== undefined) return { value: undefined, diagnostics: [asked.failure] };
  // Other engines and queries take the threads themselves.
  const isAnswered = engine === 'axiomatic' && folder === undefined;
  const wants = decide === 'engines' ? 'all threads' : (wanted ?? (isAnswered ? 'answers' : 'threads'));
  const { value, diagnostics } = loadSource(source, settings, wants, asked?.value);
  const unknown = (value ?? []).flatMap((program) => unknownModels(program, ownModels));
  return { value, diagnostics: [...diagnostics, ...unknown] };
}

/** A clause for a model that nobody knows is never checked: most likely a misspelling. */
function unknownModels(program: Program, ownModels: readonly string[]): readonly Diagnostic[] {
  const known = [...new Set([...builtInModels(), ...ownModels])];
  return [...program.conditions, ...program.expectations, ...program.allowances].flatMap(({ models: limit, span }) =>
    (limit ?? [])
      .filter((model) => !known.includes(model))
      .map((model) =>
        warning(
          'L0207',
          span,
          `this is for a model ${model}, which is not known, and is not checked`,
          didYouMean(model, known) ?? `the models are ${known.join(', ')}`,
        ),
      ),
  );
}

function decided(
  program: Program,
  model: Model,
  inOrder: Model | undefined,
  settings: CheckSettings,
  { solver, limits }: Workplace,
  full: boolean,
): TestResult {
  const { unroll, states, witnesses, engine, openChoices, reasons, strict } = settings;
  const kernel = program.launches.length > 0 && engine !== 'operational';
  const options: CheckOptions = {
    ...limits,
    ...(kernel && { timeout: limits.timeout * (1 - SAMPLING_PART) }),
    unroll,
    states: states || settings.herd,
    witnesses,
    reasons: reasons || full,
    strict,
  };
  const checked =
    engine === 'operational' ? checkOperationally(program, model, options) : checkTest(solver, program, model, options);
  const result = withSampledRuns(checked, checked.program, model, { ...limits, unroll });
  const withVariant = (variant: string): Model => {
    const others = settings.variants.filter((one) => one.replace(/=.*$/, '') !== variant.replace(/=.*$/, ''));
    return modelOf({ ...settings, variants: [...others, variant] });
  };
  // What a project accepts in some of its tests need not be in each.
  const accepted = result.accepted?.filter(
    ({ allowance, outcome }) => !(allowance.entry !== undefined && outcome === 'nothing'),
  );
  return {
    ...result,
    ...(accepted !== undefined && { accepted }),
    ...(inOrder !== undefined && { crossCheck: crossCheck(solver, program, model, inOrder, { ...options, checked }) }),
    ...(openChoices && { unspecified: checkVariants(solver, program, result, withVariant, options) }),
  };
}

function reportOptions({ herd, json, times, witnesses, callers }: CheckSettings, { solver }: Workplace) {
  const tool = { name: 'ptx-litmus', version: VERSION, solver: solver.version };
  return { tool, witnesses, herd, json, times, callers };
}

/** The model that settings name; it was loaded before without errors. */
export function modelOf({ model, include, variants, without, sources }: ModelSettings): Model {
  const { value } = loadModel(model, include, new Set(variants), sources, without);
  if (value === undefined) throw new Error(`${basename(model)} cannot be read again`);
  return value;
}
