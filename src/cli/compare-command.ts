import { existsSync } from 'node:fs';
import { compareLogs, judgeLog, type LogVerdict } from '../compare/compare-logs.js';
import { type ObservedTest, readObservations } from '../compare/observations.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { readText } from '../files/read-text.js';
import type { Program } from '../program/program.js';
import { reportLogDifferences, reportLogVerdicts } from '../report/comparison.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode, worst } from './exit-codes.js';
import { type LimitArguments, limitsOf } from './limits.js';
import { COLOR, PROGRESS, TEXT_OR_JSON, UNDER_ONE_MODEL } from './options.js';
import { Progress } from './progress.js';
import { readOneModel, readTests, shown } from './read-input.js';
import { startSolver } from './start-solver.js';
import { styleFor } from './style.js';

interface ReadLog {
  readonly path: string;
  readonly tests: readonly ObservedTest[];
}

const POSITIONALS = {
  logs: {
    type: 'string',
    array: true,
    demandOption: true,
    describe: 'logs of herd7 or litmus7, histograms of hardware, JSON of check',
  },
} as const;
const OPTIONS = {
  ...UNDER_ONE_MODEL,
  tests: {
    alias: 't',
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'where the tests are that the logs name; may be repeated',
  },
  ...TEXT_OR_JSON,
  ...COLOR,
  verbose: {
    alias: 'v',
    type: 'boolean',
    default: false,
    describe: 'also what is allowed and was not observed',
  },
  ...PROGRESS,
} as const;
type CompareArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof OPTIONS>;

export const compareCommand = defineCommand({
  usage: 'compare <logs..>',
  describe: 'hold logs against a model and against each other',
  positionals: POSITIONALS,
  options: OPTIONS,
  run: runCompare,
});

/** Holds logs against a model, and against each other. */
async function runCompare(args: CompareArguments): Promise<ExitCode> {
  if (args.tests.length === 0 && args.logs.length < 2)
    throw new UsageError('one log alone has nothing to be compared with: name its tests with --tests, or a second log');
  const logs = args.logs.map((path) => readLog(path, args));
  if (logs.some((log) => log === undefined)) return EXIT_CODES.usage;
  const { programs, unreadable } = await readTests(args.tests, args);
  const byName = new Map<string, Program>(programs.map((program) => [program.name, program]));
  const read = logs.flatMap((log) => (log === undefined ? [] : [{ ...log, tests: underTestNames(log.tests, byName) }]));
  const codes: ExitCode[] = unreadable.length > 0 ? [EXIT_CODES.usage] : [];
  const verdicts = args.tests.length === 0 ? [] : await judge(read, byName, args);
  if (verdicts === undefined) return EXIT_CODES.usage;
  const style = styleFor(args.color);
  for (const { verdicts: of, withoutTest } of verdicts) {
    if (of.some(({ violations }) => violations.length > 0)) codes.push(EXIT_CODES.broken);
    if (of.some(({ undecided }) => undecided !== undefined) || withoutTest.length > 0) codes.push(EXIT_CODES.undecided);
  }
  const [first, ...others] = read;
  const differences =
    first === undefined
      ? []
      : others.map((other) => ({
          first: first.path,
          second: other.path,
          differences: compareLogs(first.tests, other.tests),
        }));
  if (args.reporter === 'json')
    process.stdout.write(
      `${JSON.stringify({ schemaVersion: 1, model: args.model, logs: verdicts, differences }, jsonValue, 2)}\n`,
    );
  else {
    for (const { path, verdicts: of, withoutTest } of verdicts)
      process.stdout.write(`${reportLogVerdicts(path, of, withoutTest, args.verbose, style)}\n`);
    for (const { first: a, second: b, differences: found } of differences)
      process.stdout.write(`${reportLogDifferences(a, b, found)}\n`);
  }
  return worst([EXIT_CODES.good, ...codes]);
}

/** Values as decimal strings, states as objects. */
function jsonValue(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Map ? Object.fromEntries(value) : value;
}

function readLog(path: string, limits: LimitArguments): ReadLog | undefined {
  if (!existsSync(path)) throw new UsageError(`no log ${path}`);
  const tests = shown(readObservations({ path, text: readText(path) }, limitsOf(limits)));
  return tests === undefined ? undefined : { path, tests };
}

interface JudgedLog {
  readonly path: string;
  readonly verdicts: readonly LogVerdict[];
  readonly withoutTest: readonly { readonly test: string; readonly hint: string | undefined }[];
}

/**
 * Our herd logs have a block `test.condition` for each named condition, all with the same states: they are one test.
 */
function underTestNames(tests: readonly ObservedTest[], byName: ReadonlyMap<string, Program>): readonly ObservedTest[] {
  const named = tests.map((one) => {
    const name = one.test.replace(/\.[^.]*$/, '');
    return byName.has(one.test) || !byName.has(name) ? one : { ...one, test: name };
  });
  return [...new Map(named.map((one) => [one.test, one])).values()];
}

async function judge(
  logs: readonly ReadLog[],
  byName: ReadonlyMap<string, Program>,
  args: CompareArguments,
): Promise<readonly JudgedLog[] | undefined> {
  const starting = startSolver(args.solver, false);
  const model = readOneModel(args.model, args);
  if (model === undefined) return undefined;
  const solver = await starting;
  const options = { unroll: args.unroll, ...limitsOf(args) };
  const progress = new Progress(
    args.progress,
    logs.reduce((sum, { tests }) => sum + tests.length, 0),
  );
  const judged = logs.map(({ path, tests }): JudgedLog => {
    const verdicts = tests.flatMap((observed) => {
      const program = byName.get(observed.test);
      progress.next(observed.test);
      return program === undefined ? [] : [judgeLog(solver, model, program, observed, options)];
    });
    return {
      path,
      verdicts,
      withoutTest: tests.flatMap(({ test }) =>
        byName.has(test) ? [] : [{ test, hint: didYouMean(test, [...byName.keys()]) }],
      ),
    };
  });
  progress.clear();
  return judged;
}
