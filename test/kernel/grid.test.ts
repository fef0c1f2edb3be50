import { describe, expect, it } from 'vitest';
import {
  clusterOf,
  ctasOfCluster,
  laneOf,
  linearOf,
  PREDEFINED,
  pointOf,
  type Shape,
  volume,
} from '../../src/kernel/grid.js';

const shape: Shape = { grid: [4, 2, 1], block: [10, 4, 1], cluster: [2, 2, 1] };

describe('the threads of a launch', () => {
  it('are numbered along x first', () => {
    for (let linear = 0; linear < volume(shape.grid); linear++)
      expect(linearOf(pointOf(linear, shape.grid), shape.grid)).toBe(linear);
    expect(pointOf(13, shape.block)).toEqual([3, 1, 0]);
  });

  it('are in clusters, by rank', () => {
    expect(ctasOfCluster(shape, 1)).toEqual([2, 3, 6, 7]);
    ctasOfCluster(shape, 1).forEach((cta, rank) => expect(clusterOf(shape, cta)).toEqual({ cluster: 1, rank }));
  });

  it('have the predefined registers of their place', () => {
    const own = (name: string) => PREDEFINED.get(name)?.(shape, { cta: 6, tid: 35 });
    const named = ['tid.x', 'tid.y', 'ctaid.x', 'ctaid.y', 'laneid', 'warpid', 'cluster_ctarank', 'clusterid.x'];
    expect(named.map((name) => own(name))).toEqual([5n, 3n, 2n, 1n, 3n, 1n, 2n, 1n]);
    expect(own('lanemask_lt')).toBe(7n);
  });

  it('make up a last warp that may be partial', () => {
    expect(laneOf(shape, { cta: 0, tid: 39 })).toEqual({ cta: 0, warp: 1, lane: 7, warpMask: 0xffn });
  });
});
