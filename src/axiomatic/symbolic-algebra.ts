import type { Algebra, CatValue, Kind } from '../cat/algebra.js';
import { EventSet } from '../relation/event-set.js';
import { Relation } from '../relation/relation.js';
import { symbolicClosure } from './closure.js';
import { FALSE, type Formula, type FormulaBuilder, not, TRUE } from './formula.js';
import { leastFixpoint } from './least-fixpoint.js';
import { SymbolicRelation, SymbolicSet } from './symbolic-relation.js';

export type SymbolicValue = CatValue<SymbolicSet, SymbolicRelation>;

/** The operators of cat on formulas. Every formula of a pair implies that both events are executed. */
export function symbolicAlgebra(builder: FormulaBuilder, executed: readonly Formula[]): Algebra<SymbolicSet, SymbolicRelation> {
  const size = executed.length;
  const exists = (e: number): Formula => executed[e] ?? FALSE;
  const mayExist = EventSet.from(size, (e) => exists(e) !== FALSE);
  const mustExist = EventSet.from(size, (e) => exists(e) === TRUE);
  const nothing = new Relation(size);
  const universe = new SymbolicSet(mayExist, exists);
  const everything = new SymbolicRelation(Relation.product(mayExist, mayExist), Relation.product(mustExist, mustExist), (a, b) => builder.and(exists(a), exists(b)));

  const setDifference = (a: SymbolicSet, b: SymbolicSet): SymbolicSet => new SymbolicSet(a.may, (e) => builder.and(a.at(e), not(b.at(e))));
  const relationDifference = (a: SymbolicRelation, b: SymbolicRelation): SymbolicRelation =>
    new SymbolicRelation(a.may.difference(b.must), a.must.difference(b.may), (x, y) => builder.and(a.at(x, y), not(b.at(x, y))));
  /** The events that are in a set in every execution. */
  const mustOf = (set: SymbolicSet): EventSet => EventSet.from(size, (e) => set.may.has(e) && set.at(e) === TRUE);

  const algebra: Algebra<SymbolicSet, SymbolicRelation> = {
    emptySet: new SymbolicSet(new EventSet(size), () => FALSE),
    emptyRelation: new SymbolicRelation(nothing, nothing, () => FALSE),
    universe,
    set: {
      union: (a, b) => new SymbolicSet(a.may.union(b.may), (e) => builder.or(a.at(e), b.at(e))),
      intersection: (a, b) => new SymbolicSet(a.may.intersection(b.may), (e) => builder.and(a.at(e), b.at(e))),
      difference: setDifference,
      complement: (a) => setDifference(universe, a),
    },
    relation: {
      union: (a, b) => new SymbolicRelation(a.may.union(b.may), a.must.union(b.must), (x, y) => builder.or(a.at(x, y), b.at(x, y))),
      intersection: (a, b) => new SymbolicRelation(a.may.intersection(b.may), a.must.intersection(b.must), (x, y) => builder.and(a.at(x, y), b.at(x, y))),
      difference: relationDifference,
      complement: (a) => relationDifference(everything, a),
    },
    compose(a, b) {
      return new SymbolicRelation(a.may.compose(b.may), a.must.compose(b.must), (x, z) => {
        const ways: Formula[] = [];
        for (const y of a.may.successors(x)) if (b.may.has(y, z)) ways.push(builder.and(a.at(x, y), b.at(y, z)));
        return builder.any(ways);
      });
    },
    inverse: (a) => new SymbolicRelation(a.mayInverse, a.must.inverse(), (x, y) => a.at(y, x)),
    transitiveClosure: (a) => symbolicClosure(builder, a),
    identity: (a) => new SymbolicRelation(Relation.identity(a.may), Relation.identity(mustOf(a)), (x) => a.at(x)),
    product: (a, b) => new SymbolicRelation(Relation.product(a.may, b.may), Relation.product(mustOf(a), mustOf(b)), (x, y) => builder.and(a.at(x), b.at(y))),
    domain: (a) => new SymbolicSet(a.may.domain(), (x) => builder.any([...a.may.successors(x)].map((y) => a.at(x, y)))),
    range: (a) => new SymbolicSet(a.may.range(), (y) => builder.any([...a.mayInverse.successors(y)].map((x) => a.at(x, y)))),
    leastFixpoint: (kinds: readonly Kind[], step: (values: readonly SymbolicValue[]) => readonly SymbolicValue[]) => leastFixpoint(builder, size, kinds, step),
  };
  return algebra;
}
