import { describe, expect, it } from 'vitest';
import { type MatrixShape, matrixRuns } from '../../src/program/matrix-layout.js';

const descriptor = (start: number, leading: number, stride: number, swizzle: bigint): bigint =>
  BigInt(start >> 4) | (BigInt(leading >> 4) << 16n) | (BigInt(stride >> 4) << 32n) | (swizzle << 62n);

/** How often each byte from a start on is read by matrices. */
function bytesRead(
  matrices: readonly (readonly [descriptor: bigint, shape: MatrixShape])[],
): ReadonlyMap<number, number> {
  const read = new Map<number, number>();
  for (const [of, shape] of matrices)
    for (const { address, bytes } of matrixRuns(of, shape) ?? [])
      for (let i = 0; i < bytes; i++) read.set(address + i, (read.get(address + i) ?? 0) + 1);
  return read;
}

const SWIZZLES = [
  [1n, 128],
  [2n, 64],
  [3n, 32],
] as const;

describe('a matrix in shared memory', () => {
  it('without swizzle is made of core matrices of 128 bytes', () => {
    const shape = { extent: 64, depth: 16, bits: 16, isTransposed: false };
    expect(matrixRuns(descriptor(1024, 128, 256, 0n), shape)).toEqual([{ address: 1024, bytes: 2048 }]);
    const apart = matrixRuns(descriptor(1024, 4096, 128, 0n), shape);
    expect(apart).toEqual([
      { address: 1024, bytes: 1024 },
      { address: 5120, bytes: 1024 },
    ]);
  });

  it.each(SWIZZLES)('takes its share of each row, of a tile swizzled in mode %s over %d bytes', (mode, span) => {
    const shape = { extent: 64, depth: 16, bits: 16, isTransposed: false };
    const steps = span / 32;
    const products = Array.from(
      { length: steps },
      (_, k) => [descriptor(2048 + 32 * k, 0, 8 * span, mode), shape] as const,
    );
    const [first] = products;
    const own = [...bytesRead(first === undefined ? [] : [first]).keys()];
    expect(own.length).toBe(2048);
    // In each row of the tile it has 32 bytes, and not the same columns in all.
    for (let row = 0; row < 64; row++)
      expect(own.filter((byte) => Math.floor((byte - 2048) / span) === row).length).toBe(32);
    expect(new Set(own.map((byte) => byte % span)).size).toBe(span);
    const read = bytesRead(products);
    expect([...read.values()].every((times) => times === 1)).toBe(true);
    expect(read.size).toBe(64 * span);
    expect(Math.min(...read.keys())).toBe(2048);
    expect(Math.max(...read.keys())).toBe(2048 + 64 * span - 1);
  });

  it.each(SWIZZLES)('goes on at the leading dimension where it is wider than mode %s, of %d bytes', (mode, span) => {
    const shape = { extent: 128, depth: 16, bits: 16, isTransposed: true };
    const stride = 8 * span;
    const read = bytesRead([[descriptor(0, 2 * stride, stride, mode), shape]]);
    expect(read.size).toBe(4096);
    expect(Math.max(...read.keys())).toBe(4095);
  });

  it('of which the pattern begins elsewhere is not known', () => {
    const shape = { extent: 64, depth: 16, bits: 16, isTransposed: false };
    expect(matrixRuns(descriptor(0, 0, 1024, 1n) | (3n << 49n), shape)).toBeUndefined();
  });
});
