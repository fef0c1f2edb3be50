import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { Source } from '../../src/diagnostics/source.js';
import { describeValues } from '../../src/ranges/describe-values.js';
import { instanceOf, valuesAt } from '../../src/ranges/family.js';
import { builtInModel, solver } from '../support.js';
import { RANGE_KERNELS } from './kernels.js';
import { rangesIn } from './law.js';
import { rangeTest } from './range-kernel.js';

const launched = (given: string, place: string): Source => ({
  path: 'k.litmus',
  text: `PTX k\n{ .global .u32 x; }\nlaunch K "k.ptx" (${given}) @ ${place}\n`,
  modules: {},
});

describe('a test with ranges', () => {
  it('is one test for each choice of values, the last range going through its own first', () => {
    const family = rangesIn(launched('x, n in 1..5 step 2, 4*n+1', 'grid (1, {2, 4}), block n'));
    expect(Array.from({ length: family.count }, (_, i) => valuesAt(family, i))).toEqual([
      [1n, 2n],
      [1n, 4n],
      [3n, 2n],
      [3n, 4n],
      [5n, 2n],
      [5n, 4n],
    ]);
    const [launch] = instanceOf(family, 3).launches;
    expect(launch?.arguments.map((one) => ('value' in one ? one.value : one.kind))).toEqual(['location', 3n, 13n]);
    expect(launch?.place.map((one) => ('size' in one ? one.size : one.kind))).toEqual([
      [1, 4, 1],
      [3, 1, 1],
    ]);
  });

  it.each([
    [[0, 1, 2, 4, 5], 'n = 1..3, 5, 6'],
    [[0, 2, 4, 6], 'n = 1, 3, 5, 7'],
    [[], ''],
  ])('says of tests %j: %s', (indices, said) => {
    expect(describeValues(rangesIn(launched('x, n in 1..8', 'block 32')), indices)).toBe(said);
  });

  it('says of several ranges what goes together', () => {
    const family = rangesIn(launched('x, n in 1..4', 'block {32, 64}'));
    expect(describeValues(family, [0, 2, 3, 4, 5, 6])).toBe('n = 1, 4, block = 32 and n = 2, 3, block = 32, 64');
  });

  it('names the values that there was no time for', () => {
    const kernel = RANGE_KERNELS.find(({ name }) => name === 'a remainder');
    if (kernel === undefined) throw new Error('no such kernel');
    const { text, modules } = rangeTest({ ...kernel, values: '1..200' });
    const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, 'answers').value ?? [];
    if (program === undefined) throw new Error('it cannot be read');
    let now = 0;
    const { values, expectations } = checkTest(solver, program, builtInModel('ptx-9.4'), {
      timeout: 2000,
      clock: () => now++,
    });
    expect(values?.unreached).toMatch(/^n = \d+\.\.200$/);
    expect(values?.checked).toBeLessThan(200);
    expect(expectations.map(({ byValue }) => byValue?.some(({ outcome }) => outcome === 'undecided'))).not.toContain(
      false,
    );
  });
});
