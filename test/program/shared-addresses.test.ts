import { describe, expect, it } from 'vitest';
import { addressInCta, addressInPair, rankIn, sharedAddress } from '../../src/program/locations.js';

/** What shipped code makes an address of the first CTA of a pair with. */
const PEER_MASK = 0xfeffffffn;

describe('addresses of shared memory', () => {
  it('have the rank at bit 24, so that a mask leads from either CTA of a pair to the first', () => {
    for (const cluster of [0, 1, 15, 16, 40])
      for (const rank of [0, 1, 2, 3, 14, 15]) {
        const address = sharedAddress(cluster, rank, 0x123n);
        expect(rankIn(address)).toBe(rank);
        expect(address & PEER_MASK).toBe(sharedAddress(cluster, rank & ~1, 0x123n));
        expect(addressInCta(address, 5)).toBe(sharedAddress(cluster, 5, 0x123n));
        expect(addressInPair(address, 6)).toBe(sharedAddress(cluster, 6 + (rank & 1), 0x123n));
        expect(addressInPair(address, 7)).toBe(sharedAddress(cluster, 6 + (rank & 1), 0x123n));
      }
  });

  it('are apart for each CTA of each cluster, and of 32 bits', () => {
    const all = Array.from({ length: 112 }, (_, cluster) =>
      Array.from({ length: 16 }, (_, rank) => sharedAddress(cluster, rank, 0n)),
    ).flat();
    expect(new Set(all).size).toBe(all.length);
    expect(all.every((address) => address >= 0x4000_0000n && address < 0xb000_0000n)).toBe(true);
    expect(all.every((address) => address % 0x10_0000n === 0n)).toBe(true);
  });
});
