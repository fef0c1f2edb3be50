import {
  type BarrierGroup,
  goesPast,
  isSameInstruction,
  partiesOf,
  waitForEachOther,
  warpsIn,
} from '../events/barrier-groups.js';
import { hasMembers, type LaneGroup } from '../events/lane-groups.js';
import type { ProgramEvent } from '../events/program-event.js';
import type { BarrierOperation } from '../program/operation.js';
import type { WarpParty } from '../program/placement.js';
import { collectiveResult } from '../semantics/collective-result.js';
import { CONCRETE_VALUES, type ConcreteValue } from '../semantics/concrete-values.js';
import { type Election, electionResult, leaderOf, mayBoth } from '../semantics/elections.js';
import { has, membersOf, NONE } from './bits.js';
import { carried, knowledgeOf, release, releasePacketsOf } from './learning.js';
import { inEachOthersScope, isMemoryFence } from './moral-strength.js';
import type { State } from './state.js';
import { meetInExecution } from './tensor-memory.js';

/**
 * Barriers of CTAs, warps and clusters, and warp instructions (PTX ISA, bar, bar.warp.sync, barrier.cluster,
 * vote.sync).
 */

const waits = ({ barrier }: ProgramEvent): boolean => barrier !== undefined && barrier.action !== 'arrive';
const reductionOf = ({ barrier }: ProgramEvent): NonNullable<BarrierOperation['reduction']> | undefined =>
  barrier?.kind === 'barrier' ? barrier.reduction : undefined;

/**
 * A thread arrives at a barrier; if it is the last that was missing, all go on, knowing what each knew that arrived.
 */
export function arriveState(state: State, event: ProgramEvent): State {
  const next = state.copy();
  next.finish(event.id);
  if (!waits(event)) next.pass(event.id);
  const group = state.context.groupOf.get(event.id);
  if (group === undefined) {
    const rule = state.context.misused.get(event.id);
    if (rule !== undefined) next.find(rule, [event.id]);
    next.pass(event.id);
    return next;
  }
  const arrivedBefore = openArrivals(next, group).filter(
    (other) => other.thread === event.thread && other !== event && !waits(other),
  );
  if (arrivedBefore.length > 0) next.find('barrier-arrival-before-reset', [event.id]);
  completeBarrier(next, group);
  return next;
}

/** The end of a thread may be what a barrier without a count waits for. */
export function exitsFromBarriers(state: State, thread: number): void {
  for (const group of state.context.groups)
    if (group.level === 'cta' && partiesOf(group, thread).length > 0) completeBarrier(state, group);
}

/** The arrivals that no completion has taken. */
function openArrivals(state: State, { events }: BarrierGroup): readonly ProgramEvent[] {
  return events.filter(({ id }) => state.isDone(id) && !state.meetings.has(id));
}

function completeBarrier(state: State, group: BarrierGroup): void {
  const arrived = new Map<number, ProgramEvent>();
  for (const event of openArrivals(state, group)) if (!arrived.has(event.thread)) arrived.set(event.thread, event);
  const isThere = (thread: number): boolean =>
    arrived.has(thread) || (group.level === 'cta' && hasExited(state, thread));
  const present = group.parties.filter(
    ({ threads, isCut }) => !isCut && threads.some((thread) => arrived.has(thread)) && threads.every(isThere),
  );
  const isPresent = (party: WarpParty): boolean => party.isCut || present.includes(party);
  const whole = [...new Set(present.flatMap(({ threads }) => threads.flatMap((thread) => arrived.get(thread) ?? [])))];
  const [first] = whole;
  if (first === undefined) return;
  if (whole.some((event) => (event.barrier?.action === 'red') !== (first.barrier?.action === 'red')))
    state.find('barrier-kinds-differ', [first.id]);
  if (whole.some(({ id }) => group.needs.get(id) !== group.needs.get(first.id)))
    state.find('barrier-counts-differ', [first.id]);
  // What a lane gives alone counts when its warp has arrived.
  const completes = whole.some(({ id }) => {
    const need = group.needs.get(id);
    return need === undefined
      ? group.parties.every(({ threads, isCut }) => !isCut && threads.every(isThere))
      : warpsIn(present) >= need && whole.every(({ thread }) => partiesOf(group, thread).every(isPresent));
  });
  if (completes) meet(state, whole);
}

