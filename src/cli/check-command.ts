import { setFlagsFromString } from 'node:v8';
import type { Model } from '../cat/model.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { builtInModels, loadInOrder, loadModel } from '../files/load-model.js';
import { VERSION } from '../files/version.js';
import type { ReportedTest } from '../report/reported-test.js';
import { REPORTER_NAMES } from '../report/reporters/reporters.js';
import { plural } from '../report/words.js';
import { headerOf, type RunHeader } from '../suite/header.js';
import { type ModelSettings, settingsOfModel } from '../suite/job.js';
import { type CheckSettings, DECIDERS, ENGINES } from '../suite/jobs/check.js';
import type { TestSource } from '../suite/test-source.js';
import { AcceptedFindings, type OutsideFindings } from './accepted-findings.js';
import { askSuite, isSmall, tasksOf } from './ask-suite.js';
import { checkAgainAndAgain } from './check-again.js';
import { CheckReport } from './check-report.js';
import { chosenVariants } from './chosen-variants.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { findTests, namesIn } from './find-tests.js';
import {
  findingsOf,
  isAtLines,
  type KnownFinding,
  KnownFindings,
  readFindings,
  writeFindings,
} from './known-findings.js';
import { launchesOfKernels } from './launches-of-kernels.js';
import { anyNumber, count, flag, oneOf, text, texts } from './option.js';
import {
  AT,
  COLOR,
  DEFAULT_MODEL,
  FORWARD_PROGRESS,
  INCLUDE,
  MAX_THREADS,
  MEMORY,
  SOLVER,
  SUITE,
  TIMEOUT,
  UNROLL,
  WITHOUT,
} from './options.js';
import type { Progress } from './progress.js';
import { currentProject } from './project.js';
import { quotedTexts } from './quoted-texts.js';
import { shown } from './read-input.js';
import { type ChosenReporter, chosenReporters, holdsBack } from './reporter-outputs.js';
import { styleFor } from './style.js';

const POSITIONALS = { paths: anyNumber('files, folders, globs, @list, or - for standard input') };
const OPTIONS = {
  model: { ...texts('a built-in model or a .cat file; may be repeated', 'm'), default: [DEFAULT_MODEL] },
  ...INCLUDE,
  variant: texts('a value of a choice that the ISA leaves open, such as proxy-fence=lenient'),
  ...WITHOUT,
  variants: flag('say which verdicts depend on such a choice'),
  engine: oneOf(ENGINES, 'axiomatic', 'the axioms, the operational machine, or both and whether they agree', 'e'),
  decide: oneOf(DECIDERS, 'order', 'launches by the order of all their threads, or all threads by the engine alone'),
  reporter: {
    ...texts(
      `how to print the results: ${REPORTER_NAMES.join(', ')}; name=file writes a file; may be repeated`,
      'f',
      'format',
    ),
    default: ['text'],
  },
  states: flag('list all final states'),
  witnesses: count('witnesses', 0, 'executions to show for each condition (default 1 for a single test)'),
  condition: text("a condition in place of the tests' own, such as 'exists (P1:r0 == 1)'"),
  ...MAX_THREADS,
  ...FORWARD_PROGRESS,
  ...AT,
  ...UNROLL,
  ...TIMEOUT,
  ...MEMORY,
  ...SOLVER,
  'emit-smt2': text('a folder for the queries in SMT-LIB'),
  ...COLOR,
  baseline: text('findings that are known: what the file lists breaks nothing, and what is gone is told'),
  'write-findings': text('a file for what is broken now, to be given as --baseline'),
  strict: flag(
    'warnings, and claims about tests without a final state, count as mistakes; what nobody confirms as unknown',
  ),
  quiet: flag('print problems only', 'q'),
  verbose: flag('print every test in full, the functions that a compiler inlined, and what orders accesses', 'v'),
  watch: flag('check again what an edit of a test, of a model or of a module touches', 'w'),
  ...SUITE,
};
type CheckArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof OPTIONS>;

