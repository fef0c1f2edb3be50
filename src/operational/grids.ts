import { isTrigger, type LaunchingCta, launchingCtas, startsTogether } from '../events/launching-ctas.js';
import type { ProgramEvent } from '../events/program-event.js';
import { threadsOfGrids } from '../program/grids.js';
import type { GridWait } from '../program/operation.js';
import { bit, bitsOf, has, membersOf, NONE } from './bits.js';
import type { Fact, Knowledge } from './knowledge.js';
import { knowledgeOf } from './learning.js';
import type { MachineContext } from './machine-context.js';
import { inEachOthersScope, isMemoryFence, isRelease } from './moral-strength.js';
import type { State } from './state.js';

/** Launches: what a grid waits for, and what it knows when it begins (PTX ISA 8.9.4; griddepcontrol). */

/** A thread has ended, and so have all its operations, the asynchronous ones as well. */
function isOver(state: State, index: number): boolean {
  const { run, ready } = state.view(index);
  return run.ended === true && ready.every(({ id }) => state.isDone(id));
}

const areOver = (state: State, grids: readonly number[]): boolean =>
  threadsOfGrids(state.context.structure.program, grids).every(({ index }) => isOver(state, index));

const launching = (context: MachineContext, { launchedBy }: GridWait): readonly LaunchingCta[] =>
  launchingCtas(context.structure).filter(({ grid }) => launchedBy.includes(grid));

const firstTrigger = (state: State, { triggers }: LaunchingCta): ProgramEvent | undefined =>
  triggers.find(({ id }) => state.triggered.has(id));

/** Whether the grids before are complete, and each CTA of a launching one has triggered this one, or has ended. */
export function mayGoOn(state: State, grid: GridWait): boolean {
  const launched = launching(state.context, grid).every(
    (cta) => firstTrigger(state, cta) !== undefined || cta.threads.every((thread) => isOver(state, thread)),
  );
  return launched && areOver(state, grid.complete);
}

/** A grid that others have triggered is only promised to start when those are over. */
export const mustGoOn = (state: State, { complete, launchedBy }: GridWait): boolean =>
  areOver(state, [...complete, ...launchedBy]);

/** Of no cluster some threads have begun and others not. */
export const startsAsOne = (state: State): boolean =>
  startsTogether(state.context.structure).every(
    (starts) => new Set(starts.map(({ id }) => state.hasPassed(id))).size === 1,
  );

/**
 * After a trigger, or after a thread has come to the beginning of its grid or to griddepcontrol.wait, or goes on from
 * there.
 */
export function gridStates(state: State, event: ProgramEvent): readonly State[] {
  const come = state.copy();
  come.finish(event.id);
  const { grid } = event;
  if (grid === undefined) return [afterTrigger(come, event)];
  if (!mayGoOn(state, grid)) return [come];
  const waits = state.isDone(event.id) || mustGoOn(state, grid) ? [] : [come];
  return [...waits, ...startStates(state, event, grid)];
}

/** The first trigger of a CTA keeps which release fences it comes after. */
function afterTrigger(next: State, event: ProgramEvent): State {
  const cta = launchingCtas(next.context.structure).find(({ triggers }) => triggers.some(({ id }) => id === event.id));
  if (cta === undefined || firstTrigger(next, cta) !== undefined) return next;
  const known = event.tags.has('REPRESENTED')
    ? knownAfter(next, lastRendezvous(next, event))
    : knowledgeOf(next, event.id);
  const fences = membersOf(known).filter((id) => {
    const fence = next.context.events[id];
    return fence !== undefined && isReleaseFence(fence) && cta.threads.includes(fence.thread);
  });
  next.triggered.set(event.id, bitsOf(fences));
  return next;
}

const isReleaseFence = (event: ProgramEvent): boolean => isMemoryFence(event) && isRelease(event);

/** The barrier at which a thread last met those of its CTA before an event. */
function lastRendezvous(state: State, { id }: ProgramEvent): ProgramEvent | undefined {
  return membersOf((state.context.earlier[id] ?? NONE) & state.done)
    .map((one) => state.context.event(one))
    .filter(({ tags }) => tags.has('CTA_WAIT') || tags.has('CLUSTER_WAIT'))
    .at(-1);
}

/** What all threads know that have met there. */
function knownAfter(state: State, barrier: ProgramEvent | undefined): Knowledge {
  if (barrier === undefined) return NONE;
  return knowledgeOf(state, barrier.id) | (state.learned.get(barrier.id) ?? NONE);
}

