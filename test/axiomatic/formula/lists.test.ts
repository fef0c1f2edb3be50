import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluator, type Formula, FormulaBuilder } from '../../../src/axiomatic/formula/formula.js';

/** Few of them hold, so that none, one and two are all drawn; half are longer than what is taken at once. */
const assignment = fc
  .record({ length: fc.integer({ min: 2, max: 40 }), holding: fc.array(fc.nat({ max: 39 }), { maxLength: 3 }) })
  .map(({ length, holding }) => Array.from({ length }, (_, i) => holding.includes(i)));

describe('formulas over lists, short and long', () => {
  it('say how many of them hold', () => {
    fc.assert(
      fc.property(assignment, (values) => {
        const builder = new FormulaBuilder();
        const variables = values.map(() => builder.variable('x'));
        const truth = evaluator(builder, (node) => values[variables.findIndex((one) => one >> 1 === node)] === true);
        const count = values.filter((one) => one).length;
        expect(truth(builder.anyInOrder(variables))).toBe(count > 0);
        expect(truth(builder.atMostOne(variables))).toBe(count <= 1);
        expect(truth(builder.exactlyOne(variables))).toBe(count === 1);
      }),
      { numRuns: 400 },
    );
  });

  it('share what lists have at their beginning', () => {
    const builder = new FormulaBuilder();
    const variables = Array.from({ length: 100 }, (): Formula => builder.variable('x'));
    const before = builder.size;
    for (let length = 1; length <= 100; length++) builder.anyInOrder(variables.slice(0, length));
    expect(builder.size - before).toBeLessThan(2 * 100 + 20);
  });

  it('are the same formula in whatever order they are given', () => {
    const builder = new FormulaBuilder();
    const [a, b, c] = ['a', 'b', 'c'].map((name) => builder.variable(name)) as [Formula, Formula, Formula];
    expect(builder.and(a, b)).toBe(builder.and(b, a));
    expect(builder.all([c, a, b, a])).toBe(builder.all([b, c, a]));
    expect(builder.or(a, b)).toBe(builder.any([b, a, b]));
  });
});
