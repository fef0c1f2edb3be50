import type { ProgramEvent } from '../events/program-event.js';
import { asyncOperationOf, awaitedBy, isIssuedLate } from './async-groups.js';
import {
  activeMaskStates,
  arriveState,
  clusterArriveState,
  clusterGoesOn,
  clusterWaitState,
  exitsFromBarriers,
  lanesGoOn,
} from './barriers.js';
import { bitsOf, has, NONE } from './bits.js';
import { recordOrder } from './findings.js';
import { gridStates, keepsPromises, mayGoOn, mustGoOn, startsAsOne } from './grids.js';
import { executeFence, knowledgeOf, orderedBefore } from './learning.js';
import { overlap } from './location.js';
import type { MachineContext, PartialRun } from './machine-context.js';
import { operationState, waitStates } from './mbarriers.js';
import { isAccess } from './moral-strength.js';
import { executeProxyFence } from './proxies.js';
import { atomicStates, readStates, writeStates } from './read-and-write.js';
import { State } from './state.js';
import { waitsForPipeline } from './tensor-memory.js';

/** The machine: which operations can be executed in a state, and what they make of it. */

/** One operation, and the states to which it may lead. */
export interface Step {
  readonly event: ProgramEvent;
  readonly states: readonly State[];
}

/** Where runs begin: one state, or those that choices before all operations make of it. */
export function initialStates(context: MachineContext): readonly State[] {
  return decided(State.first(context));
}

/**
 * The states that a state stands for: where a thread has come to one of two values, those in which it has taken
 * either. Nobody else knows of it, so that nothing is lost by choosing at once.
 */
function decided(state: State): readonly State[] {
  if (!state.context.hasChoices) return [state];
  for (const [thread] of state.context.structure.threads.entries()) {
    const { undecided } = state.view(thread);
    if (undecided === undefined) continue;
    return [0, 1].flatMap((which) => {
      const next = state.copy();
      next.choose(thread, undecided, which);
      return decided(next);
    });
  }
  return [state];
}

/** The operations that can be executed now. */
export function enabledIn(state: State): readonly ProgramEvent[] {
  return state.context.structure.threads.flatMap((_, thread) => {
    const { ready, runs } = state.view(thread);
    return ready.filter((event) => (state.isDone(event.id) ? isWaiting(state, event) : canExecute(state, event, runs)));
  });
}

/**
 * A barrier that its thread has come to, and that has not let it go; only these two kinds look again by themselves.
 */
function isWaiting(state: State, event: ProgramEvent): boolean {
  if (state.hasPassed(event.id)) return false;
  if (event.grid !== undefined) return mayGoOn(state, event.grid);
  if (event.barrier === undefined) return false;
  return event.barrier.kind === 'cluster-barrier'
    ? clusterGoesOn(state, event) !== undefined
    : event.barrier.level === 'lanes' && lanesGoOn(state, event).length > 0;
}

function canExecute(state: State, event: ProgramEvent, runs: ReadonlyMap<number, PartialRun>): boolean {
  // The write of an atomic comes with its read.
  if (event.kind === 'write' && event.partner !== undefined) return false;
  const run = runs.get(event.id);
  if (run === undefined || !dependenciesAreDone(state, run, runs) || !operandsAreKnown(event, run)) return false;
  const partner = event.partner === undefined ? undefined : runs.get(event.partner);
  if (partner !== undefined && !dependenciesAreDone(state, partner, runs, event.id)) return false;
  // Of what may turn out not to be executed the machine presumes that: isPossible drops the other runs.
  const pending = (other: number): boolean =>
    (!state.isDone(other) || state.isKept(state.context.event(other))) && runs.get(other)?.executed === true;
  if ((state.context.waitedFor[event.id] ?? []).some(pending)) return false;
  if (event.group !== undefined)
    return awaitedBy(state, event).every(({ id }) => state.isDone(id) || runs.get(id)?.executed === false);
  if (!isAccess(event)) return true;
  if (event.tags.has('TMEM')) return !waitsForPipeline(state, event);
  // Overlapping bytes: in program order.
  const at = state.locationOf(event.id);
  return !state.context.accesses.some((other) => {
    if (!has(state.context.earlier[event.id] ?? NONE, other.id) || !pending(other.id)) return false;
    const location = state.locationOf(other.id);
    return at !== undefined && location !== undefined && overlap(at, location);
  });
}

/**
 * Nothing need happen any more: all that could is that dependent grids start before the others are over, which
 * nothing promises (PTX ISA 9.7.15.14).
 */
export const mayRest = (state: State): boolean =>
  enabledIn(state).every((event) => isOptional(state, event)) && startsAsOne(state);

/** A dependent grid may start early, and nothing promises that it does. */
export const isOptional = (state: State, { id, grid }: ProgramEvent): boolean =>
  grid !== undefined && state.isDone(id) && !mustGoOn(state, grid);

/** What an operation leads to; no state where it went too early, so that the run never was. */
export function execute(state: State, event: ProgramEvent): readonly State[] {
  return statesAfter(state, event)
    .filter((next) => keepsPromises(next, false) && isPossible(next, event))
    .flatMap((next) => decided(next));
}

