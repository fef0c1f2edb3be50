import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BytesOfPieces, MemoryImage, NOT_CONTESTED } from '../../src/follow/memory-image.js';
import { LocationTable, type MemoryObject } from '../../src/program/locations.js';

/** Some pages of memory that begin as zeros. */
const SIZE = 50_000;
const OBJECT: MemoryObject = {
  ...{ id: 0, name: 'x', space: 'global', cta: undefined, cluster: undefined, owner: undefined },
  ...{ elementType: { kind: 'u', width: 8 }, size: SIZE, initial: [], rest: 0n, mbarrier: undefined, tensors: [] },
};
const LOCATIONS = new LocationTable([], [OBJECT]);

describe('what is not known of memory', () => {
  it('is that of each byte of some runs, in whichever pages they are', () => {
    const ends = fc.uniqueArray(fc.integer({ min: 0, max: SIZE }), { maxLength: 12 });
    fc.assert(
      fc.property(ends, fc.array(fc.integer({ min: 0, max: SIZE - 1 })), (of, others) => {
        const sorted = of.toSorted((a, b) => a - b);
        const runs = sorted.flatMap((from, i) =>
          i % 2 === 0 && i + 1 < of.length ? [[from, sorted[i + 1] ?? 0]] : [],
        );
        const all: BytesOfPieces = new Map([[0, runs as [number, number][]]]);
        const image = new MemoryImage(LOCATIONS, { ...NOT_CONTESTED, bytes: all, results: all });
        for (const at of [...of, ...of.map((one) => one - 1), ...others].filter((one) => one >= 0 && one < SIZE)) {
          const isOpen = runs.some(([from = 0, to = 0]) => from <= at && at < to);
          expect(image.contents(OBJECT, at, 1), `${at}`).toBe(isOpen ? undefined : 0n);
          for (const piece of image.pieces) expect(image.isOpenTo({ piece, offset: at, range: 0 })).toBe(isOpen);
        }
      }),
    );
  });
});
