import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import {
  BASELINE_VERSION,
  type Baseline,
  printBaseline,
  type RecordedTest,
  readBaseline,
  recordTest,
} from '../compare/baseline.js';
import { type AlteredTest, compareWithBaseline } from '../compare/compare-baselines.js';
import { positionOf } from '../diagnostics/source.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { readText } from '../files/read-text.js';
import { VERSION } from '../files/version.js';
import { writeText } from '../files/write-text.js';
import type { Program } from '../program/program.js';
import { alterationAnnotations, reportAlterations } from '../report/comparison.js';
import { describeCondition } from '../report/describe-proposition.js';
import { recordedState } from '../report/describe-state.js';
import { githubCommands } from '../report/reporters/github.js';
import { sarifOf } from '../report/reporters/sarif.js';
import { PLAIN } from '../report/text.js';
import { type ArgumentsOf, type CommandGroup, defineCommand } from './command.js';
import { sha256 } from './digests.js';
import { EXIT_CODES, type ExitCode, worst } from './exit-codes.js';
import { testFilesIn } from './find-tests.js';
import { type LimitArguments, limitsOf } from './limits.js';
import { COLOR, INCLUDE, MEMORY, PROGRESS, SOLVER, TIMEOUT, UNDER_ONE_MODEL } from './options.js';
import { Progress } from './progress.js';
import { readOneModel, readTests } from './read-input.js';
import { startSolver } from './start-solver.js';
import { styleFor } from './style.js';

const WRITE_POSITIONALS = {
  paths: { type: 'string', array: true, demandOption: true, describe: 'files, folders, globs, @list' },
} as const;
const WRITE_OPTIONS = {
  ...UNDER_ONE_MODEL,
  out: {
    alias: 'o',
    type: 'string',
    requiresArg: true,
    demandOption: true,
    describe: 'the baseline, a text file; tests are recorded by their paths from its folder',
  },
  ...PROGRESS,
} as const;
type BaselineWriteArguments = ArgumentsOf<typeof WRITE_POSITIONALS> & ArgumentsOf<typeof WRITE_OPTIONS>;

const CHECK_POSITIONALS = { file: { type: 'string', demandOption: true, describe: 'a baseline' } } as const;
const CHECK_OPTIONS = {
  model: {
    alias: 'm',
    type: 'string',
    requiresArg: true,
    describe: 'a model in place of the recorded one',
  },
  variant: {
    type: 'string',
    array: true,
    nargs: 1,
    describe: 'values of open choices in place of the recorded ones',
  },
  ...INCLUDE,
  ...TIMEOUT,
  ...MEMORY,
  ...SOLVER,
  reporter: {
    alias: 'f',
    choices: ['text', 'json', 'github', 'sarif'],
    default: 'text',
    describe: 'how to print what is not as recorded',
  },
  ...COLOR,
  ...PROGRESS,
} as const;
type BaselineCheckArguments = ArgumentsOf<typeof CHECK_POSITIONALS> & ArgumentsOf<typeof CHECK_OPTIONS>;

export const baselineCommand: CommandGroup = {
  usage: 'baseline',
  describe: 'record what a model says of a suite, and see later what changed',
  commands: [
    defineCommand({
      usage: 'write <paths..>',
      describe: 'record every outcome, flag and verdict',
      positionals: WRITE_POSITIONALS,
      options: WRITE_OPTIONS,
      run: runBaselineWrite,
    }),
    defineCommand({
      usage: 'check <file>',
      describe: 'report what is not as recorded',
      positionals: CHECK_POSITIONALS,
      options: CHECK_OPTIONS,
      run: runBaselineCheck,
    }),
  ],
  missing: 'baseline needs to know what to do: write or check',
};

/** Records what a model says of a suite. */
async function runBaselineWrite(args: BaselineWriteArguments): Promise<ExitCode> {
  const starting = startSolver(args.solver, false);
  const model = readOneModel(args.model, args);
  if (model === undefined) return EXIT_CODES.usage;
  const { programs, unreadable } = await readTests(args.paths, args);
  const tests = recordAll(await starting, programs, model, dirname(args.out), args.unroll, args);
  const baseline: Baseline = {
    baseline: BASELINE_VERSION,
    folders: args.paths.filter(isFolder).map((path) => slashes(relative(dirname(args.out), path)) || '.'),
    model: { name: args.model, sha256: sha256(model.source.text), variants: [...model.variants].sort() },
    unroll: args.unroll,
    tests,
  };
  writeText(args.out, printBaseline(baseline));
  process.stdout.write(
    `${tests.length} test${tests.length === 1 ? '' : 's'} under ${model.name} recorded in ${args.out}\n`,
  );
  const open = tests.filter(({ incomplete }) => incomplete !== undefined);
  for (const { path, incomplete } of open) process.stdout.write(`  not all of ${path} is known: ${incomplete}\n`);
  if (unreadable.length > 0) process.stdout.write(`  not recorded, since it has errors: ${unreadable.join(', ')}\n`);
  return unreadable.length > 0 ? EXIT_CODES.usage : EXIT_CODES.good;
}