function statesAfter(state: State, event: ProgramEvent): readonly State[] {
  if (hasLeftMemory(state, event)) {
    const next = state.copy();
    next.find('outside-memory', [event.id]);
    next.hasLeftMemory = true;
    return [next];
  }
  switch (event.kind) {
    case 'read':
      return event.partner === undefined ? readStates(state, event) : atomicStates(state, event);
    case 'write':
      return writeStates(state, event);
    case 'mbarrier':
      return event.mbarrier?.step === 'wait' ? waitStates(state, event) : [operationState(state, event)];
    case 'barrier':
      return barrierStates(state, event);
    case 'issue':
      return isIssuedLate(state, event) ? [] : issueStates(state, event);
    case 'grid':
      return gridStates(state, event);
    case 'fence':
    case 'group':
    case 'tensor-step':
    case 'check':
    case 'exit': {
      const next = state.copy();
      executeAlone(next, event);
      return [next];
    }
  }
}

type Alone = Extract<ProgramEvent, { readonly kind: 'fence' | 'group' | 'tensor-step' | 'check' | 'exit' }>;

/** Steps that concern the thread itself only. */
function executeAlone(state: State, event: Alone): void {
  switch (event.kind) {
    case 'fence':
      if (event.proxyFence === undefined) executeFence(state, event);
      else executeProxyFence(state, event);
      return;
    case 'group': {
      const completions = bitsOf(awaitedBy(state, event).map(({ id }) => id)) & state.done;
      if (completions !== NONE) state.completions.set(event.id, completions);
      state.learn(event.id, completions);
      break;
    }
    case 'tensor-step':
      break;
    case 'check':
      if (state.runOf(event.id)?.value?.bits === 0n) state.find(event.rule, [event.id]);
      break;
    case 'exit':
      recordOrder(state, event, orderedBefore(state, knowledgeOf(state, event.id), event, undefined));
      break;
  }
  state.finish(event.id);
  if (event.kind === 'exit') exitsFromBarriers(state, event.thread);
}

function barrierStates(state: State, event: ProgramEvent): readonly State[] {
  const { barrier } = event;
  if (barrier?.kind === 'cluster-barrier') {
    if (barrier.action === 'arrive') return [clusterArriveState(state, event)];
    return [state.isDone(event.id) ? (clusterGoesOn(state, event) ?? state) : clusterWaitState(state, event)];
  }
  if (barrier?.level !== 'lanes') return [arriveState(state, event)];
  if (barrier.action === 'arrive') return activeMaskStates(state, event);
  if (state.isDone(event.id)) return lanesGoOn(state, event);
  const next = state.copy();
  const mask = state.runOf(event.id)?.barrierId?.bits ?? NONE;
  if (!has(mask, event.placement.lane)) next.find('outside-membermask', [event.id]);
  next.finish(event.id);
  return [next];
}

/** A request to cancel a launch is granted or refused. */
function issueStates(state: State, event: ProgramEvent): readonly State[] {
  const asks = asyncOperationOf(state.context.structure, event)?.source.kind === 'response';
  return (asks ? [0n, 1n] : [undefined]).map((granted) => {
    const next = state.copy();
    next.finish(event.id);
    if (granted !== undefined) next.answer(event.thread, event.id, granted);
    return next;
  });
}

function hasLeftMemory(state: State, event: ProgramEvent): boolean {
  return (
    event.type !== undefined && state.runOf(event.id)?.address !== undefined && state.locationOf(event.id) === undefined
  );
}

/**
 * Nothing later in program order has gone first though it overlaps, or has to wait for what is now known to be
 * executed; and what turned out to release has waited.
 */
function isPossible(state: State, event: ProgramEvent): boolean {
  const at = state.locationOf(event.id);
  const overtaken =
    isAccess(event) &&
    at !== undefined &&
    state.context.accesses.some((other) => {
      if (
        !state.isDone(other.id) ||
        other.partner === event.id ||
        !has(state.context.earlier[other.id] ?? NONE, event.id)
      )
        return false;
      const location = state.locationOf(other.id);
      return location !== undefined && overlap(at, location);
    });
  const wrote = event.partner !== undefined && state.isDone(event.partner) ? event.partner : event.id;
  const early = (state.context.waitedFor[wrote] ?? []).some(
    (other) => other !== event.id && !state.isDone(other) && state.runOf(other)?.executed === true,
  );
  const presumed = state
    .view(event.thread)
    .ready.some(({ id }) => !state.isDone(id) && (state.done & (state.context.waiting[id] ?? NONE)) !== NONE);
  return !overtaken && !early && !presumed;
}

/** The reads that an operation depends on have been executed (PTX ISA 8.10.4). */
function dependenciesAreDone(
  state: State,
  { addressDependencies, dataDependencies, controlDependencies }: PartialRun,
  runs: ReadonlyMap<number, PartialRun>,
  own?: number,
): boolean {
  return [addressDependencies, dataDependencies, controlDependencies].every((dependencies) =>
    [...dependencies].every(
      ([event, when]) => event === own || when === false || state.isDone(event) || runs.get(event)?.executed === false,
    ),
  );
}

/**
 * All that the operation is given is known; what a read returns, and what mbarrier.init leaves in memory, is not given.
 */
function operandsAreKnown({ kind, tags }: ProgramEvent, run: PartialRun): boolean {
  const given: readonly (keyof PartialRun)[] = kind === 'read' || tags.has('OPAQUE') ? PLACE : [...PLACE, 'value'];
  return given.every((operand) => !(operand in run) || run[operand] !== undefined);
}
const PLACE = [
  'address',
  'count',
  'bytes',
  'barrierId',
  'barrierCount',
] as const satisfies readonly (keyof PartialRun)[];
