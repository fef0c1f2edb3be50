import { evaluateModel } from '../../cat/evaluate.js';
import type { Model } from '../../cat/model.js';
import { guardInferred, guardOf } from '../../cat/variants.js';
import type { Relation } from '../../relation/relation.js';
import type { ExecutedEvents } from '../relations/executed-events.js';
import { type SymbolicValue, symbolicAlgebra } from '../relations/symbolic-algebra.js';
import type { EncodingContext } from './encoding-context.js';
import { symbolicVocabulary } from './symbolic-vocabulary.js';

/** Pairs of writes that every consistent execution orders in coherence if it has both. */
export interface CertainCoherence {
  has(earlier: number, later: number): boolean;
  /** The inferred definitions of the model without which some of them would not be certain. */
  readonly inferred: readonly string[];
}

export const NOTHING_CERTAIN: CertainCoherence = { has: () => false, inferred: [] };

/**
 * What axioms `empty … \ co` order in every execution, as the writes of one thread to one place: by what is known
 * before any read has its write, so that nothing needs to be encoded of it. With n writes to a place, clauses over
 * triples of them grow with the cube of n. `pairs`: those of which it is asked.
 */
export function certainCoherence(
  context: EncodingContext,
  executed: ExecutedEvents,
  axioms: Model | undefined,
  pairs: readonly (readonly [number, number])[],
): CertainCoherence {
  if (axioms === undefined) return NOTHING_CERTAIN;
  const algebra = symbolicAlgebra(context.builder, executed);
  const base = symbolicVocabulary(context, executed, {});
  const demanded = (model: Model, known: (name: string) => SymbolicValue | undefined): readonly Relation[] =>
    evaluateModel(model, algebra, known).checks.flatMap(({ value }) =>
      value.kind === 'relation' ? [value.value.must] : [],
    );
  const all = demanded(axioms, base);
  const isIn = (some: readonly Relation[], a: number, b: number): boolean => some.some((one) => one.has(a, b));
  const inferred = [...axioms.inferred].filter(([name, { kind }]) => {
    const nothing: SymbolicValue =
      kind === 'set' ? { kind, value: algebra.emptySet } : { kind: 'relation', value: algebra.emptyRelation };
    const without = demanded(guardInferred(axioms, new Set([name])), (one) =>
      one === guardOf(name) ? nothing : base(one),
    );
    return pairs.some(([a, b]) => isIn(all, a, b) && !isIn(without, a, b));
  });
  return { has: (a, b) => isIn(all, a, b), inferred: inferred.map(([name]) => name) };
}
