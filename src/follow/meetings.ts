import type { Code } from '../kernel/code.js';
import { clusterOf, ctasOfCluster, type LaunchedThread, WARP_SIZE } from '../kernel/grid.js';
import type { Launch } from '../kernel/resolve-launches.js';
import type { LocationTable } from '../program/locations.js';
import { footprintsOf, type MayChange } from './footprints.js';
import type { LockstepHooks } from './lockstep.js';
import type { Path } from './path.js';
import type { Ways } from './run-threads.js';

/** What following the threads of a launch found. */
export interface FoundAccesses {
  readonly launch: Launch;
  readonly code: Code | undefined;
  readonly ways: Ways;
}

/** A thread of one of the launches of a test. */
export interface TestThread extends LaunchedThread {
  readonly launch: number;
  readonly warp: number;
}

/** How far two threads are from each other; the same instructions may meet at several distances. */
type Distance = 'in one warp' | 'in two warps' | 'in two CTAs of a cluster' | 'in two clusters' | 'of two launches';

/** Threads that touch the same bytes by one instruction. */
export interface Access {
  readonly launch: number;
  readonly statement: number;
  readonly start: number;
  readonly end: number;
  readonly writes: boolean;
  readonly threads: TestThread[];
}

interface AccessedBytes {
  readonly location: string;
  readonly accesses: Map<string, Access>;
}

/** Of the threads that touch the same bytes by one instruction, so many of a warp, of a CTA, and of CTAs are kept. */
const KEPT = { lanes: 2, warps: 3, ctas: 4 } as const;
const STOPS: ReadonlySet<string> = new Set(['barrier', 'cluster-barrier', 'mbarrier']);
/** Accesses that are as aligned as they are wide (PTX ISA, ld, st, atom). */
const ALIGNED: ReadonlySet<string> = new Set(['load', 'store', 'atomic']);

/** Which bytes the threads of a test touch, as far as that is known before it is run. */
export class Meetings {
  private readonly places = new Map<string, AccessedBytes>();
  /** Atomics whose results are used, by launch and statement: who executes them. */
  readonly counters = new Map<string, Counter>();
  /** Threads that write what a condition asks for, by what and by which instruction. */
  readonly askedWriters = new Map<string, AskedWriters>();
  /** Threads whose access lies in no one location, or is not aligned, by launch and statement. */
  readonly outside = new Map<string, Outsiders>();
  /** By the threads that are followed together, which may begin again. */
  private readonly stopsOf = new Map<readonly LaunchedThread[], { launch: number; stops: readonly number[][] }>();
  /** Instructions of whose address nothing is known, by launch and statement: they may touch anything. */
  readonly anywhere = new Map<string, Pick<Access, 'launch' | 'statement' | 'writes'>>();

  /** Locations with tensor maps through which something is written. */
  readonly mapsWritten = new Set<string>();

  constructor(private readonly asked: readonly AskedBytes[] = []) {}

  /** Notes what threads touch on their way. */
  hooks(
    launch: number,
    { shape, number }: Launch,
    locations: LocationTable,
    codeOf: (rank: number) => Code,
    threads: readonly LaunchedThread[],
    mayChange: MayChange,
  ): LockstepHooks {
    const [first] = threads;
    const { rank } = clusterOf(shape, first?.cta ?? 0);
    const code = codeOf(rank);
    const stops = threads.map((): number[] => []);
    this.stopsOf.set(threads, { launch, stops });
    const stop = ({ lanes, at }: Path): void => {
      for (const place of lanes) stops[place]?.push(at);
    };
    return {
      onStop: stop,
      onOperation: (lockstep, path) => {
        const statement = code.statements[path.at];
        if (statement === undefined) return;
        if (STOPS.has(statement.operation.kind)) stop(path);
        if (statement.operation.kind === 'atomic' && statement.operation.target !== undefined)
          for (const place of path.lanes) this.count(launch, path.at, threads[place]);
        const footprints = footprintsOf(statement.operation, lockstep, path, locations, mayChange);
        path.lanes.forEach((place, lane) => {
          const thread = threads[place];
          if (thread === undefined) return;
          for (const { address, bytes, writes, map } of footprints(lane)) {
            if (map !== undefined && writes) this.mapsWritten.add(locations.nameOf(map));
            if (address === undefined) {
              this.anywhere.set(`${launch}.${path.at} ${writes}`, { launch, statement: path.at, writes });
              continue;
            }
            const isAligned =
              !ALIGNED.has(statement.operation.kind) || address % BigInt(Math.max(1, bytes ?? 1)) === 0n;
            if (bytes !== undefined && (locations.at(address, bytes) === undefined || !isAligned))
              this.noteOutside(launch, path.at, thread);
            const range = locations.at(address, 1);
            if (range === undefined || range.object.owner !== undefined) continue;
            const { object, base } = range;
            if (object.space === 'param' || object.space === 'const') continue;
            const name = locations.nameOf(object);
            const owner =
              object.space !== 'shared'
                ? ''
                : `@${number}/${ctasOfCluster(shape, clusterOf(shape, thread.cta).cluster)[rankOf(object.cta)] ?? 0}`;
            const start = bytes === undefined ? 0 : Number(address - base);
            const end = bytes === undefined ? object.size : start + bytes;
            if (writes) this.noteAsked({ launch, statement: path.at }, { name, start, end }, thread);
            this.note(`${name}${owner}`, name, {
              launch,
              statement: path.at,
              start,
              end,
              writes,
              threads: [{ ...thread, launch, warp: Math.floor(thread.tid / WARP_SIZE) }],
            });
          }
        });
      },
    };
  }

