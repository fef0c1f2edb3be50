import { existsSync } from 'node:fs';
import { compareLogs, type LogVerdict } from '../compare/compare-logs.js';
import { type ObservedTest, readObservations } from '../compare/observations.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { readText } from '../files/read-text.js';
import { reportLogDifferences, reportLogVerdicts } from '../report/comparison.js';
import { outcomePage } from '../report/outcome-page.js';
import { type Marks, reportOutcomes } from '../report/outcome-tables.js';
import { sha256 } from '../suite/digests.js';
import { settingsOfModel } from '../suite/job.js';
import {
  type CompareSettings,
  type ObservedTask,
  type PlainVerdict,
  plainState,
  verdictOf,
} from '../suite/jobs/compare.js';
import { type LimitArguments, limitsOf } from '../suite/limits.js';
import { askAndFinish, type Collected, logFor } from './collect-answers.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode, worst } from './exit-codes.js';
import { findTests, namesIn } from './find-tests.js';
import { atLeastOne, flag, oneOf, text, texts } from './option.js';
import { COLOR, SUITE, UNDER_ONE_MODEL } from './options.js';
import { readOneModel, shown } from './read-input.js';
import { styleFor } from './style.js';

/** A log that has been read. */
export interface ReadLog {
  readonly path: string;
  /** Of its text. */
  readonly sha256: string;
  readonly tests: readonly ObservedTest[];
}

const POSITIONALS = { logs: atLeastOne('logs of herd7 or litmus7, histograms of hardware, JSON of check') };
/** `run` takes the same. */
export const compareOptions = {
  ...UNDER_ONE_MODEL,
  tests: texts('where the tests are that the logs name; may be repeated', 't'),
  reporter: oneOf(
    ['text', 'json', 'ndjson', 'html'],
    'text',
    'how to print the results; html: a page of outcomes',
    'f',
  ),
  ...COLOR,
  verbose: flag('also what is allowed and was not observed', 'v'),
  outcomes: flag('each outcome of each test: what the model allows, the machine reaches, and how often it was seen'),
  beyond: text('with --outcomes: tell apart what this model forbids, which is weak', 'b'),
  ...SUITE,
};
export type CompareArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof compareOptions>;

export const compareCommand = defineCommand({
  usage: 'compare <logs..>',
  describe: 'hold logs against a model and against each other',
  positionals: POSITIONALS,
  options: compareOptions,
  run: runCompare,
});

/** Holds logs against a model, and against each other; `marks` say what is odd about some tests. */
export async function runCompare(args: CompareArguments, marks: Marks = new Map()): Promise<ExitCode> {
  if (args.tests.length === 0 && args.logs.length < 2)
    throw new UsageError('one log alone has nothing to be compared with: name its tests with --tests, or a second log');
  if (args.shard !== undefined && args.reporter !== 'ndjson')
    throw new UsageError('a part of a comparison is no report: give --shard with -f ndjson, and merge the parts');
  const sources = await findTests(args.tests, args);
  const byName = new Map(sources.flatMap((source, i) => namesIn(source).map((name) => [name, i] as const)));
  const logs = readLogs(args, new Set(byName.keys()));
  const model = readOneModel(args.model, args);
  const stronger = args.beyond === undefined ? null : readOneModel(args.beyond, { ...args, variant: [], without: [] });
  if (logs === undefined || model === undefined || stronger === undefined) return EXIT_CODES.usage;
  const { unroll, timeout, memory, solver, include } = args;
  const options = { unroll, timeout, memory, solver };
  const isTabled = args.outcomes || args.beyond !== undefined || args.reporter === 'html';
  const settings: CompareSettings = {
    ...{ ...options, ...settingsOfModel(model, include) },
    ...(isTabled && { outcomes: { stronger: stronger && settingsOfModel(stronger, include) } }),
  };
  const tasks = sources.map(
    (source, i): ObservedTask => ({
      source,
      observed: logs.flatMap(({ tests }, log) =>
        tests
          .filter(({ test }) => byName.get(test) === i)
          .map(({ test, states }) => ({ log, test, states: states.map(plainState) })),
      ),
    }),
  );
  const hashes = logs.map((log) => log.sha256);
  const names = [...byName.keys()];
  const { model: shownModel, logs: paths, outcomes, beyond = null } = args;
  const judges = args.tests.length > 0;
  const run: CompareRun = { model: shownModel, logs: paths, hashes, names, judges, outcomes, beyond };
  return askAndFinish(
    { job: 'compare', settings, models: [model], tasks, given: { ...options, ...run }, log: logFor(args.reporter) },
    args,
    (collected) => finishCompare(collected, logs, { ...args, ...run, marks }),
  );
}

