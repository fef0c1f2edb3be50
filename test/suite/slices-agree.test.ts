import { describe, expect, it } from 'vitest';
import { compareSlice } from '../cross-check/slice-law.js';
import { sliceableTest } from '../cross-check/sliceable-tests.js';
import { halfOf } from '../shares.js';
import { builtInModel, solver } from '../support.js';

const CASES = Number(process.env['FUZZ_CASES'] ?? halfOf(60));
const SEED = Number(process.env['FUZZ_SEED'] ?? 20261124);
const TIMEOUT = 4_000;

describe('a slice answers what the whole test answers', () => {
  it(`in ${CASES} generated tests with large arrays, other names of them, and kernels`, () => {
    const wrong: string[] = [];
    let [compared, open] = [0, 0];
    for (let seed = SEED; seed < SEED + CASES; seed++) {
      const found = compareSlice(sliceableTest(seed), { solver, model: builtInModel('ptx-9.4'), timeout: TIMEOUT });
      compared += found.compared;
      open += found.open;
      wrong.push(...found.wrong.map((what) => `seed ${seed}: ${what}`));
    }
    if (process.env['FUZZ_CASES'] !== undefined) console.log(`${compared} answers compared, ${open} open`);
    expect(wrong.join('\n')).toBe('');
    expect(compared).toBeGreaterThan(3 * CASES);
  });
});
