import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overlapping, rangesOverlap } from '../../src/semantics/cells.js';

describe('places', () => {
  it('that have a byte in common with a range are found among few and among many, in their order', () => {
    const range = fc.record({
      object: fc.constantFrom('x', 'y'),
      offset: fc.nat({ max: 40 }),
      bytes: fc.constantFrom(1, 2, 4, 16),
    });
    let found = 0;
    fc.assert(
      fc.property(fc.array(range, { maxLength: 30, size: 'max' }), range, (places, some) => {
        const expected = places.filter((one) => one.object === some.object && rangesOverlap(one, some));
        found += expected.length;
        expect(overlapping(places, (one) => one)(some)).toEqual(expected);
      }),
      { seed: 20261130, numRuns: 500 },
    );
    expect(found).toBeGreaterThan(500);
  });
});
