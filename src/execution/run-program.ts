import type { Observable, Proposition } from '../program/program.js';
import { holds } from '../program/proposition.js';
import { rangesOverlap } from '../semantics/cells.js';
import { runAsyncRelations } from './async-relations.js';
import { runBarriers } from './barrier-phases.js';
import type { CandidateExecution, EventUniverse, FinalState } from './candidate-execution.js';
import { checkOrders } from './check-orders.js';
import type { Choices } from './choices.js';
import { runClusterBarriers } from './cluster-phases.js';
import { earlyArrivals } from './early-arrivals.js';
import { runMbarriers } from './mbarrier-histories.js';
import { dependencies, readsFromAndReads, sharedBytes } from './memory-relations.js';
import { runGrids } from './run-grids.js';
import { runLanes } from './run-lanes.js';
import { type RunThreads, runThreads } from './run-threads.js';

/**
 * Runs the threads with the chosen read values and works out everything else anew: which events are executed, where
 * they go and what they write. Throws if the choices do not fit together: the engine that made them has a bug.
 */
export function runProgram(universe: EventUniverse, choices: Choices): CandidateExecution {
  const { coherence, fenceSc } = choices;
  const threads = runThreads(universe, choices);
  const { executed, targets, values } = threads;
  checkSources(threads, choices);
  checkOrders(threads, coherence, fenceSc);
  const barriers = runBarriers(threads, choices.barrierPhases);
  const clusterBarriers = runClusterBarriers(threads);
  const lanes = runLanes(threads);
  const launches = runGrids(threads, choices.firstTriggers);
  const meetings = {
    ...barriers.relations,
    ...clusterBarriers.relations,
    ...lanes.relations,
    exitSynchronization: clusterBarriers.relations.exitSynchronization.union(barriers.relations.exitSynchronization),
  };
  const early = earlyArrivals(threads, meetings);
  const mbarriers = runMbarriers(threads, choices.mbarriers);
  const asynchronous = runAsyncRelations(threads, mbarriers.relations.mbarrierPhase);
  const parts = [mbarriers, clusterBarriers, lanes, asynchronous];
  return {
    ...{ universe, executed, targets, values },
    finalState: finalStateOf(threads, choices),
    finalWrites: choices.finals,
    ends: choices.ends,
    mbarriers: mbarriers.histories,
    answers: new Map(
      mbarriers.histories.flatMap(({ waits }) =>
        waits.map(({ event }) => [event, choices.mbarrierResults.get(event) === 1n] as const),
      ),
    ),
    violations: [...barriers.violations, ...early, ...parts.flatMap(({ violations }) => violations)],
    relations: {
      ...{ coherence, fenceSc, launches },
      ...readsFromAndReads(threads, choices),
      ...sharedBytes(threads),
      ...dependencies(threads),
      ...meetings,
      ...mbarriers.relations,
      ...asynchronous.relations,
    },
  };
}

/** What an executed event reads or writes of some bytes. */
function bytesOf({ targets, values }: RunThreads, event: number, offset: number, bytes: number): bigint {
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
}

/** Every byte of every executed read comes from exactly one executed write that has that value there. */
function checkSources(threads: RunThreads, choices: Choices): void {
  const { executed, targets } = threads;
  const { structure } = threads.universe;
  const covered = new Map<number, readonly { readonly offset: number; readonly bytes: number }[]>();
  for (const { write, read, objectId, offset, bytes } of choices.sources) {
    if (!executed.has(write) || !executed.has(read))
      throw new Error(`rf(${write}, ${read}) between events that are not executed`);
    if (targets[write]?.object.id !== objectId || targets[read]?.object.id !== objectId)
      throw new Error(`rf(${write}, ${read}) between different locations`);
    const isUnstable = structure.events[write]?.tags.has('UNSTABLE') === true;
    if (!isUnstable && bytesOf(threads, write, offset, bytes) !== bytesOf(threads, read, offset, bytes))
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

function finalStateOf(threads: RunThreads, { finals }: Choices): FinalState {
  const valueOf = (observable: Observable): bigint => {
    if (observable.kind === 'register')
      return threads.registers[observable.thread]?.get(observable.register)?.bits ?? 0n;
    const end = observable.offset + observable.type.width / 8;
    return finals
      .filter(
        ({ objectId, offset, bytes }) =>
          objectId === observable.object.id && offset >= observable.offset && offset + bytes <= end,
      )
      .reduce(
        (value, { write, offset, bytes }) =>
          value | (bytesOf(threads, write, offset, bytes) << BigInt(8 * (offset - observable.offset))),
        0n,
      );
  };
  return new Map(threads.universe.structure.program.observed.map((one) => [one.name, valueOf(one)]));
}

/** Whether a proposition holds of a final state. */
export function holdsOf(proposition: Proposition, state: FinalState): boolean {
  return holds(proposition, (observable) => state.get(observable.name) ?? 0n);
}
