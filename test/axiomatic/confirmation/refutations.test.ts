import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { firstWrongStep } from '../../../src/axiomatic/confirmation/check-proof.js';
import { evaluator, type Formula, FormulaBuilder, not, TRUE } from '../../../src/axiomatic/formula/formula.js';
import { Cdcl } from '../../../src/axiomatic/solver/cdcl.js';
import { queryOf } from '../../../src/axiomatic/solver/query.js';
import type { Refutation } from '../../../src/axiomatic/solver/refutation.js';
import type { SecondParty } from '../../../src/axiomatic/solver/second-party.js';
import { Z3 } from '../../../src/axiomatic/solver/z3.js';

const FOREVER = { remaining: () => 1e12 };
const always = (): boolean => true;
let z3: SecondParty;
beforeAll(async () => {
  z3 = await Z3.start();
});

const VARIABLES = 8;
const literal = fc.tuple(fc.nat({ max: VARIABLES - 1 }), fc.boolean());
const clause = fc.array(literal, { minLength: 1, maxLength: 3 });
const problem = fc.record({
  shared: fc.array(clause, { minLength: 8, maxLength: 40 }),
  own: fc.array(clause, { maxLength: 8 }),
  goals: fc.array(fc.array(clause, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
});

/** All refutations of some questions under shared constraints; plain enumeration says which these are. */
function refutationsOf({ shared, own, goals }: typeof problem extends fc.Arbitrary<infer T> ? T : never): {
  readonly builder: FormulaBuilder;
  readonly refutations: readonly Refutation[];
} {
  const builder = new FormulaBuilder();
  const variables = Array.from({ length: VARIABLES }, (_, i) => builder.variable(`x${i}`));
  const formulaOf = (one: readonly (readonly [number, boolean])[]): Formula =>
    builder.any(one.map(([at, positive]) => (positive ? (variables[at] ?? TRUE) : not(variables[at] ?? TRUE))));
  // Nested, so that definitions of nodes matter and not only constraints.
  const nested = (all: readonly (typeof shared)[number][]): Formula =>
    all.reduce(
      (rest, one, i) => (i % 3 === 0 ? builder.xor(rest, formulaOf(one)) : builder.and(rest, formulaOf(one))),
      TRUE as Formula,
    );
  const context = new Cdcl(z3).context(builder);
  const solver = context.solver('query');
  const held: Formula[] = [];
  for (const one of shared) {
    held.push(formulaOf(one));
    context.assert(formulaOf(one));
  }
  for (const one of own) {
    held.push(formulaOf(one));
    solver.add(formulaOf(one));
  }
  const refutations = goals.flatMap((goal) => {
    const asked = nested(goal);
    const result = solver.within(() => {
      solver.add(asked);
      return solver.check(FOREVER);
    });
    expect(result).toBe(satisfiable(builder, variables, [...held, asked]) ? 'sat' : 'unsat');
    if (result !== 'unsat') return [];
    const found = solver.refutation();
    if (found === undefined || found === 'own') throw new Error('the search does not say why');
    // What is refuted may serve later questions, in their proofs too.
    solver.exclude(asked);
    return [found];
  });
  return { builder, refutations };
}

function satisfiable(builder: FormulaBuilder, variables: readonly Formula[], formulas: readonly Formula[]): boolean {
  for (let bits = 0; bits < 1 << VARIABLES; bits++) {
    const isTrue = (node: number): boolean => ((bits >> variables.findIndex((one) => one >> 1 === node)) & 1) === 1;
    if (formulas.every(evaluator(builder, isTrue))) return true;
  }
  return false;
}

describe('refutations of the search', () => {
  it('are confirmed by z3, each and together, and by their proofs, step by step', () => {
    let found = 0;
    fc.assert(
      fc.property(problem, (one) => {
        const { refutations } = refutationsOf(one);
        found += refutations.length;
        for (const refutation of refutations) {
          expect(firstWrongStep(refutation, always)).toBe(-1);
          expect(z3.decide(queryOf([refutation]), FOREVER)).toBe('unsat');
        }
        if (refutations.length > 1) expect(z3.decide(queryOf(refutations), FOREVER)).toBe('unsat');
      }),
      { numRuns: 150 },
    );
    expect(found).toBeGreaterThan(50);
  });

  it('are checked step by step from nothing: what one step assumed the next does not', () => {
    const builder = new FormulaBuilder();
    const [a, b] = [builder.variable('a'), builder.variable('b')];
    const given = new Map(
      [builder.or(a, b), builder.or(not(a), b)].map((formula, i) => [
        2 * i,
        { kind: 'constraint', formula, condition: TRUE } as const,
      ]),
    );
    const steps = new Map([
      [1, { literals: [b], from: [0, 2] }],
      // It would follow if b were false, which the step before has tried.
      [3, { literals: [not(a)], from: [2] }],
    ]);
    const at = (id: number) => steps.get(id) ?? { literals: [], from: [] };
    const proof = (ids: readonly number[], assumptions: readonly Formula[]): Refutation => ({
      ...{ builder, assumptions, given, log: steps },
      steps: { ids, at },
    });
    expect(firstWrongStep(proof([1], [not(b)]), always)).toBe(-1);
    expect(firstWrongStep(proof([1, 3], [a]), always)).toBe(3);
    expect(firstWrongStep(proof([1], [b]), always)).toBe(0);
    const checked = new Map();
    expect(firstWrongStep(proof([1], [not(b)]), always, checked)).toBe(-1);
    expect(firstWrongStep(proof([1, 3], [a]), always, checked)).toBe(3);
  });

  it('are caught where one learned clause is a literal too short', () => {
    let [made, caught] = [0, 0];
    fc.assert(
      fc.property(problem, fc.nat(), (one, pick) => {
        for (const refutation of refutationsOf(one).refutations) {
          const { steps } = refutation;
          const id = steps.ids[pick % Math.max(1, steps.ids.length)];
          if (id === undefined || steps.at(id).literals.length === 0) continue;
          const shorter = { ...steps.at(id), literals: steps.at(id).literals.slice(1) };
          const wrong = {
            ...refutation,
            steps: { ids: steps.ids, at: (other: number) => (other === id ? shorter : steps.at(other)) },
          };
          made += 1;
          if (firstWrongStep(wrong, always) !== -1) caught += 1;
        }
      }),
      { numRuns: 150 },
    );
    // Some follow all the same: a shorter clause may be right, too.
    expect(caught).toBeGreaterThan(made / 4);
  });
});
