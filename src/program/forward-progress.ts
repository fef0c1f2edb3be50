import type { ForwardProgress, ProgressLevel, ProgressModel } from '../syntax/forward-progress.js';
import type { Placement } from './placement.js';

/** A thread, as far as promises of forward progress go. */
export interface ProgressingThread {
  readonly placement: Placement;
  readonly launched?: { readonly tid: number };
}

/** One promise: a model, and the groups that it speaks of, in lists by their ids. */
export interface ProgressPromise {
  readonly model: ProgressModel;
  /** Of each list the groups by ascending id, each by its threads. */
  readonly lists: readonly (readonly (readonly number[])[])[];
  /** As long as threads of these can go on, some of them does, whatever others do. */
  readonly isLive?: true;
}

/** All that is promised: a thread is promised to go on if each group around it is. None: every thread is. */
export type Promises = readonly ProgressPromise[];

/** What a test says of forward progress, or what is asked of all tests. */
export interface Progress {
  readonly stated: ForwardProgress;
  readonly cooperative: Cooperative;
}

/** By grid, whether all of its CTAs are launched together. */
export type Cooperative = ReadonlySet<number>;

/**
 * What is promised to the threads of a test. A model alone speaks of threads, in launches of clusters and of CTAs
 * without one. CUDA promises that the threads of a cluster go on once one of them has made a step; of a cooperative
 * grid all (CUDA C++ Programming Guide, Execution model). A sentence instead, where a level is not there.
 */
export function promisesOf(
  progress: ForwardProgress,
  threads: readonly ProgressingThread[],
  cooperative: Cooperative = new Set(),
): Promises | { readonly missing: string } {
  if (progress.kind === 'cuda') return [{ model: 'obe', lists: [groupsByCuda(threads, cooperative)], isLive: true }];
  if (progress.kind === 'levels') {
    const promises = [...progress.models].map(([level, model]) => ({ model, lists: listsAt(level, threads) }));
    const isAbsent = (level: ProgressLevel): boolean => listsAt(level, threads).every((list) => list.length < 2);
    const [absent] = [...progress.models].flatMap(([level, model]) =>
      model !== 'fair' && isAbsent(level) ? [level] : [],
    );
    if (absent !== undefined) return { missing: ABSENT_LEVEL[absent] };
    return withoutFair(promises);
  }
  const isLaunched = threads.some(({ launched }) => launched !== undefined);
  const lists = isLaunched ? listsAt('gpu', threads) : [threads.map((_, index) => [index])];
  return withoutFair([{ model: progress.model, lists }]);
}

export const ABSENT_LEVEL: Readonly<Record<ProgressLevel, string>> = {
  gpu: 'no GPU of the test has two CTAs or clusters: a model at level gpu says nothing of it',
  cta: 'no CTA of the test has two threads: a model at level cta says nothing of it',
};

/** What is promised to the threads of a program; nothing is stated: every thread goes on. */
export function promisesIn(program: {
  readonly progress?: Progress | undefined;
  readonly threads: readonly ProgressingThread[];
}): Promises {
  if (program.progress === undefined) return [];
  const { stated, cooperative } = program.progress;
  const promises = promisesOf(stated, program.threads, cooperative);
  return 'missing' in promises ? [] : promises;
}

/** The same program by what CUDA promises. */
export const withCuda = <P extends { readonly progress?: Progress }>(
  program: P,
): P & { readonly progress: Progress } => ({
  ...program,
  progress: { stated: { kind: 'cuda' }, cooperative: program.progress?.cooperative ?? new Set() },
});

const withoutFair = (promises: Promises): Promises => promises.filter(({ model }) => model !== 'fair');

/** The groups of a level: of each GPU its clusters, grid by grid, or of each CTA its threads. */
function listsAt(level: ProgressLevel, threads: readonly ProgressingThread[]): ProgressPromise['lists'] {
  const onDevice = threads.flatMap(({ placement }, index) => (placement.gpu === undefined ? [] : [index]));
  if (level === 'cta') {
    const byTid = onDevice.toSorted((a, b) => (threads[a]?.launched?.tid ?? a) - (threads[b]?.launched?.tid ?? b));
    return grouped(byTid, (index) => threads[index]?.placement.cta).map((list) => list.map((index) => [index]));
  }
  const inOrder = onDevice.toSorted((a, b) => before(threads[a]?.placement, threads[b]?.placement));
  const byGpu = grouped(inOrder, (index) => threads[index]?.placement.gpu);
  return byGpu.map((list) => grouped(list, (index) => threads[index]?.placement.cluster));
}