/** The thread goes on, with what the grids before have told it. */
function startStates(state: State, event: ProgramEvent, grid: GridWait): readonly State[] {
  const { context } = state;
  const next = state.copy();
  next.finish(event.id);
  next.pass(event.id);
  const before = threadsOfGrids(context.structure.program, grid.complete).map(({ index }) => index);
  const over = context.events.filter(({ id, thread }) => before.includes(thread) && state.isDone(id));
  let learned = bitsOf(over.map(({ id }) => id)) & context.knowable;
  for (const [learner, knowledge] of state.learned) if (over.some(({ id }) => id === learner)) learned |= knowledge;
  learned |= atGridEnd(context, learned);
  next.learn(event.id, learned);
  return launching(context, grid)
    .flatMap((cta) => releasedTo(state, cta, event))
    .reduce<readonly State[]>((states, fence) => states.flatMap((one) => afterFence(one, fence, event)), [next]);
}

/** What is known at the end of a grid binds accesses through all proxies but that of descriptors. */
function atGridEnd(context: MachineContext, knowledge: Knowledge): Knowledge {
  return context.facts.with(
    context.facts.of(knowledge).map(({ event }): Fact => ({ event, readiness: { kind: 'grid' }, reach: 'freely' })),
  );
}

/** A release fence, and what it hands on to the start of a dependent grid if a trigger follows it in its thread. */
interface Handed {
  readonly fence: number;
  readonly knowledge: Knowledge;
}

/** What release fences before the first trigger of a CTA may hand on to the start of a grid. */
function releasedTo(state: State, cta: LaunchingCta, start: ProgramEvent): readonly Handed[] {
  const { context } = state;
  const first = firstTrigger(state, cta);
  if (first === undefined) return [];
  const own = context.earlier[first.id] ?? NONE;
  const isRepresented = first.tags.has('REPRESENTED');
  const isSeen = (fence: number): boolean => inEachOthersScope(context.event(fence), start);
  const onlyOwn = context.readings.fencesBeforeFirstTrigger;
  const known = membersOf(state.triggered.get(first.id) ?? NONE)
    .filter((fence) => isSeen(fence) && (!onlyOwn || (has(own, fence) && !isRepresented)))
    .map((fence) => ({
      fence,
      knowledge: (state.released.get(fence) ?? NONE) | (bit(fence) & context.knowable),
    }));
  if (!isRepresented) return known;
  // The fences of represented threads are where those of the one that stands for them are.
  const theirs = membersOf(own)
    .map((id) => context.event(id))
    .filter((event) => isReleaseFence(event) && isSeen(event.id))
    .map((fence) => ({
      fence: fence.id,
      knowledge: knownAfter(state, lastRendezvous(state, fence)),
    }));
  return [...known, ...theirs];
}

/**
 * A fence hands on what it released if a trigger follows it in its own thread. Where that is still to come the machine
 * tries both, and drops the runs in which it comes otherwise.
 */
function afterFence(state: State, handed: Handed, start: ProgramEvent): readonly State[] {
  const { fence, knowledge } = handed;
  const known = state.promises.get(fence) ?? comesToTrigger(state, fence);
  return (known === undefined ? [true, false] : [known]).map((counts) => {
    const next = state.copy();
    if (known === undefined) next.promises.set(fence, counts);
    if (counts) next.learn(start.id, knowledge);
    return next;
  });
}

/** Whether a fence is executed, and a trigger after it in its thread; undefined if that is still open. */
function comesToTrigger(state: State, fence: number): boolean | undefined {
  const later = state.context.events.filter(
    (event) =>
      isTrigger(event) && !event.tags.has('REPRESENTED') && has(state.context.earlier[event.id] ?? NONE, fence),
  );
  const isExecuted = (id: number): boolean | undefined => state.runOf(id)?.executed;
  const executed = later.map(({ id }) => isExecuted(id));
  if (isExecuted(fence) === false || executed.every((one) => one === false)) return false;
  return isExecuted(fence) === true && executed.includes(true) ? true : undefined;
}

/** No thread comes to a trigger, or stops before it, against what a start has taken for granted. */
export function keepsPromises(state: State, isOver: boolean): boolean {
  return [...state.promises].every(([fence, promised]) => {
    const comes = comesToTrigger(state, fence);
    return comes === undefined ? !(isOver && promised) : comes === promised;
  });
}
