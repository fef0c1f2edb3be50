import { placeOf } from '../events/program-event.js';
import { TOKEN } from '../program/mbarrier-operation.js';
import type { Observable, Proposition } from '../program/program.js';
import { holds } from '../program/proposition.js';
import { EventSet } from '../relation/event-set.js';
import { Relation } from '../relation/relation.js';
import { initialBytes, rangesOverlap } from '../semantics/cells.js';
import { CONCRETE_VALUES, type ConcreteValue, settledResult } from '../semantics/concrete-values.js';
import { interpretThread } from '../semantics/interpret.js';
import type { EventRun } from '../semantics/value-domain.js';
import { runAsyncRelations } from './async-relations.js';
import { type BarrierPhase, runBarriers } from './barrier-phases.js';
import { barrierLevel } from './base-relations.js';
import type {
  AccessTarget,
  CandidateExecution,
  EventUniverse,
  FinalState,
  FinalWrite,
  ThreadEnd,
} from './candidate-execution.js';
import { checkOrders } from './check-orders.js';
import { runClusterBarriers } from './cluster-phases.js';
import { earlyArrivals } from './early-arrivals.js';
import { type MbarrierChoice, runMbarriers } from './mbarrier-histories.js';
import { runGrids } from './run-grids.js';
import { runLanes } from './run-lanes.js';

/** What determines an execution: the choices that an engine makes, and nothing that follows from them. */
export interface Choices {
  /** The value that each executed read takes. */
  readonly readValues: ReadonlyMap<number, bigint>;
  readonly barrierResults: ReadonlyMap<number, bigint>;
  /** The states that arrivals return, and what waits answer. */
  readonly mbarrierResults: ReadonlyMap<number, bigint>;
  readonly unspecified: ReadonlyMap<number, bigint>;
  /** By step, where its operands do not settle its value. */
  readonly open: ReadonlyMap<string, bigint>;
  readonly mbarriers: readonly MbarrierChoice[];
  /** How the threads stop. */
  readonly ends: readonly ThreadEnd[];
  /** For each run of bytes that a read takes from one write. */
  readonly sources: readonly {
    readonly write: number;
    readonly read: number;
    readonly objectId: number;
    readonly offset: number;
    readonly bytes: number;
  }[];
  readonly coherence: Relation;
  readonly fenceSc: Relation;
  /** Which barrier instructions met, of CTA and warp barriers together. */
  readonly barrierPhases: readonly BarrierPhase[];
  /** Of each CTA with a trigger for dependent grids, the first one. */
  readonly firstTriggers: readonly number[];
  /** For observed bytes, the write whose value is left at the end. */
  readonly finals: readonly FinalWrite[];
  /** Initial bytes that the test leaves unknown. */
  readonly initialByte: (objectId: number, offset: number) => number;
}

/**
 * Runs the threads with the chosen read values and works out everything else anew: which events are executed, where
 * they go and what they write. Throws if the choices do not fit together: the engine that made them has a bug.
 */
