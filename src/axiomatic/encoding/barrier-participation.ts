import { type BarrierGroup, matesOf, partiesOf, warpsIn } from '../../events/barrier-groups.js';
import { exitOf, inProgramOrder } from '../../events/events.js';
import type { ProgramEvent } from '../../events/program-event.js';
import { groupBy } from '../../program/group-by.js';
import { atLeast } from '../../semantics/completion.js';
import { FALSE, type Formula, not, TRUE } from '../formula/formula.js';
import { waitsForAll } from './certain-barriers.js';
import { exactly } from './counting.js';
import type { EncodingContext } from './encoding-context.js';

/** Which arrivals are taken by which completion of one barrier. */
export interface Participation {
  readonly group: BarrierGroup;
  readonly events: readonly ProgramEvent[];
  /** By event, then by phase. */
  readonly of: ReadonlyMap<number, ReadonlyMap<number, Formula>>;
  readonly complete: readonly Formula[];
  /** By phase, then by thread: the phase does not wait for it, since it has exited. */
  readonly excused: readonly ReadonlyMap<number, Formula>[];
  /** No phase took the arrivals of that thread's warp, and none of its threads is missing. */
  readonly isWhole: (thread: number) => Formula;
}

export const isArrive = ({ barrier }: ProgramEvent): boolean => barrier?.action === 'arrive';
export const takesPart = (of: Participation['of'], { id }: ProgramEvent, phase: number): Formula =>
  of.get(id)?.get(phase) ?? FALSE;

/** The ends of threads that a phase did not wait for, each with when. */
export function exitsOf(
  { universe }: EncodingContext,
  excused: Participation['excused'],
  phase: number,
): readonly (readonly [ProgramEvent, Formula])[] {
  return [...(excused[phase] ?? [])].flatMap(([thread, left]) => {
    const exit = exitOf(universe.events, thread);
    return exit === undefined ? [] : [[exit, left] as const];
  });
}

/** The thread of an instruction has taken part in a completion by an earlier arrival. */
export function arrivedBefore(
  { builder }: EncodingContext,
  events: readonly ProgramEvent[],
  of: Participation['of'],
  event: ProgramEvent,
  phase: number,
): Formula {
  return builder.any(
    events
      .filter((other) => isArrive(other) && inProgramOrder(other, event))
      .map((other) => takesPart(of, other, phase)),
  );
}

/** An arrival that no completion takes. */
export function isOpen(context: EncodingContext, of: Participation['of'], { id }: ProgramEvent): Formula {
  const { builder } = context;
  return builder.and(context.executed(id), not(builder.any([...(of.get(id)?.values() ?? [])])));
}

/**
 * Encodes which arrivals the completions of a barrier take (PTX ISA 9.7.15.1): one completes with exactly the warps
 * that its count names, or with all that have not exited; a thread takes part once in a phase, in program order; and a
 * phase starts when the one before has completed.
 */
export function encodeParticipation(context: EncodingContext, group: BarrierGroup): Participation {
  const events = group.events.filter((event) => context.executed(event.id) !== FALSE);
  return fixedPhases(context, group, events) ?? chosenPhases(context, group, events);
}

/** When everybody is needed each time and none branches, the n-th arrival of each is in phase n. */
function fixedPhases(
  context: EncodingContext,
  group: BarrierGroup,
  events: readonly ProgramEvent[],
): Participation | undefined {
  const byThread = groupBy(events, ({ thread }) => thread);
  const counts = new Set(events.map(({ id }) => group.needs.get(id)));
  const [need] = counts;
  const taking = group.parties.filter(({ threads }) => threads.some((thread) => byThread.has(thread)));
  if (
    group.parties.some(({ isCut }) => isCut) ||
    counts.size !== 1 ||
    events.some((event) => context.executed(event.id) !== TRUE) ||
    taking.some(({ threads }) => !threads.every((thread) => byThread.has(thread))) ||
    warpsIn(taking) !== (need ?? warpsIn(group.parties))
  )
    return undefined;
  const lengths = [...byThread.values()].map((own) => own.length);
  // A warp of several threads does not come without those that have come to their ends.
  const lone = taking.every(({ threads }) => threads.length === 1);
  if (!lone && new Set(lengths).size > 1) return undefined;
  const completed = Math.min(...lengths);
  // Without a count, one that has come to its end keeps nobody waiting any more.
  if (need === undefined && lengths.some((length) => length > completed)) return undefined;
  const of = new Map<number, ReadonlyMap<number, Formula>>();
  for (const own of byThread.values())
    own.forEach((event, i) => of.set(event.id, i < completed ? new Map([[i, TRUE]]) : new Map()));
  return {
    group,
    events,
    of,
    complete: Array.from({ length: completed }, () => TRUE),
    excused: [],
    isWhole: () => TRUE,
  };
}

