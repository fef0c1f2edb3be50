import { EventSet } from '../relation/event-set.js';
import { Relation } from '../relation/relation.js';
import type { Algebra, CatValue, Kind, SetOperators } from './algebra.js';

export type ConcreteValue = CatValue<EventSet, Relation>;

/** The operators of cat on bit sets, for an execution in which the events of `universe` are executed. */
export function concreteAlgebra(universe: EventSet): Algebra<EventSet, Relation> {
  const everything = Relation.product(universe, universe);
  const operators = <T extends { union(o: T): T; intersection(o: T): T; difference(o: T): T }>(
    all: T,
  ): SetOperators<T> => ({
    union: (a, b) => a.union(b),
    intersection: (a, b) => a.intersection(b),
    difference: (a, b) => a.difference(b),
    complement: (a) => all.difference(a),
  });
  const empty = (kind: Kind): ConcreteValue =>
    kind === 'set' ? { kind, value: new EventSet(universe.size) } : { kind, value: new Relation(universe.size) };
  return {
    emptySet: new EventSet(universe.size),
    emptyRelation: new Relation(universe.size),
    universe,
    set: operators(universe),
    relation: operators(everything),
    isEmptySet: (a) => a.isEmpty(),
    isEmptyRelation: (a) => a.isEmpty(),
    compose: (a, b) => a.compose(b),
    inverse: (a) => a.inverse(),
    transitiveClosure: (a) => a.transitiveClosure(),
    identity: (a) => Relation.identity(a),
    product: (a, b) => Relation.product(a, b),
    domain: (a) => a.domain(),
    range: (a) => a.range(),
    leastFixpoint(kinds, step) {
      let values: readonly ConcreteValue[] = kinds.map(empty);
      for (;;) {
        const next = step(values);
        if (next.every((value, i) => sameValue(value, values[i]))) return next;
        values = next;
      }
    },
  };
}

function sameValue(a: ConcreteValue, b: ConcreteValue | undefined): boolean {
  if (a.kind === 'set') return b?.kind === 'set' && a.value.equals(b.value);
  return b?.kind === 'relation' && a.value.equals(b.value);
}
