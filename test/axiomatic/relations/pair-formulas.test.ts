import { expect, it } from 'vitest';
import { FALSE, FormulaBuilder } from '../../../src/axiomatic/formula/formula.js';
import { PairFormulas } from '../../../src/axiomatic/relations/pair-formulas.js';

it('a pair is related in any of the ways that were found', () => {
  const builder = new FormulaBuilder();
  const [x, y] = [builder.variable('x'), builder.variable('y')];
  const relation = new PairFormulas(builder, 3);
  relation.add(2, 1, x);
  relation.add(0, 2, FALSE);
  relation.add(1, 0, y);
  relation.add(2, 1, y);
  expect(relation.at(2, 1)).toBe(builder.or(x, y));
  expect(relation.at(1, 0)).toBe(y);
  expect([relation.at(0, 2), relation.at(1, 2)]).toEqual([FALSE, FALSE]);
  expect(relation.pairs).toEqual([
    [2, 1],
    [1, 0],
  ]);
});
