import type { ProgramEvent } from '../../events/program-event.js';
import { overlap } from '../../semantics/cells.js';
import { FALSE, not } from '../formula/formula.js';
import { type FormulaRelation, PairFormulas } from '../relations/pair-formulas.js';
import type { EncodingContext } from './encoding-context.js';

/**
 * Encodes coherence order: a strict partial order on the writes that overlap (PTX ISA 8.9.6;
 * docs/decisions/partial-coherence.md); the initial write comes first (docs/decisions/initial-writes.md).
 */
export function encodeCoherence(context: EncodingContext): FormulaRelation {
  const { builder, universe } = context;
  const coherence = new PairFormulas(builder, universe.events.length);
  const writes = universe.structure.events.filter(
    (event) => event.kind === 'write' && context.executed(event.id) !== FALSE,
  );
  const mayMeet = (a: ProgramEvent, b: ProgramEvent): boolean =>
    context.targetsOf(a.id).some((x) => context.targetsOf(b.id).some((y) => overlap(x, y)));
  const neighbors = new Map<number, number[]>();
  for (const a of writes) {
    for (const b of writes) {
      if (a.id >= b.id || !mayMeet(a, b)) continue;
      const both = context.overlaps(a.id, b.id);
      const forth = builder.variable(`co(${a.id},${b.id})`);
      const back = builder.variable(`co(${b.id},${a.id})`);
      context.assert(builder.implies(forth, both));
      context.assert(builder.implies(back, both));
      context.assert(builder.or(not(forth), not(back)));
      coherence.add(a.id, b.id, forth);
      coherence.add(b.id, a.id, back);
      neighbors.set(a.id, [...(neighbors.get(a.id) ?? []), b.id]);
      neighbors.set(b.id, [...(neighbors.get(b.id) ?? []), a.id]);
    }
  }
  for (const [middle, around] of neighbors) {
    for (const a of around) {
      for (const b of around) {
        if (a === b) continue;
        // Writes that only overlap with one in the middle need no order of their own.
        const direct = coherence.at(a, b);
        if (direct === FALSE) continue;
        const chain = builder.and(coherence.at(a, middle), coherence.at(middle, b), context.overlaps(a, b));
        context.assert(builder.implies(chain, direct));
      }
    }
  }
  for (const { event, object, offset, bytes } of universe.initialWrites) {
    for (const write of writes) {
      const covers = context.targetsOf(write.id).filter((target) => overlap(target, { object, offset, bytes }));
      coherence.add(event.id, write.id, builder.any(covers.map((target) => context.accesses(write.id, target))));
    }
  }
  return coherence;
}
