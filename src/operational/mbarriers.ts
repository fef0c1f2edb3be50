import type { ProgramEvent } from '../events/program-event.js';
import type { MbarrierRule } from '../program/mbarrier-operation.js';
import { CONCRETE_VALUES, type ConcreteValue } from '../semantics/concrete-values.js';
import { MbarrierMachine } from '../semantics/mbarrier-machine.js';
import type { EventRun } from '../semantics/value-domain.js';
import { isToldBy } from './async-groups.js';
import { type Bits, bitsOf, NONE } from './bits.js';
import { recordOrder } from './findings.js';
import { acquireFrom, knowledgeOf, orderedBefore, release, releasePacketsOf } from './learning.js';
import type { MachineContext } from './machine-context.js';
import { isAcquire, isRelease } from './moral-strength.js';
import type { ObjectHistory, State } from './state.js';
import { meetInExecution } from './tensor-memory.js';

/** mbarrier objects: what each operation does to one, and what a wait finds and learns (PTX ISA, mbarrier). */
const MACHINE = new MbarrierMachine(CONCRETE_VALUES);

interface Target {
  readonly number: number;
  readonly history: ObjectHistory;
}

function targetOf(state: State, event: number): Target {
  const location = state.locationOf(event);
  const number = state.context.objects.get(`${location?.object.id}:${location?.offset}`);
  if (location === undefined || number === undefined) throw new Error(`mbarrier operation ${event} has no object`);
  return {
    number,
    history: state.objects.get(number) ?? {
      operations: [],
      states: [MACHINE.initial(location.object.mbarrier)],
      completes: [],
      waits: new Map(),
    },
  };
}

/** The run of an event all of whose operands are known. */
function complete(state: State, event: ProgramEvent): EventRun<ConcreteValue, boolean> {
  return state.runOf(event.id) as EventRun<ConcreteValue, boolean>;
}

function breakRules(state: State, event: number, broken: ReadonlyMap<MbarrierRule, boolean>): void {
  for (const [rule, holds] of broken) if (holds) state.find(rule, [event]);
}

/** An operation that changes the object takes its turn after all others so far. */
export function operationState(state: State, event: ProgramEvent): State {
  const next = state.copy();
  const { number, history } = targetOf(state, event.id);
  const before = lastOf(history);
  const run = complete(state, event);
  const { after, completes, broken } = MACHINE.step(before, MACHINE.input(event.mbarrier, run));
  breakRules(next, event.id, broken);
  next.objects.set(number, {
    ...history,
    operations: [...history.operations, event.id],
    states: [...history.states, after],
    completes: [...history.completes, completes],
  });
  const knowledge = knowledgeOf(state, event.id);
  if (isRelease(event)) release(next, event, knowledge);
  if (event.tags.has('ARRIVE')) next.packets.set(event.id, releasePacketsOf(state, event));
  recordOrder(next, event, orderedBefore(next, knowledge, event, state.locationOf(event.id)));
  next.finish(event.id);
  const operation = event.mbarrier?.operation;
  if (operation?.action === 'arrive' && operation.target !== undefined)
    next.answer(event.thread, event.id, MACHINE.token(before, number, operation.noComplete).bits);
  return next;
}

const lastOf = ({ states }: ObjectHistory): ObjectHistory['states'][number] => {
  const last = states[states.length - 1];
  if (last === undefined) throw new Error('an mbarrier object without a state');
  return last;
};

/**
 * The states after a wait. It may find the object as it was earlier, though not before what it knows. Where the object
 * was in one phase all the time it makes no difference to it when it looked: one state stands for all, with the range.
 */
