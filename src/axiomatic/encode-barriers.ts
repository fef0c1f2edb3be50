import {
  alignedPairs,
  BARRIER_RULES,
  type BarrierGroup,
  type BarrierGroups,
  isSameInstruction,
  partyOf,
} from '../events/barrier-groups.js';
import { exitOf, inProgramOrder, type ProgramEvent } from '../events/events.js';
import { atLeast } from '../semantics/completion.js';
import { exchange } from '../semantics/exchange.js';
import type { Bits } from './bits.js';
import type { EncodedViolation } from './encode-mbarriers.js';
import type { EncodingContext } from './encoding-context.js';
import { FALSE, type Formula, not, TRUE } from './formula.js';
import type { Meeting } from './meetings.js';
import { PairFormulas } from './pair-formulas.js';

export interface BarrierEncoding {
  /** Both take part in one completed phase, and the second waits for it (8.9.4). */
  readonly synchronization: PairFormulas;
  /** From the end of a thread to a barrier instruction that does not wait for it. */
  readonly exits: PairFormulas;
  /** From what a completion needed to a later arrival of a warp that had taken part in it by an arrive. */
  readonly rearrivals: PairFormulas;
  /** From what a completion needed to an arrival of another warp that it came too early for. */
  readonly lateArrivals: () => PairFormulas;
  /** The completions that may happen, with the events that may take part. */
  readonly phases: readonly {
    readonly group: string;
    readonly index: number;
    readonly complete: Formula;
    readonly members: readonly { readonly event: number; readonly formula: Formula }[];
  }[];
  readonly meetings: readonly Meeting[];
  /** Every thread that waits is let go. */
  readonly released: Formula;
  readonly violations: readonly EncodedViolation[];
}

/** What the encoding of barriers is given of the threads. */
export interface BarrierSetting {
  readonly resultOf: (event: number) => Bits | undefined;
  readonly passesOf: (event: number) => Formula;
  readonly endedOf: (thread: number) => Formula;
}

