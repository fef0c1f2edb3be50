import { exitOf } from '../../events/events.js';
import { isOfLanes, type LaneGroup } from '../../events/lane-groups.js';
import type { ProgramEvent } from '../../events/program-event.js';
import { atLeast } from '../../semantics/completion.js';
import { exchange } from '../../semantics/exchange.js';
import { lanesBeforeRunning } from '../../semantics/value-analysis.js';
import { FALSE, type Formula, not, TRUE } from '../formula/formula.js';
import { PairFormulas } from '../relations/pair-formulas.js';
import { Elections } from './elections.js';
import { type EncodedViolation, type ViolationPart, violationBy } from './encoded-violation.js';
import type { EncodingContext } from './encoding-context.js';
import type { Meeting } from './meetings.js';

export interface LaneEncoding {
  readonly meetings: readonly Meeting[];
  /** From what a warp instruction waits for to it: the instruction of another lane, or the end of its thread. */
  readonly synchronization: PairFormulas;
  readonly released: Formula;
  readonly violations: readonly EncodedViolation[];
}

/**
 * Encodes vote.sync, match.sync, redux.sync and elect.sync: the n-th such instruction of each lane meets the n-th of
 * the others in its mask, lanes that have exited excepted, and the values of those that take part make the result.
 */
export function encodeLanes(context: EncodingContext): LaneEncoding {
  const { builder, bits } = context;
  const meetings: Meeting[] = [];
  const released: Formula[] = [];
  const outside: ViolationPart[] = [];
  const synchronization = new PairFormulas(builder, context.universe.events.length);
  for (const { name, members } of lanesBeforeRunning(context.universe.structure, context.analysis)) {
    const elections = new Elections(context);
    const rounds = Math.max(...members.map(({ events }) => events.length));
    for (let round = 0; round < rounds; round++) {
      const inRound = (events: readonly ProgramEvent[], event: ProgramEvent): Formula =>
        nth(context, events, event, round);
      const contributors = new Map(
        members.flatMap(({ events }) => events.map((event) => [event.id, inRound(events, event)] as const)),
      );
      const present = ({ events }: LaneGroup['members'][number]): Formula =>
        builder.any(events.map((event) => contributors.get(event.id) ?? FALSE));
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
              builder.or(not(mask[other.lane] ?? FALSE), present(other), context.endedOf(other.thread)),
            ),
          );
          const goesOn = builder.and(here, complete);
          going.set(event.id, goesOn);
          for (const other of members) {
            if (other.lane === lane) continue;
            const awaited = builder.and(goesOn, mask[other.lane] ?? FALSE);
            for (const one of other.events)
              synchronization.add(one.id, event.id, builder.and(awaited, contributors.get(one.id) ?? FALSE));
            const exit = exitOf(context.universe.events, other.thread);
            if (exit === undefined) continue;
            const excused = builder.and(awaited, not(present(other)));
            synchronization.add(exit.id, event.id, excused);
            contributors.set(exit.id, builder.or(contributors.get(exit.id) ?? FALSE, excused));
          }
          const shown = members.flatMap((other) =>
            other.events.filter(isOfLanes).map((one) => ({
              lane: other.lane,
              present: builder.and(contributors.get(one.id) ?? FALSE, mask[other.lane] ?? FALSE),
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
    synchronization,
    meetings,
    released: builder.all(released),
    violations: [violationBy(builder, 'outside-membermask', outside)],
  };
}

/** The event is executed, and so are exactly `count` of those before it. */
function nth(
  context: EncodingContext,
  events: readonly ProgramEvent[],
  { id, node }: ProgramEvent,
  count: number,
): Formula {
  const before = events.filter((event) => event.node < node).map((event) => context.executed(event.id));
  return context.builder.and(
    context.executed(id),
    atLeast(context.bits, before, count),
    not(atLeast(context.bits, before, count + 1)),
  );
}
