import { citation, quoteOf } from '../diagnostics/source.js';
import type { LocationTable } from '../program/locations.js';
import type { Code } from './code.js';
import { footprintsOf } from './footprints.js';
import { clusterOf, ctasOfCluster, type LaunchedThread } from './grid.js';
import { at } from './lane-value.js';
import type { Launch } from './resolve-launches.js';
import { completed, type Ways } from './run-threads.js';
import type { WalkHooks } from './walk.js';

/** What following the threads of a launch found. */
export interface FoundAccesses {
  readonly launch: Launch;
  readonly code: Code | undefined;
  readonly ways: Ways;
  readonly notes: readonly string[];
}

/** A thread of one of the launches of a test. */
interface TestThread extends LaunchedThread {
  readonly launch: number;
  readonly warp: number;
}

/** How far two threads are from each other; the same instructions may meet at several distances. */
type Distance = 'in one warp' | 'in two warps' | 'in two CTAs of a cluster' | 'in two clusters' | 'of two launches';

/** Threads that touch the same bytes by one instruction. */
interface Toucher {
  readonly launch: number;
  readonly statement: number;
  readonly start: number;
  readonly end: number;
  readonly writes: boolean;
  readonly threads: TestThread[];
}

interface Touched {
  readonly location: string;
  readonly touchers: Map<string, Toucher>;
}

/** Of the threads that touch the same bytes by one instruction, so many of a warp, of a CTA, and of CTAs are kept. */
const KEPT = { lanes: 2, warps: 3, ctas: 4 } as const;
const WARP_SIZE = 32;
/** Accesses that are as aligned as they are wide (PTX ISA, ld, st, atom). */
const ALIGNED: ReadonlySet<string> = new Set(['load', 'store', 'atomic']);

/** Which bytes the threads of a test touch, as far as that is known before it is run. */
export class Meetings {
  private readonly places = new Map<string, Touched>();
  /** Atomics whose results are used, by launch and statement: who executes them. */
  readonly counters = new Map<string, Counter>();
  /** Threads that write what a condition asks for, by what and by which instruction. */
  readonly askedWriters = new Map<string, AskedWriters>();
  /** Threads whose access lies in no one location, or is not aligned, by launch and statement. */
  readonly outside = new Map<string, Outsiders>();
  /** Instructions of whose address nothing is known, by launch and statement: they may touch anything. */
  readonly anywhere = new Map<string, Pick<Toucher, 'launch' | 'statement' | 'writes'>>();

  constructor(private readonly asked: readonly AskedBytes[] = []) {}

  /** Notes what threads touch on their way. */
  hooks(
    launch: number,
    { shape, number }: Launch,
    locations: LocationTable,
    codeOf: (rank: number) => Code,
    threads: readonly LaunchedThread[],
  ): WalkHooks {
    const [first] = threads;
    const { rank } = clusterOf(shape, first?.cta ?? 0);
    const code = codeOf(rank);
    return {
      onOperation: (walk, path) => {
        const statement = code.statements[path.at];
        if (statement === undefined) return;
        if (statement.operation.kind === 'atomic' && statement.operation.target !== undefined)
          for (const place of path.lanes) this.count(launch, path.at, threads[place]);
        for (const { address, bytes, writes, origin, isWhole } of footprintsOf(
          statement.operation,
          walk,
          path,
          locations,
        ))
          path.lanes.forEach((place, lane) => {
            const thread = threads[place];
            const known = at(address, lane) ?? origin;
            if (known === undefined)
              this.anywhere.set(`${launch}.${path.at} ${writes}`, { launch, statement: path.at, writes });
            if (thread === undefined || known === undefined) return;
            const isExact = !isWhole && at(address, lane) !== undefined;
            const isAligned = !ALIGNED.has(statement.operation.kind) || known % BigInt(Math.max(1, bytes)) === 0n;
            if (isExact && (locations.at(known, bytes) === undefined || !isAligned))
              this.noteOutside(launch, path.at, thread);
            const range = locations.at(known, 1);
            if (range === undefined || range.object.owner !== undefined) return;
            const { object, base, name } = range;
            if (object.space === 'param' || object.space === 'const') return;
            const owner =
              object.space !== 'shared'
                ? ''
                : `@${number}/${ctasOfCluster(shape, clusterOf(shape, thread.cta).cluster)[rankOf(object.cta)] ?? 0}`;
            const start = isExact ? Number(known - base) : 0;
            const end = isExact ? start + bytes : object.size;
            if (writes) this.noteAsked({ launch, statement: path.at }, { name, start, end }, thread);
            this.note(`${name}${owner}`, name, {
              launch,
              statement: path.at,
              start,
              end,
              writes,
              threads: [{ ...thread, launch, warp: Math.floor(thread.tid / WARP_SIZE) }],
            });
          });
      },
    };
  }

