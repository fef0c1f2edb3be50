import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { UsageError } from '../diagnostics/usage-error.js';
import { SCHEMA_VERSION } from '../report/json.js';
import type { ReportedTest } from '../report/reported-test.js';
import { jsonLine } from '../report/reporters/ndjson.js';
import type { ReportedDiagnostic } from '../report/reporters/reporter.js';
import type { RunHeader } from './header.js';
import type { Answer } from './job.js';

/** The lines of the log of a command other than `check`, whose log is a report (`report/reporters/ndjson.ts`). */
export const logLines = {
  header: (header: RunHeader): string => jsonLine({ kind: 'header', schemaVersion: SCHEMA_VERSION, ...header }),
  answer: (answer: Answer<unknown>, source: number): string => jsonLine({ kind: 'answer', source, answer }),
  /** `asked`: of how many sources the run was asked, which has more where it was ended before. */
  summary: (sources: number, asked: number, time: number | undefined): string =>
    jsonLine({ kind: 'summary', schemaVersion: SCHEMA_VERSION, sources, asked, ...timeMs(time) }),
};

const timeMs = (time: number | undefined): object => (time === undefined ? {} : { timeMs: Math.round(time) });

/** What a log says of one source of the suite. */
export interface LoggedAnswer {
  readonly source: number;
  readonly answer: Answer<unknown>;
}

/** The log of a run that has ended: what was asked, and what was found. */
export class RunLog {
  private constructor(
    readonly path: string,
    readonly header: RunHeader,
    /** How many sources it has answers for. */
    readonly sources: number,
    /** In milliseconds; undefined where times are left out. */
    readonly time: number | undefined,
    /** How many lines of some kinds it has. */
    private readonly lines: ReadonlyMap<LogLine['kind'], number>,
  ) {}

  /** Reads how a log begins and ends; throws `UsageError` where it is none, or of a run that was ended before. */
  static open(path: string): RunLog {
    const { first, last } = firstAndLastLine(path);
    const header = parsed(first);
    if (header?.['kind'] !== 'header')
      throw new UsageError(`${path} is no log of a run: its first line is no header; -f ndjson writes one`);
    if (header['schemaVersion'] !== SCHEMA_VERSION)
      throw new UsageError(`${path} is a log of version ${header['schemaVersion']}; this tool reads ${SCHEMA_VERSION}`);
    const { kind: _, schemaVersion: __, ...rest } = header;
    const whole = rest as unknown as RunHeader;
    const summary = parsed(last);
    const shard = whole.shard === null ? '' : ` of shard ${whole.shard}`;
    if (summary?.['kind'] !== 'summary')
      throw new UsageError(`${path}: the run${shard} has not ended: its last line is no summary; run it again`);
    if (summary['sources'] !== summary['asked'])
      throw new UsageError(
        `${path}: the run${shard} was ended after ${summary['sources']} of ${summary['asked']} tests; run it again`,
      );
    const sources = Number(summary['sources']);
    const lines: [LogLine['kind'], number][] =
      whole.command === 'check'
        ? [
            ['result', Number(summary['tests'])],
            ['diagnostic', Number(summary['diagnostics'])],
          ]
        : [['answer', sources]];
    return new RunLog(path, whole, sources, summary['timeMs'] as number | undefined, new Map(lines));
  }

  /** Its answers in the order of the suite, without holding them all. */
  async *answers(): AsyncGenerator<LoggedAnswer> {
    const lines = createInterface({ input: createReadStream(this.path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
    let gathered: Gathered | undefined;
    let number = 0;
    const counts = new Map<LogLine['kind'], number>();
    for await (const text of lines) {
      number += 1;
      const read = parsed(text) as LogLine | undefined;
      if (read === undefined || !KINDS.includes(read.kind))
        throw new UsageError(`${this.path}:${number}: this is no line of a log: the log is damaged`);
      counts.set(read.kind, (counts.get(read.kind) ?? 0) + 1);
      if (read.kind === 'header' || read.kind === 'summary') continue;
      if (gathered !== undefined && gathered.source !== read.source) {
        yield answerOf(gathered);
        gathered = undefined;
      }
      gathered ??= { source: read.source, tests: [], diagnostics: [], internal: [], answer: undefined };
      gather(gathered, read);
    }
    if (gathered !== undefined) yield answerOf(gathered);
    for (const [kind, wanted] of this.lines)
      if ((counts.get(kind) ?? 0) !== wanted)
        throw new UsageError(
          `${this.path}: the log is damaged: ${wanted} lines of kind ${kind} were written, and ` +
            `${counts.get(kind) ?? 0} are there`,
        );
  }
}

const KINDS: readonly LogLine['kind'][] = ['header', 'summary', 'answer', 'result', 'diagnostic', 'internal'];

type LogLine = { readonly source: number } & (
  | { readonly kind: 'header' | 'summary' }
  | { readonly kind: 'answer'; readonly answer: Answer<unknown> }
  | { readonly kind: 'result'; readonly report: ReportedTest }
  | ({ readonly kind: 'diagnostic' } & ReportedDiagnostic)
  | { readonly kind: 'internal'; readonly text: string }
);

interface Gathered {
  readonly source: number;
  readonly tests: ReportedTest[];
  readonly diagnostics: ReportedDiagnostic[];
  readonly internal: string[];
  answer: Answer<unknown> | undefined;
}

function gather(gathered: Gathered, read: LogLine): void {
  switch (read.kind) {
    case 'answer':
      gathered.answer = read.answer;
      return;
    case 'result': {
      const { kind: _, source: __, report, ...json } = read;
      gathered.tests.push({ ...report, json });
      return;
    }
    case 'diagnostic': {
      const { kind: _, source: __, ...diagnostic } = read;
      gathered.diagnostics.push(diagnostic);
      return;
    }
    case 'internal':
      gathered.internal.push(read.text);
  }
}

function answerOf({ source, tests, diagnostics, internal, answer }: Gathered): LoggedAnswer {
  return {
    source,
    answer: answer ?? {
      value: tests,
      diagnostics,
      internal,
      unreadable: diagnostics.some(({ severity }) => severity === 'error'),
      open: tests.some(({ undecided }) => undecided),
    },
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

const CHUNK = 1 << 16;

/** Without what is between them, which may be long. */
function firstAndLastLine(path: string): { readonly first: string; readonly last: string } {
  const file = openSync(path, 'r');
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new UsageError(`${path} is no file: merge reads each log twice`);
    const { size } = stats;
    const read = (from: number, length: number): string => {
      const buffer = Buffer.alloc(length);
      return buffer.toString('utf8', 0, readSync(file, buffer, 0, length, from));
    };
    let first = '';
    for (let at = 0; at < size && !first.includes('\n'); at += CHUNK) first += read(at, Math.min(CHUNK, size - at));
    let last = '';
    for (let at = size; at > 0 && !last.trimEnd().includes('\n'); ) {
      const length = Math.min(CHUNK, at);
      at -= length;
      last = read(at, length) + last;
    }
    return { first: first.split('\n')[0] ?? '', last: last.trimEnd().split('\n').at(-1) ?? '' };
  } finally {
    closeSync(file);
  }
}
