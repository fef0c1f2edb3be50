import type { Code } from '../kernel/code.js';
import { clusterOf, type LaunchedThread } from '../kernel/grid.js';
import type { Launch } from '../kernel/resolve-launches.js';
import type { LocationTable } from '../program/locations.js';
import { footprintsOf, type MayChange } from './footprints.js';
import type { LockstepHooks } from './lockstep.js';

/** An instruction of a launch. */
interface OfLaunch {
  readonly launch: number;
  readonly statement: number;
}

/** Accesses that are as aligned as they are wide (PTX ISA, ld, st, atom). */
const ALIGNED: ReadonlySet<string> = new Set(['load', 'store', 'atomic']);

/** Which memory the threads of a test touch, as far as that is known before it is run. */
export class TouchedMemory {
  /** By launch, the locations that it writes. */
  private readonly written = new Map<number, Set<string>>();
  /** Atomics whose results are used, by launch and statement: who executes them. */
  readonly counters = new Map<string, Executed>();
  /** Threads that write what a condition asks for, by what and by which instruction. */
  readonly askedWriters = new Map<string, AskedWriters>();
  /** Threads whose access lies in no one location, or is not aligned, by launch and statement. */
  readonly outside = new Map<string, Executed>();
  /** Instructions of whose address nothing is known, by launch and statement: they may touch anything. */
  readonly anywhere = new Map<string, OfLaunch & { readonly writes: boolean }>();
  /** Locations with tensor maps through which something is written. */
  readonly mapsWritten = new Set<string>();

  constructor(private readonly asked: readonly AskedBytes[] = []) {}

  /** Notes what threads touch on their way. */
  hooks(
    launch: number,
    { shape }: Launch,
    locations: LocationTable,
    codeOf: (rank: number) => Code,
    threads: readonly LaunchedThread[],
    mayChange: MayChange,
  ): LockstepHooks {
    const [first] = threads;
    const { rank } = clusterOf(shape, first?.cta ?? 0);
    const code = codeOf(rank);
    return {
      onOperation: (lockstep, path) => {
        const statement = code.statements[path.at];
        if (statement === undefined) return;
        const here = { launch, statement: path.at };
        if (statement.operation.kind === 'atomic' && statement.operation.target !== undefined)
          for (const place of path.lanes) this.note(this.counters, here, threads[place]);
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
              this.note(this.outside, here, thread);
            const range = locations.at(address, 1);
            if (range === undefined || range.object.owner !== undefined) continue;
            const { object, base } = range;
            if (object.space === 'param' || object.space === 'const') continue;
            const name = locations.nameOf(object);
            const start = bytes === undefined ? 0 : Number(address - base);
            const end = bytes === undefined ? object.size : start + bytes;
            if (!writes) continue;
            this.written.set(launch, (this.written.get(launch) ?? new Set()).add(name));
            this.noteAsked(here, { name, start, end }, thread);
          }
        });
      },
    };
  }

  private note(all: Map<string, Executed>, { launch, statement }: OfLaunch, thread: LaunchedThread | undefined): void {
    if (thread === undefined) return;
    const key = `${launch}.${statement}`;
    const known = all.get(key) ?? { launch, statement, threads: new Map() };
    all.set(key, known);
    known.threads.set(`${thread.cta} ${thread.tid}`, thread);
  }

  private noteAsked(at: OfLaunch, bytes: AskedBytes, thread: LaunchedThread): void {
    for (const asked of this.asked) {
      if (asked.name !== bytes.name || asked.end <= bytes.start || bytes.end <= asked.start) continue;
      const key = `${at.launch}.${at.statement} ${asked.name} ${asked.start}`;
      const known = this.askedWriters.get(key) ?? { ...at, asked, threads: new Map() };
      known.threads.set(`${thread.cta} ${thread.tid}`, thread);
      this.askedWriters.set(key, known);
    }
  }

  /** The locations that a launch writes. */
  writtenBy(launch: number): ReadonlySet<string> {
    return this.written.get(launch) ?? new Set();
  }
}

/** Bytes of a location that a condition asks for. */
export interface AskedBytes {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** An instruction of a launch, and the threads that execute it. */
interface Executed extends OfLaunch {
  readonly threads: Map<string, LaunchedThread>;
}

/** The same of one that may write such bytes. */
interface AskedWriters extends Executed {
  readonly asked: AskedBytes;
}