export const checkCommand = defineCommand({
  usage: ['check [paths..]', '$0 [paths..]'],
  describe: 'decide tests and their expectations',
  positionals: POSITIONALS,
  options: OPTIONS,
  run: runCheck,
});

/** Decides tests as `check` does with nothing but their paths, and what is said here. */
export function checkTests(paths: readonly string[], more: Partial<CheckArguments>): Promise<ExitCode> {
  const defaults = Object.entries(OPTIONS).map(([name, option]) => [
    name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    'default' in option ? option.default : undefined,
  ]);
  return runCheck({ ...Object.fromEntries(defaults), ...more, paths: [...paths] });
}

const MACHINE_MODEL = 'ptx-9.4';
/** 7.5 says the same of what it knows. */
const COMPARABLE: readonly string[] = [MACHINE_MODEL, 'ptx-7.5'];

/** Decides tests and says which expectations hold. */
async function runCheck(given: CheckArguments): Promise<ExitCode> {
  if (given.paths.length === 0)
    throw new UsageError('no tests given: name files or folders, or - for standard input (ptx-litmus --help)');
  const paths = launchesOfKernels(given.paths, given.nvccArgs);
  if (paths === undefined) return EXIT_CODES.usage;
  const options = { ...given, paths: [...paths] };
  if (options.quiet && options.verbose) throw new UsageError('--quiet and --verbose contradict each other');
  if (options.engine === 'operational') refuseAxioms(options);
  if (options.engine === 'both') refuseOtherModels(options);
  if (options.engine !== 'axiomatic' && options.without.length > 0)
    throw new UsageError('--without needs the axioms alone: the machine leaves nothing out');
  if (options.emitSmt2 !== undefined && options.cache !== undefined)
    throw new UsageError('--emit-smt2 writes queries while tests are decided: leave --cache away');
  if (options.watch && options.writeFindings !== undefined)
    throw new UsageError('--watch checks some of the tests each time: write findings by a run without it');
  const reporters = chosenReporters(options.reporter);
  const sources = await findSources(options);
  // Reading a few texts is over before optimized code for it would pay.
  if (isSmall(sources.length)) setFlagsFromString('--no-opt');
  const models = loadModels(options);
  if (models === undefined && !options.watch) return EXIT_CODES.usage;
  const check = (some: readonly TestSource[], under: readonly Model[]): Promise<ExitCode> =>
    checkSources(some, under, reporters, options);
  if (!options.watch) return check(sources, models ?? []);
  return checkAgainAndAgain({
    paths: options.paths,
    models: options.model,
    first: { sources, models: models ?? [] },
    readSources: () => findSources(options),
    loadModels: () => loadModels(options),
    check,
  });
}

/** The tests, with what their project accepts in them. */
async function findSources(options: CheckArguments): Promise<readonly TestSource[]> {
  const sources = await findTests(options.paths, options);
  const known = knownFindings(sources, options);
  return sources.map((source) => known.reduce((all, one) => one.inSource(all), source));
}

function knownFindings(sources: readonly TestSource[], { baseline }: CheckArguments): readonly OutsideFindings[] {
  const ofBaseline = baseline === undefined ? [] : [new KnownFindings(baseline, readFindings(baseline), sources)];
  return [new AcceptedFindings(currentProject()), ...ofBaseline];
}

/** Decides tests, reports on them, and writes what is broken if that is asked. */
async function checkSources(
  sources: readonly TestSource[],
  models: readonly Model[],
  reporters: readonly ChosenReporter[],
  options: CheckArguments,
): Promise<ExitCode> {
  const { writeFindings: file } = options;
  const known = knownFindings(sources, options);
  const found: KnownFinding[] = [];
  const code = await decideSources(sources, models, reporters, options, known, (test, source) => {
    found.push(...findingsOf(test, sources[source]));
  });
  if (file === undefined) return code;
  const before = known.flatMap((one) => (one instanceof KnownFindings ? one.stillThere() : []));
  const all = [...before, ...(await withOtherRaces(found, sources, models, options))];
  writeFindings(file, all);
  process.stderr.write(`ptx-litmus: ${plural(all.length, 'finding')} in ${file}\n`);
  return code;
}

