import type { BarrierGroup } from '../program/barrier-groups.js';
import { inProgramOrder, type ProgramEvent } from '../program/events.js';
import type { Bits } from './bits.js';
import { symbolicAcyclic } from './closure.js';
import type { EncodingContext } from './encoding-context.js';
import { FALSE, type Formula, not, TRUE } from './formula.js';
import { SymbolicRelation } from './symbolic-relation.js';

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
  /** Every thread that waits is let go. */
  readonly released: Formula;
}

/**
 * Encodes which barrier instructions meet (PTX ISA, bar; 8.9.4). A phase completes with exactly the wanted number of
 * arrivals; a thread takes part once in a phase, in program order; a phase starts when the one before has completed;
 * and no phase waits for itself.
 */
export function encodeBarriers(context: EncodingContext, groups: readonly BarrierGroup[], resultOf: (event: number) => Bits | undefined): BarrierEncoding {
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
      if (event.barrier?.action !== 'arrive') released.push(builder.implies(context.executed(event.id), builder.any(of.values())));
    }
    encodeReductions(context, events, participation, resultOf);
  }
  context.assert(noPhaseWaitsForItself(context, groups, phases, participation));

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
  return { phases: described, pairs, released: builder.all(released), synchronizes: together };
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
  // Arrivals that no phase took are too few to complete one more.
  const left = events.map((event) => builder.and(context.executed(event.id), not(builder.any(of.get(event.id)?.values() ?? []))));
  context.assert(not(atLeast(context, left, group.arrivals)));
  return { of, complete };
}

function exactly(context: EncodingContext, formulas: readonly Formula[], count: number): Formula {
  return context.builder.and(atLeast(context, formulas, count), not(atLeast(context, formulas, count + 1)));
}

function atLeast(context: EncodingContext, formulas: readonly Formula[], count: number): Formula {
  const { builder } = context;
  let reached: Formula[] = [TRUE];
  for (const formula of formulas) {
    reached = Array.from({ length: reached.length + 1 }, (_, n) => (n === 0 ? TRUE : builder.or(reached[n] ?? FALSE, builder.and(formula, reached[n - 1] ?? FALSE))));
  }
  return reached[count] ?? FALSE;
}

/** popc counts the threads of the test whose predicate holds; .and and .or join the predicates of the phase. */
function encodeReductions(
  context: EncodingContext,
  events: readonly ProgramEvent[],
  participation: ReadonlyMap<number, ReadonlyMap<number, Formula>>,
  resultOf: (event: number) => Bits | undefined,
): void {
  const { builder, bits } = context;
  for (const event of events) {
    const operation = event.barrier?.reduction?.operation;
    const result = resultOf(event.id);
    if (operation === undefined || result === undefined) continue;
    for (const [phase, formula] of participation.get(event.id) ?? []) {
      const given = events
        .filter((other) => other.barrier?.reduction !== undefined)
        .map((other) => ({ present: participation.get(other.id)?.get(phase) ?? FALSE, predicate: context.value(other.id)[0] ?? FALSE }));
      let expected: Bits;
      if (operation === 'and') expected = [builder.all(given.map(({ present, predicate }) => builder.implies(present, predicate)))];
      else if (operation === 'or') expected = [builder.any(given.map(({ present, predicate }) => builder.and(present, predicate)))];
      else {
        const counts = given.map(({ present, predicate }) => builder.and(present, predicate));
        expected = counts.reduce<Bits>(
          (sum, one) => bits.compute({ name: 'add', signed: false, width: 32, resultWidth: 32 }, [sum, bits.resize([one], 32, false)]),
          bits.constant(0n, 32),
        );
      }
      context.assert(builder.implies(formula, bits.equal(result, expected)));
    }
  }
}

function noPhaseWaitsForItself(
  context: EncodingContext,
  groups: readonly BarrierGroup[],
  phases: readonly Phase[],
  participation: ReadonlyMap<number, ReadonlyMap<number, Formula>>,
): Formula {
  const { builder } = context;
  const all = groups.flatMap((group) => group.events.filter((event) => context.executed(event.id) !== FALSE).map((event) => ({ group, event })));
  const takesPart = (event: ProgramEvent, phase: number): Formula => participation.get(event.id)?.get(phase) ?? FALSE;
  const pairs: (readonly [number, number])[] = [];
  for (let x = 0; x < phases.length; x++) for (let y = 0; y < phases.length; y++) pairs.push([x, y]);
  const before = (x: number, y: number): Formula => {
    const [first, second] = [phases[x], phases[y]];
    if (first === undefined || second === undefined) return FALSE;
    if (first.group === second.group && first.index < second.index) return builder.and(first.complete, second.complete);
    const ways: Formula[] = [];
    for (const { group, event } of all) {
      if (group !== first.group) continue;
      // What follows a wait, or an arrival in the next phase, comes after the completion.
      const waited = event.barrier?.action === 'arrive' ? FALSE : takesPart(event, first.index);
      const after = builder.or(waited, takesPart(event, first.index + 1));
      if (after === FALSE) continue;
      for (const { group: otherGroup, event: later } of all)
        if (otherGroup === second.group && inProgramOrder(event, later)) ways.push(builder.and(after, takesPart(later, second.index)));
    }
    return builder.any(ways);
  };
  return symbolicAcyclic(builder, SymbolicRelation.eager(phases.length, pairs, before));
}