function meet(state: State, members: readonly ProgramEvent[]): void {
  const meeting = new Set(state.meetings.values()).size;
  for (const { id } of members) state.meetings.set(id, meeting);
  for (const member of members) {
    if (!waits(member)) continue;
    for (const other of members)
      if (other.thread !== member.thread) {
        state.learn(member.id, knowledgeOf(state, other.id));
        meetInExecution(state, other, member);
      }
    const reduction = reductionOf(member);
    const own = state.runOf(member.id)?.value;
    if (reduction !== undefined && own !== undefined) {
      const given = members.flatMap((one) => {
        const value = state.runOf(one.id)?.value;
        return reductionOf(one) === undefined || value === undefined
          ? []
          : [{ lane: one.placement.lane, present: true, value }];
      });
      state.answer(
        member.thread,
        member.id,
        collectiveResult(CONCRETE_VALUES, reduction, { lane: member.placement.lane, value: own }, given).bits,
      );
    }
  }
  for (const member of members) if (waits(member)) state.pass(member.id);
}

/** Aligned barrier instructions that the lanes of a warp have not executed alike. */
export function judgeAlignment(state: State, ended: readonly boolean[]): void {
  const { context } = state;
  const isDone = ({ id }: ProgramEvent): boolean => state.isDone(id);
  const isWaiting = ({ id }: ProgramEvent): boolean => state.isDone(id) && !state.hasPassed(id);
  const maskOf = ({ id }: ProgramEvent): bigint | undefined => state.runOf(id)?.barrierId?.bits;
  for (const pair of context.aligned) {
    const { event, others, otherThread } = pair;
    if (!isDone(event)) continue;
    const rank = context.aligned.filter(
      (of) =>
        of.otherThread === otherThread &&
        of.event.thread === event.thread &&
        of.event.node < event.node &&
        isDone(of.event),
    ).length;
    const other = others.filter(isDone)[rank];
    const skipped = other === undefined && ended[otherThread] === true && goesPast(pair, isDone);
    if (
      skipped ||
      waitForEachOther(pair, isWaiting, maskOf) ||
      (other !== undefined && !isSameInstruction(context.structure, event, other))
    )
      state.find('aligned-divergence', [event.id]);
  }
}

const isClusterArrival = ({ barrier }: ProgramEvent): boolean =>
  barrier?.kind === 'cluster-barrier' && barrier.action === 'arrive';
const isClusterWait = ({ barrier }: ProgramEvent): boolean =>
  barrier?.kind === 'cluster-barrier' && barrier.action === 'wait';

function doneBefore(
  state: State,
  event: ProgramEvent,
  which: (event: ProgramEvent) => boolean,
): readonly ProgramEvent[] {
  return membersOf(state.done & (state.context.earlier[event.id] ?? NONE))
    .map((id) => state.context.event(id))
    .filter(which);
}

export function clusterArriveState(state: State, event: ProgramEvent): State {
  const next = state.copy();
  const [arrivals, waited] = [doneBefore(state, event, isClusterArrival), doneBefore(state, event, isClusterWait)];
  if (arrivals.length > waited.length) next.find('cluster-arrival-twice', [event.id]);
  if (event.tags.has('REL')) release(next, event, knowledgeOf(state, event.id));
  next.packets.set(event.id, releasePacketsOf(state, event));
  next.finish(event.id);
  next.pass(event.id);
  return next;
}

/** A wait starts to wait. */
export function clusterWaitState(state: State, event: ProgramEvent): State {
  const next = state.copy();
  const [arrivals, waited] = [doneBefore(state, event, isClusterArrival), doneBefore(state, event, isClusterWait)];
  if (waited.length >= arrivals.length) next.find('cluster-wait-without-arrival', [event.id]);
  next.finish(event.id);
  return next;
}

/**
 * The state in which a waiting thread goes on; undefined while some thread of the cluster has neither arrived in its
 * phase nor ended.
 */
export function clusterGoesOn(state: State, wait: ProgramEvent): State | undefined {
  const { context } = state;
  const phase = doneBefore(state, wait, isClusterArrival).length - 1;
  const members = context.structure.program.threads.filter(
    ({ placement }) => placement.cluster === wait.placement.cluster,
  );
  const arrivals = members.map(
    ({ index }) =>
      context.events.filter((event) => event.thread === index && isClusterArrival(event) && state.isDone(event.id))[
        phase
      ],
  );
  const over = members.every(({ index }, i) => arrivals[i] !== undefined || hasExited(state, index));
  if (phase < 0 || !over) return undefined;
  const next = state.copy();
  let observed = NONE;
  for (const arrival of arrivals) {
    if (arrival === undefined || arrival.thread === wait.thread) continue;
    meetInExecution(next, arrival, wait);
    const heads = state.packets.get(arrival.id) ?? NONE;
    observed |= heads;
    for (const head of membersOf(heads)) {
      const other = context.event(head);
      // A releasing arrival speaks to the whole cluster; a fence before it to the threads in its scope
      // (docs/decisions/relaxed-cluster-arrival.md).
      if (other === arrival || (isMemoryFence(other) && inEachOthersScope(other, wait)))
        next.learn(wait.id, carried(state, other, wait));
    }
  }
  if (observed !== NONE) next.observed.set(wait.id, observed);
  next.pass(wait.id);
  return next;
}

