import type { Placement } from './placement.js';

const WARP_SIZE = 32;

/**
 * The predefined registers whose values follow from where the threads of the test run (PTX ISA, Special Registers).
 * Grids, clusters and CTAs are one-dimensional. A thread stands for its warp: it is the first lane unless others share
 * the warp.
 */
export function specialRegisters(placements: readonly Placement[], own: Placement): ReadonlyMap<string, bigint> {
  const inGrid = placements.filter(({ gpu }) => gpu === own.gpu);
  const count = (of: (placement: Placement) => unknown, among: readonly Placement[]): number =>
    new Set(among.map(of)).size;
  const warps = count(
    ({ warp }) => warp,
    inGrid.filter(({ cta }) => cta === own.cta),
  );
  const ctas = Math.max(...inGrid.map(({ ctaNumber }) => ctaNumber)) + 1;
  const clusters = [...new Set(inGrid.map(({ cluster }) => cluster))];
  const lane = 1n << BigInt(own.lane);
  const dimensions: Readonly<Record<string, number>> = {
    tid: own.warpIndex * WARP_SIZE + own.lane,
    ntid: warps * WARP_SIZE,
    ctaid: own.ctaNumber,
    nctaid: ctas,
    clusterid: clusters.indexOf(own.cluster),
    nclusterid: clusters.length,
    cluster_ctaid: own.rank,
    cluster_nctaid: own.clusterSize,
  };
  const scalars: Readonly<Record<string, bigint>> = {
    laneid: BigInt(own.lane),
    warpid: BigInt(own.warpIndex),
    nwarpid: BigInt(warps),
    cluster_ctarank: BigInt(own.rank),
    cluster_nctarank: BigInt(own.clusterSize),
    lanemask_eq: lane,
    lanemask_lt: lane - 1n,
    lanemask_le: 2n * lane - 1n,
    lanemask_gt: 0xffff_ffffn - (2n * lane - 1n),
    lanemask_ge: 0xffff_ffffn - (lane - 1n),
  };
  const one = (name: string): bigint => (name.startsWith('n') || name.includes('_n') ? 1n : 0n);
  return new Map([
    ...Object.entries(dimensions).flatMap(([name, value]) => [
      [`${name}.x`, BigInt(value)] as const,
      [`${name}.y`, one(name)] as const,
      [`${name}.z`, one(name)] as const,
    ]),
    ...Object.entries(scalars),
  ]);
}