function chosenPhases(context: EncodingContext, group: BarrierGroup, events: readonly ProgramEvent[]): Participation {
  const { builder } = context;
  const count = mostPhases(group, events);
  const of = phasesOfEvents(context, group, events, count);
  const threads = threadsOf(group);
  /** A thread has exited, and all that it executed here was taken before. */
  const excuse = (thread: number, phase: number): Formula =>
    builder.and(
      context.endedOf(thread),
      builder.all(
        events
          .filter((event) => event.thread === thread)
          .map((event) => builder.implies(context.executed(event.id), takenBefore(context, of, event, phase))),
      ),
    );
  const excused: Map<number, Formula>[] = [];
  const complete: Formula[] = [];
  for (let phase = 0; phase < count; phase++) {
    const members = events.map((event) => ({ event, formula: takesPart(of, event, phase) }));
    const done = builder.any(members.map(({ formula }) => formula));
    const left = new Map(threads.map((thread) => [thread, group.level === 'cta' ? excuse(thread, phase) : FALSE]));
    const arrived = (thread: number): Formula => ofThread(context, members, thread);
    context.assert(
      builder.implies(
        done,
        mayComplete(context, group, members, arrived, (thread) => left.get(thread) ?? FALSE, true),
      ),
    );
    const before = complete[phase - 1];
    if (before !== undefined) context.assert(builder.implies(done, before));
    complete.push(done);
    // Whose exit it took: of any thread where nobody gave a count, else of one whose warp arrived without it.
    const uncounted = not(
      builder.any(members.filter(({ event }) => group.needs.get(event.id) !== undefined).map(({ formula }) => formula)),
    );
    const awaited = (thread: number): Formula =>
      builder.or(uncounted, builder.any(matesOf(group, thread).map(arrived)));
    excused.push(
      new Map(
        [...left].map(([thread, formula]) => [thread, builder.and(formula, not(arrived(thread)), awaited(thread))]),
      ),
    );
  }
  return { group, events, of, complete, excused, isWhole: leaveUntaken(context, group, events, of) };
}

/** By event, the phases that may take it, each with when it does. */
function phasesOfEvents(
  context: EncodingContext,
  group: BarrierGroup,
  events: readonly ProgramEvent[],
  count: number,
): Participation['of'] {
  const { builder } = context;
  const of = new Map<number, Map<number, Formula>>();
  const rankOf = ranks(context, group, events);
  const certain = certainPhases(context, group, events, rankOf);
  for (const event of events) {
    const own = new Map<number, Formula>();
    const { least, most } = rankOf(event) ?? { least: 0, most: count - 1 };
    for (let phase = least; phase <= Math.min(most, count - 1); phase++)
      own.set(phase, most === least && phase < certain ? TRUE : builder.variable(`phase${phase}(${event.id})`));
    for (const formula of own.values()) context.assert(builder.implies(formula, context.executed(event.id)));
    context.assert(builder.atMostOne([...own.values()]));
    of.set(event.id, own);
  }
  for (const a of events) {
    for (const b of events) {
      if (!inProgramOrder(a, b)) continue;
      // In program order phases grow strictly, and nothing follows an arrival that no phase took.
      const both = builder.and(context.executed(a.id), context.executed(b.id));
      for (const [phase, formula] of of.get(b.id) ?? [])
        context.assert(builder.implies(builder.and(both, formula), takenBefore(context, of, a, phase)));
    }
  }
  return of;
}

function takenBefore(
  { builder }: EncodingContext,
  of: Participation['of'],
  { id }: ProgramEvent,
  phase: number,
): Formula {
  return builder.any([...(of.get(id) ?? [])].filter(([other]) => other < phase).map(([, formula]) => formula));
}

interface Arrival {
  readonly event: ProgramEvent;
  readonly formula: Formula;
}

const ofThread = ({ builder }: EncodingContext, arrivals: readonly Arrival[], thread: number): Formula =>
  builder.any(arrivals.filter(({ event }) => event.thread === thread).map(({ formula }) => formula));

/**
 * The arrivals that no phase took, of each thread the first, are too few to complete one more. Returns which warps are
 * whole among them.
 */
function leaveUntaken(
  context: EncodingContext,
  group: BarrierGroup,
  events: readonly ProgramEvent[],
  of: Participation['of'],
): Participation['isWhole'] {
  const { builder } = context;
  const open = (event: ProgramEvent): Formula => isOpen(context, of, event);
  const untaken = events.map((event) => {
    const earlier = builder.any(events.filter((other) => inProgramOrder(other, event)).map(open));
    return { event, formula: builder.and(open(event), not(earlier)) };
  });
  const stillHere = (thread: number): Formula => ofThread(context, untaken, thread);
  const gone = (thread: number): Formula =>
    group.level === 'cta' ? builder.and(context.endedOf(thread), not(stillHere(thread))) : FALSE;
  context.assert(not(mayComplete(context, group, untaken, stillHere, gone, false)));
  return (thread) =>
    partiesOf(group, thread).some(({ isCut }) => isCut)
      ? FALSE
      : builder.all(matesOf(group, thread).map((mate) => builder.or(stillHere(mate), gone(mate))));
}

