import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { AxiomaticSession } from '../axiomatic/engine.js';
import { smtLib } from '../axiomatic/smt-lib.js';
import type { Z3 } from '../axiomatic/solver.js';
import type { Model } from '../cat/model.js';
import { checkOperationally } from '../check/check-operationally.js';
import { type CheckOptions, checkTest } from '../check/check-test.js';
import { checkVariants } from '../check/check-variants.js';
import { crossCheck } from '../check/cross-check.js';
import { loadTests } from '../check/load-tests.js';
import { overrideCondition } from '../check/override-condition.js';
import { isBroken, isUndecided, type TestResult } from '../check/result.js';
import { type Diagnostic, hasErrors, warning } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { renderDiagnostics } from '../diagnostics/render.js';
import type { Program } from '../program/program.js';
import { reportHerd } from '../report/herd.js';
import { jsonDiagnostic, jsonOf } from '../report/json.js';
import { reportProblem, reportSummary, reportTest, type Style } from '../report/text.js';
import { chosenVariants } from './chosen-variants.js';
import { EXIT_CODES, type ExitCode, UsageError, worst } from './exit-codes.js';
import { findTests } from './find-tests.js';
import { internalError } from './internal-error.js';
import { builtInModels, loadInOrder, loadModel } from './load-model.js';
import { Progress } from './progress.js';
import { startZ3 } from './read-input.js';
import { type Color, styleFor } from './style.js';

export const REPORTERS = ['text', 'herd', 'json'] as const;

/** Who decides: the axioms by z3, the operational machine, or both, which are then compared. */
export const ENGINES = ['axiomatic', 'operational', 'both'] as const;

export interface CheckArguments {
  readonly paths: readonly string[];
  readonly model: readonly string[];
  readonly include: readonly string[];
  readonly variant: readonly string[];
  readonly engine: (typeof ENGINES)[number];
  readonly variants: boolean;
  readonly reporter: (typeof REPORTERS)[number];
  readonly states: boolean;
  readonly witnesses: number | undefined;
  readonly condition: string | undefined;
  readonly unroll: number;
  /** In seconds. */
  readonly timeout: number;
  readonly emitSmt2: string | undefined;
  readonly color: Color;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly progress: boolean;
  readonly version: string;
}

const FEW_TESTS = 10;
const MACHINE_MODEL = 'ptx-9.4';
/** 7.5 says the same of what it knows. */
const COMPARABLE: readonly string[] = [MACHINE_MODEL, 'ptx-7.5'];

