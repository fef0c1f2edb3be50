import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Growth } from '../../src/follow/ticket-growth.js';
import { areTilesApart } from '../../src/order/recheck-tickets.js';
import { ofTiles } from '../../src/order/tiles.js';

const growthOf = (at: readonly bigint[]): Growth => ({ at, least: 0n, most: 0n });

describe('accesses that grow with tickets, but not evenly', () => {
  it('are of one group, and apart for the second party, if no byte is of two tickets', () => {
    const access = fc.record({ first: fc.bigInt(0n, 60n), bytes: fc.constantFrom(1n, 2n, 4n, 16n) });
    const accesses = fc.array(access, { minLength: 1, maxLength: 6 });
    const at = fc.array(fc.bigInt(-12n, 12n), { minLength: 2, maxLength: 6 });
    const scales = fc.constantFrom(1n, 3n, 8n, -4n, 64n);
    let apart = 0;
    fc.assert(
      fc.property(accesses, at, scales, (own, numbers, scale) => {
        const growth = growthOf(numbers);
        const bytes = numbers.map((number) => {
          const all = own.flatMap(({ first, bytes: size }) =>
            Array.from({ length: Number(size) }, (_, i) => first + scale * number + BigInt(i)),
          );
          return new Set(all);
        });
        const isApart = bytes.every((some, i) =>
          bytes.slice(i + 1).every((other) => [...some].every((one) => !other.has(one))),
        );
        if (isApart) apart += 1;
        const rows = own.map((one, row) => [row, { ...one, from: 0, scale, growth }] as const);
        expect(ofTiles(rows, growth)).toEqual(isApart ? [own.map((_, row) => row)] : []);
        expect(areTilesApart({ scale, growth }, own)).toBe(isApart);
      }),
      { seed: 20261130, numRuns: 2000 },
    );
    expect(apart).toBeGreaterThan(200);
  });
});
