import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { holdsOf } from '../../src/execution/run-program.js';
import { halfOf } from '../shares.js';
import { checkProgram } from '../support.js';
import { changedTest } from './small-changes.js';

const CASES = Number(process.env['FUZZ_CASES'] ?? halfOf(150));
describe('tests made from ours by small changes', () => {
  it('are refused, or decided with executions that the concrete evaluation accepts', async () => {
    let decided = 0;
    await fc.assert(
      fc.asyncProperty(changedTest, fc.constantFrom('ptx-7.5', 'ptx-6.0', 'sc'), async (text, model) => {
        const { value } = loadTests({ path: 'mutant.litmus', text });
        const [program] = value ?? [];
        if (program === undefined) return;
        // An execution that does not fit, or breaks an axiom, is thrown as an internal error.
        const result = await checkProgram(program, model, { unroll: 2, timeout: 5000, states: true, reasons: true });
        if (result.conditions.some(({ holds }) => holds !== undefined)) decided += 1;
        const { states } = result;
        for (const { condition, reachable, avoidable } of result.conditions) {
          if (
            states === undefined ||
            states.incomplete !== undefined ||
            reachable === undefined ||
            avoidable === undefined
          )
            continue;
          // The enumeration and the two queries are different questions to z3: they must agree.
          const satisfying = states.list.filter(({ state }) => holdsOf(condition.proposition, state)).length;
          expect(
            [satisfying > 0, satisfying < states.list.length],
            `${condition.quantifier} ${condition.name}`,
          ).toEqual([reachable, avoidable]);
        }
      }),
      { numRuns: CASES },
    );
    expect(decided).toBeGreaterThan(CASES / 10);
  }, 3_600_000);
});
