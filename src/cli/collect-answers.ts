import type { RunHeader } from '../suite/header.js';
import type { Answer } from '../suite/job.js';
import type { FoundBy, JobName } from '../suite/jobs/jobs.js';
import { logLines } from '../suite/run-log.js';
import { type AskedSuite, askSuite, type SuiteArguments } from './ask-suite.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';

/** Everything that was found in a suite, in its order. */
export class Collected<T> {
  readonly found: T[] = [];
  /** The files that have errors or cannot be read, which has been said. */
  readonly unreadable: string[] = [];
  /** What follows from mistakes in texts, and from bugs of ours. */
  readonly codes = new Set<ExitCode>();

  add({ value, diagnostics, unreadable, internal }: Answer<T>): void {
    this.found.push(...value);
    for (const { rendered } of diagnostics) process.stderr.write(`${rendered}\n`);
    for (const text of internal) process.stderr.write(text);
    if (internal.length > 0) this.codes.add(EXIT_CODES.internal);
    if (!unreadable) return;
    this.unreadable.push(diagnostics[0]?.path ?? '');
    this.codes.add(EXIT_CODES.usage);
  }
}

/** What is to be done with what was found. */
export interface CollectOptions extends SuiteArguments {
  /** What the log of the run begins with, if a log is what is to be printed: then nothing else is. */
  readonly log: { readonly header: () => RunHeader; readonly write: (text: string) => void } | undefined;
  readonly times: boolean;
}

/** A log on standard output, if that is what is to be printed. */
export function logFor(reporter: string, header: () => RunHeader): CollectOptions['log'] {
  return reporter === 'ndjson' ? { header, write: (text) => void process.stdout.write(text) } : undefined;
}

/** Asks a suite and collects what is found; where a signal ends it before, what was found until then. */
export async function collectAnswers<Name extends JobName>(
  asked: Omit<AskedSuite<Name>, 'holdsBack' | 'begin'>,
  options: CollectOptions,
): Promise<{ readonly collected: Collected<FoundBy<Name>>; readonly endBySignal: () => undefined }> {
  const { log, times } = options;
  const collected = new Collected<FoundBy<Name>>();
  const start = performance.now();
  const begin = (): void => log?.write(logLines.header(log.header()));
  const end = await askSuite({ ...asked, holdsBack: true, begin }, options, ([answer], place, progress) => {
    if (answer === undefined) return;
    progress.clear();
    collected.add(answer);
    log?.write(logLines.answer(answer, place));
  });
  log?.write(logLines.summary(end.sources, end.asked, times ? performance.now() - start : undefined));
  return { collected, endBySignal: end.endBySignal };
}
