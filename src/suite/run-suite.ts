import type { CacheKeys } from './cache-keys.js';
import type { RawAnswer } from './decider.js';
import { sha256 } from './digests.js';
import type { Answer, AskedTask, SuiteTask } from './job.js';
import { answerFor } from './kept-answer.js';
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

/** A task under one of the settings. */
interface Question extends AskedTask {
  /** Of the task, in the suite. */
  readonly place: number;
}

/**
 * Asks all tasks, and gives the answers in the order of the suite, whatever order they come in: those of a task
 * together, one for each of the settings. Tests that took long before are begun first. Where it is ended before, what
 * is known is given all the same.
 */
export async function runSuite<T>(
  run: SuiteRun,
  give: (answers: readonly Answer<T>[], task: number) => void,
): Promise<void> {
  const { lanes, cache, stop } = run;
  const answers = new AnswersInOrder<T>(run, give);
  const came = (question: Question, json: string, fromCache: boolean): void => {
    // Not parsed yet: whether something is open is the last field.
    run.onAnswer({ name: question.task.source.path, open: json.endsWith('"open":true}'), fromCache });
    answers.add(question, json);
  };
  const questions = longestFirst(run);
  let at = 0;
  let turn = performance.now();
  /** The next that has to be decided; those on the way are in the cache. */
  const nextAsked = async (): Promise<Question | undefined> => {
    for (;;) {
      const question = questions[at++];
      if (question === undefined || stop.aborted) return undefined;
      const found = cache && findIn(cache, question);
      if (found === undefined) return question;
      came(question, found, true);
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
      for (let question = await nextAsked(); question !== undefined; question = await nextAsked()) {
        const answer = await lane.ask(question);
        if (answer === undefined) return;
        if (cache !== undefined) keepIn(cache, question, answer);
        came(question, answer.json, false);
      }
    }),
  ).finally(() => {
    stop.removeEventListener('abort', endLanes);
    endLanes();
    cache?.results.close();
  });
  answers.giveRest();
}

/** Gives the answers of each task together, in the order of the suite. */
class AnswersInOrder<T> {
  /** What has come and is not given yet, by the place of its task: as text, which takes less memory. */
  private readonly waiting = new Map<number, string[]>();
  private next = 0;

  constructor(
    private readonly run: SuiteRun,
    private readonly give: (answers: readonly Answer<T>[], task: number) => void,
  ) {}

  add({ place, under }: Question, json: string): void {
    const texts = this.waiting.get(place) ?? [];
    texts[under] = json;
    this.waiting.set(place, texts);
    while (this.giveIfComplete(this.next)) this.next += 1;
  }

  /** Only where the run was ended before: gives what came behind something that is missing. */
  giveRest(): void {
    for (const place of [...this.waiting.keys()].sort((a, b) => a - b)) this.giveIfComplete(place);
  }

  private giveIfComplete(place: number): boolean {
    // Without those that are missing.
    const texts = this.waiting.get(place)?.flat() ?? [];
    const source = this.run.tasks[place]?.source;
    if (source === undefined || texts.length < this.run.settings) return false;
    this.waiting.delete(place);
    this.give(
      texts.map((text) => answerFor<T>(text, source)),
      place,
    );
    return true;
  }
}

/**
 * All that is asked, in the order in which it is begun: the tasks that took long, the longest first, and then the
 * others as they come. So what comes out of order is little.
 */
function longestFirst({ tasks, settings, cache }: SuiteRun): readonly Question[] {
  const results = cache?.results.remembersTimes === true ? cache.results : undefined;
  return tasks
    .map((task, place) => ({ task, place, time: results?.timeOf(nameOf(task)) ?? 0 }))
    .sort((a, b) => b.time - a.time)
    .flatMap(({ task, place }) => Array.from({ length: settings }, (_, under) => ({ task, place, under })));
}

/** By what a test is remembered: a few characters, since there may be many. */
const nameOf = ({ source }: SuiteTask): string => sha256(identityOf(source)).slice(0, 12);

type Cached = NonNullable<SuiteRun['cache']>;

function findIn({ results, keys }: Cached, { task, under }: Question): string | undefined {
  const of = keys[under];
  return of && (results.find(of.bare(task)) ?? results.find(of.exact(task)));
}

function keepIn({ results, keys }: Cached, { task, under }: Question, answer: RawAnswer): void {
  results.took(nameOf(task), answer.time);
  const of = keys[under];
  if (of !== undefined && answer.settled) results.keep(answer.exact ? of.exact(task) : of.bare(task), answer.json);
}
