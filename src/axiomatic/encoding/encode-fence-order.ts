import { mutuallyInScope } from '../../execution/base-relations.js';
import { FALSE, not } from '../formula/formula.js';
import { PairFormulas } from '../relations/pair-formulas.js';
import type { EncodingContext } from './encoding-context.js';

/** Encodes the Fence-SC order (8.9.3): a total order on the executed fence.sc, of which morally strong pairs count. */
export function encodeFenceOrder({ builder, universe, executed, assert }: EncodingContext): PairFormulas {
  const size = universe.events.length;
  const fences = universe.structure.events.filter(
    (event) => event.kind === 'fence' && event.tags.has('SC') && executed(event.id) !== FALSE,
  );
  const total = new PairFormulas(builder, size);
  fences.forEach((a, i) => {
    for (const b of fences.slice(i + 1)) {
      const order = builder.variable(`sc(${a.id},${b.id})`);
      total.add(a.id, b.id, order);
      total.add(b.id, a.id, not(order));
    }
  });
  for (const a of fences)
    for (const b of fences)
      for (const c of fences) {
        if (a.id >= b.id || b.id >= c.id) continue;
        const [ab, bc, ac] = [total.at(a.id, b.id), total.at(b.id, c.id), total.at(a.id, c.id)];
        assert(builder.or(not(ab), not(bc), ac));
        assert(builder.or(ab, bc, not(ac)));
      }
  const strong = new PairFormulas(builder, size);
  for (const a of fences)
    for (const b of fences)
      if (a.thread === b.thread || mutuallyInScope(a, b))
        strong.add(a.id, b.id, builder.and(total.at(a.id, b.id), executed(a.id), executed(b.id)));
  builder.declareOrder(strong.pairs, (a, b) => strong.at(a, b));
  return strong;
}