/** Decides tests and says which expectations hold. */
export async function runCheck(options: CheckArguments): Promise<ExitCode> {
  if (options.engine === 'operational') refuseAxioms(options);
  if (options.engine === 'both') refuseOtherModels(options);
  const codes: ExitCode[] = [];
  const sources = findTests(options.paths);
  const few = sources.length <= FEW_TESTS;
  // Reading a few texts is over before optimised code for it would pay.
  if (few) setFlagsFromString('--no-opt');
  const models = loadModels(options);
  if (models === undefined) return EXIT_CODES.usage;
  const starting = startZ3(few);
  const diagnostics: Diagnostic[] = [];
  const programs: Program[] = [];
  let unreadable = 0;
  for (const source of sources) {
    const loaded = loadTests(source);
    const overridden = (loaded.value ?? []).map((program) =>
      options.condition === undefined ? { value: program, diagnostics: [] } : overrideCondition(program, options.condition),
    );
    diagnostics.push(...loaded.diagnostics, ...overridden.flatMap((one) => one.diagnostics));
    programs.push(...overridden.flatMap(({ value }) => (value === undefined ? [] : [value])));
    if (loaded.value === undefined || overridden.some(({ value }) => value === undefined)) unreadable += 1;
  }
  diagnostics.push(...programs.flatMap((program) => unknownModels(program, models)));
  if (diagnostics.length > 0 && (hasErrors(diagnostics) || !options.quiet)) process.stderr.write(`${renderDiagnostics(diagnostics)}\n`);
  if (unreadable > 0) codes.push(EXIT_CODES.usage);

  const z3 = await starting;
  setFlagsFromString('--opt');
  const style = styleFor(options.color);
  const single = programs.length === 1;
  const start = performance.now();
  const progress = new Progress(options.progress, programs.length * models.length);
  const results: TestResult[] = [];
  const inOrder = options.engine === 'both' ? loadInOrder() : undefined;
  for (const program of programs) {
    for (const model of models) {
      progress.next(program.name);
      const checkOptions: CheckOptions = {
        unroll: options.unroll,
        timeout: options.timeout * 1000,
        clock: () => performance.now(),
        states: options.states || options.reporter === 'herd',
        witnesses: options.witnesses ?? 1,
        reasons: options.reporter === 'json' || (options.reporter === 'text' && (single || options.verbose || (options.witnesses ?? 0) > 0)),
      };
      const decided = decidedOrBug(program, () => decide(z3, program, model, options.engine, inOrder, checkOptions));
      if (decided === undefined) {
        codes.push(EXIT_CODES.internal);
        continue;
      }
      const variantOf = (variant: string): Model => withVariant(model, variant, options);
      const result = options.variants ? { ...decided, unspecified: checkVariants(z3, program, decided, variantOf, checkOptions) } : decided;
      results.push(result);
      if (options.emitSmt2 !== undefined) emitSmt2(z3, program, model, options, options.emitSmt2);
      if (options.reporter !== 'text') continue;
      const full = single || options.verbose || options.states || (options.witnesses ?? 0) > 0;
      const text = full ? reportTest(result, style, options.witnesses ?? 1) : reportProblem(result, style);
      progress.clear();
      if (text !== undefined) process.stdout.write(`${text}\n`);
    }
    // Lets signals and output through between tests.
    await new Promise((resolve) => setImmediate(resolve));
  }
  progress.clear();
  writeReport(options, results, diagnostics, { unreadable, time: performance.now() - start }, style, z3.version);
  if (results.some((result) => result.crossCheck?.verdict === 'disagreement')) codes.push(EXIT_CODES.disagreement);
  if (results.some((result) => result.crossCheck?.verdict === 'unknown')) codes.push(EXIT_CODES.undecided);
  codes.push(...results.map((result) => (isBroken(result) ? EXIT_CODES.broken : isUndecided(result) ? EXIT_CODES.undecided : EXIT_CODES.good)));
  return worst(codes);
}

/** The machine is one reading of PTX ISA 9.4: it runs no other model, and has no queries. */
function refuseAxioms({ model, variants, emitSmt2 }: CheckArguments): void {
  const other = model.find((name) => name !== MACHINE_MODEL);
  if (other !== undefined) throw new UsageError(`the operational machine runs ${MACHINE_MODEL} only, not ${other}; --engine both compares it with any model`);
  if (emitSmt2 !== undefined) throw new UsageError('--emit-smt2 needs the axioms: --engine operational has no queries');
  if (variants) throw new UsageError('--variants needs the axioms: choose a reading with --variant');
}

/** A model that comes with the tool and means something else is no suspect; one in a file is there to be compared. */
function refuseOtherModels({ model }: CheckArguments): void {
  const other = model.find((name) => builtInModels().includes(name) && !COMPARABLE.includes(name));
  if (other !== undefined) throw new UsageError(`${other} is another model than the machine's, which is of ${COMPARABLE.join(' and ')}: there is nothing to compare`);
}

/** A bug of ours that one test meets must not cost the results of the others. */
function decidedOrBug(program: Program, decideIt: () => TestResult): TestResult | undefined {
  try {
    return decideIt();
  } catch (thrown) {
    process.stderr.write(internalError(thrown, ` in ${program.name} (${program.source.path})`));
    return undefined;
  }
}

