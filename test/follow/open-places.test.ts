import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partsOfSpread, type Spread } from '../../src/follow/lane-place.js';

/** Only where it is, and how far it goes, is looked at. */
const spread = (offset: number, extent: number, step: number): Spread =>
  ({ piece: undefined, range: 0, offset, extent, step }) as unknown as Spread;

describe('the places of an access whose address is open', () => {
  it('are all that its bounds give, and no bytes between them', () => {
    const sizes = fc.constantFrom(1, 2, 4, 8, 16);
    fc.assert(
      fc.property(fc.nat(64), sizes, fc.integer({ min: 1, max: 40 }), fc.nat(300), (start, bytes, times, count) => {
        const [offset, step] = [start * bytes, times * bytes];
        const places = Array.from({ length: count + 1 }, (_, i) => offset + i * step);
        const bytesOf = (all: readonly Pick<Spread, 'offset' | 'extent'>[]): ReadonlySet<number> =>
          new Set(all.flatMap((one) => Array.from({ length: one.extent }, (_, i) => one.offset + i)));
        const parts = partsOfSpread(spread(offset, count * step + bytes, step), bytes);
        const own = bytesOf(places.map((place) => ({ offset: place, extent: bytes })));
        const taken = bytesOf(parts);
        // All of them, and of few places nothing else.
        expect([...own].every((byte) => taken.has(byte))).toBe(true);
        if (count < 256) expect(taken.size).toBe(own.size);
        else if (times > 1) expect(parts.length).toBe(1);
      }),
    );
  });
});
