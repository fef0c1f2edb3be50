import { WARP_SIZE } from '../kernel/grid.js';
import type { Placement } from '../program/placement.js';
import { Inexpressible } from './written-thread.js';

/** The launch that stands for the threads of a test in one grid on one GPU. */
export interface KernelGrid {
  /** As conditions name it: `K`, or `K1` where there are several. */
  readonly name: string;
  readonly gpu: number;
  /** The grid's number in the test. */
  readonly number: number;
  readonly ctas: number;
  readonly block: number;
  readonly cluster: number;
}

/** Where a thread of the test is in its launch, by the linear numbers of its CTA and of itself there. */
export interface KernelPlace {
  readonly grid: KernelGrid;
  readonly cta: number;
  readonly tid: number;
}

const LARGEST_BLOCK = 1024;
/** Of CTAs whose numbers are kept: a launch has all those below too, and they do nothing. */
const LARGEST_KEPT = 16;

/**
 * A place in a launch for each thread of a GPU: the same CTAs, clusters, warps and lanes. What a launch has besides
 * them, since its clusters are of one size and its warps are filled from lane 0 on, does nothing.
 */
export function kernelPlaces(placements: readonly Placement[]): {
  readonly grids: readonly KernelGrid[];
  readonly places: readonly (KernelPlace | undefined)[];
} {
  const groups = new Map<string, readonly Placement[]>();
  for (const one of placements)
    if (one.gpu !== undefined) {
      const key = `${one.grid} ${one.gpu}`;
      groups.set(key, [...(groups.get(key) ?? []), one]);
    }
  const places = new Map<number, KernelPlace>();
  const isOneGpu = new Set([...groups.values()].map(([first]) => first?.gpu)).size === 1;
  const isOnly = groups.size === 1;
  const grids = [...groups.values()].toSorted(inOrder).map((own): KernelGrid => {
    const { grid: number = 0, gpu = 0 } = own[0] ?? {};
    const { ctas, cluster, numberOf } = placedCtas(own);
    const tids = new Map(own.map((one) => [one.thread, WARP_SIZE * warpOf(one, own) + one.lane]));
    const block = Math.max(...tids.values()) + 1;
    if (block > LARGEST_BLOCK) throw new Inexpressible(`a block of ${block} threads: it has at most ${LARGEST_BLOCK}`);
    const name = isOnly ? 'K' : `K${number}${isOneGpu ? '' : `_${gpu}`}`;
    const grid = { name, gpu, number, ctas, block, cluster };
    for (const one of own)
      places.set(one.thread, { grid, cta: numberOf.get(one.cta) ?? 0, tid: tids.get(one.thread) ?? 0 });
    return grid;
  });
  return { grids, places: placements.map(({ thread }) => places.get(thread)) };
}

const inOrder = ([a]: readonly Placement[], [b]: readonly Placement[]): number =>
  (a?.grid ?? 0) - (b?.grid ?? 0) || (a?.gpu ?? 0) - (b?.gpu ?? 0);

/** The CTAs of a grid, under the numbers of the test where a launch can have these. */
function placedCtas(own: readonly Placement[]): {
  readonly ctas: number;
  readonly cluster: number;
  readonly numberOf: ReadonlyMap<string, number>;
} {
  const cluster = Math.max(...own.map(({ clusterSize }) => clusterSize));
  const one = [...new Map(own.map((placement) => [placement.cta, placement])).values()];
  const isKept = one.every(({ ctaNumber, rank, cta, cluster: of }) => {
    const base = ctaNumber - rank;
    const isAlone = one.every((other) => other.cta === cta || other.ctaNumber !== ctaNumber);
    const isTogether = one.every((other) => other.cluster !== of || other.ctaNumber - other.rank === base);
    const isApart = one.every((other) => other.cluster === of || other.ctaNumber - other.rank !== base);
    return isAlone && isTogether && isApart && ctaNumber < LARGEST_KEPT && base % cluster === 0;
  });
  const lowest = (of: string): number =>
    Math.min(...one.filter((other) => other.cluster === of).map(({ ctaNumber }) => ctaNumber));
  const clusters = [...new Set(one.map((placement) => placement.cluster))].sort((a, b) => lowest(a) - lowest(b));
  const numberOf = new Map(
    one.map((placement) => [
      placement.cta,
      isKept ? placement.ctaNumber : clusters.indexOf(placement.cluster) * cluster + placement.rank,
    ]),
  );
  const ctas = Math.ceil((Math.max(...numberOf.values()) + 1) / cluster) * cluster;
  return { ctas, cluster, numberOf };
}

/** The number of a thread's warp: what the test says, else the first that is free. */
function warpOf(thread: Placement, own: readonly Placement[]): number {
  if (thread.warpNumber !== undefined) return thread.warpNumber;
  const others = own.filter(({ cta }) => cta === thread.cta);
  const taken = new Set(others.map(({ warpNumber }) => warpNumber));
  const unnumbered = [...new Set(others.filter((one) => one.warpNumber === undefined).map(({ warp }) => warp))];
  let number = -1;
  for (let left = unnumbered.indexOf(thread.warp); left >= 0; left--) {
    number += 1;
    while (taken.has(number)) number += 1;
  }
  return number;
}
