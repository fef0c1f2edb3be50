import type { IsWritten } from '../build/cut-tiles.js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { Code } from '../kernel/code.js';
import { demangled } from '../kernel/demangle.js';
import { clusterOf, type LaunchedThread, laneOf, PREDEFINED, volume } from '../kernel/grid.js';
import type { PlannedLaunch } from '../kernel/plan-launches.js';
import type { Launch } from '../kernel/resolve-launches.js';
import { allows, initialValue, isInWindow, type LocationTable } from '../program/locations.js';
import type { CheckBudget } from '../program/undecided.js';
import { each, type LaneValue } from './lane-value.js';
import { type KnownMemory, Lockstep, type LockstepHooks, widening } from './lockstep.js';
import type { RunThread } from './run-threads.js';
import { type SpecializationSettings, SpecializedProgram } from './specialized-program.js';

/** A thread that is run, of a launch. */
export interface PlannedThread extends RunThread {
  readonly planned: PlannedLaunch;
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
  const of = (name: string, thread: LaunchedThread | undefined): bigint | undefined =>
    thread && PREDEFINED.get(name)?.(launch.shape, thread);
  return new Map([...special].map((name) => [name, each(threads.length, (lane) => of(name, threads[lane]))]));
}

/** Memory whose contents are known before the launch: that of which only `isWritten` may say otherwise. */
export function knownMemory(locations: LocationTable, isWritten: IsWritten): KnownMemory {
  const contents: KnownMemory['contents'] = (address, bytes, access) => {
    const range = locations.at(access.address, access.bytes);
    if (range === undefined || access.address % BigInt(access.bytes) !== 0n) return undefined;
    if (!isInWindow(range.object.space, access.window) || !allows(range.object.space, access.manner)) return undefined;
    if (range.object.space === 'local' || range.object.mbarrier !== undefined) return undefined;
    if (range.object.space === 'shared' || isWritten(range.object)) return undefined;
    return initialValue(range.object, Number(address - range.base), bytes);
  };
  return { contents, baseOf: (address) => locations.at(address, 1)?.base };
}

/** Follows threads through a kernel; gives those that go the same way, group by group. */
export function followThreads(
  planned: PlannedLaunch,
  codeOf: CodeOf,
  threads: readonly LaunchedThread[],
  memory: KnownMemory,
  widened: Set<number>,
  hooksOf: (code: Code) => LockstepHooks = () => ({}),
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
    widening(() => {
      const lanes = own.map((thread) => laneOf(shape, thread));
      const code = codeOf(rank);
      const lockstep = new Lockstep(code, lanes, memory, widened, hooksOf(code));
      return lockstep.run(specialValues(planned, own));
    }).map((group) => group.map((lane) => own[lane] ?? { cta: 0, tid: 0 })),
  );
}

/** What is left of a kernel for one run thread. */
export function specialize(
  { planned, cta, tid, represents }: PlannedThread,
  code: Code,
  way: readonly number[],
  memory: KnownMemory,
  widened: Set<number>,
  told: Omit<SpecializationSettings, 'threads' | 'shape' | 'weight'>,
  checkBudget: CheckBudget,
): { readonly specialized: SpecializedProgram; readonly diagnostics: readonly Diagnostic[] } {
  const { shape } = planned.launch;
  const own = laneOf(shape, { cta, tid });
  const mates = way.filter((other) => laneOf(shape, { cta, tid: other }).warp === own.warp);
  const threads = mates.map((other) => ({ cta, tid: other }));
  const diagnostics = new Map<number, Diagnostic>();
  const make = (lane: number): SpecializedProgram =>
    new SpecializedProgram(lane, { ...told, threads, shape, weight: 1 + represents.length });
  let specialized = make(0);
  widening(() => {
    diagnostics.clear();
    specialized = make(mates.indexOf(tid));
    const lockstep = new Lockstep(
      code,
      threads.map((thread) => laneOf(shape, thread)),
      memory,
      widened,
      {
        checkBudget,
        onRefused: (statement) => {
          const found = code.refused.get(statement);
          if (found !== undefined) diagnostics.set(statement, found);
        },
      },
    );
    return lockstep.run(specialValues(planned, threads), specialized);
  });
  return { specialized, diagnostics: [...diagnostics.values()] };
}

export const kernelName = ({ entry }: Launch): string => demangled(entry.name);
