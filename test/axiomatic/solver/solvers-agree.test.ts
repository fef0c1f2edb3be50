import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { evaluator, type Formula, FormulaBuilder, not, TRUE } from '../../../src/axiomatic/formula/formula.js';
import { Cdcl } from '../../../src/axiomatic/solver/cdcl.js';
import type { CheckResult, SatSolver } from '../../../src/axiomatic/solver/solver.js';
import { Z3 } from '../../../src/axiomatic/solver/z3.js';
import { BudgetExceeded, TIMEOUT } from '../../../src/program/undecided.js';

const FOREVER = { remaining: () => 1e12 };
let z3: SatSolver;
beforeAll(async () => {
  z3 = await Z3.start();
});

/** How each formula is made of two earlier ones. */
const steps = fc.array(fc.tuple(fc.constantFrom('and', 'or', 'xor', 'exactlyOne'), fc.nat(), fc.nat(), fc.nat()), {
  minLength: 10,
  maxLength: 60,
});

function formulasOf(
  builder: FormulaBuilder,
  made: readonly (readonly [string, number, number, number])[],
): readonly Formula[] {
  const formulas = Array.from({ length: 8 }, (_, i) => builder.variable(`x${i}`));
  for (const [kind, ...picks] of made) {
    const [a = TRUE, b = TRUE, c = TRUE] = picks.map((pick) => {
      const formula = formulas[(pick >> 1) % formulas.length] ?? TRUE;
      return (pick & 1) === 0 ? formula : not(formula);
    });
    formulas.push(
      kind === 'and'
        ? builder.and(a, b, c)
        : kind === 'or'
          ? builder.or(a, b, c)
          : kind === 'xor'
            ? builder.xor(a, b)
            : builder.exactlyOne([a, b, c]),
    );
  }
  return formulas;
}

describe('the solvers', () => {
  it('agree on formulas: asserted, added, and within a question; what they find satisfies them', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(steps, fc.nat(), fc.nat(), fc.nat(), fc.nat(), (made, p, q, r, s) => {
        const answers = [new Cdcl(), z3].map((solver): readonly CheckResult[] => {
          const builder = new FormulaBuilder();
          const formulas = formulasOf(builder, made);
          const one = (pick: number): Formula => {
            const formula = formulas[formulas.length - 1 - ((pick >> 1) % 12)] ?? TRUE;
            return (pick & 1) === 0 ? formula : not(formula);
          };
          const context = solver.context(builder);
          const [first, second] = [context.solver('query'), context.solver('enumeration')];
          const check = (asked: typeof first, held: readonly Formula[]): CheckResult => {
            const result = asked.check(FOREVER);
            if (result === 'sat') {
              const assigned = asked.assignment();
              for (const formula of held) expect(evaluator(builder, assigned)(formula)).toBe(true);
            }
            return result;
          };
          context.assert(one(p));
          first.add(one(q));
          const results = [
            first.within(() => {
              first.add(one(r));
              first.add(one(s));
              return check(first, [p, q, r, s].map(one));
            }),
            check(first, [p, q].map(one)),
          ];
          second.add(one(r));
          results.push(check(second, [p, r].map(one)));
          second.add(not(one(s)));
          results.push(check(second, [one(p), one(r), not(one(s))]), check(first, [p, q].map(one)));
          context.dispose();
          return results;
        });
        expect(answers[0]).toEqual(answers[1]);
        for (const answer of answers[0] ?? []) seen.set(String(answer), (seen.get(String(answer)) ?? 0) + 1);
      }),
      { numRuns: 300 },
    );
    expect([...seen.keys()].sort()).toEqual(['sat', 'unsat']);
  });

  it('say nothing of formulas that they had to leave half-way', () => {
    let gone = false;
    const builder = new FormulaBuilder(() => {
      if (gone) throw new BudgetExceeded(TIMEOUT);
    });
    const inputs = Array.from({ length: 3_000 }, (_, i) => builder.variable(`x${i}`));
    // One chain of gates, none of which is a part of another one's conjunction.
    const chain = inputs.reduce((all, input) => not(builder.and(all, input)));
    const context = new Cdcl().context(builder);
    const solver = context.solver('query');
    gone = true;
    expect(() => {
      solver.add(chain);
    }).toThrow(BudgetExceeded);
    gone = false;
    expect(() => solver.check(FOREVER)).toThrow(BudgetExceeded);
  });
});
