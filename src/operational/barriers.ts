import { CLUSTER_BARRIER_RULES } from '../program/cluster-barrier.js';
import { CONCRETE_VALUES } from '../program/concrete-values.js';
import type { ProgramEvent } from '../program/events.js';
import { exchange } from '../program/exchange.js';
import type { BarrierOperation } from '../program/operation.js';
import { has, membersOf, NONE } from './bits.js';
import { carried, knowledgeOf, release, releasePacketsOf } from './learning.js';
import { inEachOthersScope, isMemoryFence } from './moral-strength.js';
import type { Setting } from './setting.js';
import { State } from './state.js';

/** Barriers of CTAs, warps and clusters, and warp instructions (PTX ISA, bar, bar.warp.sync, barrier.cluster, vote.sync). */

const waits = ({ barrier }: ProgramEvent): boolean => barrier !== undefined && barrier.action !== 'arrive';
const reductionOf = ({ barrier }: ProgramEvent): NonNullable<BarrierOperation['reduction']> | undefined => (barrier?.kind === 'barrier' ? barrier.reduction : undefined);

/** A thread arrives at a barrier; if it is the last that was missing, all go on, knowing what each knew that arrived. */
export function arriveState(setting: Setting, state: State, event: ProgramEvent): State {
  const next = new State(state);
  next.finish(event.id);
  if (!waits(event)) next.pass(event.id);
  const group = setting.groupOf.get(event.id);
  if (group === undefined) return next;
  // Of each thread the first arrival that no completion has taken.
  const arrived = new Map<number, ProgramEvent>();
  for (const other of group.events) if (next.isDone(other.id) && !next.meetings.has(other.id) && !arrived.has(other.thread ?? -1)) arrived.set(other.thread ?? -1, other);
  if (arrived.size < group.arrivals) return next;
  const members = [...arrived.values()];
  const meeting = new Set(next.meetings.values()).size;
  for (const { id } of members) next.meetings.set(id, meeting);
  for (const member of members) {
    if (!waits(member)) continue;
    for (const other of members) if (other.thread !== member.thread) next.learn(member.id, knowledgeOf(setting, next, other.id));
    const reduction = reductionOf(member);
    const own = setting.runOf(next, member.id)?.value;
    if (reduction !== undefined && own !== undefined) {
      const given = members.flatMap((one) => {
        const value = setting.runOf(next, one.id)?.value;
        return reductionOf(one) === undefined || value === undefined ? [] : [{ lane: one.placement?.lane ?? 0, present: true, value }];
      });
      next.answer(member.thread ?? 0, member.id, exchange(CONCRETE_VALUES, reduction, { lane: member.placement?.lane ?? 0, value: own }, given).bits);
    }
  }
  for (const member of members) if (waits(member)) next.pass(member.id);
  return next;
}

const isClusterArrival = ({ barrier }: ProgramEvent): boolean => barrier?.kind === 'cluster-barrier' && barrier.action === 'arrive';
const isClusterWait = ({ barrier }: ProgramEvent): boolean => barrier?.kind === 'cluster-barrier' && barrier.action === 'wait';

function doneBefore(setting: Setting, state: State, event: ProgramEvent, which: (event: ProgramEvent) => boolean): readonly ProgramEvent[] {
  return membersOf(state.done & (setting.earlier[event.id] ?? NONE))
    .map((id) => setting.event(id))
    .filter(which);
}

export function clusterArriveState(setting: Setting, state: State, event: ProgramEvent): State {
  const next = new State(state);
  const [arrivals, waited] = [doneBefore(setting, state, event, isClusterArrival), doneBefore(setting, state, event, isClusterWait)];
  if (arrivals.length > waited.length) next.find(CLUSTER_BARRIER_RULES.twice, [event.id]);
  if (event.tags.has('REL')) release(setting, next, event, knowledgeOf(setting, state, event.id));
  next.packets.set(event.id, releasePacketsOf(setting, state, event));
  next.finish(event.id);
  next.pass(event.id);
  return next;
}

