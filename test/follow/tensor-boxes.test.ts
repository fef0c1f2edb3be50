import { describe, expect, it } from 'vitest';
import type { Tensor } from '../../src/program/locations.js';
import { boxRuns, tileRuns } from '../../src/program/tensor-boxes.js';

const tensor = (dimensions: readonly number[], strides: readonly number[], box: readonly number[]): Tensor =>
  ({
    target: { name: 'g', elementType: { kind: 'u', width: 32 } },
    bytes: box.reduce((product, size) => product * size, 4),
    shape: { elementType: { kind: 'u', width: 32 }, dimensions, strides: [4, ...strides], box },
  }) as unknown as Tensor;

const at = (corner: readonly number[], isOfRows: boolean, isStored = false) => ({
  ...{ corner, isOfRows, isStored, start: undefined },
});

describe('a box of a tensor', () => {
  it('is one run where its rows follow each other', () => {
    expect(boxRuns(tensor([8, 16], [32], [8, 8]), [0, 8])).toEqual([{ at: 0, global: 256, bytes: 256 }]);
  });

  it('has a run for each row otherwise', () => {
    expect(boxRuns(tensor([8, 4], [32], [4, 2]), [4, 1])).toEqual([
      { at: 0, global: 48, bytes: 16 },
      { at: 16, global: 80, bytes: 16 },
    ]);
  });

  it('reads zeros outside of the tensor', () => {
    expect(boxRuns(tensor([8, 4], [32], [4, 2]), [6, 3])).toEqual([
      { at: 0, global: 120, bytes: 8 },
      { at: 8, global: undefined, bytes: 24 },
    ]);
    expect(boxRuns(tensor([8], [], [4]), [-2])).toEqual([
      { at: 0, global: undefined, bytes: 8 },
      { at: 8, global: 0, bytes: 8 },
    ]);
  });
});

describe('four rows of a tensor', () => {
  it('stand one after the other in the tile', () => {
    expect(tileRuns(tensor([8, 4], [32], [4, 1]), at([2, 3, 0, 0, 1], true))).toEqual([
      { at: 0, global: 104, bytes: 16 },
      { at: 16, global: 8, bytes: 16 },
      { at: 32, global: 8, bytes: 16 },
      { at: 48, global: 40, bytes: 16 },
    ]);
  });

  it('may lie outside of it', () => {
    expect(tileRuns(tensor([8, 4], [32], [4, 1]), at([6, 3, 4, -1, 0], true))).toEqual([
      { at: 0, global: 120, bytes: 8 },
      { at: 8, global: undefined, bytes: 8 },
      { at: 16, global: undefined, bytes: 16 },
      { at: 32, global: undefined, bytes: 16 },
      { at: 48, global: 24, bytes: 8 },
      { at: 56, global: undefined, bytes: 8 },
    ]);
  });

  it('need a box of one row, and a box as many coordinates as it has dimensions', () => {
    expect(tileRuns(tensor([8, 4], [32], [4, 2]), at([0, 0, 1, 2, 3], true))).toMatch(/^rows need a box of one row/);
    expect(tileRuns(tensor([8, 4], [32], [4, 1]), at([0, 0, 1, 2, 3], false))).toContain('names 5 coordinates');
  });
});

describe('a box that an H200 traps at', () => {
  const map = tensor([16, 16], [64], [4, 4]);

  it('begins between the 16 bytes of a row, or before the tensor that is stored to', () => {
    expect(tileRuns(map, at([3, 0], false))).toMatch(
      /^a box begins at a multiple of 16 bytes of a row, and this one at 12/,
    );
    expect(tileRuns(map, at([0, -1], false, true))).toMatch(/^a box that is stored to begins in its tensor/);
    expect(tileRuns(map, at([0, -1], false))).toHaveLength(4);
  });
});
