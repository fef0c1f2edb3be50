import { describe, expect, it } from 'vitest';
import { DecodedOnce } from '../../src/kernel/decode-once.js';
import type { Placement } from '../../src/program/placement.js';

const at = (thread: number, cta: string): Placement => ({
  ...{ thread, gpu: 0, grid: 0, cluster: cta, cta, ctaNumber: 0, warp: cta, warpNumber: 0, clusterIndex: 0, rank: 0 },
  ...{ clusterSize: 1, warpIndex: 0, lane: thread, lanes: 2, warpLanes: 32, firstLane: 0 },
});
const NOTHING: ReadonlySet<string> = new Set();
const CODE = { code: {}, diagnostics: [] } as unknown as ReturnType<DecodedOnce['at']>;

/** How often a kernel is decoded for two threads of each of two CTAs, where so much of a place is looked at. */
function timesDecoded(look: (placement: Placement) => unknown): number {
  let times = 0;
  const once = new DecodedOnce((placement) => {
    times += 1;
    look(placement);
    return { ...CODE };
  });
  const places = [at(0, 'a'), at(1, 'a'), at(2, 'b'), at(3, 'b')];
  const decoded = places.map((place) => once.at(place, NOTHING));
  // What was decoded stays what it is.
  expect(places.map((place) => once.at(place, NOTHING))).toEqual(decoded);
  expect(new Set(decoded).size).toBe(times);
  return times;
}

describe('a kernel that is decoded for its threads', () => {
  it('is decoded once for all places that differ in nothing that is looked at', () => {
    expect(timesDecoded(() => undefined)).toBe(1);
    expect(timesDecoded(({ rank }) => rank)).toBe(1);
    expect(timesDecoded(({ cta }) => cta)).toBe(2);
    expect(timesDecoded(({ lane }) => lane)).toBe(4);
  });

  it('is decoded for each where places are copied', () => {
    expect(timesDecoded((placement) => ({ ...placement }))).toBe(4);
  });

  it('is another where other registers are asked for at the end', () => {
    const once = new DecodedOnce(() => ({ ...CODE }));
    const first = once.at(at(0, 'a'), NOTHING);
    expect(once.at(at(1, 'a'), new Set(['r0']))).not.toBe(first);
    expect(once.at(at(1, 'a'), new Set(['r1']))).not.toBe(once.at(at(1, 'a'), new Set(['r0'])));
    expect(once.at(at(2, 'b'), new Set())).toBe(first);
  });
});
