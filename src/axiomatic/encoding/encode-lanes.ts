import { exitOf } from '../../events/events.js';
import { hasMembers, isOfLanes, type LaneGroup } from '../../events/lane-groups.js';
import { type ProgramEvent, reductionOf } from '../../events/program-event.js';
import type { ExecutionRelationsOf } from '../../execution/candidate-execution.js';
import type { BarrierOperation } from '../../program/operation.js';
import { collectiveResult } from '../../semantics/collective-result.js';
import { lanesBeforeRunning } from '../../semantics/value-analysis.js';
import type { EventRun } from '../../semantics/value-domain.js';
import type { Bits } from '../formula/bits.js';
import { FALSE, type Formula, not, TRUE } from '../formula/formula.js';
import type { FormulaRelation, PairFormulas } from '../relations/pair-formulas.js';
import { exactly } from './counting.js';
import { Elections } from './elections.js';
import { type EncodedViolation, type ViolationPart, violationBy } from './encoded-violation.js';
import type { EncodingContext } from './encoding-context.js';
import { letsGo, type Meeting } from './meetings.js';

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
  const { builder } = context;
  const laneSynchronization = context.pairs();
  const meetings: Meeting[] = [];
  const released: Formula[] = [];
  const outside: ViolationPart[] = [];
  for (const group of lanesBeforeRunning(context.universe.structure, context.analysis)) {
    const elections = new Elections(context);
    const rounds = Math.max(...group.members.map(({ events }) => events.length));
    for (let index = 0; index < rounds; index++) {
      const round = new Round(context, group, index);
      for (const one of round.participants()) {
        const { event, here, mask, lane } = one;
        outside.push({ events: [event.id], formula: builder.and(here, not(mask[lane] ?? FALSE)) });
        const complete = round.complete(one);
        const goesOn = builder.and(here, complete);
        meetings.push(...round.release(one, goesOn, laneSynchronization));
        encodeResult(context, one, goesOn, round.shown(one), elections);
        released.push(letsGo(context, event.id, here, complete));
      }
      meetings.push(...round.meetings());
    }
  }
  return {
    laneSynchronization,
    meetings,
    released: builder.all(released),
    violations: [violationBy(builder, 'outside-membermask', outside)],
  };
}

type LaneMember = LaneGroup['members'][number];

/** An instruction of a lane that may be the one of a round. */
interface Participant {
  readonly lane: number;
  readonly event: ProgramEvent;
  /** It is executed, and in this round. */
  readonly here: Formula;
  readonly mask: Bits;
  readonly value: Bits;
  readonly result: Bits;
  readonly reduction: NonNullable<BarrierOperation['reduction']>;
  readonly represented: EventRun<Bits, Formula>['represented'];
}

/** What a lane shows, and when. */
interface Shown {
  readonly lane: number;
  readonly present: Formula;
  readonly value: Bits;
}

/** The n-th instruction of each lane of a group. */
class Round {
  /** What may be in the round, and the ends of threads that it does not wait for. */
  private readonly contributors: Map<number, Formula>;
  private readonly going = new Map<number, Formula>();

  constructor(
    private readonly context: EncodingContext,
    private readonly group: LaneGroup,
    private readonly index: number,
  ) {
    this.contributors = new Map(
      group.members.flatMap(({ events }) => events.map((event) => [event.id, this.isIn(events, event)] as const)),
    );
  }

  /** The event is executed, and so are exactly as many of those before it that have its mask as there are rounds. */
  private isIn(events: readonly ProgramEvent[], event: ProgramEvent): Formula {
    const { builder, executed } = this.context;
    const before = events
      .filter(({ node }) => node < event.node)
      .map((earlier) => builder.and(executed(earlier.id), this.sameMask(earlier, event)));
    return builder.and(executed(event.id), ...exactly(this.context, before, this.index));
  }

  /** Lanes that name whom they wait for meet if they name the same ones (PTX ISA 9.7.15.9). */
  private sameMask(a: ProgramEvent, b: ProgramEvent): Formula {
    if (this.group.isOfOneMask || a === b || !hasMembers(a) || !hasMembers(b)) return TRUE;
    const [one, other] = [a, b].map(({ id }) => this.context.runOf(id)?.barrierId);
    return one === undefined || other === undefined ? FALSE : this.context.bits.equal(one, other);
  }

