import { citation, quoteOf } from '../diagnostics/source.js';
import type { LaunchedThread } from '../kernel/grid.js';
import type { Access, Counter, FoundAccesses, Meetings, Pair, TestThread } from './meetings.js';
import { completed } from './run-threads.js';

/** A launch, with the threads that the test names of it; `isOpen`: others may be added. */
export interface ToCover extends FoundAccesses {
  readonly given: readonly LaunchedThread[];
  readonly isOpen: boolean;
}

export interface Covered {
  readonly threads: readonly LaunchedThread[];
  readonly pairs: number;
  readonly uncovered: readonly string[];
  /** Threads that leave memory, for which there was no room. */
  readonly outside: readonly string[];
  /** Threads that are not run though they come to other barriers, waits or traps than those that are. */
  readonly elsewhere: readonly string[];
  /** What those that are left out would change. */
  readonly remarks: readonly string[];
}

/**
 * Chooses threads such that every pair of instructions that may meet does so in a pair of them, at each distance, by
 * a greedy choice: those first that cover most for the threads that they add.
 */
export function coverPairs(launches: readonly ToCover[], meetings: Meetings, mostThreads: number): readonly Covered[] {
  const pairs = [...meetings.pairs(launches).values()];
  const chosen = launches.map(({ given, isOpen }) => (given.length > 0 || !isOpen ? [...given] : [{ cta: 0, tid: 0 }]));
  const keyOf = ({ launch, cta, tid }: Omit<TestThread, 'warp'>): string => `${launch} ${cta} ${tid}`;
  const all = (given: readonly (readonly LaunchedThread[])[]): ReadonlySet<string> =>
    new Set(
      launches.flatMap(({ launch, ways, isOpen }, index) =>
        (isOpen ? completed(launch.shape, given[index] ?? [], ways, false).threads : (given[index] ?? [])).map(
          ({ cta, tid }) => keyOf({ launch: index, cta, tid }),
        ),
      ),
    );
  let run = all(chosen);
  const isRun = (launch: number, { cta, tid }: LaunchedThread): boolean => run.has(keyOf({ launch, cta, tid }));
  const isCovered = (pair: Pair): boolean => pair.candidates.some((two) => two.every((one) => run.has(keyOf(one))));
  const asked = pairs.filter(
    ({ first, second }) => launches[first.launch]?.isOpen === true || launches[second.launch]?.isOpen === true,
  );
  const gains = new Map<string, { readonly two: readonly [TestThread, TestThread]; readonly pairs: Set<Pair> }>();
  for (const pair of asked)
    for (const two of pair.candidates) {
      const key = two.map(keyOf).sort().join();
      const known = gains.get(key) ?? { two, pairs: new Set() };
      gains.set(key, { ...known, pairs: known.pairs.add(pair) });
    }
  let open = new Set(asked.filter((pair) => !isCovered(pair)));
  while (open.size > 0) {
    let best:
      | { readonly score: number; readonly run: ReadonlySet<string>; readonly chosen: LaunchedThread[][] }
      | undefined;
    const tried = [...gains.values()]
      .map((one) => ({ ...one, gain: [...one.pairs].filter((pair) => open.has(pair)).length }))
      .filter(
        ({ gain, two }) => gain > 0 && two.every(({ launch, ...thread }) => mayAdd(launches, chosen, launch, thread)),
      )
      .sort((a, b) => b.gain - a.gain)
      .slice(0, MOST_TRIED);
    for (const { two, gain } of tried) {
      const with2 = chosen.map((list, index) => [...list, ...two.filter(({ launch }) => launch === index)]);
      const next = all(with2);
      if (next.size > mostThreads) continue;
      const score = gain / Math.max(1, next.size - run.size);
      if (best === undefined || score > best.score) best = { score, run: next, chosen: with2 };
    }
    if (best === undefined) break;
    best.chosen.forEach((list, index) => {
      chosen[index] = list;
    });
    run = best.run;
    open = new Set([...open].filter((pair) => !isCovered(pair)));
  }
  /** Runs one thread more, with those that come with it, if there is room. */
  const add = (launch: number, thread: LaunchedThread): boolean => {
    const more = chosen.map((list, index) => (index === launch ? [...list, thread] : list));
    const next = all(more);
    if (next.size > mostThreads) return false;
    chosen[launch] = more[launch] ?? [];
    run = next;
    return true;
  };
  /** Makes sure that one of some threads is run, best where others of its CTA are; whether it is. */
  const addOneOf = (launch: number, threads: Iterable<LaunchedThread>): boolean => {
    const list = [...threads];
    const ctas = new Set([...run].map((key) => key.replace(/ \d+$/, '')));
    if (launches[launch]?.isOpen !== true || list.some((one) => isRun(launch, one))) return true;
    const near = list.find(({ cta }) => ctas.has(`${launch} ${cta}`));
    return [near, ...list.slice(0, 1)].some((one) => one !== undefined && add(launch, one));
  };
  // Who leaves memory is run, who stops where nobody else does, and who writes what is asked.
  const outside = [...meetings.outside.values()].filter(({ launch, threads }) => !addOneOf(launch, threads));
  const elsewhere = meetings.stops.filter(({ launch, threads }) => !addOneOf(launch, threads));
  for (const { launch, threads } of meetings.askedWriters.values()) addOneOf(launch, threads.values());
  // Who counts something counts with all others that do: a thread of each CTA, as far as that goes.
  for (const { launch, byCta } of meetings.counters.values()) {
    if (launches[launch]?.isOpen !== true) continue;
    for (const [cta, [tid = 0]] of [...byCta].sort(([a], [b]) => a - b)) if (!add(launch, { cta, tid })) break;
  }
  const counted = [...meetings.counters.values()].map((counter) => ({
    ...counter,
    ...countOf(counter, run, launches),
  }));
  return launches.map(({ isOpen }, index) => {
    const remarks = [
      ...[...meetings.outside.values()]
        .filter(({ launch, threads }) => !isOpen && launch === index && !threads.some((one) => isRun(index, one)))
        .map((one) => `${leaving(one.threads.length)} by ${textOf(launches, one)}, and none of them is run`),
      ...counted
        .filter(({ launch, shown, total }) => launch === index && shown < total)
        .map(({ text, shown, total }) => `${total} threads execute ${text}, and ${shown} of them are run`),
    ];
    const own = asked.filter(({ first }) => first.launch === index);
    return {
      threads: chosen[index] ?? [],
      pairs: isOpen ? own.length : 0,
      uncovered: own.filter((pair) => open.has(pair)).map((pair) => describePair(launches, pair)),
      outside: outside
        .filter(({ launch }) => launch === index)
        .map((one) => `${leaving(one.threads.length)} by ${textOf(launches, one)}`),
      elsewhere: elsewhere
        .filter(({ launch }) => launch === index)
        .map(
          (one) => `${one.threads.length} threads stop elsewhere than those that are run: at ${textOf(launches, one)}`,
        ),
      remarks,
    };
  });
}

