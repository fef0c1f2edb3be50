import type { BarrierGroup } from '../program/barrier-groups.js';
import { atLeast } from '../program/completion.js';
import { inProgramOrder, type ProgramEvent } from '../program/events.js';
import { exchange } from '../program/exchange.js';
import type { Bits } from './bits.js';
import type { EncodingContext } from './encoding-context.js';
import { FALSE, type Formula, not, TRUE } from './formula.js';
import type { Meeting } from './meetings.js';

/** A completion of a barrier: the barrier resets itself, so a group has a sequence of them. */
interface Phase {
  readonly group: BarrierGroup;
  readonly index: number;
  readonly complete: Formula;
}

export interface BarrierEncoding {
  /** Both take part in one completed phase, and the second waits for it (D34.2). */
  synchronizes(a: number, b: number): Formula;
  readonly pairs: readonly (readonly [number, number])[];
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
}

/**
 * Encodes which barrier instructions meet (PTX ISA, bar; 8.9.4). A phase completes with exactly the wanted number of
 * arrivals; a thread takes part once in a phase, in program order; a phase starts when the one before has completed;
 * and no phase waits for itself.
 */
export function encodeBarriers(
  context: EncodingContext,
  groups: readonly BarrierGroup[],
  resultOf: (event: number) => Bits | undefined,
  passesOf: (event: number) => Formula,
): BarrierEncoding {
  const { builder } = context;
  const participation = new Map<number, ReadonlyMap<number, Formula>>();
  const phases: Phase[] = [];
  const released: Formula[] = [];
  for (const group of groups) {
    const events = group.events.filter((event) => context.executed(event.id) !== FALSE);
    const made = fixedPhases(context, group, events) ?? chosenPhases(context, group, events);
    made.complete.forEach((complete, index) => phases.push({ group, index, complete }));
    for (const event of events) {
      const of = made.of.get(event.id) ?? new Map<number, Formula>();
      participation.set(event.id, of);
      if (event.barrier?.action === 'arrive') continue;
      const goesOn = builder.any(of.values());
      released.push(builder.implies(context.executed(event.id), goesOn));
      const passes = passesOf(event.id);
      if (passes !== TRUE) context.assert(builder.implies(context.executed(event.id), builder.iff(passes, goesOn)));
    }
    encodeReductions(context, events, participation, resultOf);
  }

  const together = (a: number, b: number): Formula => {
    const [first, second] = [participation.get(a), participation.get(b)];
    return builder.any([...(first ?? [])].map(([phase, formula]) => builder.and(formula, second?.get(phase) ?? FALSE)));
  };
  const pairs = groups.flatMap(({ events }) =>
    events.flatMap((a) => events.flatMap((b) => (a !== b && a.thread !== b.thread && b.barrier?.action !== 'arrive' ? [[a.id, b.id] as const] : []))),
  );
  const described = phases.map(({ group, index, complete }) => ({
    group: group.name,
    index,
    complete,
    members: group.events.map(({ id }) => ({ event: id, formula: participation.get(id)?.get(index) ?? FALSE })),
  }));
  const takesPart = (event: ProgramEvent, phase: number): Formula => participation.get(event.id)?.get(phase) ?? FALSE;
  const meetings = phases.map(({ group, index, complete }): Meeting => {
    const events = group.events.filter((event) => context.executed(event.id) !== FALSE);
    return {
      group: group.name,
      index,
      complete,
      contributors: new Map(events.map((event) => [event.id, takesPart(event, index)])),
      // What follows a wait, or an arrival in the next phase, comes after the completion.
      released: new Map(events.map((event) => [event.id, builder.or(event.barrier?.action === 'arrive' ? FALSE : takesPart(event, index), takesPart(event, index + 1))])),
    };
  });
  return { phases: described, meetings, pairs, released: builder.all(released), synchronizes: together };
}

interface Participation {
  /** By event, then by phase. */
  readonly of: ReadonlyMap<number, ReadonlyMap<number, Formula>>;
  readonly complete: readonly Formula[];
}

