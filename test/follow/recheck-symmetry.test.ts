import { describe, expect, it } from 'vitest';
import { isTakenIn, SYMMETRY_KERNELS } from './symmetry-kernels.js';

describe('the second look at threads that others are like', () => {
  for (const kernel of SYMMETRY_KERNELS)
    if (kernel.isTaken !== undefined)
      it(`takes ${kernel.isTaken ? '' : 'not '}${kernel.name}`, () => {
        expect(isTakenIn(kernel)).toBe(kernel.isTaken);
      });
});