/** A wait starts to wait. */
export function clusterWaitState(setting: Setting, state: State, event: ProgramEvent): State {
  const next = new State(state);
  const [arrivals, waited] = [doneBefore(setting, state, event, isClusterArrival), doneBefore(setting, state, event, isClusterWait)];
  if (waited.length >= arrivals.length) next.find(CLUSTER_BARRIER_RULES.idle, [event.id]);
  next.finish(event.id);
  return next;
}

/** The state in which a waiting thread goes on; undefined while some thread of the cluster has neither arrived in its phase nor ended. */
export function clusterGoesOn(setting: Setting, state: State, wait: ProgramEvent): State | undefined {
  const phase = doneBefore(setting, state, wait, isClusterArrival).length - 1;
  const members = setting.structure.program.threads.filter(({ placement }) => placement.cluster === wait.placement?.cluster);
  const arrivals = members.map(({ index }) => setting.events.filter((event) => event.thread === index && isClusterArrival(event) && state.isDone(event.id))[phase]);
  const over = members.every(({ index }, i) => arrivals[i] !== undefined || hasExited(setting, state, index));
  if (phase < 0 || !over) return undefined;
  const next = new State(state);
  let observed = NONE;
  for (const arrival of arrivals) {
    if (arrival === undefined || arrival.thread === wait.thread) continue;
    const heads = state.packets.get(arrival.id) ?? NONE;
    observed |= heads;
    for (const head of membersOf(heads)) {
      const other = setting.event(head);
      // A releasing arrival speaks to the whole cluster; a fence before it to the threads in its scope (Q16).
      if (other === arrival || (isMemoryFence(other) && inEachOthersScope(other, wait))) next.learn(wait.id, carried(setting, state, other, wait));
    }
  }
  if (observed !== NONE) next.observed.set(wait.id, observed);
  next.pass(wait.id);
  return next;
}

function hasExited(setting: Setting, state: State, thread: number): boolean {
  return setting.events.some((event) => event.kind === 'exit' && event.thread === thread && state.isDone(event.id));
}

/** activemask: any lanes of the warp, the own one among them. */
export function activeMaskStates(setting: Setting, state: State, event: ProgramEvent): readonly State[] {
  const lanes = setting.structure.program.threads.filter(({ placement }) => placement.warp === event.placement?.warp).map(({ placement }) => placement.lane);
  const own = 1n << BigInt(event.placement?.lane ?? 0);
  const masks = lanes.reduce<readonly bigint[]>((all, lane) => all.flatMap((mask) => [mask, mask | (1n << BigInt(lane))]), [0n]);
  return [...new Set(masks.map((mask) => mask | own))].map((mask) => {
    const next = new State(state);
    next.finish(event.id);
    next.answer(event.thread ?? 0, event.id, mask);
    next.pass(event.id);
    return next;
  });
}

/** A warp instruction that has all values that it needs: every lane of its mask has come to the same one, or has ended. */
export function lanesGoOn(setting: Setting, state: State, event: ProgramEvent, ended: (thread: number) => boolean): State | undefined {
  const group = setting.lanes.find(({ members }) => members.some(({ events }) => events.includes(event)));
  const mask = setting.runOf(state, event.id)?.barrierId?.bits;
  const own = setting.runOf(state, event.id)?.value;
  const reduction = reductionOf(event);
  if (group === undefined || mask === undefined || own === undefined || reduction === undefined) return undefined;
  const executed = group.members.map((member) => ({ ...member, events: member.events.filter(({ id }) => state.isDone(id)) }));
  const round = executed.find(({ events }) => events.includes(event))?.events.indexOf(event) ?? 0;
  const within = executed.filter(({ lane }) => has(mask, lane));
  if (!within.every((member) => member.events[round] !== undefined || ended(member.thread))) return undefined;
  const next = new State(state);
  const given = within.flatMap(({ lane, events }) => {
    const value = setting.runOf(state, events[round]?.id ?? -1)?.value;
    return value === undefined ? [] : [{ lane, present: true, value }];
  });
  next.answer(event.thread ?? 0, event.id, exchange(CONCRETE_VALUES, reduction, { lane: event.placement?.lane ?? 0, value: own }, given).bits);
  next.pass(event.id);
  return next;
}
