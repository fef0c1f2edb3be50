import type { Model } from '../../cat/model.js';
import { guardInferred, guardOf } from '../../cat/variants.js';
import { EventSet } from '../../relation/event-set.js';
import { Relation } from '../../relation/relation.js';
import type { Formula } from '../formula/formula.js';
import type { SymbolicValue } from '../relations/symbolic-algebra.js';
import { SymbolicRelation, SymbolicSet } from '../relations/symbolic-relation.js';
import type { ExecutionEncoding } from './encode-execution.js';
import { type EncodedModel, encodeModel } from './encode-model.js';

/** A model of which each of some inferred definitions is kept only where a formula holds, and is otherwise empty. */
export function encodeGuardedModel(
  model: Model,
  encoding: ExecutionEncoding,
  kept: ReadonlyMap<string, Formula>,
): EncodedModel {
  const { size } = encoding.executedEvents;
  /** Everything where the definition is kept, else nothing. */
  const guard = (name: string, formula: Formula): SymbolicValue => {
    if (model.inferred.get(name)?.kind === 'set') {
      const all = EventSet.from(size, () => true);
      return { kind: 'set', value: new SymbolicSet(all, () => formula) };
    }
    const all = Relation.from(size, () => true);
    return { kind: 'relation', value: new SymbolicRelation(all, new Relation(size), () => formula) };
  };
  const guards = new Map([...kept].map(([name, formula]) => [guardOf(name), guard(name, formula)]));
  return encodeModel(guardInferred(model, new Set(kept.keys())), {
    ...encoding,
    base: (name) => guards.get(name) ?? encoding.base(name),
  });
}
