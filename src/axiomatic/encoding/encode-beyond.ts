import { FALSE, type Formula, type FormulaBuilder } from '../formula/formula.js';
import { symbolicAcyclic } from '../relations/closure.js';
import type { ExecutedEvents } from '../relations/executed-events.js';
import { PairFormulas } from '../relations/pair-formulas.js';
import type { SymbolicValue } from '../relations/symbolic-algebra.js';
import { SymbolicRelation } from '../relations/symbolic-relation.js';
import type { MemoryEncoding } from './encode-memory.js';
import type { ThreadEncoding } from './encode-threads.js';

/**
 * What lies beyond the bound is written only in executions that are cut, and rests on what the cut rests on: no read
 * justifies itself that way (8.10.4). So the first cut, in the order of values and dependencies, rests on what is
 * within the bound. With `thinAir`, values may justify themselves anyway.
 */
export function constrainBeyond(
  builder: FormulaBuilder,
  executed: ExecutedEvents,
  { threads }: ThreadEncoding,
  { fromBeyond }: MemoryEncoding,
  base: (name: string) => SymbolicValue | undefined,
  thinAir: boolean,
): readonly Formula[] {
  if (fromBeyond.length === 0) return [];
  const cut = fromBeyond.map(({ thread, formula }) => builder.implies(formula, threads[thread]?.cut ?? FALSE));
  if (thinAir) return cut;
  const rests = new PairFormulas(builder, executed.size);
  for (const { read, thread, formula } of fromBeyond)
    for (const [earlier, when] of threads[thread]?.cutDependencies ?? [])
      rests.add(earlier, read, builder.and(formula, when));
  for (const name of ['rf', 'addr', 'data', 'ctrl']) {
    const value = base(name);
    if (value?.kind === 'relation') for (const [a, b] of value.value.may) rests.add(a, b, value.value.at(a, b));
  }
  const all = SymbolicRelation.eager(executed, rests.pairs, (a, b) => rests.at(a, b));
  return [...cut, symbolicAcyclic(builder, executed, all)];
}