export function runProgram(universe: EventUniverse, choices: Choices): CandidateExecution {
  const { structure, initialWrites, events } = universe;
  const { program } = structure;
  const size = events.length;
  const executed = new EventSet(size);
  const values: (bigint | undefined)[] = [];
  const targets: (AccessTarget | undefined)[] = [];
  const runs: EventRun<ConcreteValue, boolean>[] = [];
  const kept = new Set(choices.ends.flatMap((end) => (end.kind === 'blocked' ? [end.event] : [])));
  const finalRegisters = structure.threads.map((unrolled, index) => {
    const run = interpretThread(structure, index, CONCRETE_VALUES, {
      read: (event) => ({ bits: choices.readValues.get(event.id) ?? 0n, width: event.type.width }),
      barrierResult: (event) => ({
        bits: choices.barrierResults.get(event.id) ?? 0n,
        width: event.barrier?.kind === 'barrier' ? (event.barrier.reduction?.resultWidth ?? 1) : 1,
      }),
      mbarrierResult: (event) => ({
        bits: choices.mbarrierResults.get(event.id) ?? 0n,
        width: event.mbarrier?.step === 'wait' ? 1 : TOKEN.width,
      }),
      open: (step, width, of, operands) => ({
        bits: choices.open.get(step) ?? settledResult(of, operands) ?? 0n,
        width,
      }),
      either: (step, [first, second]) => {
        const bits = choices.open.get(step) ?? first.bits;
        if (bits !== first.bits && bits !== second.bits) throw new Error(`${bits} is none of two values`);
        return { bits, width: first.width };
      },
      unspecified: (event) => ({ bits: choices.unspecified.get(event.id) ?? 0n, width: 64 }),
      passes: (event) => !kept.has(event.id),
    });
    const end = choices.ends[index];
    const stopped =
      end?.kind === 'ended'
        ? run.ended
        : end?.kind === 'blocked'
          ? run.blocked
          : end?.kind === 'trapped'
            ? run.trapped
            : run.spins.some((spins, i) => spins && unrolled.spins[i]?.round.join() === end?.round.join());
    if (!stopped) throw new Error(`${program.threads[index]?.name} does not run to its end`);
    for (const eventRun of run.events) {
      if (!eventRun.executed) continue;
      const { event, address, value } = eventRun;
      executed.add(event.id);
      runs[event.id] = eventRun;
      values[event.id] = value?.bits;
      const place = placeOf(event);
      if (address === undefined || place === undefined) continue;
      const bytes = place.type.width / 8;
      const found = program.locations.locate({ ...place, bytes }, event.placement, address.bits);
      if (found === undefined) throw new Error(`event ${event.id} leaves memory`);
      targets[event.id] = { object: found.range.object, offset: found.offset, bytes, virtualAddress: address.bits };
    }
    return run.registers;
  });
  const locations = program.locations;
  for (const { event, object, offset, bytes } of initialWrites) {
    executed.add(event.id);
    const base = locations.ranges.find((range) => range.object === object)?.base ?? 0n;
    targets[event.id] = { object, offset, bytes, virtualAddress: base + BigInt(offset) };
    values[event.id] = initialBytes(object, offset, bytes).reduce<bigint>(
      (value, byte, i) => value | (BigInt(byte ?? choices.initialByte(object.id, offset + i)) << BigInt(8 * i)),
      0n,
    );
  }

  const bytesOf = (event: number, offset: number, bytes: number): bigint => {
    const target = targets[event];
    const value = values[event];
    if (
      target === undefined ||
      value === undefined ||
      offset < target.offset ||
      offset + bytes > target.offset + target.bytes
    )
      throw new Error(`event ${event} does not cover bytes ${offset} to ${offset + bytes}`);
    return (value >> BigInt(8 * (offset - target.offset))) & ((1n << BigInt(8 * bytes)) - 1n);
  };
  checkSources(universe, choices, executed, targets, bytesOf);
  checkOrders(universe, executed, targets, choices.coherence, choices.fenceSc);

  const readsFrom = Relation.ofPairs(
    size,
    choices.sources.map(({ write, read }) => [write, read] as const),
  );
  const partialReadsFrom = Relation.ofPairs(
    size,
    [...readsFrom].filter(([write, read]) =>
      choices.sources.some((other) => other.read === read && other.write !== write),
    ),
  );
  const fromReads = new Relation(size);
  for (const { write, read, offset, bytes } of choices.sources) {
    for (const later of choices.coherence.successors(write)) {
      const target = targets[later];
      if (target !== undefined && rangesOverlap(target, { offset, bytes })) fromReads.add(read, later);
    }
  }
  const memory = [...executed].filter((event) => targets[event] !== undefined && events[event]?.kind !== 'fence');
  const related = (holdsFor: (a: AccessTarget, b: AccessTarget) => boolean): Relation =>
    Relation.ofPairs(
      size,
      memory.flatMap((a) =>
        memory.flatMap((b) => {
          const [x, y] = [targets[a], targets[b]];
          return x !== undefined && y !== undefined && x.object === y.object && rangesOverlap(x, y) && holdsFor(x, y)
            ? [[a, b] as const]
            : [];
        }),
      ),
    );
  const dependency = (of: (run: EventRun<ConcreteValue, boolean>) => ReadonlyMap<number, boolean>): Relation =>
    Relation.ofPairs(
      size,
      runs.flatMap((run) =>
        [...of(run)]
          .filter(([from, when]) => when && executed.has(from))
          .map(([from]) => [from, run.event.id] as const),
      ),
    );
  const ended = choices.ends.map(({ kind }) => kind === 'ended');
  const barriers = runBarriers(structure, choices.barrierPhases, { runs, ended, kept }, size);
  const atLevel = (level: 'cta' | 'warp'): Relation =>
    Relation.ofPairs(
      size,
      [...barriers.synchronization].filter(([a]) => barrierLevel(events[a]) === level),
    );
  const clusterBarriers = runClusterBarriers(structure, executed, ended, kept, size);
  const lanes = runLanes(structure, runs, ended, kept, size);
  const launches = runGrids(structure, executed, { ended, kept, firstTriggers: choices.firstTriggers }, size);
  const waits = [
    barriers.synchronization,
    barriers.exits,
    clusterBarriers.synchronization,
    clusterBarriers.exits,
    lanes.synchronization,
  ];
  const early = earlyArrivals(structure, executed, barriers.rearrivals, waits);
  const mbarriers = runMbarriers(structure.events, runs, targets, choices.mbarriers);
  const phase = Relation.ofPairs(size, [...mbarriers.phase]);
  const asynchronous = runAsyncRelations(structure, executed, targets, values, phase, ended, size);
  const finalState = finalStateOf(
    program.observed,
    finalRegisters.map((registers) => new Map([...registers].map(([name, value]) => [name, value.bits]))),
    choices,
    bytesOf,
  );

  return {
    universe,
    executed,
    targets,
    values,
    finalState,
    finalWrites: choices.finals,
    ends: choices.ends,
    mbarriers: mbarriers.histories,
    answers: new Map(
      mbarriers.histories.flatMap(({ waits }) =>
        waits.map(({ event }) => [event, choices.mbarrierResults.get(event) === 1n] as const),
      ),
    ),
    violations: [
      ...barriers.violations,
      ...early,
      ...mbarriers.violations,
      ...clusterBarriers.violations,
      ...lanes.violations,
      ...asynchronous.violations,
    ],
    relations: {
      readsFrom,
      partialReadsFrom,
      coherence: choices.coherence,
      fromReads,
      fenceSc: choices.fenceSc,
      barrierSynchronization: atLevel('cta'),
      warpSynchronization: atLevel('warp'),
      clusterSynchronization: clusterBarriers.synchronization,
      exitSynchronization: clusterBarriers.exits.union(barriers.exits),
      rearrival: barriers.rearrivals,
      lateArrival: barriers.lateArrivals,
      laneSynchronization: lanes.synchronization,
      mbarrierOrder: Relation.ofPairs(size, [...mbarriers.order]),
      mbarrierPhase: phase,
      completion: asynchronous.completion,
      fenceCoverage: asynchronous.coverage,
      sharedMemoryExit: asynchronous.exits,
      launches,
      sameLocation: related(() => true),
      sameVirtualLocation: related(
        (x, y) =>
          x.virtualAddress < y.virtualAddress + BigInt(y.bytes) &&
          y.virtualAddress < x.virtualAddress + BigInt(x.bytes),
      ),
      partialOverlap: Relation.ofPairs(
        size,
        [...related((x, y) => x.offset !== y.offset || x.bytes !== y.bytes)].filter(
          ([a, b]) => events[a]?.thread !== undefined && events[b]?.thread !== undefined,
        ),
      ),
      addressDependency: dependency((run) => run.addressDependencies),
      dataDependency: dependency((run) => run.dataDependencies),
      controlDependency: dependency((run) => run.controlDependencies),
    },
  };
}