/** Which arrivals are taken by which completion of one barrier. */
interface Participation {
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

const isArrive = ({ barrier }: ProgramEvent): boolean => barrier?.action === 'arrive';
const takesPart = (of: Participation['of'], { id }: ProgramEvent, phase: number): Formula =>
  of.get(id)?.get(phase) ?? FALSE;

/** The ends of threads that a phase did not wait for, each with when. */
function exitsOf(
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
function arrivedBefore(
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
function isOpen(context: EncodingContext, of: Participation['of'], { id }: ProgramEvent): Formula {
  const { builder } = context;
  return builder.and(context.executed(id), not(builder.any(of.get(id)?.values() ?? [])));
}

/**
 * Encodes which barrier instructions meet (PTX ISA 9.7.15.1; 8.9.4). A phase completes with exactly the warps that its
 * count names, or with all that have not exited; a thread takes part once in a phase, in program order; a phase starts
 * when the one before has completed; and no phase waits for itself.
 */
export function encodeBarriers(
  context: EncodingContext,
  { groups, misused }: BarrierGroups,
  setting: BarrierSetting,
): BarrierEncoding {
  const { builder, universe } = context;
  const size = universe.events.length;
  const made = groups.map((group) => {
    const events = group.events.filter((event) => context.executed(event.id) !== FALSE);
    return fixedPhases(context, group, events) ?? chosenPhases(context, group, events, setting.endedOf);
  });

  const released: Formula[] = [];
  for (const { events, of } of made) {
    for (const event of events) {
      if (isArrive(event)) continue;
      const goesOn = builder.any(of.get(event.id)?.values() ?? []);
      released.push(builder.implies(context.executed(event.id), goesOn));
      const passes = setting.passesOf(event.id);
      if (passes !== TRUE) context.assert(builder.implies(context.executed(event.id), builder.iff(passes, goesOn)));
    }
    encodeReductions(context, events, of, setting.resultOf);
  }
  // What breaks a rule by itself keeps nobody: the test is undefined anyway.
  for (const { event } of misused) if (setting.passesOf(event.id) !== TRUE) context.assert(setting.passesOf(event.id));

  const [synchronization, exits, rearrivals] = [
    new PairFormulas(builder, size),
    new PairFormulas(builder, size),
    new PairFormulas(builder, size),
  ];
  for (const { events, of, complete, excused } of made) {
    complete.forEach((_, phase) => {
      const left = exitsOf(context, excused, phase);
      for (const b of events) {
        const waits = isArrive(b) ? FALSE : takesPart(of, b, phase);
        for (const a of events)
          if (a.thread !== b.thread) synchronization.add(a.id, b.id, builder.and(takesPart(of, a, phase), waits));
        for (const [exit, when] of left)
          if (exit.thread !== b.thread) exits.add(exit.id, b.id, builder.and(when, waits));
        const before = arrivedBefore(context, events, of, b, phase);
        if (before === FALSE) continue;
        const isAgain = builder.and(before, context.executed(b.id));
        for (const c of events)
          if (c.thread !== b.thread) rearrivals.add(c.id, b.id, builder.and(isAgain, takesPart(of, c, phase)));
        for (const [exit, when] of left)
          if (exit.thread !== b.thread) rearrivals.add(exit.id, b.id, builder.and(isAgain, when));
      }
    });
  }

  const phases = made.flatMap(({ group, of, complete }) =>
    complete.map((done, index) => ({
      group: group.name,
      index,
      complete: done,
      members: group.events.map((event) => ({ event: event.id, formula: takesPart(of, event, index) })),
    })),
  );
  const meetings = made.flatMap(({ group, events, of, complete, excused }) =>
    complete.map((done, index): Meeting => {
      const exited = exitsOf(context, excused, index).map(
        ([exit, when]) => [exit.id, builder.and(done, when)] as const,
      );
      const next = events.map((event) => ({
        event,
        taken: takesPart(of, event, index + 1),
        again: arrivedBefore(context, events, of, event, index),
      }));
      return {
        group: group.name,
        index,
        complete: done,
        contributors: new Map([...events.map((event) => [event.id, takesPart(of, event, index)] as const), ...exited]),
        // What follows a wait, or an arrival in the next phase, comes after the completion.
        released: new Map(
          next.map(({ event, taken, again }) => [
            event.id,
            builder.or(isArrive(event) ? FALSE : takesPart(of, event, index), builder.and(taken, not(again))),
          ]),
        ),
        again: new Map(next.map(({ event, taken, again }) => [event.id, builder.and(taken, again)])),
      };
    }),
  );
  return {
    phases,
    meetings,
    synchronization,
    exits,
    rearrivals,
    lateArrivals: () => lateArrivals(context, made),
    released: builder.all(released),
    violations: [
      ...misused.map(({ event, rule }) => ({ rule, formula: context.executed(event.id) })),
      { rule: BARRIER_RULES.again, formula: builder.any(made.map((one) => arrivesAgain(context, one))) },
      {
        rule: BARRIER_RULES.mixed,
        formula: builder.any(made.map((one) => meetUnlike(context, one, ({ barrier }) => barrier?.action === 'red'))),
      },
      {
        rule: BARRIER_RULES.counts,
        formula: builder.any(made.map((one) => meetUnlike(context, one, ({ id }) => one.group.needs.get(id)))),
      },
      { rule: BARRIER_RULES.divergent, formula: divergence(context, setting.endedOf) },
    ],
  };
}

/** When everybody is needed each time and none branches, the n-th arrival of each is in phase n. */
function fixedPhases(
  context: EncodingContext,
  group: BarrierGroup,
  events: readonly ProgramEvent[],
): Participation | undefined {
  const byThread = new Map<number | undefined, ProgramEvent[]>();
  for (const event of events) byThread.set(event.thread, [...(byThread.get(event.thread) ?? []), event]);
  const counts = new Set(events.map(({ id }) => group.needs.get(id)));
  const [need] = counts;
  const lone = group.parties.every((party) => party.length === 1);
  if (
    !lone ||
    counts.size !== 1 ||
    events.some((event) => context.executed(event.id) !== TRUE) ||
    byThread.size !== (need ?? group.parties.length)
  )
    return undefined;
  const lengths = [...byThread.values()].map((own) => own.length);
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

function chosenPhases(
  context: EncodingContext,
  group: BarrierGroup,
  events: readonly ProgramEvent[],
  endedOf: (thread: number) => Formula,
): Participation {
  const { builder } = context;
  const of = new Map<number, Map<number, Formula>>();
  const count = mostPhases(group, events);
  for (const event of events) {
    const own = new Map<number, Formula>();
    for (let phase = 0; phase < count; phase++) own.set(phase, builder.variable(`phase${phase}(${event.id})`));
    for (const formula of own.values()) context.assert(builder.implies(formula, context.executed(event.id)));
    context.assert(builder.atMostOne([...own.values()]));
    of.set(event.id, own);
  }
  const takenBefore = (event: ProgramEvent, phase: number): Formula =>
    builder.any([...(of.get(event.id) ?? [])].filter(([other]) => other < phase).map(([, other]) => other));
  for (const a of events) {
    for (const b of events) {
      if (!inProgramOrder(a, b)) continue;
      // In program order phases grow strictly, and nothing follows an arrival that no phase took.
      const both = builder.and(context.executed(a.id), context.executed(b.id));
      for (const [phase, formula] of of.get(b.id) ?? [])
        context.assert(builder.implies(builder.and(both, formula), takenBefore(a, phase)));
    }
  }
  const eventsOf = (thread: number): readonly ProgramEvent[] => events.filter((event) => event.thread === thread);
  const threads = group.parties.flat();
  /** A thread has exited, and all that it executed here was taken before. */
  const excuse = (thread: number, phase: number): Formula =>
    builder.and(
      endedOf(thread),
      builder.all(
        eventsOf(thread).map((event) => builder.implies(context.executed(event.id), takenBefore(event, phase))),
      ),
    );
  const excused: Map<number, Formula>[] = [];
  const complete: Formula[] = [];
  for (let phase = 0; phase < count; phase++) {
    const members = events.map((event) => ({ event, formula: takesPart(of, event, phase) }));
    const done = builder.any(members.map(({ formula }) => formula));
    const left = new Map(threads.map((thread) => [thread, group.level === 'cta' ? excuse(thread, phase) : FALSE]));
    const arrived = (thread: number): Formula =>
      builder.any(members.filter(({ event }) => event.thread === thread).map(({ formula }) => formula));
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
      builder.or(uncounted, builder.any((group.parties[partyOf(group, thread)] ?? []).map(arrived)));
    excused.push(
      new Map(
        [...left].map(([thread, formula]) => [thread, builder.and(formula, not(arrived(thread)), awaited(thread))]),
      ),
    );
  }
  // The arrivals that no phase took, of each thread the first, are too few to complete one more.
  const open = (event: ProgramEvent): Formula => isOpen(context, of, event);
  const untaken = events.map((event) => {
    const earlier = builder.any(events.filter((other) => inProgramOrder(other, event)).map(open));
    return { event, formula: builder.and(open(event), not(earlier)) };
  });
  const stillHere = (thread: number): Formula =>
    builder.any(untaken.filter(({ event }) => event.thread === thread).map(({ formula }) => formula));
  const gone = (thread: number): Formula =>
    group.level === 'cta' ? builder.and(endedOf(thread), not(stillHere(thread))) : FALSE;
  context.assert(not(mayComplete(context, group, untaken, stillHere, gone, false)));
  const isWhole = (thread: number): Formula =>
    builder.all((group.parties[partyOf(group, thread)] ?? []).map((mate) => builder.or(stillHere(mate), gone(mate))));
  return { group, events, of, complete, excused, isWhole };
}

/**
 * Completions, at most: each takes an arrival of some party, and as many parties as the smallest count names. Without
 * counts the last one takes a party that has been part of all; where some give a count and some do not, it need not
 * have been.
 */
function mostPhases(group: BarrierGroup, events: readonly ProgramEvent[]): number {
  const needs = events.map(({ id }) => group.needs.get(id));
  const ofThread = (thread: number): number => events.filter((event) => event.thread === thread).length;
  const ofParty = group.parties.map((party) => Math.max(0, ...party.map(ofThread)));
  if (needs.every((need) => need === undefined)) return Math.max(0, ...ofParty);
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
  arrivals: readonly { readonly event: ProgramEvent; readonly formula: Formula }[],
  arrived: (thread: number) => Formula,
  gone: (thread: number) => Formula,
  exactly: boolean,
): Formula {
  const { builder, bits } = context;
  const present = group.parties.map((party) =>
    builder.and(
      builder.any(party.map(arrived)),
      builder.all(party.map((thread) => builder.or(arrived(thread), gone(thread)))),
    ),
  );
  const everybody = builder.all(group.parties.flat().map((thread) => builder.or(arrived(thread), gone(thread))));
  const ways = [...new Set(arrivals.map(({ event }) => group.needs.get(event.id)))].map((need) => {
    const asked = builder.any(
      arrivals.filter(({ event }) => group.needs.get(event.id) === need).map(({ formula }) => formula),
    );
    if (need === undefined) return builder.and(asked, everybody);
    const enough = atLeast(bits, present, need);
    return builder.and(
      asked,
      exactly
        ? builder.and(enough, not(atLeast(bits, present, need + 1)), wholeParties(context, group, arrived, gone))
        : enough,
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
      .filter((party) => party.length > 1)
      .map((party) =>
        builder.implies(
          builder.any(party.map(arrived)),
          builder.all(party.map((thread) => builder.or(arrived(thread), gone(thread)))),
        ),
      ),
  );
}

/**
 * A completion takes every warp that has arrived, so one that it did not take came later. That is known of warps of
 * which the test shows one thread: what another one waits for is the last of its threads.
 */
function lateArrivals(context: EncodingContext, made: readonly Participation[]): PairFormulas {
  const { builder, universe } = context;
  const late = new PairFormulas(builder, universe.events.length);
  for (const { group, events, of, complete, excused } of made) {
    complete.forEach((done, phase) => {
      const needed = events.map((event) => ({ event, formula: takesPart(of, event, phase) }));
      const exits = exitsOf(context, excused, phase).map(([event, when]) => ({
        event,
        formula: builder.and(done, when),
      }));
      for (const arrival of events) {
        if (group.parties[partyOf(group, arrival.thread ?? -1)]?.length !== 1) continue;
        const taken = [...(of.get(arrival.id) ?? [])].filter(([other]) => other <= phase).map(([, formula]) => formula);
        const isLate = builder.and(context.executed(arrival.id), not(builder.any(taken)));
        for (const { event, formula } of [...needed, ...exits])
          if (event.thread !== arrival.thread) late.add(event.id, arrival.id, builder.and(formula, isLate));
      }
    });
  }
  return late;
}

/** A warp is at the barrier again though the phase that it arrived in never completes. */
function arrivesAgain(context: EncodingContext, { events, of }: Participation): Formula {
  const { builder } = context;
  return builder.any(
    events.flatMap((a) =>
      isArrive(a)
        ? events
            .filter((b) => inProgramOrder(a, b))
            .map((b) => builder.and(isOpen(context, of, a), context.executed(b.id)))
        : [],
    ),
  );
}

/** Two instructions that differ in something meet: in one phase, or among the whole warps that no phase took. */
function meetUnlike(
  context: EncodingContext,
  { events, of, complete, isWhole }: Participation,
  property: (event: ProgramEvent) => unknown,
): Formula {
  const { builder } = context;
  const kinds = new Set(events.map(property));
  if (kinds.size < 2) return FALSE;
  const ofKind = (kind: unknown, formulaOf: (event: ProgramEvent) => Formula): Formula =>
    builder.any(events.filter((event) => property(event) === kind).map(formulaOf));
  const severalOf = (formulaOf: (event: ProgramEvent) => Formula): Formula =>
    atLeast(
      context.bits,
      [...kinds].map((kind) => ofKind(kind, formulaOf)),
      2,
    );
  const open = (event: ProgramEvent): Formula => builder.and(isOpen(context, of, event), isWhole(event.thread ?? -1));
  return builder.any([
    ...complete.map((_, phase) => severalOf((event) => takesPart(of, event, phase))),
    severalOf(open),
  ]);
}

/** Lanes of one warp execute aligned barrier instructions that are not the same, or one of them none at all. */
function divergence(context: EncodingContext, endedOf: (thread: number) => Formula): Formula {
  const { builder, bits, universe } = context;
  const { structure } = universe;
  const aligned = new Map<number, readonly ProgramEvent[]>();
  for (const { otherThread, others } of alignedPairs(structure)) aligned.set(otherThread, others);
  const before = ({ thread, node }: ProgramEvent): readonly Formula[] =>
    (aligned.get(thread ?? -1) ?? []).filter((other) => other.node < node).map(({ id }) => context.executed(id));
  const ways = alignedPairs(structure).flatMap(({ event, others, otherFallsThrough, otherThread }) => {
    const rank = before(event);
    return Array.from({ length: rank.length + 1 }, (_, n) => {
      const isNth = builder.and(context.executed(event.id), atLeast(bits, rank, n), not(atLeast(bits, rank, n + 1)));
      const unlike = others
        .filter((other) => !isSameInstruction(structure, event, other))
        .map((other) =>
          builder.and(
            context.executed(other.id),
            atLeast(bits, before(other), n),
            not(atLeast(bits, before(other), n + 1)),
          ),
        );
      const fewer = not(
        atLeast(
          bits,
          others.map(({ id }) => context.executed(id)),
          n + 1,
        ),
      );
      return builder.and(
        isNth,
        builder.or(...unlike, otherFallsThrough ? builder.and(endedOf(otherThread), fewer) : FALSE),
      );
    });
  });
  return builder.any(ways);
}

/** What a reduction returns, from the values that its phase brings together. */
function encodeReductions(
  context: EncodingContext,
  events: readonly ProgramEvent[],
  of: Participation['of'],
  resultOf: (event: number) => Bits | undefined,
): void {
  const { builder, bits } = context;
  const giving = events.filter(({ barrier }) => barrier?.kind === 'barrier' && barrier.reduction !== undefined);
  for (const event of giving) {
    const reduction = event.barrier?.kind === 'barrier' ? event.barrier.reduction : undefined;
    const result = resultOf(event.id);
    if (reduction === undefined || result === undefined) continue;
    for (const [phase, formula] of of.get(event.id) ?? []) {
      const given = giving.map((other) => ({
        lane: other.placement?.lane ?? 0,
        present: takesPart(of, other, phase),
        value: context.value(other.id),
      }));
      const expected = exchange(
        bits,
        reduction,
        { lane: event.placement?.lane ?? 0, value: context.value(event.id) },
        given,
      );
      context.assert(builder.implies(formula, bits.equal(result, expected)));
    }
  }
}
