import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Model } from '../cat/model.js';
import {
  BASELINE_VERSION,
  type Baseline,
  printBaseline,
  type RecordedTest,
  readBaseline,
} from '../compare/baseline.js';
import { type AlteredTest, compareWithBaseline } from '../compare/compare-baselines.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { readText } from '../files/read-text.js';
import { VERSION } from '../files/version.js';
import { writeText } from '../files/write-text.js';
import { alterationAnnotations, reportAlterations } from '../report/comparison.js';
import { githubCommands } from '../report/reporters/github.js';
import { sarifOf } from '../report/reporters/sarif.js';
import { PLAIN } from '../report/text.js';
import { sha256 } from '../suite/digests.js';
import { settingsOfModel } from '../suite/job.js';
import { type BaselineSettings, type PlacedRecord, slashes } from '../suite/jobs/baseline.js';
import { shardText } from '../suite/shard.js';
import type { TestSource } from '../suite/test-source.js';
import { tasksOf } from './ask-suite.js';
import { askAndFinish, type Collected, type CollectedSuite, logFor } from './collect-answers.js';
import { type ArgumentsOf, type CommandGroup, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode, worst } from './exit-codes.js';
import { findTests, testFilesIn } from './find-tests.js';
import { atLeastOne, oneOf, text, theOne } from './option.js';
import { COLOR, INCLUDE, MEMORY, SOLVER, SUITE, TIMEOUT, UNDER_ONE_MODEL } from './options.js';
import { readOneModel } from './read-input.js';
import { styleFor } from './style.js';

const WRITE_POSITIONALS = { paths: atLeastOne('files, folders, globs, @list') };
const WRITE_OPTIONS = {
  ...UNDER_ONE_MODEL,
  out: {
    ...text('the baseline, a text file; tests are recorded by their paths from its folder', 'o'),
    demandOption: true,
  },
  ...SUITE,
} as const;
type BaselineWriteArguments = ArgumentsOf<typeof WRITE_POSITIONALS> & ArgumentsOf<typeof WRITE_OPTIONS>;

const CHECK_POSITIONALS = { file: theOne('a baseline') };
const CHECK_OPTIONS = {
  model: text('a model in place of the recorded one', 'm'),
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
  reporter: oneOf(['text', 'json', 'ndjson', 'github', 'sarif'], 'text', 'how to print what is not as recorded', 'f'),
  ...COLOR,
  ...SUITE,
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
  const model = readOneModel(args.model, args);
  if (model === undefined) return EXIT_CODES.usage;
  const sources = await findTests(args.paths, args);
  const recorded: Recorded = {
    folders: args.paths.filter(isFolder).map((path) => slashes(relative(dirname(args.out), path)) || '.'),
    model: { name: args.model, sha256: sha256(model.source.text), variants: [...model.variants].sort() },
    unroll: args.unroll,
  };
  const texts: string[] = [];
  const log = args.shard && ((text: string) => void texts.push(text));
  return askAndFinish(recording(sources, model, args.out, args.unroll, args, { recorded }, log), args, (collected) =>
    log === undefined ? finishWrite(collected, recorded, args.out) : finishShard(collected, args.out, texts, args),
  );
}

/** What a baseline says besides its tests. */
type Recorded = Omit<Baseline, 'baseline' | 'tests'>;

/** What a run is about, to write a baseline or to check one, as its log says for `merge`. */
export type BaselineRun =
  | { readonly recorded: Recorded }
  | {
      readonly file: string;
      /** SHA-256 of its text. */
      readonly baseline: string;
      readonly shownModel: string;
      readonly sameModel: boolean;
    };

/** Writes the baseline. */
export function finishWrite(
  { found, unreadable, codes }: Collected<PlacedRecord>,
  recorded: Recorded,
  out: string,
): ExitCode {
  const tests = sortedRecords(found);
  writeText(out, printBaseline({ baseline: BASELINE_VERSION, ...recorded, tests }));
  const name = basename(recorded.model.name, '.cat');
  process.stdout.write(`${tests.length} test${tests.length === 1 ? '' : 's'} under ${name} recorded in ${out}\n`);
  const open = tests.filter(({ incomplete }) => incomplete !== undefined);
  for (const { path, incomplete } of open) process.stdout.write(`  not all of ${path} is known: ${incomplete}\n`);
  if (unreadable.length > 0) process.stdout.write(`  not recorded, since it has errors: ${unreadable.join(', ')}\n`);
  return worst([EXIT_CODES.good, ...codes]);
}

/** Writes what one part of the tests comes to, for `merge`. */
function finishShard(
  { found, codes }: Collected<PlacedRecord>,
  out: string,
  texts: readonly string[],
  { shard }: BaselineWriteArguments,
): ExitCode {
  writeText(out, texts.join(''));
  const part = shard === undefined ? '' : shardText(shard);
  process.stdout.write(
    `${found.length} tests of shard ${part} in ${out}: \`merge\` makes the baseline of all shards\n`,
  );
  return worst([EXIT_CODES.good, ...codes]);
}