/** Every byte of every executed read comes from exactly one executed write that has that value there. */
function checkSources(
  { structure }: EventUniverse,
  choices: Choices,
  executed: EventSet,
  targets: readonly (AccessTarget | undefined)[],
  bytesOf: (event: number, offset: number, bytes: number) => bigint,
): void {
  const covered = new Map<number, readonly { readonly offset: number; readonly bytes: number }[]>();
  for (const { write, read, objectId, offset, bytes } of choices.sources) {
    if (!executed.has(write) || !executed.has(read))
      throw new Error(`rf(${write}, ${read}) between events that are not executed`);
    if (targets[write]?.object.id !== objectId || targets[read]?.object.id !== objectId)
      throw new Error(`rf(${write}, ${read}) between different locations`);
    const isUnstable = structure.events[write]?.tags.has('UNSTABLE') === true;
    if (!isUnstable && bytesOf(write, offset, bytes) !== bytesOf(read, offset, bytes))
      throw new Error(`rf(${write}, ${read}) between different values`);
    const earlier = covered.get(read) ?? [];
    if (earlier.some((other) => rangesOverlap(other, { offset, bytes })))
      throw new Error(`read ${read} has two sources for one byte`);
    covered.set(read, [...earlier, { offset, bytes }]);
  }
  for (const { id, kind } of structure.events) {
    if (kind !== 'read' || !executed.has(id)) continue;
    const bytes = (covered.get(id) ?? []).reduce((sum, range) => sum + range.bytes, 0);
    if (bytes !== targets[id]?.bytes) throw new Error(`read ${id} has no source for each of its bytes`);
  }
  for (const { write, objectId, offset, bytes } of choices.finals) {
    for (const later of choices.coherence.successors(write)) {
      const target = targets[later];
      if (target !== undefined && target.object.id === objectId && rangesOverlap(target, { offset, bytes }))
        throw new Error(`write ${write} is final, but not coherence-maximal`);
    }
  }
}

function finalStateOf(
  observed: readonly Observable[],
  registers: readonly ReadonlyMap<string, bigint>[],
  choices: Choices,
  bytesOf: (event: number, offset: number, bytes: number) => bigint,
): FinalState {
  const state = new Map<string, bigint>();
  for (const observable of observed) {
    if (observable.kind === 'register') {
      state.set(observable.name, registers[observable.thread]?.get(observable.register) ?? 0n);
      continue;
    }
    const end = observable.offset + observable.type.width / 8;
    const parts = choices.finals.filter(
      (final) =>
        final.objectId === observable.object.id &&
        final.offset >= observable.offset &&
        final.offset + final.bytes <= end,
    );
    state.set(
      observable.name,
      parts.reduce(
        (value, { write, offset, bytes }) =>
          value | (bytesOf(write, offset, bytes) << BigInt(8 * (offset - observable.offset))),
        0n,
      ),
    );
  }
  return state;
}

/** Whether a proposition holds of a final state. */
export function holdsOf(proposition: Proposition, state: FinalState): boolean {
  return holds(proposition, (observable) => state.get(observable.name) ?? 0n);
}
