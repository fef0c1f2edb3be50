import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { parseTests, wholeTest } from '../../src/check/load-tests.js';
import { writeKernel } from '../../src/convert/write-kernel.js';
import { isLikeEvery } from '../../src/order/whole-run.js';
import { answersOf, launched } from '../kernels/written.js';
import { halfOf } from '../shares.js';
import { builtInModel, programOf, solver } from '../support.js';
import { meetings } from './meetings.js';

const CASES = Number(process.env['FUZZ_CASES'] ?? halfOf(80));
const SEED = Number(process.env['FUZZ_SEED'] ?? 20261128);

describe('threads that meet in any way', () => {
  it('do in a launch what they do in a test, and wait there for ever where they do', () => {
    const model = builtInModel('ptx-9.4');
    let [like, forEver, count] = [0, 0, 0];
    for (const { name, text } of meetings(SEED)) {
      if (count++ >= CASES) break;
      const program = programOf(text, `${name}.litmus`);
      const [syntax] = parseTests(program.source).value ?? [];
      const kernel = syntax && writeKernel(syntax, program, 'k.ptx').value;
      if (kernel === undefined) continue;
      const launch = launched(kernel);
      const run = wholeTest(launch)?.follow(() => undefined);
      if (run === undefined || !isLikeEvery(run)) continue;
      expect(run.unconfirmed, text).toBeUndefined();
      like += 1;
      if (run.findings.length > 0) forEver += 1;
      const options = { unroll: 3, timeout: 60_000, clock: () => performance.now() };
      const whole = checkTest(solver, launch, model, options);
      // What the run leaves open the engines would have to decide of a hundred threads.
      const isOpen = whole.conditions.some(({ expectation }) => expectation === 'undecided');
      if (!isOpen) expect(answersOf(whole), text).toEqual(answersOf(checkTest(solver, program, model, options)));
    }
    expect(like).toBeGreaterThan(CASES / 3);
    expect(forEver).toBeGreaterThan(CASES / 5);
  });
});