function hasExited(state: State, thread: number): boolean {
  return state.context.events.some(
    (event) => event.kind === 'exit' && event.thread === thread && state.isDone(event.id),
  );
}

/** activemask: any lanes of the warp with the own one. A run in which they are not together is dropped at its end. */
export function activeMaskStates(state: State, event: ProgramEvent): readonly State[] {
  const lanes = state.context.structure.program.threads
    .filter(({ placement }) => placement.warp === event.placement.warp)
    .map(({ placement }) => placement.lane);
  const own = 1n << BigInt(event.placement.lane);
  const masks = lanes.reduce<readonly bigint[]>(
    (all, lane) => all.flatMap((mask) => [mask, mask | (1n << BigInt(lane))]),
    [0n],
  );
  return [...new Set(masks.map((mask) => mask | own))].map((mask) => {
    const next = state.copy();
    next.finish(event.id);
    next.answer(event.thread, event.id, mask);
    next.pass(event.id);
    return next;
  });
}

/**
 * The states to which a warp instruction may lead once all lanes of its mask have come, or have exited; none before.
 */
export function lanesGoOn(state: State, event: ProgramEvent): readonly State[] {
  const meeting = meetingOf(state, event);
  const own = state.runOf(event.id)?.value;
  const reduction = reductionOf(event);
  if (meeting === undefined || own === undefined || reduction === undefined) return [];
  const { lane } = event.placement;
  const going = (answer: bigint): State => {
    const next = state.copy();
    if (state.context.readings.exchangesOrderMemory && event.tags.has('EXCHANGE'))
      for (const other of meeting.events) if (other !== event.id) next.learn(event.id, knowledgeOf(state, other));
    next.answer(event.thread, event.id, answer);
    next.pass(event.id);
    return next;
  };
  if (reduction.operation === 'elect')
    return leaders(state, event, meeting).map((leader) => going(electionResult(leader, lane)));
  const represented = state.runOf(event.id)?.represented ?? [];
  const given = [
    ...meeting.shown,
    ...represented.flatMap((one) => (one.value === undefined ? [] : [{ ...one, present: true, value: one.value }])),
  ];
  return [going(collectiveResult(CONCRETE_VALUES, reduction, { lane, value: own }, given).bits)];
}

interface LaneMeeting {
  readonly group: LaneGroup;
  readonly mask: bigint;
  /** Those that have come. */
  readonly events: readonly number[];
  /** What the lanes give that have come. */
  readonly shown: readonly { readonly lane: number; readonly present: true; readonly value: ConcreteValue }[];
}

/** Whom a warp instruction meets; undefined while it waits for lanes. */
function meetingOf(state: State, event: ProgramEvent): LaneMeeting | undefined {
  const group = state.context.lanes.find(({ members }) => members.some(({ events }) => events.includes(event)));
  const mask = state.runOf(event.id)?.barrierId?.bits;
  if (group === undefined || mask === undefined) return undefined;
  const hasMask = (other: ProgramEvent): boolean =>
    !hasMembers(other) || state.runOf(other.id)?.barrierId?.bits === mask;
  const executed = group.members.map((member) => ({
    ...member,
    events: member.events.filter((other) => state.isDone(other.id) && hasMask(other)),
  }));
  const round = executed.find(({ events }) => events.includes(event))?.events.indexOf(event) ?? 0;
  const within = executed.filter(({ lane }) => has(mask, lane));
  if (!within.every((member) => member.events[round] !== undefined || hasExited(state, member.thread)))
    return undefined;
  const shown = within.flatMap(({ lane, events }) => {
    const value = state.runOf(events[round]?.id ?? -1)?.value;
    return value === undefined ? [] : [{ lane, present: true as const, value }];
  });
  return { group, mask, shown, events: within.flatMap(({ events }) => events[round]?.id ?? []) };
}

/** The lanes that elect.sync may take here, after what it has taken before. */
function leaders(state: State, event: ProgramEvent, { group, mask, shown }: LaneMeeting): readonly number[] {
  const lanesOf = (meeting: LaneMeeting): readonly number[] => meeting.shown.map(({ lane }) => lane);
  const before = group.members.flatMap(({ events }) =>
    events.flatMap((other): readonly Election[] => {
      const answer = other === event ? undefined : state.answers.get(other.id);
      const meeting = answer === undefined ? undefined : meetingOf(state, other);
      if (answer === undefined || meeting === undefined) return [];
      return [{ mask: meeting.mask, leader: leaderOf(answer), present: lanesOf(meeting) }];
    }),
  );
  // What a lane gets that is not in its own mask is undefined: it goes on.
  const { lane: own } = event.placement;
  if (!has(mask, own)) return [own];
  const present = shown.map(({ lane }) => lane);
  return present.filter((leader) => before.every((other) => mayBoth({ mask, leader, present }, other)));
}
