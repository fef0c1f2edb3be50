import { describe, expect, it } from 'vitest';
import { halfOf } from '../shares.js';
import { generatedKernels } from './generated-kernels.js';
import { RANGE_KERNELS } from './kernels.js';
import { heldToEach } from './law.js';
import { rangeTest } from './range-kernel.js';

const ASKED = process.env['FUZZ_CASES'];
const CASES = Number(ASKED ?? halfOf(24));
const SEED = Number(process.env['FUZZ_SEED'] ?? 20261127);

describe('values that are taken as alike', () => {
  it.each(RANGE_KERNELS.map((kernel) => [kernel.name, kernel] as const))('%s', (_, kernel) => {
    const { text, modules } = rangeTest(kernel);
    const { result, together, alone } = heldToEach({ path: 'k.litmus', text, modules });
    expect(together).toEqual(alone);
    expect(result.values?.checked).toBe(kernel.checked);
  });

  it('have the answers that each has alone, of kernels at random', { timeout: 1000 * CASES + 60_000 }, () => {
    let [alike, count] = [0, 0];
    for (const kernel of generatedKernels(SEED)) {
      if (count++ >= CASES) break;
      const { text, modules } = rangeTest(kernel);
      const { result, together, alone } = heldToEach({ path: 'k.litmus', text, modules });
      expect(together, `${kernel.name}\n${text}\n${modules['k.ptx']?.text}`).toEqual(alone);
      if (result.values?.alike !== '') alike += 1;
    }
    if (ASKED !== undefined) console.log({ alike, count });
    expect(alike).toBeGreaterThan(CASES / 10);
  });
});
