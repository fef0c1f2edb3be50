import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Z3 } from '../axiomatic/formula/solver.js';
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
import type { Program } from '../program/program.js';
import { alterationAnnotations, reportAlterations } from '../report/comparison.js';
import { describeCondition } from '../report/describe-proposition.js';
import { stateLine } from '../report/describe-state.js';
import { githubCommands } from '../report/reporters/github.js';
import { sarifOf } from '../report/reporters/sarif.js';
import { PLAIN } from '../report/text.js';
import { type ArgumentsOf, type CommandGroup, defineCommand } from './command.js';
import { sha256 } from './digests.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { findTests } from './find-tests.js';
import { COLOR, INCLUDE, PROGRESS, TIMEOUT, UNDER_ONE_MODEL } from './options.js';
import { Progress } from './progress.js';
import { readOneModel, readTests, startZ3 } from './read-input.js';
import { styleFor } from './style.js';
import { VERSION } from './version.js';

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
  const starting = startZ3(false);
  const model = readOneModel(args.model, args);
  const programs = model === undefined ? undefined : readTests(args.paths);
  if (model === undefined || programs === undefined) return EXIT_CODES.usage;
  const tests = recordAll(await starting, programs, model, dirname(args.out), args.unroll, args);
  const baseline: Baseline = {
    baseline: BASELINE_VERSION,
    model: { name: args.model, sha256: sha256(model.source.text), variants: [...model.variants].sort() },
    unroll: args.unroll,
    tests,
  };
  mkdirSync(dirname(args.out), { recursive: true });
  writeFileSync(args.out, printBaseline(baseline));
  process.stdout.write(
    `${tests.length} test${tests.length === 1 ? '' : 's'} under ${model.name} recorded in ${args.out}\n`,
  );
  return EXIT_CODES.good;
}

/** Reports what is not as recorded: what a changed model or checker alters. */
async function runBaselineCheck(args: BaselineCheckArguments): Promise<ExitCode> {
  if (!existsSync(args.file))
    throw new UsageError(`no baseline ${args.file}: "baseline write <tests> --out ${args.file}" makes it`);
  const baseline = readBaseline(readFileSync(args.file, 'utf8'));
  if (typeof baseline === 'string') throw new UsageError(`${args.file}: ${baseline}`);
  const starting = startZ3(false);
  const folder = dirname(args.file);
  const model = readOneModel(args.model ?? baseline.model.name, {
    include: args.include,
    variant: args.variant ?? baseline.model.variants,
  });
  if (model === undefined) return EXIT_CODES.usage;
  // Tests beside the recorded ones are new; where a folder was recorded, it is looked through again.
  const recorded = baseline.tests.map(({ path }) => join(folder, path));
  const folders = [...new Set(recorded.map((path) => dirname(path)))].filter((path) => existsSync(path));
  const present = new Map(
    [...recorded.filter((path) => existsSync(path)), ...folders.flatMap(testsIn)].map((path) => [resolve(path), path]),
  );
  const programs = readTests([...present.values()]);
  if (programs === undefined) return EXIT_CODES.usage;
  const now = recordAll(await starting, programs, model, folder, baseline.unroll, args);
  const altered = compareWithBaseline(baseline.tests, now);
  const sameModel = sha256(model.source.text) === baseline.model.sha256;
  print(args, { altered, tests: now.length, model, sameModel, placeOf: (test) => placeIn(programs, folder, test) });
  return altered.length > 0 ? EXIT_CODES.broken : EXIT_CODES.good;
}

function testsIn(folder: string): readonly string[] {
  return findTests([folder])
    .map(({ path }) => path)
    .filter((path) => resolve(dirname(path)) === resolve(folder));
}

function recordAll(
  z3: Z3,
  programs: readonly Program[],
  model: Model,
  folder: string,
  unroll: number,
  { timeout, progress: wanted }: Pick<BaselineWriteArguments, 'timeout' | 'progress'>,
): readonly RecordedTest[] {
  const progress = new Progress(wanted, programs.length);
  const options = {
    unroll,
    timeout: timeout * 1000,
    clock: () => performance.now(),
    sha256,
    stateText: stateLine,
    conditionText: describeCondition,
  };
  const tests = programs.map((program) => {
    progress.next(program.name);
    return recordTest(z3, program, relative(folder, program.source.path).split(sep).join('/'), model, options);
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
