import type { ProgramEvent } from '../../events/program-event.js';
import { FALSE, not } from '../formula/formula.js';
import { type FormulaRelation, PairFormulas } from '../relations/pair-formulas.js';
import { type CertainCoherence, NOTHING_CERTAIN } from './certain-coherence.js';
import type { EncodingContext } from './encoding-context.js';

/** Writes that may meet one another, from which on it is worked out which of them are certainly ordered. */
const FEWEST_FOR_CERTAIN = 24;

type Pair = readonly [number, number];
/** Which pairs of writes are certainly ordered. */
export type Certainly = (pairs: readonly Pair[]) => CertainCoherence;

export interface CoherenceEncoding {
  readonly coherence: FormulaRelation;
  /** The inferred definitions of the model that are built into it. */
  readonly inferred: readonly string[];
}

/**
 * Encodes coherence order: a strict partial order on the writes that overlap (PTX ISA 8.9.6;
 * docs/decisions/partial-coherence.md); the initial write comes first (docs/decisions/initial-writes.md). What is
 * `certainly` ordered is so in whatever execution has both writes.
 */
export function encodeCoherence(context: EncodingContext, certainly: Certainly): CoherenceEncoding {
  const { builder, universe } = context;
  const coherence = new PairFormulas(builder, universe.events.length);
  const writes = universe.structure.events.filter(
    (event) => event.kind === 'write' && context.executed(event.id) !== FALSE,
  );
  const mayMeet = (a: ProgramEvent, b: ProgramEvent): boolean =>
    context.targetsOf(a.id).some((x) => context.targetsMeeting(b.id, x).length > 0);
  const neighbors = new Map<number, number[]>();
  const meeting = writes.flatMap((a) => writes.flatMap((b) => (a.id < b.id && mayMeet(a, b) ? [[a, b] as const] : [])));
  const certain =
    meeting.length < (FEWEST_FOR_CERTAIN * (FEWEST_FOR_CERTAIN - 1)) / 2
      ? NOTHING_CERTAIN
      : certainly(
          meeting.flatMap(([a, b]): Pair[] => [
            [a.id, b.id],
            [b.id, a.id],
          ]),
        );
  for (const [a, b] of meeting) {
    neighbors.set(a.id, [...(neighbors.get(a.id) ?? []), b.id]);
    neighbors.set(b.id, [...(neighbors.get(b.id) ?? []), a.id]);
    const both = context.overlaps(a.id, b.id);
    const [earlier, later] = certain.has(a.id, b.id) ? [a, b] : certain.has(b.id, a.id) ? [b, a] : [];
    if (earlier !== undefined && later !== undefined) {
      coherence.add(earlier.id, later.id, both);
      continue;
    }
    const forth = builder.variable(`co(${a.id},${b.id})`);
    const back = builder.variable(`co(${b.id},${a.id})`);
    context.assert(builder.implies(forth, both));
    context.assert(builder.implies(back, both));
    context.assert(builder.or(not(forth), not(back)));
    coherence.add(a.id, b.id, forth);
    coherence.add(b.id, a.id, back);
  }
  for (const [middle, around] of neighbors) {
    for (const a of around) {
      builder.checkBudget();
      for (const b of around) {
        // That it leads on to what comes later anyhow needs no clause.
        if (a === b || certain.has(a, b)) continue;
        // Writes that only overlap with one in the middle need no order of their own.
        const direct = coherence.at(a, b);
        if (direct === FALSE) continue;
        const chain = builder.and(coherence.at(a, middle), coherence.at(middle, b), context.overlaps(a, b));
        context.assert(builder.implies(chain, direct));
      }
    }
  }
  for (const { event, object, offset, bytes } of universe.initialWrites) {
    builder.checkBudget();
    for (const write of writes) {
      const covers = context.targetsMeeting(write.id, { object, offset, bytes });
      coherence.add(event.id, write.id, builder.any(covers.map((target) => context.accesses(write.id, target))));
    }
  }
  return { coherence, inferred: certain.inferred };
}
