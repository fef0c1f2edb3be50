import { expect } from 'vitest';
import { checkTest } from '../../../src/check/check-test.js';
import { MOST_OUTCOMES } from '../../../src/compare/baseline.js';
import { writeKernel } from '../../../src/convert/write-kernel.js';
import { answersOf, launched, statesOf, valuesIn } from '../../kernels/written.js';
import { SWEEP_ALL } from '../../shares.js';
import { builtInModel, solver } from '../../support.js';
import type { Judge } from '../judge.js';
import type { Opened } from '../opened.js';

/** What a test cannot say as a kernel. */
const REASONS: readonly RegExp[] = [
  /is a word of a dialect, and no instruction of PTX/,
  /an aligned instruction, where another lane of its warp has another body/,
  /an instruction of a whole warp, where the launch has lanes in it that the test has not/,
  /a function that names the location/,
  /a request that may be granted with a CTA that the test does not show: a launch has none/,
  /an instruction of a pair of CTAs, where the launch has no peer/,
];

/** Kernels with more threads take as long as all others together: they are asked with SWEEP=all, and not for states. */
const MANY_THREADS = 100;

/** With all its threads run, a launch of the kernel that is written from a test answers what the test answers. */
export const asKernel: Judge = {
  name: 'a kernel that is written from it answers alike',
  every: (file) => (file.startsWith('grids/') ? 1 : 24),
  judge(test, count) {
    if (test.syntax.launches.length > 0) return;
    const { value, diagnostics } = writeKernel(test.syntax, test.program, 'k.ptx');
    if (value === undefined) {
      // Lines that a test accepts are not those of a module.
      if (diagnostics[0]?.code === 'L0214') return count('refused: names lines');
      expect(diagnostics.map(({ code }) => code)).toEqual(['L0216']);
      const reasons = REASONS.filter((why) => why.test(diagnostics[0]?.message ?? ''));
      expect(reasons, diagnostics[0]?.message).toHaveLength(1);
      return count(`refused: ${reasons[0]?.source}`);
    }
    const kernel = launched(value);
    const isLarge = kernel.threads.length > MANY_THREADS;
    if (isLarge && !SWEEP_ALL) return count('too large for a share');
    const result = checkTest(solver, kernel, builtInModel('ptx-9.4'), {
      ...{ unroll: 3, timeout: 60_000, clock: () => performance.now(), states: !isLarge },
    });
    expect(answersOf(result)).toEqual(answersOf(test.result()));
    count('answered');
    const [before, after] = [statesBefore(test), statesOf(result)];
    if (before === undefined || after === undefined) return;
    expect(after).toEqual(before);
    count('final states', after.length);
  },
};

/** As statesOf, but from what other judges want to know as well. */
function statesBefore(test: Opened): readonly string[] | undefined {
  const { undefinedBy, open, outcomes } = test.findings();
  if (undefinedBy !== undefined || open.length > 0 || outcomes.size >= MOST_OUTCOMES) return undefined;
  return [...outcomes.values()].map(({ state }) => valuesIn(test.program, state)).sort();
}
