import {
  type AlignedPair,
  alignedPairs,
  type BarrierGroups,
  isSameInstruction,
  waitsForLane,
} from '../../events/barrier-groups.js';
import { inProgramOrder } from '../../events/events.js';
import type { ProgramEvent } from '../../events/program-event.js';
import type { UndefinedRule } from '../../program/undefined-rules.js';
import { atLeast } from '../../semantics/completion.js';
import { FALSE, type Formula, not, TRUE } from '../formula/formula.js';
import { isArrive, isOpen, type Participation, takesPart } from './barrier-participation.js';
import { exactly, executedBefore } from './counting.js';
import { type EncodedViolation, type ViolationPart, violationBy } from './encoded-violation.js';
import type { EncodingContext } from './encoding-context.js';

/** What the instructions of barriers do that PTX leaves undefined (PTX ISA 9.7.15.1). */
export function barrierViolations(
  context: EncodingContext,
  misused: BarrierGroups['misused'],
  made: readonly Participation[],
): readonly EncodedViolation[] {
  const { builder } = context;
  const some = (rule: UndefinedRule, broken: (one: Participation) => Formula): EncodedViolation =>
    violationBy(
      builder,
      rule,
      made.map((one) => ({ events: one.events.map(({ id }) => id), formula: broken(one) })),
    );
  return [
    ...misused.map(({ event, rule }) =>
      violationBy(builder, rule, [{ events: [event.id], formula: context.executed(event.id) }]),
    ),
    some('barrier-arrival-before-reset', (one) => arrivesAgain(context, one)),
    some('barrier-kinds-differ', (one) => meetUnlike(context, one, ({ barrier }) => barrier?.action === 'red')),
    some('barrier-counts-differ', (one) => meetUnlike(context, one, ({ id }) => one.group.needs.get(id))),
    violationBy(builder, 'aligned-divergence', divergences(context)),
  ];
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
  const open = (event: ProgramEvent): Formula => builder.and(isOpen(context, of, event), isWhole(event.thread));
  return builder.any([
    ...complete.map((_, phase) => severalOf((event) => takesPart(of, event, phase))),
    severalOf(open),
  ]);
}

/**
 * Lanes of one warp execute aligned barrier instructions that are not the same, or one of them none at all, since it is
 * past it or waits for the others elsewhere.
 */
function divergences(context: EncodingContext): readonly ViolationPart[] {
  const { builder, bits } = context;
  const { structure } = context.universe;
  const pairs = alignedPairs(structure);
  const aligned = new Map<number, readonly ProgramEvent[]>();
  for (const { otherThread, others } of pairs) aligned.set(otherThread, others);
  const before = (event: ProgramEvent): readonly Formula[] =>
    executedBefore(context, aligned.get(event.thread) ?? [], event);
  const isNth = (event: ProgramEvent, n: number): Formula =>
    builder.and(context.executed(event.id), ...exactly(context, before(event), n));
  const isKept = ({ id }: ProgramEvent): Formula => builder.and(context.executed(id), not(context.passesAt(id)));
  const waitsFor = (other: ProgramEvent, { placement: { lane } }: ProgramEvent): Formula =>
    waitsForLane(other, () => context.runOf(other.id)?.barrierId?.[lane] ?? FALSE, TRUE);
  return pairs.flatMap(({ event, others, otherGoesPast, otherThread, waits, otherWaits }) => {
    // Each waits for the other.
    const elsewhere = builder.any(otherWaits.map((other) => builder.and(isKept(other), waitsFor(other, event))));
    const past = builder.and(context.endedOf(otherThread), isPast(context, otherGoesPast));
    const gone = Array.from({ length: before(event).length + 1 }, (_, n) => {
      const here = isNth(event, n);
      const unlike = others
        .filter((other) => !isSameInstruction(structure, event, other))
        .map((other) => isNth(other, n));
      const fewer = not(
        atLeast(
          bits,
          others.map(({ id }) => context.executed(id)),
          n + 1,
        ),
      );
      const formula = builder.and(here, builder.or(...unlike, builder.and(past, fewer)));
      return { events: [event.id], formula };
    });
    return [...gone, { events: [event.id], formula: builder.and(builder.any(waits.map(isKept)), elsewhere) }];
  });
}

/** A lane has gone past a barrier, if it is at its end (events/barrier-groups.ts). */
function isPast({ builder, executed }: EncodingContext, past: AlignedPair['otherGoesPast']): Formula {
  if (typeof past === 'boolean') return past ? TRUE : FALSE;
  const ways: Formula[] = [];
  let later: Formula = FALSE;
  for (const { last, alike } of past.toReversed()) {
    const isAlike = builder.any(alike.map(({ id }) => executed(id)));
    ways.push(builder.and(executed(last.id), not(later), not(isAlike)));
    later = builder.or(later, executed(last.id));
    if (later === TRUE) break;
  }
  return builder.any(ways);
}
