import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { Code } from '../launch/code.js';
import { demangled } from '../launch/demangle.js';
import { clusterOf, type LaunchedThread, laneOf, registersOf, volume } from '../launch/grid.js';
import { each, type LaneValue } from '../launch/lane-value.js';
import { Residue, type ResidueSettings } from '../launch/residue.js';
import type { Launch } from '../launch/resolve-launches.js';
import type { Chosen, RunThread } from '../launch/run-threads.js';
import { type KnownMemory, Walk, type WalkHooks, walked } from '../launch/walk.js';
import { initialValue, type LocationTable, type MemoryObject } from '../program/locations.js';
import type { LaunchFacts } from '../program/program.js';
import type { PlannedLaunch } from './plan-launches.js';

/** A thread that is run, of a launch. */
export interface PlannedThread extends RunThread {
  readonly planned: PlannedLaunch;
}

/** Which threads of a launch are run, and what was found on the way. */
export interface ChosenThreads {
  readonly chosen: Chosen;
  readonly pairs: number;
  readonly uncovered: readonly string[];
  readonly elsewhere: readonly string[];
  readonly notes: readonly string[];
  readonly remarks: readonly string[];
  readonly choice: LaunchFacts['choice'];
}

/** The code of a kernel as threads of one rank of a cluster run it. */
export type CodeOf = (rank: number) => Code;

/** All threads of a launch. */
export const threadsOf = ({ shape }: Launch): readonly LaunchedThread[] =>
  Array.from({ length: volume(shape.grid) * volume(shape.block) }, (_, i) => ({
    cta: Math.floor(i / volume(shape.block)),
    tid: i % volume(shape.block),
  }));

/** The predefined registers of some threads, as far as a kernel names them. */
export function specialValues(
  { launch, special }: PlannedLaunch,
  threads: readonly LaunchedThread[],
): ReadonlyMap<string, LaneValue> {
  if (special.size === 0) return new Map();
  const own = threads.map((thread) => registersOf(launch.shape, thread));
  return new Map([...special].map((name) => [name, each(threads.length, (lane) => own[lane]?.get(name))]));
}

/** Whether memory may change while the test runs. */
export type IsWritten = (object: MemoryObject) => boolean;

/** Memory whose contents are known before the launch: that of which only `isWritten` may say otherwise. */
export function knownMemory(locations: LocationTable, isWritten: IsWritten): KnownMemory {
  const contents: KnownMemory['contents'] = (address, bytes) => {
    const range = locations.at(address, bytes);
    if (range === undefined || range.object.space === 'local' || range.object.mbarrier !== undefined) return undefined;
    if (range.object.space === 'shared' || isWritten(range.object)) return undefined;
    return initialValue(range.object, Number(address - range.base), bytes);
  };
  return { contents, baseOf: (address) => locations.at(address, 1)?.base };
}

/** Lets threads walk through a kernel; gives those that go the same way, group by group. */
export function walkThreads(
  planned: PlannedLaunch,
  codeOf: CodeOf,
  threads: readonly LaunchedThread[],
  memory: KnownMemory,
  widened: Set<number>,
  hooksOf: (threads: readonly LaunchedThread[]) => WalkHooks = () => ({}),
): readonly (readonly LaunchedThread[])[] {
  const { shape } = planned.launch;
  const byRank = new Map<number, LaunchedThread[]>();
  for (const thread of threads) {
    const { rank } = clusterOf(shape, thread.cta);
    const list = byRank.get(rank);
    if (list === undefined) byRank.set(rank, [thread]);
    else list.push(thread);
  }
  return [...byRank].flatMap(([rank, own]) =>
    walked(() => {
      const lanes = own.map((thread) => laneOf(shape, thread));
      const walk = new Walk(codeOf(rank), lanes, memory, widened, hooksOf(own));
      return walk.run(specialValues(planned, own));
    }).map((group) => group.map((lane) => own[lane] ?? { cta: 0, tid: 0 })),
  );
}

/** What is left of a kernel for one run thread. */
export function residueOf(
  { planned, cta, tid, represents }: PlannedThread,
  code: Code,
  way: readonly number[],
  memory: KnownMemory,
  widened: Set<number>,
  told: Omit<ResidueSettings, 'threads' | 'shape' | 'weight'>,
): { readonly residue: Residue; readonly diagnostics: readonly Diagnostic[] } {
  const { shape } = planned.launch;
  const own = laneOf(shape, { cta, tid });
  const mates = way.filter((other) => laneOf(shape, { cta, tid: other }).warp === own.warp);
  const threads = mates.map((other) => ({ cta, tid: other }));
  const diagnostics = new Map<number, Diagnostic>();
  const make = (lane: number): Residue => new Residue(lane, { ...told, threads, shape, weight: 1 + represents.length });
  let residue = make(0);
  walked(() => {
    diagnostics.clear();
    residue = make(mates.indexOf(tid));
    const walk = new Walk(
      code,
      threads.map((thread) => laneOf(shape, thread)),
      memory,
      widened,
      {
        onRefused: (statement) => {
          const found = code.refused.get(statement);
          if (found !== undefined) diagnostics.set(statement, found);
        },
      },
    );
    return walk.run(specialValues(planned, threads), residue);
  });
  return { residue, diagnostics: [...diagnostics.values()] };
}

export const kernelName = ({ entry }: Launch): string => demangled(entry.name);