/** Reports what is not as recorded: what a changed model or checker alters. */
async function runBaselineCheck(args: BaselineCheckArguments): Promise<ExitCode> {
  if (!existsSync(args.file))
    throw new UsageError(`no baseline ${args.file}: "baseline write <tests> --out ${args.file}" makes it`);
  const baseline = readBaseline(readText(args.file));
  if (typeof baseline === 'string') throw new UsageError(`${args.file}: ${baseline}`);
  const starting = startSolver(args.solver, false);
  const folder = dirname(args.file);
  const model = readOneModel(args.model ?? baseline.model.name, {
    include: args.include,
    variant: args.variant ?? baseline.model.variants,
  });
  if (model === undefined) return EXIT_CODES.usage;
  const recorded = baseline.tests.map(({ path }) => join(folder, path));
  // Where a folder was recorded, what is new in it is told; a baseline of old does not say which, and takes all.
  const folders = (baseline.folders?.map((path) => join(folder, path)) ?? recorded.map((path) => dirname(path))).filter(
    (path) => existsSync(path),
  );
  const found = (
    await Promise.all([...new Set(folders)].map((path) => testsIn(path, baseline.folders !== undefined)))
  ).flat();
  const present = new Map(
    [...recorded.filter((path) => existsSync(path)), ...found].map((path) => [resolve(path), path]),
  );
  const { programs, unreadable } = await readTests([...present.values()], args);
  const now = recordAll(await starting, programs, model, folder, baseline.unroll, args);
  // What cannot be read, which has been said, is neither missing nor compared.
  const bad = new Set(unreadable.map((path) => resolve(path)));
  const altered = compareWithBaseline(
    baseline.tests.filter(({ path }) => !bad.has(resolve(folder, path))),
    now,
  );
  const sameModel = sha256(model.source.text) === baseline.model.sha256;
  print(args, { altered, tests: now.length, model, sameModel, placeOf: (test) => placeIn(programs, folder, test) });
  return worst([
    ...(unreadable.length > 0 ? [EXIT_CODES.usage] : []),
    ...(altered.length > 0 ? [EXIT_CODES.broken] : []),
  ]);
}

/** The tests in a folder, and in those below it if `deep`. */
async function testsIn(folder: string, deep: boolean): Promise<readonly string[]> {
  return (await testFilesIn(folder)).filter((path) => deep || resolve(dirname(path)) === resolve(folder));
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();
/** A path as it is recorded, whatever the system. */
const slashes = (path: string): string => path.split(sep).join('/');

function recordAll(
  solver: SatSolver,
  programs: readonly Program[],
  model: Model,
  folder: string,
  unroll: number,
  args: LimitArguments & Pick<BaselineWriteArguments, 'progress'>,
): readonly RecordedTest[] {
  const progress = new Progress(args.progress, programs.length);
  const options = {
    unroll,
    ...limitsOf(args),
    sha256,
    stateText: recordedState,
    conditionText: describeCondition,
  };
  const tests = programs.map((program) => {
    progress.next(program.name);
    return recordTest(solver, program, slashes(relative(folder, program.source.path)), model, options);
  });
  progress.clear();
  return tests.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

interface Checked {
  readonly altered: ReturnType<typeof compareWithBaseline>;
  readonly tests: number;
  readonly model: Model;
  readonly sameModel: boolean;
  readonly placeOf: (test: AlteredTest) => { readonly path: string; readonly line: number };
}

/** The file of a test, and the line of the first condition or expectation whose verdict is another. */
function placeIn(
  programs: readonly Program[],
  folder: string,
  { path, name, alterations }: AlteredTest,
): { readonly path: string; readonly line: number } {
  const file = join(folder, path);
  const program = programs.find((one) => one.name === name && resolve(one.source.path) === resolve(file));
  const clauses = [
    ...(program?.conditions ?? []).map((condition) => ({ claim: describeCondition(condition), span: condition.span })),
    ...(program?.expectations ?? []).map(({ expectation, span }) => ({ claim: `expect ${expectation}`, span })),
  ];
  const changed = clauses.find(({ claim }) =>
    alterations.some(({ kind, text }) => kind === 'verdict' && text.startsWith(`${claim}: `)),
  );
  return { path: file, line: changed === undefined ? 1 : positionOf(changed.span.source, changed.span.start).line };
}

function print(
  { reporter, color }: BaselineCheckArguments,
  { altered, tests, model, sameModel, placeOf }: Checked,
): void {
  const annotations = alterationAnnotations(altered, model.name, placeOf);
  const note =
    `the model ${model.name} is ` +
    `${sameModel ? 'the one that was recorded' : 'not the one that was recorded: its text differs'}`;
  switch (reporter) {
    case 'text':
      process.stdout.write(`${reportAlterations(altered, tests, styleFor(color))}\n${note}\n`);
      return;
    case 'json': {
      const report = { schemaVersion: 1, model: model.name, modelAsRecorded: sameModel, tests, altered };
      process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
      return;
    }
    case 'github':
      process.stdout.write(
        `${githubCommands(annotations)}${reportAlterations(altered, tests, PLAIN).split('\n').at(-1)}\n${note}\n`,
      );
      return;
    case 'sarif':
      process.stdout.write(sarifOf(annotations, { name: 'ptx-litmus', version: VERSION }));
  }
}