  private noteOutside(launch: number, statement: number, thread: LaunchedThread): void {
    const key = `${launch}.${statement}`;
    const known = this.outside.get(key) ?? { launch, statement, threads: [] };
    this.outside.set(key, known);
    known.threads.push(thread);
  }

  private count(launch: number, statement: number, thread: LaunchedThread | undefined): void {
    if (thread === undefined) return;
    const key = `${launch}.${statement}`;
    const counter = this.counters.get(key) ?? { launch, statement, byCta: new Map() };
    this.counters.set(key, counter);
    const { byCta } = counter;
    byCta.set(thread.cta, (byCta.get(thread.cta) ?? new Set()).add(thread.tid));
  }

  private noteAsked(at: Pick<Toucher, 'launch' | 'statement'>, bytes: AskedBytes, thread: LaunchedThread): void {
    for (const asked of this.asked) {
      if (asked.name !== bytes.name || asked.end <= bytes.start || bytes.end <= asked.start) continue;
      const key = `${at.launch}.${at.statement} ${asked.name} ${asked.start}`;
      const known = this.askedWriters.get(key) ?? { ...at, asked, threads: new Map() };
      known.threads.set(`${thread.cta} ${thread.tid}`, thread);
      this.askedWriters.set(key, known);
    }
  }

  private note(place: string, location: string, { threads, ...touch }: Toucher): void {
    const touched = this.places.get(place) ?? { location, touchers: new Map() };
    this.places.set(place, touched);
    const key = `${touch.launch} ${touch.statement} ${touch.start} ${touch.end} ${touch.writes}`;
    const known = touched.touchers.get(key);
    if (known === undefined) touched.touchers.set(key, { ...touch, threads: [...threads] });
    else for (const thread of threads) if (isNews(known.threads, thread)) known.threads.push(thread);
  }

  /** The locations that a launch touches. */
  of(launch: number): readonly { readonly location: string; readonly writes: boolean }[] {
    return [...this.places.values()].flatMap(({ location, touchers }) =>
      [...touchers.values()].filter((one) => one.launch === launch).map(({ writes }) => ({ location, writes })),
    );
  }

  /** The pairs of instructions by which two threads touch a byte, at least one writing it, with threads that do. */
  pairs(launches: readonly FoundAccesses[]): ReadonlyMap<string, Pair> {
    const pairs = new Map<string, Pair>();
    for (const { touchers } of this.places.values()) {
      const sorted = [...touchers.values()].sort((a, b) => a.start - b.start);
      const open: Toucher[] = [];
      for (const one of sorted) {
        for (let i = open.length - 1; i >= 0; i--) if ((open[i]?.end ?? 0) <= one.start) open.splice(i, 1);
        open.push(one);
        for (const other of open) if (one.writes || other.writes) this.addPairs(pairs, launches, other, one);
      }
    }
    return pairs;
  }

  private addPairs(pairs: Map<string, Pair>, launches: readonly FoundAccesses[], a: Toucher, b: Toucher): void {
    const [x, y] = a.launch < b.launch || (a.launch === b.launch && a.statement <= b.statement) ? [a, b] : [b, a];
    for (const first of x.threads)
      for (const second of y.threads) {
        const distance = distanceOf(launches, first, second);
        if (distance === undefined) continue;
        const key = `${x.launch}.${x.statement} ${y.launch}.${y.statement} ${distance}`;
        const pair = pairs.get(key) ?? { first: x, second: y, distance, candidates: [] };
        pairs.set(key, pair);
        if (pair.candidates.length < MOST_CANDIDATES) pair.candidates.push([first, second]);
      }
  }
}

