import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Part, partsOfSpread } from '../../src/follow/lane-place.js';

describe('the places of an access whose address is open', () => {
  it('are all that its bounds give, and no bytes between them', () => {
    const sizes = fc.constantFrom(1, 2, 4, 8, 16);
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 40 }), fc.nat(300), (bytes, times, count) => {
        const step = times * bytes;
        const bytesOf = (all: readonly Part[]): ReadonlySet<number> =>
          new Set(all.flatMap((one) => Array.from({ length: one.extent }, (_, i) => one.from + i)));
        const parts = partsOfSpread(count * step + bytes, step, bytes);
        const own = bytesOf(Array.from({ length: count + 1 }, (_, i) => ({ from: i * step, extent: bytes })));
        const taken = bytesOf(parts);
        // All of them, and of few places nothing else.
        expect([...own].every((byte) => taken.has(byte))).toBe(true);
        if (count < 256) expect(taken.size).toBe(own.size);
        else if (times > 1) expect(parts.length).toBe(1);
      }),
    );
  });
});
