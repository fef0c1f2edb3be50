import { type BarrierGroup, warpsIn } from '../events/barrier-groups.js';
import { type EventStructure, inProgramOrder } from '../events/events.js';
import type { ProgramEvent } from '../events/program-event.js';
import { areInOneWarpgroup } from '../program/placement.js';
import { overlappingAt } from '../semantics/cells.js';
import type { PossibleTarget, ValueAnalysis } from '../semantics/value-analysis.js';
import { type Bits, bitsOf, membersOf, NONE } from './bits.js';
import { type Location, overlap } from './location.js';
import { enabledIn, execute, type Step } from './machine.js';
import type { MachineContext } from './machine-context.js';
import { isAccess } from './moral-strength.js';
import type { State } from './state.js';

/**
 * The steps to explore from a state: all of them, or a few where it makes no difference when those are executed,
 * because nothing else that is still to come meets them (a persistent set).
 */
export function nextSteps(state: State, absent?: ReadonlySet<number>): readonly Step[] {
  const enabled = enabledBut(state, absent);
  // In program order, so that runs read well.
  const inOrder = enabled.filter((event) => !overtakes(state, event));
  const local = inOrder.find((event) => isLocal(state.context, event));
  const events = local !== undefined ? [local] : (smallestMeeting(state, inOrder) ?? enabled);
  return events.map((event) => ({ event, states: execute(state, event) }));
}

/** Every operation that can be executed, with what it leads to. */
export function allSteps(state: State, absent?: ReadonlySet<number>): readonly Step[] {
  return enabledBut(state, absent).map((event) => ({ event, states: execute(state, event) }));
}

/** What can be executed, but for some threads. */
const enabledBut = (state: State, absent?: ReadonlySet<number>): readonly ProgramEvent[] =>
  absent === undefined ? enabledIn(state) : enabledIn(state).filter(({ thread }) => !absent.has(thread));

function smallestMeeting(state: State, enabled: readonly ProgramEvent[]): readonly ProgramEvent[] | undefined {
  const meetings = enabled.map((event) => meetingOf(state, event, enabled)).filter((meeting) => meeting !== undefined);
  return meetings.reduce<readonly ProgramEvent[] | undefined>(
    (best, one) => (best === undefined || one.length < best.length ? one : best),
    undefined,
  );
}

/**
 * The operations that meet one, or one of those, and so on; undefined if one of them cannot be executed yet, or goes
 * ahead of one that may still be executed before it.
 */
function meetingOf(
  state: State,
  event: ProgramEvent,
  enabled: readonly ProgramEvent[],
): readonly ProgramEvent[] | undefined {
  const { context } = state;
  if (!isAccess(event) && event.kind !== 'mbarrier') return undefined;
  const members = new Set([event]);
  for (const member of members) {
    const meets = context.meets[member.id] ?? NONE;
    const others = member.partner === undefined ? meets : meets | (context.meets[member.partner] ?? NONE);
    for (const other of membersOf(others & ~state.done)) {
      // An atomic is taken by its read.
      const partner = context.event(other).partner;
      const taken = context.event(other).kind === 'write' && partner !== undefined ? partner : other;
      if (taken === member.id || state.runOf(other)?.executed === false) continue;
      const found = enabled.find(({ id }) => id === taken);
      if (found === undefined || presumes(state, found)) return undefined;
      members.add(found);
    }
  }
  return [...members];
}

/** Something earlier in program order is still to come. */
export function overtakes(state: State, { id, tags }: ProgramEvent): boolean {
  const earlier = (state.context.earlier[id] ?? NONE) & ~state.done;
  return !tags.has('ASY') && membersOf(earlier).some((other) => state.runOf(other)?.executed !== false);
}

/** Of something earlier in program order it is still open whether it is executed. */
const presumes = (state: State, { id }: ProgramEvent): boolean =>
  membersOf((state.context.earlier[id] ?? NONE) & ~state.done).some(
    (other) => state.runOf(other)?.executed === undefined,
  );

/** What a thread does for itself: no other thread's step can tell whether it has happened. */
function isLocal({ groupOf, structure }: MachineContext, event: ProgramEvent): boolean {
  switch (event.kind) {
    case 'fence':
      return !event.tags.has('SC');
    case 'group':
      // A product that another warp of the warpgroup issues comes before it.
      return event.group.action === 'commit' || event.group.family !== 'wgmma' || !hasMates(structure, event);
    case 'issue':
    case 'tensor-step':
    case 'check':
    case 'exit':
      return true;
    case 'barrier': {
      // Where all parties of a group are needed each time and wait, it does not matter who comes first.
      const group = groupOf.get(event.id);
      return group === undefined || needsEverybody(group);
    }
    case 'read':
    case 'write':
    case 'mbarrier':
    case 'grid':
      return false;
  }
}

const hasMates = ({ program }: EventStructure, { thread, placement }: ProgramEvent): boolean =>
  program.threads.some((other) => other.index !== thread && areInOneWarpgroup(other.placement, placement));

/** By event: those that may touch the same bytes, or the same mbarrier object, unless they only read. */
export function findMeetings({ events }: EventStructure, { targets }: ValueAnalysis): readonly Bits[] {
  const touches = ({ kind }: ProgramEvent): boolean => kind === 'mbarrier';
  const placesOf = (event: number): readonly Location[] => (targets.get(event) ?? []).map(located);
  const meeting = overlappingAt(placesOf, (place) => place);
  const meet = (a: ProgramEvent, b: ProgramEvent): boolean => {
    if (a === b) return false;
    // Two reads do not meet, but one of a thread must not overtake an earlier one whose address is yet to come.
    if (a.kind === 'read' && b.kind === 'read' && !inProgramOrder(b, a)) return false;
    if (!(isAccess(a) || touches(a)) || !(isAccess(b) || touches(b))) return false;
    // What follows in program order waits, unless it goes by another address.
    const waits = inProgramOrder(a, b);
    return placesOf(a.id).some((x) => meeting(b.id, x).some((y) => !(waits && overlap(x, y))));
  };
  return events.map((a) => bitsOf(events.filter((b) => meet(a, b)).map(({ id }) => id)));
}

const located = ({ range, offset, bytes, virtualAddress }: PossibleTarget) => ({
  object: range.object,
  offset,
  bytes,
  virtualAddress,
});

function needsEverybody({ events, needs, parties }: BarrierGroup): boolean {
  if (parties.some(({ isCut }) => isCut)) return false;
  const arriving = warpsIn(parties.filter(({ threads }) => events.some(({ thread }) => threads.includes(thread))));
  return events.every(({ id, barrier }) => barrier?.action !== 'arrive' && (needs.get(id) ?? arriving) === arriving);
}
