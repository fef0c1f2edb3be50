import { UsageError } from '../diagnostics/usage-error.js';
import type { RunHeader } from './header.js';
import { type LoggedAnswer, RunLog } from './run-log.js';

/** The logs of all parts of one run. */
export interface JoinedLogs {
  /** Of the run as a whole. */
  readonly header: RunHeader;
  readonly sources: number;
  /** Of all parts together, in milliseconds; undefined where times are left out. */
  readonly time: number | undefined;
  /** In the order of the suite. */
  answers(): AsyncGenerator<LoggedAnswer>;
}

/** Joins the logs of the shards of a run, given in any order; throws `UsageError` where they are not of one run. */
export function joinLogs(paths: readonly string[]): JoinedLogs {
  const logs = paths.map((path) => RunLog.open(path));
  const [first] = logs;
  if (first === undefined) throw new UsageError('no logs given: name the files that -f ndjson wrote');
  for (const log of logs) refuseOther(first, log);
  refuseMissing(logs);
  const sources = logs.reduce((sum, log) => sum + log.sources, 0);
  const { suite } = first.header;
  if (sources !== suite.sources)
    throw new UsageError(`the logs have answers for ${sources} tests, and the suite has ${suite.sources}`);
  const times = logs.flatMap(({ time }) => time ?? []);
  return {
    header: { ...first.header, shard: null },
    sources,
    time: times.length < logs.length ? undefined : times.reduce((sum, time) => sum + time, 0),
    answers: () => inOrder(logs),
  };
}

/** What makes two logs logs of different runs, in words. */
function refuseOther(first: RunLog, { path, header }: RunLog): void {
  const differ = (what: string, mine: unknown, other: unknown): void => {
    const [a, b] = [JSON.stringify(mine), JSON.stringify(other)];
    if (a === b) return;
    const shard = header.shard === null ? 'a whole run' : `shard ${header.shard}`;
    throw new UsageError(`${path} (${shard}) has ${what} ${a}, and ${first.path} has ${b}: they are of different runs`);
  };
  const { header: other } = first;
  differ('the command', header.command, other.command);
  differ('version', header.version, other.version);
  differ('the build', header.build, other.build);
  differ('the number of shards', countOf(header), countOf(other));
  differ('the suite', header.suite, other.suite);
  differ('the models', header.models, other.models);
  for (const name of new Set([...Object.keys(header.options), ...Object.keys(other.options)]))
    differ(`the option ${name}`, header.options[name] ?? null, other.options[name] ?? null);
}

const countOf = ({ shard }: RunHeader): number => Number(shard?.split('/')[1] ?? 1);
const indexOf = ({ shard }: RunHeader): number => Number(shard?.split('/')[0] ?? 1);

function refuseMissing(logs: readonly RunLog[]): void {
  const [first] = logs;
  if (first === undefined) return;
  const count = countOf(first.header);
  const missing: number[] = [];
  for (let index = 1; index <= count; index++) {
    const own = logs.filter(({ header }) => indexOf(header) === index);
    if (own.length > 1)
      throw new UsageError(
        `shard ${index}/${count} is given more than once, leave all but one out: ` +
          own.map(({ path }) => path).join(', '),
      );
    if (own.length === 0) missing.push(index);
  }
  if (missing.length === 0) return;
  const named = missing.map((index) => `${index}/${count}`).join(', ');
  throw new UsageError(`no log of shard ${named}: name all files of the run, or run what is missing again`);
}

/** All answers of some logs, each of which has its own in order. */
async function* inOrder(logs: readonly RunLog[]): AsyncGenerator<LoggedAnswer> {
  const heads = await Promise.all(
    logs.map(async (log) => {
      const answers = log.answers();
      return { answers, next: await answers.next() };
    }),
  );
  for (;;) {
    let least: (typeof heads)[number] | undefined;
    for (const head of heads)
      if (!head.next.done && (least === undefined || head.next.value.source < least.next.value.source)) least = head;
    if (least === undefined) return;
    yield least.next.value;
    least.next = await least.answers.next();
  }
}