/** Bytes of a location that a condition asks for. */
export interface AskedBytes {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The threads that may write such bytes by one instruction. */
export interface AskedWriters {
  readonly launch: number;
  readonly statement: number;
  readonly asked: AskedBytes;
  readonly threads: Map<string, LaunchedThread>;
}

/** Threads of a launch that leave memory by one instruction. */
interface Outsiders {
  readonly launch: number;
  readonly statement: number;
  readonly threads: LaunchedThread[];
}

/** An atomic of a launch whose result is used: by CTA, the threads that execute it. */
interface Counter {
  readonly launch: number;
  readonly statement: number;
  readonly byCta: Map<number, Set<number>>;
}

const MOST_CANDIDATES = 16;

interface Pair {
  readonly first: Toucher;
  readonly second: Toucher;
  readonly distance: Distance;
  readonly candidates: (readonly [TestThread, TestThread])[];
}

const rankOf = (cta: string | undefined): number => Number(cta?.replace(/\D/g, '') ?? 0);

function isNews(known: readonly TestThread[], thread: TestThread): boolean {
  const inCta = known.filter(({ cta }) => cta === thread.cta);
  if (inCta.length === 0) return new Set(known.map(({ cta }) => cta)).size < KEPT.ctas;
  const inWarp = inCta.filter(({ warp }) => warp === thread.warp);
  if (inWarp.some(({ tid }) => tid === thread.tid)) return false;
  return inWarp.length === 0 ? new Set(inCta.map(({ warp }) => warp)).size < KEPT.warps : inWarp.length < KEPT.lanes;
}

function distanceOf(launches: readonly FoundAccesses[], a: TestThread, b: TestThread): Distance | undefined {
  if (a.launch !== b.launch) return 'of two launches';
  if (a.cta !== b.cta) {
    const shape = launches[a.launch]?.launch.shape;
    if (shape === undefined) return undefined;
    return clusterOf(shape, a.cta).cluster === clusterOf(shape, b.cta).cluster
      ? 'in two CTAs of a cluster'
      : 'in two clusters';
  }
  if (a.tid === b.tid) return undefined;
  return a.warp === b.warp ? 'in one warp' : 'in two warps';
}

/** A launch, with the threads that the test names of it; `isOpen`: others may be added. */
export interface ToCover extends FoundAccesses {
  readonly given: readonly LaunchedThread[];
  readonly isOpen: boolean;
}

export interface Covered {
  readonly threads: readonly LaunchedThread[];
  readonly pairs: number;
  readonly uncovered: readonly string[];
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
  const keyOf = ({ launch, cta, tid }: TestThread): string => `${launch} ${cta} ${tid}`;
  const all = (given: readonly (readonly LaunchedThread[])[]): ReadonlySet<string> =>
    new Set(
      launches.flatMap(({ launch, ways, isOpen }, index) =>
        (isOpen ? completed(launch.shape, given[index] ?? [], ways, false).threads : (given[index] ?? [])).map(
          ({ cta, tid }) => `${index} ${cta} ${tid}`,
        ),
      ),
    );
  let run = all(chosen);
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
  // Who writes what is asked is run, and who leaves memory.
  for (const { launch, threads } of [...meetings.outside.values(), ...meetings.askedWriters.values()]) {
    const [first] = threads.values();
    if (first === undefined || launches[launch]?.isOpen !== true) continue;
    if ([...threads.values()].some(({ cta, tid }) => run.has(`${launch} ${cta} ${tid}`))) continue;
    const more = chosen.map((list, index) => (index === launch ? [...list, first] : list));
    const next = all(more);
    if (next.size > mostThreads) continue;
    chosen[launch] = more[launch] ?? [];
    run = next;
  }
  // Who counts something counts with all others that do: a thread of each CTA, as far as that goes.
  for (const { launch, byCta } of meetings.counters.values()) {
    if (launches[launch]?.isOpen !== true) continue;
    for (const [cta, [tid = 0]] of [...byCta].sort(([a], [b]) => a - b)) {
      const more = chosen.map((list, index) => (index === launch ? [...list, { cta, tid }] : list));
      const next = all(more);
      if (next.size > mostThreads) break;
      chosen[launch] = more[launch] ?? [];
      run = next;
    }
  }
  const ran = all(chosen);
  const isRun = (launch: number, { cta, tid }: LaunchedThread): boolean => ran.has(`${launch} ${cta} ${tid}`);
  const counted = [...meetings.counters.values()].map((counter) => ({
    ...counter,
    ...countOf(counter, ran, launches),
  }));
  return launches.map(({ isOpen }, index) => {
    const remarks = [
      ...[...meetings.outside.values()]
        .filter(({ launch, threads }) => launch === index && !threads.some((one) => isRun(index, one)))
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
function textOf(launches: readonly ToCover[], { launch, statement }: Pick<Toucher, 'launch' | 'statement'>): string {
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
