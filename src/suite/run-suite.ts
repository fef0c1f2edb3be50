import type { CacheKeys } from './cache-keys.js';
import { answerFor, type RawAnswer } from './decider.js';
import { sha256 } from './digests.js';
import type { Answer, SuiteTask } from './job.js';
import type { Lane } from './lane.js';
import type { ResultCache } from './result-cache.js';
import { identityOf } from './shard.js';

/** A suite that is to be decided. */
export interface SuiteRun {
  readonly tasks: readonly SuiteTask[];
  /** How often each is asked, under as many settings. */
  readonly settings: number;
  readonly lanes: readonly Lane[];
  /** What was decided before, with the keys under each settings. */
  readonly cache: { readonly results: ResultCache; readonly keys: readonly CacheKeys[] } | undefined;
  /** Aborted to end with what is known. */
  readonly stop: AbortSignal;
  /** Hears of each answer as it comes, in no order. */
  readonly onAnswer: (progress: SuiteProgress) => void;
}

export interface SuiteProgress {
  readonly name: string;
  readonly open: boolean;
  readonly fromCache: boolean;
}

/** In milliseconds: how long nothing else is done while answers are in the cache. */
const TURN = 20;

/**
 * Asks all tasks, and gives the answers in the order of the suite, whatever order they come in: those of a task
 * together, one for each of the settings. Tests that took long before are begun first. Where it is ended before, what
 * is known is given all the same.
 */
export async function runSuite<T>(
  run: SuiteRun,
  give: (answers: readonly Answer<T>[], task: number) => void,
): Promise<void> {
  const { tasks, settings, lanes, cache, stop } = run;
  /** What has come and is not given yet, as text: it takes less memory. */
  const waiting = new Map<number, string>();
  let next = 0;
  /** Gives the answers of a task, if they are all there. */
  const giveIfComplete = (task: number): boolean => {
    const texts = placesOf(task, settings).flatMap((index) => waiting.get(index) ?? []);
    const source = tasks[task]?.source;
    if (source === undefined || texts.length < settings) return false;
    for (const index of placesOf(task, settings)) waiting.delete(index);
    give(
      texts.map((text) => answerFor<T>(text, source)),
      task,
    );
    return true;
  };
  const came = (index: number, json: string, fromCache: boolean): void => {
    waiting.set(index, json);
    // Not parsed yet: whether something is open is the last field.
    const open = json.endsWith('"open":true}');
    run.onAnswer({ name: tasks[Math.floor(index / settings)]?.source.path ?? '', open, fromCache });
    while (giveIfComplete(next)) next += 1;
  };
  const order = longestFirst(tasks, settings, cache?.results);
  let at = 0;
  let turn = performance.now();
  /** The next that has to be decided; those on the way are in the cache. */
  const nextAsked = async (): Promise<number | undefined> => {
    for (;;) {
      const index = order(at++);
      if (index === undefined || stop.aborted) return undefined;
      const found = cache === undefined ? undefined : findIn(cache, tasks, settings, index);
      if (found === undefined) return index;
      came(index, found, true);
      if (performance.now() - turn > TURN) {
        await new Promise((proceed) => setImmediate(proceed));
        turn = performance.now();
      }
    }
  };
  const endLanes = (): void => {
    for (const lane of lanes) lane.end();
  };
  stop.addEventListener('abort', endLanes, { once: true });
  await Promise.all(
    lanes.map(async (lane) => {
      for (let index = await nextAsked(); index !== undefined; index = await nextAsked()) {
        const task = tasks[Math.floor(index / settings)];
        if (task === undefined) return;
        const answer = await lane.ask({ task, under: index % settings });
        if (answer === undefined) return;
        if (cache !== undefined) keepIn(cache, task, index % settings, answer);
        came(index, answer.json, false);
      }
    }),
  ).finally(() => {
    stop.removeEventListener('abort', endLanes);
    endLanes();
    cache?.results.close();
  });
  // Only where it was ended before: what came behind something that is missing.
  const known = new Set([...waiting.keys()].map((index) => Math.floor(index / settings)));
  for (const task of [...known].sort((a, b) => a - b)) giveIfComplete(task);
}

/** The places of a task in the order of all that is asked, one for each of the settings. */
const placesOf = (task: number, settings: number): readonly number[] =>
  Array.from({ length: settings }, (_, i) => task * settings + i);

/**
 * The order in which tasks are begun: those that took long, the longest first, and then the others as they come. So
 * what comes out of order is little.
 */
function longestFirst(
  tasks: readonly SuiteTask[],
  settings: number,
  cache: ResultCache | undefined,
): (place: number) => number | undefined {
  const long = (cache?.remembersTimes === true ? tasks : []).flatMap((task, i) => {
    const time = cache?.timeOf(nameOf(task));
    return time === undefined ? [] : [{ task: i, time }];
  });
  long.sort((a, b) => b.time - a.time);
  const first = long.flatMap(({ task }) => placesOf(task, settings));
  const begun = new Set(first);
  let rest = 0;
  return (place) => {
    if (place < first.length) return first[place];
    while (begun.has(rest)) rest += 1;
    return rest < tasks.length * settings ? rest++ : undefined;
  };
}

/** By what a test is remembered: a few characters, since there may be many. */
const nameOf = ({ source }: SuiteTask): string => sha256(identityOf(source)).slice(0, 12);

type Cached = NonNullable<SuiteRun['cache']>;

function findIn(
  { results, keys }: Cached,
  tasks: readonly SuiteTask[],
  settings: number,
  index: number,
): string | undefined {
  const [task, of] = [tasks[Math.floor(index / settings)], keys[index % settings]];
  if (task === undefined || of === undefined) return undefined;
  return results.find(of.bare(task)) ?? results.find(of.exact(task));
}

function keepIn({ results, keys }: Cached, task: SuiteTask, under: number, answer: RawAnswer): void {
  results.took(nameOf(task), answer.time);
  const of = keys[under];
  if (of !== undefined && answer.settled) results.keep(answer.exact ? of.exact(task) : of.bare(task), answer.json);
}