/** What a comparison is about, as its log says for `merge`. */
export interface CompareRun extends Pick<CompareArguments, 'logs' | 'model' | 'outcomes'> {
  /** The model that tells which outcomes are weak. */
  readonly beyond: string | null;
  /** SHA-256 of each log. */
  readonly hashes: readonly string[];
  /** Of the tests. */
  readonly names: readonly string[];
  readonly judges: boolean;
}

/** Reports what the model says of the logs, and how they differ. */
export function finishCompare(
  { found, codes }: Collected<readonly PlainVerdict[]>,
  logs: readonly ReadLog[],
  args: Pick<CompareArguments, 'reporter' | 'color' | 'verbose' | 'model'> &
    Pick<CompareRun, 'judges' | 'names' | 'beyond' | 'outcomes'> & { readonly marks?: Marks },
): ExitCode {
  const verdicts = new Map(found.flat().map((one) => [`${one.log} ${one.test}`, verdictOf(one)] as const));
  const judged = args.judges ? logs.map((log, i) => judgedLog(log, i, verdicts, new Set(args.names))) : [];
  const [first, ...others] = logs;
  const differences =
    first === undefined
      ? []
      : others.map((other) => ({
          first: first.path,
          second: other.path,
          differences: compareLogs(first.tests, other.tests),
        }));
  const style = styleFor(args.color);
  if (args.reporter === 'json')
    process.stdout.write(
      `${JSON.stringify({ schemaVersion: 1, model: args.model, logs: judged, differences }, jsonValue, 2)}\n`,
    );
  const { marks = new Map(), outcomes } = args;
  const beyond = args.beyond ?? undefined;
  if (args.reporter === 'html') process.stdout.write(outcomePage(judged, { model: args.model, beyond, marks }));
  if (args.reporter === 'text') {
    for (const { path, verdicts: of, withoutTest } of judged) {
      const tables = reportOutcomes(of, { model: args.model, beyond, marks, isBrief: !outcomes }, style);
      if (tables !== '') process.stdout.write(`${tables}\n\n`);
      process.stdout.write(`${reportLogVerdicts(path, of, withoutTest, args.verbose, style)}\n`);
    }
    for (const { first: a, second: b, differences: one } of differences)
      process.stdout.write(`${reportLogDifferences(a, b, one)}\n`);
  }
  return worst([...codes, ...judged.flatMap(codesOf)]);
}

function codesOf({ verdicts, withoutTest }: JudgedLog): readonly ExitCode[] {
  return [
    ...(verdicts.some(({ violations }) => violations.length > 0) ? [EXIT_CODES.broken] : []),
    ...(verdicts.some(({ undecided }) => undecided !== undefined) || withoutTest.length > 0
      ? [EXIT_CODES.undecided]
      : []),
  ];
}

/** Values as decimal strings, states as objects. */
function jsonValue(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Map ? Object.fromEntries(value) : value;
}

/** The logs, with their tests under the names that these have; undefined if one cannot be read, which is shown. */
export function readLogs(
  { logs, ...limits }: LimitArguments & { readonly logs: readonly string[] },
  names: ReadonlySet<string>,
): readonly ReadLog[] | undefined {
  const read = logs.map((path): ReadLog | undefined => {
    if (!existsSync(path)) throw new UsageError(`no log ${path}`);
    const text = readText(path);
    const tests = shown(readObservations({ path, text }, limitsOf(limits)));
    return tests === undefined ? undefined : { path, sha256: sha256(text), tests: underTestNames(tests, names) };
  });
  const whole = read.flatMap((log) => log ?? []);
  return whole.length < read.length ? undefined : whole;
}

interface JudgedLog {
  readonly path: string;
  readonly verdicts: readonly LogVerdict[];
  readonly withoutTest: readonly { readonly test: string; readonly hint: string | undefined }[];
}

function judgedLog(
  { path, tests }: ReadLog,
  log: number,
  verdicts: ReadonlyMap<string, LogVerdict>,
  names: ReadonlySet<string>,
): JudgedLog {
  return {
    path,
    verdicts: tests.flatMap(({ test }) => verdicts.get(`${log} ${test}`) ?? []),
    withoutTest: tests.flatMap(({ test }) => (names.has(test) ? [] : [{ test, hint: didYouMean(test, [...names]) }])),
  };
}

/**
 * Our herd logs have a block `test.condition` for each named condition, all with the same states: they are one test.
 */
function underTestNames(tests: readonly ObservedTest[], names: ReadonlySet<string>): readonly ObservedTest[] {
  const named = tests.map((one) => {
    const name = one.test.replace(/\.[^.]*$/, '');
    return names.has(one.test) || !names.has(name) ? one : { ...one, test: name };
  });
  return [...new Map(named.map((one) => [one.test, one])).values()];
}
