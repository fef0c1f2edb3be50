import type { EventStructure } from '../events/events.js';
import type { ProgramEvent } from '../events/program-event.js';
import type { AsyncOperation, GroupFamily, GroupOperation } from '../program/async-operation.js';
import { areInOneWarpgroup } from '../program/placement.js';
import { completionOf, tellsOf } from '../semantics/completion.js';
import type { State } from './state.js';

/**
 * Async-groups: each thread numbers its own, those of bulk copies and those of cp.async apart (PTX ISA, asynchronous
 * copies, async-group).
 */

/** The operation that an event belongs to, if it is asynchronous. */
export function asyncOperationOf(
  { threads }: EventStructure,
  { thread, node }: ProgramEvent,
): AsyncOperation | undefined {
  const operation = threads[thread]?.nodes[node]?.statement.operation;
  return operation?.kind === 'async' ? operation : undefined;
}

/** An access of which an asynchronous arrival tells: cp.async.mbarrier.arrive, tcgen05.commit. */
export function isToldBy(structure: EventStructure, access: ProgramEvent, arrival: ProgramEvent): boolean {
  const completion = completionOf(structure, access);
  return access.tags.has('ASY') && completion !== undefined && tellsOf(arrival, completion);
}

const closes = (group: GroupOperation | undefined, family: GroupFamily): boolean =>
  group?.family === family && (group.action === 'commit' || group.pending === undefined);

/** How many groups the thread closes before that node; a wait_all closes one as well. */
function closedBefore(state: State, thread: number | undefined, node: number, family: GroupFamily): number {
  return state.context.events.filter(
    (event) => event.thread === thread && event.node < node && closes(event.group, family) && state.isDone(event.id),
  ).length;
}

/** The number of the group that an asynchronous access belongs to; undefined if its completion is told otherwise. */
export function groupOf(state: State, access: ProgramEvent, family: GroupFamily): number | undefined {
  const completion = completionOf(state.context.structure, access);
  return completion?.kind === 'group' && completion.family === family
    ? closedBefore(state, access.thread, access.node, family)
    : undefined;
}

/** The same once the run is over; undefined too if that group was never closed, so that there is none. */
export function committedGroupOf(state: State, access: ProgramEvent, family: GroupFamily): number | undefined {
  const group = groupOf(state, access, family);
  const closed = closedBefore(state, access.thread, Number.POSITIVE_INFINITY, family);
  return group !== undefined && group < closed ? group : undefined;
}

/**
 * The accesses that a wait waits for: those of all but the newest groups, or, without a number, of everything before;
 * `.read`: of the sources.
 */
export function awaitedBy(state: State, wait: ProgramEvent): readonly ProgramEvent[] {
  const operation = wait.group;
  if (operation?.action !== 'wait') return [];
  const { family, pending, readsOnly } = operation;
  const closed = closedBefore(state, wait.thread, wait.node, family);
  const isMate = (access: ProgramEvent): boolean =>
    family === 'wgmma' &&
    areMates(access, wait) &&
    state.context.structure
      .eventsOf(access.thread, access.node)
      .some(({ kind, id }) => kind === 'issue' && state.isDone(id));
  return state.context.accesses.filter((access) => {
    const isOwn = access.thread === wait.thread && access.node < wait.node;
    if ((!isOwn && !isMate(access)) || !access.tags.has('ASY')) return false;
    if (readsOnly && (access.kind !== 'read' || access.partner !== undefined)) return false;
    const group = groupOf(state, access, family);
    return group !== undefined && (pending === undefined || group < closed - pending);
  });
}

/** A group of matrix products is one of the warpgroup (docs/decisions/warpgroups.md). */
const areMates = (a: ProgramEvent, b: ProgramEvent): boolean =>
  a.thread !== b.thread && areInOneWarpgroup(a.placement, b.placement);

/** Whether a product is issued after its group was waited for by another thread of the warpgroup: it came too late. */
export function isIssuedLate(state: State, issue: ProgramEvent): boolean {
  const operation = asyncOperationOf(state.context.structure, issue);
  if (operation?.completion.kind !== 'group' || operation.completion.family !== 'wgmma') return false;
  const group = closedBefore(state, issue.thread, issue.node, 'wgmma');
  return state.context.events.some((wait) => {
    if (wait.group?.action !== 'wait' || wait.group.family !== 'wgmma' || !state.isDone(wait.id)) return false;
    const closed = closedBefore(state, wait.thread, wait.node, 'wgmma');
    return areMates(wait, issue) && group < closed - (wait.group.pending ?? 0);
  });
}
