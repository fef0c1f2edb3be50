import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCycle } from '../../src/relation/cycle.js';
import { EventSet } from '../../src/relation/event-set.js';
import { Relation } from '../../src/relation/relation.js';

const SIZE = 40;
const event = fc.integer({ min: 0, max: SIZE - 1 });
const relation = fc.array(fc.tuple(event, event), { maxLength: 60 }).map((pairs) => Relation.ofPairs(SIZE, pairs));
const set = fc.array(event, { maxLength: 20 }).map((events) => EventSet.from(SIZE, (e) => events.includes(e)));

describe('relations', () => {
  it('compose associatively', () => {
    fc.assert(
      fc.property(relation, relation, relation, (a, b, c) =>
        a
          .compose(b)
          .compose(c)
          .equals(a.compose(b.compose(c))),
      ),
    );
  });
  it('compose over unions', () => {
    fc.assert(
      fc.property(relation, relation, relation, (a, b, c) =>
        a.compose(b.union(c)).equals(a.compose(b).union(a.compose(c))),
      ),
    );
  });
  it('turn round when inverted: (a;b)^-1 = b^-1;a^-1', () => {
    fc.assert(
      fc.property(relation, relation, (a, b) => a.compose(b).inverse().equals(b.inverse().compose(a.inverse()))),
    );
  });
  it('are complemented as sets are: a \\ (b | c) = (a \\ b) & (a \\ c)', () => {
    fc.assert(
      fc.property(relation, relation, relation, (a, b, c) =>
        a.difference(b.union(c)).equals(a.difference(b).intersection(a.difference(c))),
      ),
    );
  });
  it('have the smallest transitive relation around them as closure', () => {
    fc.assert(
      fc.property(relation, (a) => {
        const closure = a.transitiveClosure();
        expect(a.difference(closure).isEmpty()).toBe(true);
        expect(closure.compose(closure).difference(closure).isEmpty()).toBe(true);
        // Every pair is a path: one step, then the closure.
        expect(closure.equals(a.union(a.compose(closure)))).toBe(true);
      }),
    );
  });
  it('have domain and range that their products span', () => {
    fc.assert(fc.property(relation, (a) => a.difference(Relation.product(a.domain(), a.range())).isEmpty()));
  });
  it('restrict by identities: [S];r;[T] = r & (S * T)', () => {
    fc.assert(
      fc.property(relation, set, set, (r, s, t) =>
        Relation.identity(s)
          .compose(r)
          .compose(Relation.identity(t))
          .equals(r.intersection(Relation.product(s, t))),
      ),
    );
  });
  it('lose nothing in a transitive reduction, if acyclic', () => {
    fc.assert(
      fc.property(relation, (a) => {
        const forward = Relation.ofPairs(
          SIZE,
          [...a].filter(([x, y]) => x < y),
        );
        expect(forward.transitiveReduction().transitiveClosure().equals(forward.transitiveClosure())).toBe(true);
      }),
    );
  });
});

describe('findCycle', () => {
  it('finds a cycle exactly when the closure is reflexive somewhere, and its steps are in the relation', () => {
    fc.assert(
      fc.property(relation, (a) => {
        const cycle = findCycle(a);
        expect(cycle === undefined).toBe(a.transitiveClosure().isIrreflexive());
        cycle?.forEach((from, i) => expect(a.has(from, cycle[(i + 1) % cycle.length] ?? -1)).toBe(true));
      }),
    );
  });
});
