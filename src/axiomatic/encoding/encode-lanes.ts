import { exitOf } from '../../events/events.js';
import { hasMembers, isOfLanes, type LaneGroup } from '../../events/lane-groups.js';
import type { ProgramEvent } from '../../events/program-event.js';
import type { ExecutionRelationsOf } from '../../execution/candidate-execution.js';
import { atLeast } from '../../semantics/completion.js';
import { exchange } from '../../semantics/exchange.js';
import { lanesBeforeRunning } from '../../semantics/value-analysis.js';
import { FALSE, type Formula, not, TRUE } from '../formula/formula.js';
import { type FormulaRelation, PairFormulas } from '../relations/pair-formulas.js';
import { Elections } from './elections.js';
import { type EncodedViolation, type ViolationPart, violationBy } from './encoded-violation.js';
import type { EncodingContext } from './encoding-context.js';
import type { Meeting } from './meetings.js';

export interface LaneEncoding extends Pick<ExecutionRelationsOf<FormulaRelation>, 'laneSynchronization'> {
  readonly meetings: readonly Meeting[];
  readonly released: Formula;
  readonly violations: readonly EncodedViolation[];
}

/**
 * Encodes vote.sync, match.sync, redux.sync and elect.sync: the n-th such instruction with one mask of each lane meets
 * the n-th of the others in it, but for lanes that have exited, and the values of those that take part make the result.
 */
export function encodeLanes(context: EncodingContext): LaneEncoding {
  const { builder, bits } = context;
  const meetings: Meeting[] = [];
  const released: Formula[] = [];
  const outside: ViolationPart[] = [];
  const synchronization = new PairFormulas(builder, context.universe.events.length);
  for (const { name, members, isOfOneMask } of lanesBeforeRunning(context.universe.structure, context.analysis)) {
    const elections = new Elections(context);
    const sameMask = (a: ProgramEvent, b: ProgramEvent): Formula =>
      isOfOneMask || a === b ? TRUE : masksAreEqual(context, a, b);
    const rounds = Math.max(...members.map(({ events }) => events.length));
    for (let round = 0; round < rounds; round++) {
      const inRound = (events: readonly ProgramEvent[], event: ProgramEvent): Formula =>
        nth(context, events, event, round, sameMask);
      const contributors = new Map(
        members.flatMap(({ events }) => events.map((event) => [event.id, inRound(events, event)] as const)),
      );
      const meets = (event: ProgramEvent, other: ProgramEvent): Formula =>
        builder.and(contributors.get(other.id) ?? FALSE, sameMask(event, other));
      const isThere = (event: ProgramEvent, { events }: LaneGroup['members'][number]): Formula =>
        builder.any(events.map((other) => meets(event, other)));
      const going = new Map<number, Formula>();
      for (const { lane, events } of members) {
        for (const event of events.filter(isOfLanes)) {
          const here = contributors.get(event.id) ?? FALSE;
          const run = context.runOf(event.id);
          const reduction = event.barrier?.kind === 'barrier' ? event.barrier.reduction : undefined;
          if (
            here === FALSE ||
            run?.barrierId === undefined ||
            run.value === undefined ||
            run.result === undefined ||
            reduction === undefined
          )
            continue;
          const mask = run.barrierId;
          outside.push({ events: [event.id], formula: builder.and(here, not(mask[lane] ?? FALSE)) });
          const complete = builder.all(
            members.map((other) =>
              builder.or(not(mask[other.lane] ?? FALSE), isThere(event, other), context.endedOf(other.thread)),
            ),
          );
          const goesOn = builder.and(here, complete);
          going.set(event.id, goesOn);
          const needed = isOfOneMask
            ? contributors
            : new Map(members.flatMap((other) => other.events.map((one) => [one.id, meets(event, one)] as const)));
          for (const other of members) {
            if (other.lane === lane) continue;
            const awaited = builder.and(goesOn, mask[other.lane] ?? FALSE);
            for (const one of other.events)
              synchronization.add(one.id, event.id, builder.and(awaited, meets(event, one)));
            const exit = exitOf(context.universe.events, other.thread);
            if (exit === undefined) continue;
            const excused = builder.and(awaited, not(isThere(event, other)));
            synchronization.add(exit.id, event.id, excused);
            needed.set(exit.id, builder.or(needed.get(exit.id) ?? FALSE, excused));
          }
          // Which of them are one meeting is open where masks are: each has its own.
          if (!isOfOneMask)
            meetings.push({
              group: `${name}, at event ${event.id}`,
              index: round,
              complete: goesOn,
              contributors: needed,
              released: new Map([[event.id, goesOn]]),
            });
          const shown = members.flatMap((other) =>
            other.events.filter(isOfLanes).map((one) => ({
              lane: other.lane,
              present: builder.and(meets(event, one), mask[other.lane] ?? FALSE),
              value: context.runOf(one.id)?.value ?? bits.constant(0n, reduction.width),
            })),
          );
          const given = [...shown, ...(run.represented ?? [])];
          if (reduction.operation === 'elect')
            elections.add({ lane, goesOn, mask, result: run.result, present: shown });
          else if (reduction.target !== '' || reduction.operation === 'converge')
            context.assert(
              builder.implies(
                goesOn,
                bits.equal(run.result, exchange(bits, reduction, { lane, value: run.value }, given)),
              ),
            );
          released.push(builder.implies(here, complete));
          const passes = context.passesAt(event.id);
          if (passes !== TRUE) context.assert(builder.implies(here, builder.iff(passes, complete)));
        }
      }
      if (isOfOneMask)
        meetings.push({
          group: name,
          index: round,
          complete: builder.any(going.values()),
          contributors,
          released: going,
        });
    }
  }
  return {
    laneSynchronization: synchronization,
    meetings,
    released: builder.all(released),
    violations: [violationBy(builder, 'outside-membermask', outside)],
  };
}

/** Lanes that name whom they wait for meet if they name the same ones (PTX ISA 9.7.15.9). */
function masksAreEqual(context: EncodingContext, a: ProgramEvent, b: ProgramEvent): Formula {
  if (!hasMembers(a) || !hasMembers(b)) return TRUE;
  const [one, other] = [context.runOf(a.id)?.barrierId, context.runOf(b.id)?.barrierId];
  return one === undefined || other === undefined ? FALSE : context.bits.equal(one, other);
}

/** The event is executed, and so are exactly `count` of those before it that have its mask. */
function nth(
  context: EncodingContext,
  events: readonly ProgramEvent[],
  event: ProgramEvent,
  count: number,
  sameMask: (a: ProgramEvent, b: ProgramEvent) => Formula,
): Formula {
  const before = events
    .filter(({ node }) => node < event.node)
    .map((earlier) => context.builder.and(context.executed(earlier.id), sameMask(earlier, event)));
  return context.builder.and(
    context.executed(event.id),
    atLeast(context.bits, before, count),
    not(atLeast(context.bits, before, count + 1)),
  );
}