function countOf(
  { launch, statement, byCta }: Counter,
  run: ReadonlySet<string>,
  launches: readonly ToCover[],
): { readonly total: number; readonly shown: number; readonly text: string } {
  const threads = [...byCta].flatMap(([cta, tids]) => [...tids].map((tid) => `${launch} ${cta} ${tid}`));
  const text = textOf(launches, { launch, statement });
  return { total: threads.length, shown: threads.filter((thread) => run.has(thread)).length, text };
}

const leaving = (count: number): string =>
  `${count === 1 ? 'a thread leaves' : `${count} threads leave`} memory, or the alignment,`;

/** An instruction of a launch, with its place. */
function textOf(launches: readonly ToCover[], { launch, statement }: Pick<Access, 'launch' | 'statement'>): string {
  const span = launches[launch]?.code?.statements[statement]?.span;
  return span === undefined ? 'an instruction' : `${citation(span)} (${quoteOf(span)})`;
}

/** How many of the best candidates are looked at more closely. */
const MOST_TRIED = 24;

function mayAdd(
  launches: readonly ToCover[],
  chosen: readonly (readonly LaunchedThread[])[],
  launch: number,
  { cta, tid }: LaunchedThread,
): boolean {
  return launches[launch]?.isOpen === true || (chosen[launch] ?? []).some((one) => one.cta === cta && one.tid === tid);
}

const describePair = (launches: readonly ToCover[], { first, second, distance }: Pair): string =>
  `${textOf(launches, first)} and ${textOf(launches, second)}, ${distance}`;
