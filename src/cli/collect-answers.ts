import type { Model } from '../cat/model.js';
import { headerOf, type RunHeader } from '../suite/header.js';
import type { Answer } from '../suite/job.js';
import type { FoundBy, JobName, SettingsOf, TaskOf } from '../suite/jobs/jobs.js';
import { logLines } from '../suite/run-log.js';
import { askSuite, type SuiteArguments } from './ask-suite.js';
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

/** A suite that is asked about once, under one model or two, to be told as a whole. */
export interface CollectedSuite<Name extends JobName> {
  readonly job: Name;
  readonly settings: SettingsOf<Name>;
  readonly models: readonly Model[];
  readonly tasks: readonly TaskOf<Name>[];
  /** What else the log of the run says of it, for `merge`. */
  readonly given: RunHeader['options'];
  /** Where the log goes, if a log is what is to be printed: then nothing else is. */
  readonly log: ((text: string) => void) | undefined;
}

/** A log on standard output, if that is what is to be printed. */
export function logFor(reporter: string): CollectedSuite<JobName>['log'] {
  return reporter === 'ndjson' ? (text) => void process.stdout.write(text) : undefined;
}

/** Asks a suite and finishes with what is found; where a signal ends it before, with what was found until then. */
export async function askAndFinish<Name extends JobName>(
  { job, settings, models, tasks, given, log }: CollectedSuite<Name>,
  args: SuiteArguments & { readonly times: boolean },
  finish: (collected: Collected<FoundBy<Name>>) => ExitCode,
): Promise<ExitCode> {
  const collected = new Collected<FoundBy<Name>>();
  const start = performance.now();
  const sources = tasks.map(({ source }) => source);
  const begin = (): void => log?.(logLines.header(headerOf(job, sources, models, given, args.shard)));
  const asked = { job, settings: [settings], models: [models], tasks, holdsBack: true, begin };
  const end = await askSuite(asked, args, ([answer], place, progress) => {
    if (answer === undefined) return;
    progress.clear();
    collected.add(answer);
    log?.(logLines.answer(answer, place));
  });
  log?.(logLines.summary(end.sources, end.asked, args.times ? performance.now() - start : undefined));
  const code = finish(collected);
  return end.endBySignal() ?? code;
}