type RankOf = (event: ProgramEvent) => { readonly least: number; readonly most: number } | undefined;

/**
 * How many arrivals of its thread come before an event, at least and at most. Where everybody is needed each time, that
 * is the phase that takes it: none completes without a thread that has not exited.
 */
function ranks({ builder, executed }: EncodingContext, group: BarrierGroup, events: readonly ProgramEvent[]): RankOf {
  if (!waitsForAll(group)) return () => undefined;
  return (event) => {
    const earlier = events.filter((other) => inProgramOrder(other, event));
    const given = builder.conjuncts(executed(event.id));
    const isCertain = ({ id }: ProgramEvent): boolean =>
      executed(id) === TRUE || [...builder.conjuncts(executed(id))].every((one) => given.has(one));
    return { least: earlier.filter(isCertain).length, most: earlier.length };
  };
}

/** The first phases to which every thread comes for certain. */
function certainPhases(
  { executed }: EncodingContext,
  group: BarrierGroup,
  events: readonly ProgramEvent[],
  rankOf: RankOf,
): number {
  const threads = threadsOf(group);
  const isCertain = (phase: number): boolean =>
    threads.every((thread) =>
      events.some((event) => {
        const rank = rankOf(event);
        return event.thread === thread && executed(event.id) === TRUE && rank?.least === phase && rank.most === phase;
      }),
    );
  let phases = 0;
  while (phases < events.length && isCertain(phases)) phases += 1;
  return phases;
}

const threadsOf = ({ parties }: BarrierGroup): readonly number[] => [
  ...new Set(parties.flatMap(({ threads }) => threads)),
];

/**
 * Completions, at most: each takes an arrival of some party, and as many parties as the smallest count names. Without
 * counts the last one takes a party that has been part of all; where some give a count and some do not, it need not
 * have been.
 */
function mostPhases(group: BarrierGroup, events: readonly ProgramEvent[]): number {
  const needs = events.map(({ id }) => group.needs.get(id));
  const ofThread = (thread: number): number => events.filter((event) => event.thread === thread).length;
  const ofParty = group.parties.map(({ threads, warps }) => warps * Math.max(0, ...threads.map(ofThread)));
  if (needs.every((need) => need === undefined)) return Math.max(0, ...events.map(({ thread }) => ofThread(thread)));
  const fewest = Math.min(...needs.map((need) => need ?? 1));
  return Math.floor(ofParty.reduce((sum, most) => sum + most, 0) / Math.max(1, fewest));
}

/**
 * Some arrivals complete the barrier: by the count that one of them gives, or, where one gives none, since nobody is
 * missing.
 */
function mayComplete(
  context: EncodingContext,
  group: BarrierGroup,
  arrivals: readonly Arrival[],
  arrived: (thread: number) => Formula,
  gone: (thread: number) => Formula,
  isWhole: boolean,
): Formula {
  const { builder, bits } = context;
  const there = (thread: number): Formula => builder.or(arrived(thread), gone(thread));
  const parties = group.parties
    .filter(({ isCut }) => !isCut)
    .map(({ threads, warps }) => ({
      ...{ threads, warps },
      isPresent: builder.and(builder.any(threads.map(arrived)), builder.all(threads.map(there))),
    }));
  const present = parties.flatMap(({ warps, isPresent }) => Array.from({ length: warps }, () => isPresent));
  // What a lane gives alone counts when its warp has arrived.
  const hasArrived = ({ thread }: ProgramEvent): Formula =>
    builder.any(parties.filter(({ threads }) => threads.includes(thread)).map(({ isPresent }) => isPresent));
  const everybody = group.parties.some(({ isCut }) => isCut) ? FALSE : builder.all(threadsOf(group).map(there));
  const ways = [...new Set(arrivals.map(({ event }) => group.needs.get(event.id)))].map((need) => {
    const giving = arrivals.filter(({ event }) => group.needs.get(event.id) === need);
    if (need === undefined) return builder.and(builder.any(giving.map(({ formula }) => formula)), everybody);
    const asked = builder.any(giving.map(({ event, formula }) => builder.and(formula, hasArrived(event))));
    return builder.and(
      asked,
      isWhole
        ? builder.and(...exactly(context, present, need), wholeParties(context, group, arrived, gone))
        : atLeast(bits, present, need),
    );
  });
  return builder.any(ways);
}

/** A warp arrives with all its threads that have not exited, or not at all. */
function wholeParties(
  { builder }: EncodingContext,
  { parties }: BarrierGroup,
  arrived: (thread: number) => Formula,
  gone: (thread: number) => Formula,
): Formula {
  return builder.all(
    parties
      .filter(({ threads, isCut }) => threads.length > 1 && !isCut)
      .map(({ threads }) =>
        builder.implies(
          builder.any(threads.map(arrived)),
          builder.all(threads.map((thread) => builder.or(arrived(thread), gone(thread)))),
        ),
      ),
  );
}
