import { resolve } from 'node:path';
import { UsageError } from '../diagnostics/usage-error.js';
import { VERSION } from '../files/version.js';
import type { ModelPair, ReportedComparison } from '../report/comparison.js';
import type { ReportedTest } from '../report/reported-test.js';
import { REPORTER_NAMES } from '../report/reporters/reporters.js';
import type { Answer } from '../suite/job.js';
import type { PlacedRecord } from '../suite/jobs/baseline.js';
import type { PlainVerdict } from '../suite/jobs/compare.js';
import type { JobName } from '../suite/jobs/jobs.js';
import { type JoinedLogs, joinLogs } from '../suite/join-logs.js';
import type { LimitArguments } from '../suite/limits.js';
import { type BaselineRun, finishCheck, finishWrite, readBaselineFile } from './baseline-command.js';
import { CheckReport } from './check-report.js';
import { Collected } from './collect-answers.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { type CompareRun, finishCompare, readLogs } from './compare-command.js';
import { finishDiff } from './diff-command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { atLeastOne, flag, text, texts } from './option.js';
import { COLOR } from './options.js';
import { chosenReporters } from './reporter-outputs.js';
import { styleFor } from './style.js';

const POSITIONALS = { files: atLeastOne('what -f ndjson wrote of each shard of a run, in any order') };
const OPTIONS = {
  reporter: {
    ...texts(`how to print the results: of check ${REPORTER_NAMES.join(', ')}, of others what these print`, 'f'),
    default: ['text'],
  },
  out: text('of baseline write: the baseline', 'o'),
  ...COLOR,
  quiet: flag('of check: print problems only', 'q'),
  verbose: flag('of compare: also what is allowed and was not observed', 'v'),
};
type MergeArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof OPTIONS>;

export const mergeCommand = defineCommand({
  usage: 'merge <files..>',
  describe: 'join what the shards of a run report, as if it had been one run',
  positionals: POSITIONALS,
  options: OPTIONS,
  run: (args) => {
    if (args.files.includes('@-')) throw new UsageError('merge reads files, each of them twice: no standard input');
    const logs = joinLogs(args.files);
    refuseUnused(logs, args);
    return FINISH[logs.header.command](logs, args);
  },
});

/** Nothing that is asked is left out in silence, and no log is overwritten while it is read. */
function refuseUnused({ header }: JoinedLogs, { files, reporter, out, quiet, verbose }: MergeArguments): void {
  const { command, options } = header;
  const unused = [
    ...(out !== undefined && (command !== 'baseline' || options['recorded'] === undefined) ? ['--out'] : []),
    ...(quiet && command !== 'check' ? ['--quiet'] : []),
    ...(verbose && command !== 'compare' ? ['--verbose'] : []),
  ];
  if (unused.length > 0) throw new UsageError(`these are logs of ${command}, which has no ${unused.join(' and ')}`);
  const written = [...(out === undefined ? [] : [out]), ...reporter.map((one) => one.replace(/^[^=]*=?/, ''))].map(
    (path) => resolve(path),
  );
  const read = files.find((path) => written.includes(resolve(path)));
  if (read !== undefined) throw new UsageError(`${read} is read: the report needs another file`);
}

/** How the run of each command ends: with the reports and the exit code that it would have had. */
const FINISH: Readonly<Record<JobName, (logs: JoinedLogs, args: MergeArguments) => Promise<ExitCode>>> = {
  check: async (logs, args) => {
    const { options } = logs.header;
    const reporters = chosenReporters(args.reporter);
    if (reporters.some(({ name }) => name === 'herd') && options['herd'] !== true)
      throw new UsageError('the shards have no final states, which herd logs are made of: run them with --states');
    const report = new CheckReport(reporters, {
      style: styleFor(args.color),
      quiet: args.quiet,
      strict: options['strict'] === true,
      times: logs.time !== undefined,
      tool: { name: 'ptx-litmus', version: VERSION },
      header: () => logs.header,
    });
    report.begin();
    for await (const { source, answer } of logs.answers()) report.give([answer as Answer<ReportedTest>], source);
    return report.end({ sources: logs.sources, asked: logs.sources }, logs.time);
  },
  diff: async (logs, args) => {
    const reporter = theReporter(args, ['text', 'json']);
    const shown = logs.header.options['shown'] as ModelPair;
    return finishDiff(await collected<ReportedComparison>(logs), shown, { ...args, reporter });
  },
  compare: async (logs, args) => {
    const reporter = theReporter(args, ['text', 'json']);
    const given = logs.header.options as unknown as CompareRun & LimitArguments;
    const read = readLogs(given, new Set(given.names));
    if (read === undefined) return EXIT_CODES.usage;
    const other = read.find((log, i) => log.sha256 !== given.hashes[i]);
    if (other !== undefined) throw new UsageError(`${other.path} is not the log any more that the shards were about`);
    return finishCompare(await collected<readonly PlainVerdict[]>(logs), read, { ...args, ...given, reporter });
  },
  baseline: async (logs, args) => {
    const run = logs.header.options as unknown as BaselineRun;
    const records = await collected<PlacedRecord>(logs);
    if ('recorded' in run) {
      if (args.out === undefined)
        throw new UsageError('these are shards of baseline write: name the baseline by --out');
      return finishWrite(records, run.recorded, args.out);
    }
    const { file, baseline: text, shownModel, sameModel } = run;
    const reporter = theReporter(args, ['text', 'json', 'github', 'sarif']);
    const { baseline, sha256 } = readBaselineFile(file);
    if (sha256 !== text)
      throw new UsageError(`${file} is not the baseline any more that the shards were checked against`);
    return finishCheck(records, baseline, { ...args, reporter, file, model: shownModel, sameModel });
  },
};

async function collected<T>(logs: JoinedLogs): Promise<Collected<T>> {
  const all = new Collected<T>();
  for await (const { answer } of logs.answers()) all.add(answer as Answer<T>);
  return all;
}

/** The one reporter that is asked for, of those that a command has. */
function theReporter<const Name extends string>({ reporter }: MergeArguments, names: readonly Name[]): Name {
  const [given = '', another] = reporter;
  const found = names.find((name) => name === given);
  if (found === undefined || another !== undefined)
    throw new UsageError(`this command has one report: ${names.join(' or ')}, not ${reporter.join(' and ')}`);
  return found;
}