/** Of a test one race is told at a time: the next is told once those before it are known. */
async function withOtherRaces(
  found: readonly KnownFinding[],
  sources: readonly TestSource[],
  models: readonly Model[],
  options: CheckArguments,
): Promise<readonly KnownFinding[]> {
  const all = [...found];
  for (let news = found; ; ) {
    const racing = new Set(news.filter(isAtLines).map(({ test }) => test));
    const left = sources.filter((source) => namesIn(source).some((name) => racing.has(name)));
    if (left.length === 0) return all;
    const known = new KnownFindings('', all, left);
    const more: KnownFinding[] = [];
    const silent = { ...options, quiet: true, strict: false };
    const accepting = left.map((source) => known.inSource(source));
    await decideSources(accepting, models, [], silent, [known], (test, source) => {
      more.push(...findingsOf(test, left[source]));
    });
    all.push(...more);
    news = more;
  }
}

async function decideSources(
  sources: readonly TestSource[],
  models: readonly Model[],
  reporters: readonly ChosenReporter[],
  options: CheckArguments,
  known: readonly OutsideFindings[],
  hear: (test: ReportedTest, source: number) => void,
): Promise<ExitCode> {
  setFlagsFromString('--opt');
  const shared = settingsFor(models, sources.length, reporters, options);
  const header = (): RunHeader => headerOf('check', sources, models, shared, options.shard);
  const start = performance.now();
  let progress: Progress | undefined;
  const report = new CheckReport(
    reporters,
    {
      style: styleFor(options.color),
      quiet: options.quiet,
      strict: options.strict,
      times: options.times,
      tool: { name: 'ptx-litmus', version: VERSION },
      header,
      quoted: quotedTexts(sources),
      known,
      hear,
    },
    () => progress?.clear(),
  );
  const end = await askSuite(
    {
      job: 'check',
      settings: models.map((model) => ({ ...shared, ...settingsOfModel(model, options.include) })),
      models: models.map((model) => (options.engine === 'both' ? [model, loadInOrder()] : [model])),
      tasks: tasksOf(sources),
      holdsBack: holdsBack(reporters),
      begin: () => report.begin(),
    },
    options,
    (answers, place, counter) => {
      progress = counter;
      report.give(answers, place);
    },
  );
  const code = report.end(end, performance.now() - start);
  return end.endBySignal() ?? code;
}

/** What is asked of every test under each of the models. */
function settingsFor(
  models: readonly Model[],
  tests: number,
  reporters: readonly ChosenReporter[],
  options: CheckArguments,
): Omit<CheckSettings, keyof ModelSettings> {
  const { unroll, timeout, memory, solver, engine, decide, states, condition, times } = options;
  const asked = (...names: readonly ChosenReporter['name'][]): boolean =>
    reporters.some(({ name }) => names.includes(name));
  const all = options.verbose || states || (options.witnesses ?? 0) > 0;
  const builtIn = builtInModels();
  return {
    unroll,
    timeout,
    memory,
    solver,
    engine,
    decide,
    openChoices: options.variants,
    states: states || asked('herd'),
    witnesses: options.witnesses ?? 1,
    condition,
    emitSmt2: options.emitSmt2,
    callers: options.verbose,
    full: !asked('text', 'ndjson') ? 'none' : all ? 'all' : tests === 1 ? 'alone' : 'none',
    reasons: asked('json', 'ndjson'),
    herd: asked('herd') || (states && asked('ndjson')),
    pages: !asked('html') ? 'none' : isSmall(tests) ? 'all' : 'found',
    json: asked('json', 'ndjson'),
    times,
    strict: options.strict,
    ownModels: models.flatMap(({ names }) => names).filter((name) => !builtIn.includes(name)),
  };
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

function loadModels({ model, include, variant, without }: CheckArguments): readonly Model[] | undefined {
  const variants = chosenVariants(variant);
  const loaded = model.map((name) => loadModel(name, include, variants, [], without));
  return shown({
    value: loaded.flatMap(({ value }) => value ?? []),
    diagnostics: loaded.flatMap(({ diagnostics }) => diagnostics),
  });
}