/** `inOrder`: what the comparison adds to the model; undefined where there is none. */
function decide(z3: Z3, program: Program, model: Model, engine: CheckArguments['engine'], inOrder: Model | undefined, options: CheckOptions): TestResult {
  if (engine === 'operational') return checkOperationally(program, model, options);
  const decided = checkTest(z3, program, model, options);
  return inOrder === undefined ? decided : { ...decided, crossCheck: crossCheck(z3, program, model, inOrder, options) };
}

function writeReport(
  options: CheckArguments,
  results: readonly TestResult[],
  diagnostics: readonly Diagnostic[],
  suite: { readonly unreadable: number; readonly time: number },
  style: Style,
  solver: string,
): void {
  switch (options.reporter) {
    case 'text':
      if (!options.quiet || results.some(isBroken)) process.stdout.write(`${reportSummary({ results, ...suite }, style)}\n`);
      return;
    case 'herd':
      for (const result of results) process.stdout.write(`${reportHerd(result, (text) => hash('md5', text))}\n`);
      return;
    case 'json': {
      const context = { tool: { name: 'ptx-litmus', version: options.version, solver }, hashOf: (text: string) => hash('sha256', text), witnesses: options.witnesses ?? 1 };
      const report = { schemaVersion: 1, results: results.map((result) => jsonOf(result, context)), diagnostics: diagnostics.map(jsonDiagnostic) };
      process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
    }
  }
}

/** The same model with another value of one choice. */
function withVariant(model: Model, variant: string, { model: names, include }: CheckArguments): Model {
  const name = names.find((one) => one === model.name || basename(one, '.cat') === model.name) ?? model.name;
  const others = [...model.variants].filter((one) => one.replace(/=.*$/, '') !== variant.replace(/=.*$/, ''));
  const { value } = loadModel(name, include, new Set([...others, variant]));
  if (value === undefined) throw new Error(`${name} cannot be read again`);
  return value;
}

function loadModels({ model, include, variant }: CheckArguments): readonly Model[] | undefined {
  const variants = chosenVariants(variant);
  const loaded = model.map((name) => loadModel(name, include, variants));
  const diagnostics = loaded.flatMap((one) => one.diagnostics);
  if (diagnostics.length > 0) process.stderr.write(`${renderDiagnostics(diagnostics)}\n`);
  const models = loaded.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return models.length === loaded.length ? models : undefined;
}

/** A clause for a model that nobody knows is never checked: most likely a misspelling. */
function unknownModels(program: Program, models: readonly Model[]): readonly Diagnostic[] {
  const known = [...new Set([...builtInModels(), ...models.map(({ name }) => name)])];
  return [...program.conditions, ...program.expectations].flatMap(({ models: limit, span }) =>
    (limit ?? [])
      .filter((model) => !known.includes(model))
      .map((model) =>
        warning('L0207', span, `this is for a model ${model}, which is not known, and is not checked`, didYouMean(model, known) ?? `the models are ${known.join(', ')}`),
      ),
  );
}

/** Writes the query "is P reachable" of each condition as an SMT-LIB file. */
function emitSmt2(z3: Z3, program: Program, model: Model, options: CheckArguments, folder: string): void {
  const session = AxiomaticSession.open(z3, program, model, { unroll: options.unroll, deadline: { remaining: () => 1e12 }, mostStates: 0 });
  if ('unknown' in session) return;
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw new UsageError(`cannot make the folder ${folder}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  program.conditions.forEach((condition, i) => {
    const name = `${program.name}.${condition.name ?? i + 1}.${model.name}.smt2`.replace(/[^\w.+-]/g, '_');
    writeFileSync(
      join(folder, name),
      smtLib(session.encoding.builder, session.constraintsFor(condition.proposition), `${program.name} under ${model.name}: is ${condition.name ?? 'the condition'} reachable?`),
    );
  });
  session.dispose();
}

const hash = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest('hex');
