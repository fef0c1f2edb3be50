import { basename, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import type { CheckOptions } from '../check/check-test.js';
import { isBroken, isUndecided, isVacuous, type TestResult } from '../check/result.js';
import { hasErrors } from '../diagnostics/diagnostic.js';
import { renderDiagnostics } from '../diagnostics/render.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { builtInModels, loadModel } from '../files/load-model.js';
import { VERSION } from '../files/version.js';
import { REPORTER_NAMES } from '../report/reporters/reporters.js';
import { ENGINES, loadPrograms, TestChecker } from './check-run.js';
import { chosenVariants } from './chosen-variants.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { md5, sha256 } from './digests.js';
import { emitSmt2 } from './emit-smt2.js';
import { EXIT_CODES, type ExitCode, worst } from './exit-codes.js';
import { type FoundTest, findTests } from './find-tests.js';
import { limitsOf } from './limits.js';
import { COLOR, DEFAULT_MODEL, INCLUDE, MEMORY, PROGRESS, SOLVER, TIMEOUT, UNROLL, VARIANT, whole } from './options.js';
import { Progress } from './progress.js';
import { type ChosenReporter, chosenReporters, ReporterOutputs } from './reporter-outputs.js';
import { startSolver } from './start-solver.js';
import { StopSignal } from './stop-signal.js';
import { styleFor } from './style.js';
import { filesOfModel, watchFiles } from './watch.js';

const POSITIONALS = {
  paths: {
    type: 'string',
    array: true,
    describe: 'files, folders, globs, @list, or - for standard input',
    default: [] as string[],
  },
} as const;
const OPTIONS = {
  model: {
    alias: 'm',
    type: 'string',
    array: true,
    nargs: 1,
    default: [DEFAULT_MODEL] as string[],
    describe: 'a built-in model or a .cat file; may be repeated',
  },
  ...INCLUDE,
  variant: {
    ...VARIANT.variant,
    describe: 'a value of a choice that the ISA leaves open, such as proxy-fence=lenient',
  },
  variants: { type: 'boolean', default: false, describe: 'say which verdicts depend on such a choice' },
  engine: {
    alias: 'e',
    choices: ENGINES,
    default: 'axiomatic',
    describe: 'the axioms, the operational machine, or both and whether they agree',
  },
  reporter: {
    alias: 'f',
    type: 'string',
    array: true,
    nargs: 1,
    default: ['text'] as string[],
    describe: `how to print the results: ${REPORTER_NAMES.join(', ')}; name=file writes a file; may be repeated`,
  },
  states: { type: 'boolean', default: false, describe: 'list all final states' },
  witnesses: {
    coerce: whole('witnesses', 0),
    requiresArg: true,
    describe: 'executions to show for each condition (default 1 for a single test)',
  },
  condition: {
    type: 'string',
    requiresArg: true,
    describe: "a condition in place of the tests' own, such as 'exists (P1:r0 == 1)'",
  },
  ...UNROLL,
  ...TIMEOUT,
  ...MEMORY,
  ...SOLVER,
  'emit-smt2': { type: 'string', requiresArg: true, describe: 'a folder for the queries in SMT-LIB' },
  ...COLOR,
  strict: {
    type: 'boolean',
    default: false,
    describe: 'warnings, and claims about tests without a final state, count as mistakes',
  },
  quiet: { alias: 'q', type: 'boolean', default: false, describe: 'print problems only' },
  verbose: { alias: 'v', type: 'boolean', default: false, describe: 'print every test in full' },
  watch: {
    alias: 'w',
    type: 'boolean',
    default: false,
    describe: 'check again what an edit of a test or of a model touches',
  },
  ...PROGRESS,
} as const;
type CheckArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof OPTIONS>;

export const checkCommand = defineCommand({
  usage: ['check [paths..]', '$0 [paths..]'],
  describe: 'decide tests and their expectations',
  positionals: POSITIONALS,
  options: OPTIONS,
  run: runCheck,
});

const FEW_TESTS = 10;
const MACHINE_MODEL = 'ptx-9.4';
/** 7.5 says the same of what it knows. */
const COMPARABLE: readonly string[] = [MACHINE_MODEL, 'ptx-7.5'];

/** Decides tests and says which expectations hold. */
async function runCheck(options: CheckArguments): Promise<ExitCode> {
  if (options.paths.length === 0)
    throw new UsageError('no tests given: name files or folders, or - for standard input (ptx-litmus --help)');
  if (options.quiet && options.verbose) throw new UsageError('--quiet and --verbose contradict each other');
  if (options.engine === 'operational') refuseAxioms(options);
  if (options.engine === 'both') refuseOtherModels(options);
  const reporters = chosenReporters(options.reporter);
  const sources = await findTests(options.paths);
  const few = sources.length <= FEW_TESTS;
  // Reading a few texts is over before optimized code for it would pay.
  if (few) setFlagsFromString('--no-opt');
  const models = loadModels(options);
  if (models === undefined && !options.watch) return EXIT_CODES.usage;
  const starting = startSolver(options.solver, few);
  if (options.watch) return checkAgainAndAgain(await starting, sources, models ?? [], reporters, options);
  return checkSources(starting, sources, models ?? [], reporters, options);
}

async function checkSources(
  starting: SatSolver | Promise<SatSolver>,
  sources: readonly FoundTest[],
  models: readonly Model[],
  reporters: readonly ChosenReporter[],
  options: CheckArguments,
): Promise<ExitCode> {
  const { programs, diagnostics, unreadable } = loadPrograms(sources, options, models);
  if (diagnostics.length > 0 && (hasErrors(diagnostics) || options.strict || !options.quiet))
    process.stderr.write(`${renderDiagnostics(diagnostics)}\n`);
  const solver = await starting;
  setFlagsFromString('--opt');
  const codes: ExitCode[] = unreadable > 0 || (options.strict && diagnostics.length > 0) ? [EXIT_CODES.usage] : [];
  const full = programs.length === 1 || options.verbose || options.states || (options.witnesses ?? 0) > 0;
  const asked = (name: ChosenReporter['name']): boolean => reporters.some((one) => one.name === name);
  const checkOptions: CheckOptions = {
    unroll: options.unroll,
    ...limitsOf(options),
    states: options.states || asked('herd'),
    witnesses: options.witnesses ?? 1,
    reasons: asked('json') || asked('ndjson') || (asked('text') && full),
  };
  const checker = new TestChecker(
    solver,
    options.engine,
    checkOptions,
    options.variants ? (model, variant) => withVariant(model, variant, options) : undefined,
  );
  const outputs = new ReporterOutputs(reporters, {
    style: styleFor(options.color),
    full,
    quiet: options.quiet,
    tool: { name: 'ptx-litmus', version: VERSION, solver: solver.version },
    hashOf: sha256,
    md5,
    witnesses: options.witnesses ?? 1,
  });
  const start = performance.now();
  const progress = new Progress(options.progress, programs.length * models.length);
  const results: TestResult[] = [];
  const stop = new StopSignal(outputs.holdsBack);
  for (const program of programs) {
    if (stop.received !== undefined) break;
    for (const model of models) {
      progress.next(program.name);
      const result = checker.check(program, model);
      if (result === undefined) {
        codes.push(EXIT_CODES.internal);
        continue;
      }
      results.push(result);
      codes.push(codeOf(result));
      if (options.strict && isVacuous(result)) codes.push(EXIT_CODES.usage);
      if (options.emitSmt2 !== undefined) emitSmt2(solver, program, model, options.unroll, options.emitSmt2);
      outputs.result(result, () => progress.clear());
    }
    // Lets signals and output through between tests.
    await new Promise((proceed) => setImmediate(proceed));
  }
  progress.clear();
  outputs.end({ results, diagnostics, unreadable, time: performance.now() - start });
  return stop.end(`${results.length} of ${programs.length * models.length} tests were checked`) ?? worst(codes);
}

/** Checks everything once, and then again what an edit of a test or of a model touches. */
async function checkAgainAndAgain(
  solver: SatSolver,
  first: readonly FoundTest[],
  loaded: readonly Model[],
  reporters: readonly ChosenReporter[],
  options: CheckArguments,
): Promise<never> {
  let models = loaded;
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const files = models.flatMap(filesOfModel);
  const written = options.model.filter((name) => name.endsWith('.cat'));
  // Watching comes first: an edit during the first check, or right behind it, is seen.
  const edits = await watchFiles([...options.paths, ...files, ...written]);
  await checkSources(solver, first, models, reporters, options);
  say('watching for edits; Ctrl-C ends');
  return edits.forEach(async (touched) => {
    const sources = await readAgain(options, say);
    if (sources === undefined) return;
    const ofModels = new Set([...models.flatMap(filesOfModel), ...written.map((path) => resolve(path))]);
    if ([...touched].some((path) => ofModels.has(path))) {
      const again = loadModels(options);
      if (again === undefined) return;
      const changed = again.filter((model) => filesOfModel(model).some((path) => touched.has(path)));
      models = again;
      say(`edited: ${changed.map(({ name }) => name).join(', ')}`);
      await checkSources(solver, sources, changed, reporters, options);
    }
    const edited = sources.filter(({ path }) => touched.has(resolve(path)));
    if (edited.length === 0) return;
    say(`edited: ${edited.map(({ path }) => path).join(', ')}`);
    await checkSources(solver, edited, models, reporters, options);
  });
}

/** The tests as they are now: a file that is gone for a moment is no reason to stop watching. */
async function readAgain(
  { paths }: CheckArguments,
  say: (text: string) => void,
): Promise<readonly FoundTest[] | undefined> {
  try {
    return await findTests(paths);
  } catch (thrown) {
    say(thrown instanceof Error ? thrown.message : String(thrown));
    return undefined;
  }
}

function codeOf(result: TestResult): ExitCode {
  if (result.crossCheck?.verdict === 'disagreement') return EXIT_CODES.disagreement;
  if (isBroken(result)) return EXIT_CODES.broken;
  return isUndecided(result) || result.crossCheck?.verdict === 'unknown' ? EXIT_CODES.undecided : EXIT_CODES.good;
}

/** The machine is one reading of PTX ISA 9.4: it runs no other model, and has no queries. */
function refuseAxioms({ model, variants, emitSmt2: folder }: CheckArguments): void {
  const other = model.find((name) => name !== MACHINE_MODEL);
  if (other !== undefined)
    throw new UsageError(
      `the operational machine runs ${MACHINE_MODEL} only, not ${other}; --engine both compares it with any model`,
    );
  if (folder !== undefined) throw new UsageError('--emit-smt2 needs the axioms: --engine operational has no queries');
  if (variants) throw new UsageError('--variants needs the axioms: choose a reading with --variant');
}

/** A model that comes with the tool and means something else is no suspect; one in a file is there to be compared. */
function refuseOtherModels({ model }: CheckArguments): void {
  const other = model.find((name) => builtInModels().includes(name) && !COMPARABLE.includes(name));
  if (other !== undefined)
    throw new UsageError(
      `${other} is another model than the machine's, which is of ${COMPARABLE.join(' and ')}: there is nothing ` +
        'to compare',
    );
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