/** Reports what is not as recorded: what a changed model or checker alters. */
async function runBaselineCheck(args: BaselineCheckArguments): Promise<ExitCode> {
  if (args.shard !== undefined && args.reporter !== 'ndjson')
    throw new UsageError('a part of the tests is no report: give --shard with -f ndjson, and merge the parts');
  const { baseline, sha256: text } = readBaselineFile(args.file);
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
  const sources = await findTests([...present.values()], args);
  const sameModel = sha256(model.source.text) === baseline.model.sha256;
  const run = { file: args.file, baseline: text, shownModel: model.name, sameModel };
  const log = logFor(args.reporter);
  return askAndFinish(recording(sources, model, args.file, baseline.unroll, args, run, log), args, (collected) =>
    finishCheck(collected, baseline, { ...args, model: model.name, sameModel }),
  );
}

/** Compares what was found with what is recorded. */
export function finishCheck(
  { found, unreadable, codes }: Collected<PlacedRecord>,
  baseline: Baseline,
  args: Pick<BaselineCheckArguments, 'reporter' | 'color' | 'file'> & {
    readonly model: string;
    readonly sameModel: boolean;
  },
): ExitCode {
  const folder = dirname(args.file);
  const now = sortedRecords(found);
  // What cannot be read, which has been said, is neither missing nor compared.
  const bad = new Set(unreadable.map((path) => resolve(path)));
  const altered = compareWithBaseline(
    baseline.tests.filter(({ path }) => !bad.has(resolve(folder, path))),
    now,
  );
  const { model, sameModel } = args;
  const placeOf = (test: AlteredTest): Place => placeIn(found, folder, test);
  print(args, { altered, tests: now.length, model, sameModel, placeOf });
  return worst([...codes, ...(altered.length > 0 && args.reporter !== 'ndjson' ? [EXIT_CODES.broken] : [])]);
}

/** A baseline with the hash of its text; throws `UsageError` where there is none. */
export function readBaselineFile(file: string): { readonly baseline: Baseline; readonly sha256: string } {
  if (!existsSync(file)) throw new UsageError(`no baseline ${file}: "baseline write <tests> --out ${file}" makes it`);
  const text = readText(file);
  const baseline = readBaseline(text);
  if (typeof baseline === 'string') throw new UsageError(`${file}: ${baseline}`);
  return { baseline, sha256: sha256(text) };
}

/** The tests in a folder, and in those below it if `deep`. */
async function testsIn(folder: string, deep: boolean): Promise<readonly string[]> {
  return (await testFilesIn(folder)).filter((path) => deep || resolve(dirname(path)) === resolve(folder));
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** What is asked of the tests of a baseline in `file`. */
function recording(
  sources: readonly TestSource[],
  model: Model,
  file: string,
  unroll: number,
  {
    timeout,
    memory,
    solver,
    include,
  }: Omit<BaselineCheckArguments, 'model' | 'variant' | 'file' | 'reporter' | 'color'>,
  run: BaselineRun,
  log: CollectedSuite<'baseline'>['log'],
): CollectedSuite<'baseline'> {
  const options = { unroll, timeout, memory, solver, folder: dirname(file) };
  const settings: BaselineSettings = { ...options, ...settingsOfModel(model, include) };
  return { job: 'baseline', settings, models: [model], tasks: tasksOf(sources), given: { ...options, ...run }, log };
}

const sortedRecords = (found: readonly PlacedRecord[]): readonly RecordedTest[] =>
  found.map(({ record }) => record).sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));

interface Place {
  readonly path: string;
  readonly line: number;
}

interface Checked {
  readonly altered: ReturnType<typeof compareWithBaseline>;
  readonly tests: number;
  readonly model: string;
  readonly sameModel: boolean;
  readonly placeOf: (test: AlteredTest) => Place;
}

/** The file of a test, and the line of the first condition or expectation whose verdict is another. */
function placeIn(found: readonly PlacedRecord[], folder: string, { path, name, alterations }: AlteredTest): Place {
  const placed = found.find(({ record }) => record.name === name && record.path === path);
  const [, line] =
    Object.entries(placed?.lines ?? {}).find(([claim]) =>
      alterations.some(({ kind, text }) => kind === 'verdict' && text.startsWith(`${claim}: `)),
    ) ?? [];
  return { path: join(folder, path), line: Number(line ?? 1) };
}

function print(
  { reporter, color }: Pick<BaselineCheckArguments, 'reporter' | 'color'>,
  { altered, tests, model, sameModel, placeOf }: Checked,
): void {
  const annotations = alterationAnnotations(altered, model, placeOf);
  const note =
    `the model ${model} is ` +
    `${sameModel ? 'the one that was recorded' : 'not the one that was recorded: its text differs'}`;
  switch (reporter) {
    case 'ndjson':
      return;
    case 'text':
      process.stdout.write(`${reportAlterations(altered, tests, styleFor(color))}\n${note}\n`);
      return;
    case 'json': {
      const report = { schemaVersion: 1, model, modelAsRecorded: sameModel, tests, altered };
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