/** When all threads of the group are needed each time and none branches, the n-th arrival of each is in phase n. */
function fixedPhases(context: EncodingContext, group: BarrierGroup, events: readonly ProgramEvent[]): Participation | undefined {
  const byThread = new Map<number | undefined, ProgramEvent[]>();
  for (const event of events) byThread.set(event.thread, [...(byThread.get(event.thread) ?? []), event]);
  if (byThread.size !== group.arrivals || events.some((event) => context.executed(event.id) !== TRUE)) return undefined;
  const completed = Math.min(...[...byThread.values()].map((own) => own.length));
  const of = new Map<number, ReadonlyMap<number, Formula>>();
  for (const own of byThread.values()) own.forEach((event, i) => of.set(event.id, i < completed ? new Map([[i, TRUE]]) : new Map()));
  return { of, complete: Array.from({ length: completed }, () => TRUE) };
}

function chosenPhases(context: EncodingContext, group: BarrierGroup, events: readonly ProgramEvent[]): Participation {
  const { builder } = context;
  const count = group.arrivals === 0 ? 0 : Math.floor(events.length / group.arrivals);
  const of = new Map<number, Map<number, Formula>>();
  for (const event of events) {
    const own = new Map<number, Formula>();
    for (let phase = 0; phase < count; phase++) own.set(phase, builder.variable(`phase${phase}(${event.id})`));
    for (const formula of own.values()) context.assert(builder.implies(formula, context.executed(event.id)));
    context.assert(builder.atMostOne([...own.values()]));
    of.set(event.id, own);
  }
  for (const a of events) {
    for (const b of events) {
      if (!inProgramOrder(a, b)) continue;
      // In program order phases grow strictly, and nothing follows an arrival that no phase took.
      const both = builder.and(context.executed(a.id), context.executed(b.id));
      for (const [phase, formula] of of.get(b.id) ?? []) {
        const earlier = builder.any([...(of.get(a.id) ?? [])].filter(([other]) => other < phase).map(([, other]) => other));
        context.assert(builder.implies(builder.and(both, formula), earlier));
      }
    }
  }
  const complete: Formula[] = [];
  for (let phase = 0; phase < count; phase++) {
    const arrived = events.map((event) => of.get(event.id)?.get(phase) ?? FALSE);
    const some = builder.any(arrived);
    context.assert(builder.implies(some, exactly(context, arrived, group.arrivals)));
    const before = complete[phase - 1];
    if (before !== undefined) context.assert(builder.implies(some, before));
    complete.push(some);
  }
  // The threads with arrivals that no phase took are too few to complete one more.
  const left = new Map<number | undefined, Formula[]>();
  for (const event of events) {
    const untaken = builder.and(context.executed(event.id), not(builder.any(of.get(event.id)?.values() ?? [])));
    left.set(event.thread, [...(left.get(event.thread) ?? []), untaken]);
  }
  const threads = [...left.values()].map((untaken) => builder.any(untaken));
  context.assert(not(atLeast(context.bits, threads, group.arrivals)));
  return { of, complete };
}

function exactly(context: EncodingContext, formulas: readonly Formula[], count: number): Formula {
  return context.builder.and(atLeast(context.bits, formulas, count), not(atLeast(context.bits, formulas, count + 1)));
}

/** What a reduction or a warp instruction returns, from the values that its phase brings together. */
function encodeReductions(
  context: EncodingContext,
  events: readonly ProgramEvent[],
  participation: ReadonlyMap<number, ReadonlyMap<number, Formula>>,
  resultOf: (event: number) => Bits | undefined,
): void {
  const { builder, bits } = context;
  const giving = events.filter(({ barrier }) => barrier?.kind === 'barrier' && barrier.reduction !== undefined);
  for (const event of giving) {
    const reduction = event.barrier?.kind === 'barrier' ? event.barrier.reduction : undefined;
    const result = resultOf(event.id);
    if (reduction === undefined || result === undefined) continue;
    for (const [phase, formula] of participation.get(event.id) ?? []) {
      const given = giving.map((other) => ({ lane: other.placement?.lane ?? 0, present: participation.get(other.id)?.get(phase) ?? FALSE, value: context.value(other.id) }));
      const expected = exchange(bits, reduction, { lane: event.placement?.lane ?? 0, value: context.value(event.id) }, given);
      context.assert(builder.implies(formula, bits.equal(result, expected)));
    }
  }
}
