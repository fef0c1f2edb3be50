import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Model } from '../cat/model.js';
import { CacheKeys } from '../suite/cache-keys.js';
import type { Answer, SuiteTask } from '../suite/job.js';
import type { FoundBy, JobName, SettingsOf, TaskOf } from '../suite/jobs/jobs.js';
import { type Lane, OwnLane, ProcessLane } from '../suite/lane.js';
import { ResultCache } from '../suite/result-cache.js';
import { runSuite } from '../suite/run-suite.js';
import { isInShard, type Shard } from '../suite/shard.js';
import { DEFAULT_CACHE } from './options.js';
import { Progress } from './progress.js';
import { StopSignal } from './stop-signal.js';

/** What the command line says of how a suite is decided. */
export interface SuiteArguments {
  readonly jobs?: number | undefined;
  readonly shard?: Shard | undefined;
  /** A folder; the empty text stands for the one that is taken if none is named. */
  readonly cache?: string | undefined;
  readonly progress: boolean;
}

/** What is asked of a suite: a job under one or several settings, each with the models that it loads. */
export interface AskedSuite<Name extends JobName> {
  readonly job: Name;
  readonly settings: readonly SettingsOf<Name>[];
  readonly models: readonly (readonly Model[])[];
  readonly tasks: readonly TaskOf<Name>[];
  /** Something is reported at the end only, so that a signal must not end the run before. */
  readonly holdsBack: boolean;
  /** Called when signals are heard, before anything is asked. */
  readonly begin: () => void;
}

export interface AskedSuiteEnd {
  /** How many sources have all their answers, and how many were asked about. */
  readonly sources: number;
  readonly asked: number;
  /** Where a signal ended the run: says so, and ends the process. */
  readonly endBySignal: () => undefined;
}

/** What is prepared for many tests does not pay for so few. */
const FEW_TESTS = 10;
/** Nor do processes of their own; where `--jobs` is given, they are started from the second test on. */
const FEW_FOR_PROCESSES = 50;
/** The argument by which a process knows that it decides tests for another. */
export const WORKER = '--suite-worker';

/** Whether a suite is so small that nothing is worth preparing for it. */
export const isSmall = (tests: number): boolean => tests <= FEW_TESTS;

/**
 * Asks what belongs to the shard, on as many cores and with what cache the command line says, and gives the answers in
 * the order of the suite, each with its place there.
 */
export async function askSuite<Name extends JobName>(
  { job, settings, models, tasks, holdsBack, begin }: AskedSuite<Name>,
  args: SuiteArguments,
  give: (answers: readonly Answer<FoundBy<Name>>[], place: number, progress: Progress) => void,
): Promise<AskedSuiteEnd> {
  const { shard } = args;
  const places = tasks.flatMap((task, i) => (shard === undefined || isInShard(task.source, shard) ? [i] : []));
  const mine = places.flatMap((place) => tasks[place] ?? []);
  const total = mine.length * settings.length;
  const progress = new Progress(args.progress, total);
  const lanes = lanesFor(job, settings, total, args.jobs);
  const stop = new StopSignal(holdsBack || lanes.some((lane) => lane instanceof ProcessLane));
  begin();
  let sources = 0;
  let remembered = 0;
  await runSuite<FoundBy<Name>>(
    {
      tasks: mine,
      settings: settings.length,
      lanes,
      cache: await cacheFor(job, settings, models, args.cache),
      stop: stop.aborted,
      onAnswer: (answer) => {
        if (answer.fromCache) remembered += 1;
        progress.next(answer);
      },
    },
    (answers, i) => {
      sources += 1;
      give(answers, places[i] ?? 0, progress);
    },
  );
  progress.clear();
  if (args.cache !== undefined)
    process.stderr.write(`ptx-litmus: ${remembered} of ${total} answers were in the cache\n`);
  return {
    sources,
    asked: mine.length,
    endBySignal: () => stop.end(`${sources} of ${mine.length} tests were checked`),
  };
}

function lanesFor<Name extends JobName>(
  job: Name,
  settings: readonly SettingsOf<Name>[],
  total: number,
  jobs: number | undefined,
): readonly Lane[] {
  if (total <= 1 || (jobs === undefined && total <= FEW_FOR_PROCESSES)) return [new OwnLane(job, settings)];
  const script = { path: fileURLToPath(new URL('main.js', import.meta.url)), args: [WORKER] };
  const count = Math.min(jobs ?? availableParallelism(), total);
  return Array.from({ length: count }, () => new ProcessLane(script, job, settings));
}

/** Told once: that a folder cannot be written holds for all entries. */
export async function openCache(folder: string | undefined): Promise<ResultCache | undefined> {
  if (folder === undefined) return undefined;
  return ResultCache.open(folder === '' ? DEFAULT_CACHE : folder, (text) => {
    process.stderr.write(`ptx-litmus: ${text}\n`);
  });
}

async function cacheFor<Name extends JobName>(
  job: Name,
  settings: readonly SettingsOf<Name>[],
  models: readonly (readonly Model[])[],
  folder: string | undefined,
): Promise<{ readonly results: ResultCache; readonly keys: readonly CacheKeys[] } | undefined> {
  const results = await openCache(folder);
  if (results === undefined) return undefined;
  return { results, keys: settings.map((one, i) => new CacheKeys(job, one, models[i] ?? [])) };
}

/** The tasks of sources about which nothing else is to be known. */
export const tasksOf = (sources: readonly SuiteTask['source'][]): readonly SuiteTask[] =>
  sources.map((source) => ({ source }));
