import type { ProgramEvent } from '../events/program-event.js';
import { threadsOfGrids } from '../program/grids.js';
import type { GridWait } from '../program/operation.js';
import type { Thread } from '../program/program.js';
import { bit, bitsOf, membersOf, NONE } from './bits.js';
import type { Fact, Knowledge } from './knowledge.js';
import type { MachineContext } from './machine-context.js';
import { isMemoryFence, isRelease } from './moral-strength.js';
import { State } from './state.js';

/** Launches: what a grid waits for, and what it knows when it begins (PTX ISA 8.9.4; griddepcontrol). */

/** A thread has ended, and so have all its operations, the asynchronous ones as well. */
function isOver(context: MachineContext, state: State, { index }: Thread): boolean {
  const { run, ready } = context.view(state, index);
  return run.ended === true && ready.every(({ id }) => state.isDone(id));
}

/** Whether the grids before are complete, and each CTA of a launching one has let this one begin, or has ended. */
export function gridsAreOver(context: MachineContext, state: State, { complete, launchedBy }: GridWait): boolean {
  const launching = threadsOfGrids(context.structure.program, launchedBy);
  const launched = launching.every(({ placement: { cta } }) => {
    const own = launching.filter(({ placement }) => placement.cta === cta);
    return (
      own.every((thread) => isOver(context, state, thread)) ||
      context.events.some((event) => event.tags.has('LAUNCH') && event.placement.cta === cta && state.isDone(event.id))
    );
  });
  return (
    launched && threadsOfGrids(context.structure.program, complete).every((thread) => isOver(context, state, thread))
  );
}

/** After a thread has come to the beginning of its grid or to griddepcontrol.wait, or goes on from there. */
export function gridState(context: MachineContext, state: State, event: ProgramEvent): State {
  const next = new State(state);
  next.finish(event.id);
  const { grid } = event;
  if (grid === undefined || !gridsAreOver(context, state, grid)) return next;
  next.pass(event.id);
  const before = threadsOfGrids(context.structure.program, grid.complete).map(({ index }) => index);
  const over = context.events.filter(({ id, thread }) => before.includes(thread) && state.isDone(id));
  let learned = bitsOf(over.map(({ id }) => id)) & context.knowable;
  for (const [learner, knowledge] of state.learned) if (over.some(({ id }) => id === learner)) learned |= knowledge;
  learned |= atGridEnd(context, learned);
  for (const launch of context.events) {
    const { placement, tags, id } = launch;
    const launches = tags.has('SOLE') && state.isDone(id) && grid.launchedBy.includes(placement.grid);
    if (launches && placement.gpu === event.placement.gpu) learned |= releasedBefore(context, state, launch);
  }
  next.learn(event.id, learned);
  return next;
}

/** What is known at the end of a grid binds accesses through all proxies but that of descriptors. */
function atGridEnd(context: MachineContext, knowledge: Knowledge): Knowledge {
  return context.facts.with(
    context.facts.of(knowledge).map(({ event }): Fact => ({ event, readiness: { kind: 'grid' }, reach: 'freely' })),
  );
}

/** What release fences of wide scope hand on that come before the first launch of their thread. */
function releasedBefore(context: MachineContext, state: State, launch: ProgramEvent): Knowledge {
  const before = (id: number): readonly ProgramEvent[] =>
    membersOf((context.earlier[id] ?? NONE) & state.done).map((one) => context.event(one));
  let learned = NONE;
  for (const fence of before(launch.id)) {
    const isFirst = !before(fence.id).some(({ tags }) => tags.has('LAUNCH'));
    const isWide = fence.scope === 'gpu' || fence.scope === 'sys';
    if (isMemoryFence(fence) && isRelease(fence) && isWide && isFirst)
      learned |= (state.released.get(fence.id) ?? NONE) | (bit(fence.id) & context.knowable);
  }
  return learned;
}