  /**
   * Threads by where they may stop: the barriers, waits and traps that they come to, in order. Where those of one CTA
   * stop elsewhere than those of another, one of each has to be run.
   */
  get stops(): readonly Outsiders[] {
    const found = new Map<string, Outsiders>();
    for (const [threads, { launch, stops }] of this.stopsOf)
      threads.forEach((thread, place) => {
        const own = stops[place] ?? [];
        const key = `${launch} ${own.join()}`;
        const known = found.get(key) ?? { launch, statement: own.at(-1) ?? 0, threads: [] };
        found.set(key, known);
        known.threads.push(thread);
      });
    return [...found.values()];
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

  private noteAsked(at: Pick<Access, 'launch' | 'statement'>, bytes: AskedBytes, thread: LaunchedThread): void {
    for (const asked of this.asked) {
      if (asked.name !== bytes.name || asked.end <= bytes.start || bytes.end <= asked.start) continue;
      const key = `${at.launch}.${at.statement} ${asked.name} ${asked.start}`;
      const known = this.askedWriters.get(key) ?? { ...at, asked, threads: new Map() };
      known.threads.set(`${thread.cta} ${thread.tid}`, thread);
      this.askedWriters.set(key, known);
    }
  }

  private note(place: string, location: string, { threads, ...touch }: Access): void {
    const touched = this.places.get(place) ?? { location, accesses: new Map() };
    this.places.set(place, touched);
    const key = `${touch.launch} ${touch.statement} ${touch.start} ${touch.end} ${touch.writes}`;
    const known = touched.accesses.get(key);
    if (known === undefined) touched.accesses.set(key, { ...touch, threads: [...threads] });
    else for (const thread of threads) if (isNews(known.threads, thread)) known.threads.push(thread);
  }

  /** The locations that a launch touches. */
  of(launch: number): readonly { readonly location: string; readonly writes: boolean }[] {
    return [...this.places.values()].flatMap(({ location, accesses }) =>
      [...accesses.values()].filter((one) => one.launch === launch).map(({ writes }) => ({ location, writes })),
    );
  }

  /** The pairs of instructions by which two threads touch a byte, at least one writing it, with threads that do. */
  pairs(launches: readonly FoundAccesses[]): ReadonlyMap<string, Pair> {
    const pairs = new Map<string, Pair>();
    for (const { accesses } of this.places.values()) {
      const sorted = [...accesses.values()].sort((a, b) => a.start - b.start);
      const open: Access[] = [];
      for (const one of sorted) {
        for (let i = open.length - 1; i >= 0; i--) if ((open[i]?.end ?? 0) <= one.start) open.splice(i, 1);
        open.push(one);
        for (const other of open) if (one.writes || other.writes) this.addPairs(pairs, launches, other, one);
      }
    }
    return pairs;
  }

  private addPairs(pairs: Map<string, Pair>, launches: readonly FoundAccesses[], a: Access, b: Access): void {
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

/** Threads of a launch, and an instruction by which they leave memory, or the last at which they may stop. */
interface Outsiders {
  readonly launch: number;
  readonly statement: number;
  readonly threads: LaunchedThread[];
}

/** An atomic of a launch whose result is used: by CTA, the threads that execute it. */
export interface Counter {
  readonly launch: number;
  readonly statement: number;
  readonly byCta: Map<number, Set<number>>;
}

const MOST_CANDIDATES = 16;

export interface Pair {
  readonly first: Access;
  readonly second: Access;
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
