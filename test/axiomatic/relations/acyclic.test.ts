import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluator, type Formula, FormulaBuilder, TRUE } from '../../../src/axiomatic/formula/formula.js';
import { symbolicAcyclic, symbolicClosure } from '../../../src/axiomatic/relations/closure.js';
import { ExecutedEvents } from '../../../src/axiomatic/relations/executed-events.js';
import { SymbolicRelation } from '../../../src/axiomatic/relations/symbolic-relation.js';
import { findCycle } from '../../../src/relation/cycle.js';
import { Relation } from '../../../src/relation/relation.js';

const pairs = (size: number, count: number) =>
  fc.array(fc.tuple(fc.nat({ max: size - 1 }), fc.nat({ max: size - 1 })), {
    ...{ minLength: Math.floor(count / 2), maxLength: count, size: 'max' },
  });
/** Events of which a few may not be executed, edges that are certain, edges that are open, and which of these hold. */
const sizes = fc.oneof(fc.integer({ min: 3, max: 9 }), fc.integer({ min: 30, max: 36 }));
const drawn = sizes.chain((size) =>
  fc.record({
    size: fc.constant(size),
    open: fc.array(fc.boolean(), { minLength: size, maxLength: size, size: 'max' }),
    isExecuted: fc.array(fc.boolean(), { minLength: size, maxLength: size, size: 'max' }),
    // Forwards only, so that they make no cycle by themselves; many, or short ways through one that may be missing.
    certain: fc.oneof(
      pairs(size, size).map((some) => some.filter(([a, b]) => a < b)),
      fc.constant(Array.from({ length: size - 1 }, (_, i) => [i, i + 1] as const).filter(([a]) => a % 5 !== 4)),
    ),
    edges: pairs(size, 3 * size),
    holds: fc.array(fc.boolean(), { minLength: 3 * size, maxLength: 3 * size, size: 'max' }),
    sparse: fc.boolean(),
    // Of many that hold some make a cycle in any case, whatever becomes of the others.
    holding: fc.constantFrom(1, 6, 20),
  }),
);

describe('relations as formulas', () => {
  it('have a cycle, and lead from one event to another, where the pairs that hold do', () => {
    let [cyclic, cyclicLarge, acyclicLarge] = [0, 0, 0];
    fc.assert(
      fc.property(drawn, ({ size, open, isExecuted, certain, edges, holds, sparse, holding }) => {
        const builder = new FormulaBuilder();
        const isTrue = new Map<number, boolean>();
        const variable = (value: boolean): Formula => {
          const made = builder.variable('x');
          isTrue.set(made >> 1, value);
          return made;
        };
        // Mostly all are executed, as in tests without branches.
        const executed = new ExecutedEvents(
          builder,
          open.map((one, i) => (one && i % 2 === 0 ? variable(isExecuted[i] === true) : TRUE)),
        );
        const formulas = new Map<number, Formula>();
        edges.forEach(([a, b], i) => {
          if (sparse && i % 3 > 0) return;
          formulas.set(
            a * size + b,
            builder.and(variable(holds[i] === true && i % holding === 0), executed.both(a, b)),
          );
        });
        for (const [a, b] of certain) formulas.set(a * size + b, executed.both(a, b));
        const all = [...formulas.keys()].map((key) => [Math.floor(key / size), key % size] as const);
        const at = (a: number, b: number): Formula => formulas.get(a * size + b) ?? (0 as Formula);
        const relation = SymbolicRelation.eager(executed, all, at);
        const acyclic = symbolicAcyclic(builder, executed, relation);
        const closure = symbolicClosure(builder, executed, relation);
        const truth = evaluator(builder, (node) => isTrue.get(node) === true);
        const concrete = Relation.ofPairs(
          size,
          all.filter(([a, b]) => truth(at(a, b))),
        );
        const isCyclic = findCycle(concrete) !== undefined;
        expect(truth(acyclic)).toBe(!isCyclic);
        const closed = concrete.transitiveClosure();
        for (let a = 0; a < size; a++)
          for (let b = 0; b < size; b++) expect(truth(closure.at(a, b))).toBe(closed.has(a, b));
        if (isCyclic) cyclic += 1;
        const isLarge = new Set(all.map(([a]) => a)).size >= 24;
        if (isLarge && isCyclic) cyclicLarge += 1;
        if (isLarge && !isCyclic) acyclicLarge += 1;
      }),
      { numRuns: 400 },
    );
    expect(cyclic).toBeGreaterThan(10);
    expect(cyclicLarge).toBeGreaterThan(20);
    expect(acyclicLarge).toBeGreaterThan(20);
  });
});
