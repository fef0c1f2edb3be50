import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { foundNothing } from '../../src/check/result.js';
import { generateTests } from '../../src/generate/generate-tests.js';
import { isEveryRun } from '../../src/order/whole-run.js';
import { builtInModel, solver } from '../support.js';

const CASES = Number(process.env['FUZZ_CASES'] ?? 120);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20261125);
const EXPECT = ['race', 'undefined', 'deadlock', 'trap'].map((one) => `expect no-${one}`).join('\n');

describe('a run of all threads of a generated launch', () => {
  it('is every run where it says so, and does nothing that the engines rule out', () => {
    const model = builtInModel('ptx-9.4');
    let [decided, racing, count] = [0, 0, 0];
    for (const { name, text, module } of generateTests({ seed: SEED, mostEvents: 6, families: ['launch'] })) {
      if (count++ >= CASES) break;
      const modules = module === undefined ? {} : { [module.path]: module };
      const asked = text.replace(/^exists .*$/m, (line) => `${line}\n${EXPECT}`);
      const [program] = loadTests({ path: `${name}.litmus`, text: asked, modules }).value ?? [];
      const run = program === undefined ? undefined : wholeTest(program)?.follow(() => undefined);
      // Threads that the test writes out are not followed.
      if (program === undefined || run === undefined) continue;
      const { expectations, states } = checkTest(solver, program, model, { follow: false, states: true });
      const found = (finding: string): string | undefined =>
        expectations.find((one) => one.expectation.finding === finding)?.outcome;
      const told = `${name}\n${asked}\n${module?.text}`;
      if (isEveryRun(run)) {
        decided += 1;
        expect(run.unconfirmed, told).toBeUndefined();
        for (const one of expectations) expect(one.undecided !== undefined || foundNothing(one), told).toBe(true);
        const values = program.observed.map((one) => [one.name, run.valueOf(one)] as const);
        if (states?.incomplete === undefined && values.every(([, value]) => value !== undefined))
          expect(
            states?.list.map(({ state }) => [...state].sort()),
            told,
          ).toEqual([[...values].sort()]);
      }
      // A prefix of an execution is one of some execution.
      if (run.conflicts.some(({ isCertain }) => isCertain)) {
        racing += 1;
        expect(found('race'), told).not.toBe('met');
      }
      for (const { rule } of run.findings)
        expect(found(rule === 'trap' || rule === 'deadlock' ? rule : 'undefined'), told).not.toBe('met');
    }
    expect(decided).toBeGreaterThan(CASES / 30);
    expect(racing).toBeGreaterThan(CASES / 100);
  });
});