function groupsByCuda(threads: readonly ProgressingThread[], cooperative: Cooperative): readonly (readonly number[])[] {
  const groups = listsAt('gpu', threads).flat(2);
  return grouped(groups, (index) => {
    const { grid = 0, gpu, cluster } = threads[index]?.placement ?? {};
    return cooperative.has(grid) ? `grid ${grid} of ${gpu}` : cluster;
  });
}

/** Grid by grid, clusters and CTAs by their numbers. */
function before(a: Placement | undefined, b: Placement | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return a.grid - b.grid || clusterNumber(a) - clusterNumber(b) || a.ctaNumber - b.ctaNumber;
}

/** The number of a cluster that has one; a CTA without a cluster goes by its own. */
const clusterNumber = ({ cluster, ctaNumber }: Placement): number =>
  Number(/, cluster (\d+)$/.exec(cluster)?.[1] ?? ctaNumber);

function grouped<K>(indexes: readonly number[], keyOf: (index: number) => K): readonly (readonly number[])[] {
  const groups = new Map<K, number[]>();
  for (const index of indexes) {
    const key = keyOf(index);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [index]);
    else group.push(index);
  }
  return [...groups.values()];
}

/** Truth values of whatever kind: of one execution, or formulas of many. */
export interface Truths<C> {
  readonly yes: C;
  readonly no: C;
  and(a: C, b: C): C;
  or(a: C, b: C): C;
}

/** By thread, whether it is promised to go on where these threads have made a step and those have ended. */
export function promisedTo<C>(
  promises: Promises,
  threads: number,
  { yes, no, and, or }: Truths<C>,
  made: (thread: number) => C,
  ended: (thread: number) => C,
): readonly C[] {
  const promised = Array.from({ length: threads }, () => yes);
  for (const { model, lists } of promises)
    for (const groups of lists) {
      const stepped = groups.map((group) => group.map(made).reduce(or, no));
      const over = groups.map((group) => group.map(ended).reduce(and, yes));
      const isLowest = (i: number): C => over.slice(0, i).reduce(and, yes);
      const PROMISED: Readonly<Record<ProgressModel, (i: number) => C>> = {
        fair: () => yes,
        obe: (i) => stepped[i] ?? no,
        hsa: isLowest,
        'hsa-obe': (i) => or(stepped[i] ?? no, isLowest(i)),
        lobe: (i) => stepped.slice(i).reduce(or, no),
        unfair: () => no,
      };
      for (const [i, group] of groups.entries())
        for (const thread of group) promised[thread] = and(promised[thread] ?? yes, PROMISED[model](i));
    }
  return promised;
}

/** By promise, the threads of which some goes on as long as one can; all threads are such in any case. */
export const liveAmong = (promises: Promises, threads: number): readonly (readonly number[])[] => [
  Array.from({ length: threads }, (_, thread) => thread),
  ...promises.flatMap(({ lists, isLive }) => (isLive === true ? [lists.flat(2)] : [])),
];

/** Whether a model lets a thread stop for good after it has made a step. */
export const mayStopLater = (promises: Promises): boolean =>
  promises.some(({ model }) => model === 'hsa' || model === 'unfair');

/** As it is read. */
export function printForwardProgress(progress: ForwardProgress): string {
  switch (progress.kind) {
    case 'alone':
      return progress.model;
    case 'levels':
      return [...progress.models].map(([level, model]) => `${level}=${model}`).join(',');
    case 'cuda':
      return 'cuda';
  }
}

/** Whether all threads go on that can. */
export const isFair = ({ stated }: Progress): boolean =>
  stated.kind === 'alone'
    ? stated.model === 'fair'
    : stated.kind === 'levels' && [...stated.models.values()].every((model) => model === 'fair');

/** Whether it matters who has made a step. */
export const tellsSteps = (promises: Promises): boolean =>
  promises.some(({ model }) => model === 'obe' || model === 'hsa-obe' || model === 'lobe');

/** Those of one execution. */
export const BOOLEANS: Truths<boolean> = { yes: true, no: false, and: (a, b) => a && b, or: (a, b) => a || b };
