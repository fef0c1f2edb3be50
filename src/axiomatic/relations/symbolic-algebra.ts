import type { Algebra, CatValue, Kind } from '../../cat/algebra.js';
import { EventSet } from '../../relation/event-set.js';
import { Relation } from '../../relation/relation.js';
import { FALSE, type Formula, type FormulaBuilder, not } from '../formula/formula.js';
import { symbolicClosure } from './closure.js';
import type { ExecutedEvents } from './executed-events.js';
import { leastFixpoint } from './least-fixpoint.js';
import { SymbolicRelation, SymbolicSet } from './symbolic-relation.js';

export type SymbolicValue = CatValue<SymbolicSet, SymbolicRelation>;

/** The operators of cat on formulas. Every formula of a pair implies that both events are executed. */
export function symbolicAlgebra(
  builder: FormulaBuilder,
  executed: ExecutedEvents,
): Algebra<SymbolicSet, SymbolicRelation> {
  const { size } = executed;
  const exists = (e: number): Formula => executed.at(e);
  const relation = (may: Relation, must: Relation, formula: (a: number, b: number) => Formula): SymbolicRelation =>
    new SymbolicRelation(may, must, formula, executed);
  const mayExist = EventSet.from(size, (e) => exists(e) !== FALSE);
  const nothing = new Relation(size);
  const universe = new SymbolicSet(mayExist, exists);
  const everything = relation(Relation.product(mayExist, mayExist), Relation.product(mayExist, mayExist), (a, b) =>
    executed.both(a, b),
  );

  const setDifference = (a: SymbolicSet, b: SymbolicSet): SymbolicSet =>
    new SymbolicSet(a.may, (e) => builder.and(a.at(e), not(b.at(e))));
  const relationDifference = (a: SymbolicRelation, b: SymbolicRelation): SymbolicRelation =>
    relation(a.may.difference(b.must), a.must.difference(b.may), (x, y) => builder.and(a.at(x, y), not(b.at(x, y))));
  /** The events that are in a set whenever they are executed. */
  const mustOf = (set: SymbolicSet): EventSet => EventSet.from(size, (e) => set.may.has(e) && set.at(e) === exists(e));

  const algebra: Algebra<SymbolicSet, SymbolicRelation> = {
    emptySet: new SymbolicSet(new EventSet(size), () => FALSE),
    emptyRelation: relation(nothing, nothing, () => FALSE),
    universe,
    set: {
      union: (a, b) => new SymbolicSet(a.may.union(b.may), (e) => builder.or(a.at(e), b.at(e))),
      intersection: (a, b) => new SymbolicSet(a.may.intersection(b.may), (e) => builder.and(a.at(e), b.at(e))),
      difference: setDifference,
      complement: (a) => setDifference(universe, a),
    },
    relation: {
      union: (a, b) => relation(a.may.union(b.may), a.must.union(b.must), (x, y) => builder.or(a.at(x, y), b.at(x, y))),
      intersection: (a, b) =>
        relation(a.may.intersection(b.may), a.must.intersection(b.must), (x, y) => builder.and(a.at(x, y), b.at(x, y))),
      difference: relationDifference,
      complement: (a) => relationDifference(everything, a),
    },
    isEmptySet: (a) => a.may.isEmpty(),
    isEmptyRelation: (a) => a.may.isEmpty(),
    compose(a, b) {
      return relation(a.may.compose(b.may), executed.compose(a.must, b.must), (x, z) => {
        const ways: Formula[] = [];
        for (const y of a.may.successors(x)) if (b.may.has(y, z)) ways.push(builder.and(a.at(x, y), b.at(y, z)));
        return builder.any(ways);
      });
    },
    inverse: (a) => relation(a.mayInverse, a.must.inverse(), (x, y) => a.at(y, x)),
    transitiveClosure: (a) => symbolicClosure(builder, executed, a),
    identity: (a) => relation(Relation.identity(a.may), Relation.identity(mustOf(a)), (x) => a.at(x)),
    product: (a, b) =>
      relation(Relation.product(a.may, b.may), Relation.product(mustOf(a), mustOf(b)), (x, y) =>
        builder.and(a.at(x), b.at(y)),
      ),
    domain: (a) => new SymbolicSet(a.may.domain(), (x) => builder.any([...a.may.successors(x)].map((y) => a.at(x, y)))),
    range: (a) =>
      new SymbolicSet(a.may.range(), (y) => builder.any([...a.mayInverse.successors(y)].map((x) => a.at(x, y)))),
    leastFixpoint: (kinds: readonly Kind[], step: (values: readonly SymbolicValue[]) => readonly SymbolicValue[]) =>
      leastFixpoint(builder, size, kinds, step),
  };
  return algebra;
}