export function waitStates(state: State, wait: ProgramEvent): readonly State[] {
  const { number, history } = targetOf(state, wait.id);
  const operation = wait.mbarrier?.operation;
  const run = complete(state, wait);
  if (operation?.action !== 'wait' || run.value === undefined) throw new Error(`event ${wait.id} is no wait`);
  const { kind } = operation.test;
  const tested = run.value;
  const knowledge = knowledgeOf(state, wait.id);
  const first = firstLook(state, wait, history);
  return history.states.flatMap((at, seen) => {
    if (seen < first || (seen > first && !changesPhase(state.context, history, seen - 1))) return [];
    const { complete: answer, broken } = MACHINE.test(at, kind, tested, number);
    const next = state.copy();
    breakRules(next, wait.id, broken);
    next.objects.set(number, {
      ...history,
      waits: new Map([...history.waits, [wait.id, { least: seen, most: lastLook(state.context, history, seen) }]]),
    });
    if (answer) learnFromPhases(next, wait, history, seen);
    recordOrder(next, wait, orderedBefore(next, knowledge, wait, state.locationOf(wait.id)));
    next.finish(wait.id);
    next.answer(wait.thread, wait.id, answer ? 1n : 0n);
    return [next];
  });
}

/** Until when it may have looked to find the same. */
function lastLook(context: MachineContext, history: ObjectHistory, seen: number): number {
  let most = seen;
  while (most < history.operations.length && !changesPhase(context, history, most)) most += 1;
  return most;
}

function changesPhase(context: MachineContext, { completes, operations }: ObjectHistory, k: number): boolean {
  const step = context.event(operations[k] ?? -1).mbarrier?.step;
  return completes[k] === true || step === 'init' || step === 'inval';
}

/** A wait looks after what it knows of the object. */
function firstLook(state: State, wait: ProgramEvent, { operations, waits }: ObjectHistory): number {
  const at = state.locationOf(wait.id);
  let first = 0;
  for (const fact of state.context.facts.of(knowledgeOf(state, wait.id))) {
    if (fact.readiness.kind !== 'known' || !state.context.facts.reaches(fact, state, wait, at)) continue;
    const place = operations.indexOf(fact.event);
    first = Math.max(first, place + 1, waits.get(fact.event)?.least ?? 0);
  }
  return first;
}

/**
 * True observes the arrivals of the completed phases since the object was initialized, and tells that their
 * asynchronous operations are complete.
 */
function learnFromPhases(
  state: State,
  wait: ProgramEvent,
  { operations, completes }: ObjectHistory,
  seen: number,
): void {
  let [heads, completions] = [NONE, NONE];
  for (let k = seen - 1, completed = false; k >= 0; k--) {
    completed ||= completes[k] === true;
    const operation = state.context.event(operations[k] ?? -1);
    if (completed) {
      if (operation.tags.has('ARRIVE')) meetInExecution(state, operation, wait);
      heads |= state.packets.get(operation.id) ?? NONE;
      completions |= completedBy(state.context, operation);
    }
    if (operation.mbarrier?.step === 'init') break;
  }
  completions &= state.done;
  if (heads !== NONE) state.observed.set(wait.id, heads);
  if (completions !== NONE) state.completions.set(wait.id, completions);
  if (!isAcquire(wait)) return;
  state.learn(wait.id, acquireFrom(state, heads, wait) | completions);
}

/**
 * The accesses of which an operation on an object says that they are complete: of its own copy, or, for
 * cp.async.mbarrier.arrive, of all earlier cp.async.
 */
function completedBy(context: MachineContext, operation: ProgramEvent): Bits {
  if (!operation.tags.has('ASY')) return NONE;
  const completed = context.accesses.filter((access) => {
    if (access.thread !== operation.thread || !access.tags.has('ASY')) return false;
    if (operation.mbarrier?.step === 'complete_tx')
      return (
        access.node === operation.node &&
        (access.chunk?.rank === undefined || access.chunk.rank === operation.chunk?.rank)
      );
    return access.node < operation.node && isToldBy(context.structure, access, operation);
  });
  return bitsOf(completed.map(({ id }) => id));
}

/** A wait that looks again would find the same: nothing has happened to the object since. */
export function looksLast({ objects }: State, wait: number): boolean {
  return [...objects.values()].every(({ waits, completes }) => {
    const look = waits.get(wait);
    return look === undefined || !completes.slice(look.least).some((completed) => completed);
  });
}