  private meets(event: ProgramEvent, other: ProgramEvent): Formula {
    return this.context.builder.and(this.contributors.get(other.id) ?? FALSE, this.sameMask(event, other));
  }

  private isThere(event: ProgramEvent, { events }: LaneMember): Formula {
    return this.context.builder.any(events.map((other) => this.meets(event, other)));
  }

  participants(): readonly Participant[] {
    return this.group.members.flatMap(({ lane, events }) =>
      events.filter(isOfLanes).flatMap((event): readonly Participant[] => {
        const here = this.contributors.get(event.id) ?? FALSE;
        const { barrierId: mask, value, result, represented } = this.context.runOf(event.id) ?? {};
        const reduction = reductionOf(event);
        return here === FALSE ||
          mask === undefined ||
          value === undefined ||
          result === undefined ||
          reduction === undefined
          ? []
          : [{ lane, event, here, mask, value, result, reduction, represented }];
      }),
    );
  }

  /** All lanes of the mask have come, or exited. */
  complete({ event, mask }: Participant): Formula {
    const { builder, endedOf } = this.context;
    return builder.all(
      this.group.members.map((other) =>
        builder.or(not(mask[other.lane] ?? FALSE), this.isThere(event, other), endedOf(other.thread)),
      ),
    );
  }

  /** What an instruction that goes on has waited for. Which of them are one meeting is open where masks are. */
  release({ event, lane, mask }: Participant, goesOn: Formula, synchronization: PairFormulas): readonly Meeting[] {
    const { builder, universe } = this.context;
    const { members, name, isOfOneMask } = this.group;
    this.going.set(event.id, goesOn);
    const needed = isOfOneMask
      ? this.contributors
      : new Map(members.flatMap((other) => other.events.map((one) => [one.id, this.meets(event, one)] as const)));
    for (const other of members) {
      if (other.lane === lane) continue;
      const awaited = builder.and(goesOn, mask[other.lane] ?? FALSE);
      for (const one of other.events)
        synchronization.add(one.id, event.id, builder.and(awaited, this.meets(event, one)));
      const exit = exitOf(universe.events, other.thread);
      if (exit === undefined) continue;
      const excused = builder.and(awaited, not(this.isThere(event, other)));
      synchronization.add(exit.id, event.id, excused);
      needed.set(exit.id, builder.or(needed.get(exit.id) ?? FALSE, excused));
    }
    if (isOfOneMask) return [];
    const released = new Map([[event.id, goesOn]]);
    return [
      { group: `${name}, at event ${event.id}`, index: this.index, complete: goesOn, contributors: needed, released },
    ];
  }

  /** The one that all instructions of one mask make. */
  meetings(): readonly Meeting[] {
    const { going, contributors, group, index } = this;
    if (!group.isOfOneMask) return [];
    const complete = this.context.builder.any([...going.values()]);
    return [{ group: group.name, index, complete, contributors, released: going }];
  }

  /** What the lanes of the mask give. */
  shown({ event, mask, reduction }: Participant): readonly Shown[] {
    const { builder, bits, runOf } = this.context;
    return this.group.members.flatMap(({ lane, events }) =>
      events.filter(isOfLanes).map((one) => ({
        lane,
        present: builder.and(this.meets(event, one), mask[lane] ?? FALSE),
        value: runOf(one.id)?.value ?? bits.constant(0n, reduction.width),
      })),
    );
  }
}

/** What an instruction returns follows from what the lanes show. */
function encodeResult(
  context: EncodingContext,
  { lane, mask, value, result, reduction, represented = [] }: Participant,
  goesOn: Formula,
  present: readonly Shown[],
  elections: Elections,
): void {
  const { builder, bits } = context;
  if (reduction.operation === 'elect') elections.add({ lane, goesOn, mask, result, present });
  else if (reduction.target !== '' || reduction.operation === 'converge') {
    const expected = collectiveResult(bits, reduction, { lane, value }, [...present, ...represented]);
    context.assert(builder.implies(goesOn, bits.equal(result, expected)));
  }
}
