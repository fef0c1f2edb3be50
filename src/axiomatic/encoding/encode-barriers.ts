import { type BarrierGroups, partiesOf } from '../../events/barrier-groups.js';
import { type ProgramEvent, reductionOf } from '../../events/program-event.js';
import type { ExecutionRelationsOf } from '../../execution/candidate-execution.js';
import { collectiveResult } from '../../semantics/collective-result.js';
import type { Bits } from '../formula/bits.js';
import { FALSE, type Formula, not, TRUE } from '../formula/formula.js';
import { type FormulaRelation, lazily, type PairFormulas } from '../relations/pair-formulas.js';
import {
  arrivedBefore,
  encodeParticipation,
  exitsOf,
  isArrive,
  type Participation,
  takesPart,
} from './barrier-participation.js';
import { barrierViolations } from './barrier-violations.js';
import type { EncodedViolation } from './encoded-violation.js';
import type { EncodingContext } from './encoding-context.js';
import { letsGo, type Meeting } from './meetings.js';

type BarrierRelations = Pick<
  ExecutionRelationsOf<FormulaRelation>,
  'barrierSynchronization' | 'warpSynchronization' | 'exitSynchronization' | 'rearrival' | 'lateArrival'
>;

export interface BarrierEncoding extends BarrierRelations {
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

/**
 * Encodes which barrier instructions meet (PTX ISA 9.7.15.1; 8.9.4), whom that lets go on and what it orders.
 */
export function encodeBarriers(
  context: EncodingContext,
  { groups, misused }: BarrierGroups,
  resultOf: (event: number) => Bits | undefined,
): BarrierEncoding {
  const { builder } = context;
  const made = groups.map((group) => encodeParticipation(context, group));

  const released: Formula[] = [];
  for (const { events, of } of made) {
    for (const event of events) {
      if (isArrive(event)) continue;
      const goesOn = builder.any([...(of.get(event.id)?.values() ?? [])]);
      released.push(letsGo(context, event.id, context.executed(event.id), goesOn));
    }
    encodeReductions(context, events, of, resultOf);
  }
  // What breaks a rule by itself keeps nobody: the test is undefined anyway.
  for (const { event } of misused) if (context.passesAt(event.id) !== TRUE) context.assert(context.passesAt(event.id));

  const relations = relationsOf(context, made);
  const phases = made.flatMap(({ group, of, complete }) =>
    complete.map((done, index) => ({
      group: group.name,
      index,
      complete: done,
      members: group.events.map((event) => ({ event: event.id, formula: takesPart(of, event, index) })),
    })),
  );
  return {
    phases,
    meetings: made.flatMap((one) => meetingsOf(context, one)),
    ...relations,
    lateArrival: lazily(() => lateArrivals(context, made)),
    released: builder.all(released),
    violations: barrierViolations(context, misused, made),
  };
}

/** What the completions order, by event. */
function relationsOf(context: EncodingContext, made: readonly Participation[]): Omit<BarrierRelations, 'lateArrival'> {
  const { builder } = context;
  const [barrierSynchronization, warpSynchronization] = [context.pairs(), context.pairs()];
  const [exitSynchronization, rearrival] = [context.pairs(), context.pairs()];
  for (const { group, events, of, complete, excused } of made) {
    const synchronization = group.level === 'warp' ? warpSynchronization : barrierSynchronization;
    complete.forEach((_, phase) => {
      const left = exitsOf(context, excused, phase);
      for (const b of events) {
        const waits = isArrive(b) ? FALSE : takesPart(of, b, phase);
        for (const a of events)
          if (a.thread !== b.thread) synchronization.add(a.id, b.id, builder.and(takesPart(of, a, phase), waits));
        for (const [exit, when] of left)
          if (exit.thread !== b.thread) exitSynchronization.add(exit.id, b.id, builder.and(when, waits));
        const before = arrivedBefore(context, events, of, b, phase);
        if (before === FALSE) continue;
        const isAgain = builder.and(before, context.executed(b.id));
        for (const c of events)
          if (c.thread !== b.thread) rearrival.add(c.id, b.id, builder.and(isAgain, takesPart(of, c, phase)));
        for (const [exit, when] of left)
          if (exit.thread !== b.thread) rearrival.add(exit.id, b.id, builder.and(isAgain, when));
      }
    });
  }
  return { barrierSynchronization, warpSynchronization, exitSynchronization, rearrival };
}

function meetingsOf(
  context: EncodingContext,
  { group, events, of, complete, excused }: Participation,
): readonly Meeting[] {
  const { builder } = context;
  return complete.map((done, index): Meeting => {
    const exited = exitsOf(context, excused, index).map(([exit, when]) => [exit.id, builder.and(done, when)] as const);
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
  });
}

/**
 * A completion takes every warp that has arrived, so one that it did not take came later. That is known of warps of
 * which the test shows one thread: what another one waits for is the last of its threads.
 */
function lateArrivals(context: EncodingContext, made: readonly Participation[]): PairFormulas {
  const { builder } = context;
  const late = context.pairs();
  for (const { group, events, of, complete, excused } of made) {
    complete.forEach((done, phase) => {
      const needed = events.map((event) => ({ event, formula: takesPart(of, event, phase) }));
      const exits = exitsOf(context, excused, phase).map(([event, when]) => ({
        event,
        formula: builder.and(done, when),
      }));
      for (const arrival of events) {
        if (!partiesOf(group, arrival.thread).some(({ threads }) => threads.length === 1)) continue;
        const taken = [...(of.get(arrival.id) ?? [])].filter(([other]) => other <= phase).map(([, formula]) => formula);
        const isLate = builder.and(context.executed(arrival.id), not(builder.any(taken)));
        for (const { event, formula } of [...needed, ...exits])
          if (event.thread !== arrival.thread) late.add(event.id, arrival.id, builder.and(formula, isLate));
      }
    });
  }
  return late;
}

/** What a reduction returns, from the values that its phase brings together. */
function encodeReductions(
  context: EncodingContext,
  events: readonly ProgramEvent[],
  of: Participation['of'],
  resultOf: (event: number) => Bits | undefined,
): void {
  const { builder, bits } = context;
  const giving = events.filter((event) => reductionOf(event) !== undefined);
  for (const event of giving) {
    const reduction = reductionOf(event);
    const result = resultOf(event.id);
    if (reduction === undefined || result === undefined) continue;
    for (const [phase, formula] of of.get(event.id) ?? []) {
      const given = giving.map((other) => ({
        lane: other.placement.lane,
        present: takesPart(of, other, phase),
        value: context.value(other.id),
      }));
      const expected = collectiveResult(
        bits,
        reduction,
        { lane: event.placement.lane, value: context.value(event.id) },
        given,
      );
      context.assert(builder.implies(formula, bits.equal(result, expected)));
    }
  }
}
