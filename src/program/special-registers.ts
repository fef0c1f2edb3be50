import type { Placement } from './placement.js';

const WARP_SIZE = 32;

/**
 * The predefined registers whose values follow from where the threads of the test run (PTX ISA, Special Registers).
 * Grids, clusters and CTAs are one-dimensional. A thread stands for its warp: it is the first lane unless others share
 * the warp.
 */
export function specialRegisters(placements: readonly Placement[], own: Placement): ReadonlyMap<string, bigint> {
  const inGrid = placements.filter(({ gpu, grid }) => gpu === own.gpu && grid === own.grid);
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
    current_graph_exec: 0n,
    WARP_SZ: BigInt(WARP_SIZE),
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

/**
 * Those whose values do not follow from that. `once`: each thread, or all of a grid, always find the same; `counter`:
 * later ones of a thread are not smaller; others may differ each time.
 */
export const OPEN_REGISTERS: readonly {
  readonly names: RegExp;
  readonly once?: 'grid' | 'thread';
  readonly counter?: string;
  /** It is below that one. */
  readonly below?: string;
  readonly atLeast?: number;
}[] = [
  { names: /^(clock64|clock|clock_hi)$/, counter: 'clock' },
  { names: /^globaltimer(_lo|_hi)?$/, counter: 'globaltimer' },
  { names: /^smid$/, below: 'nsmid' },
  { names: /^(pm\d(_64)?)$/ },
  { names: /^(nwarpid|reserved_smem_offset_(begin|end|cap|\d)|perctamemory(offset|size))$/, once: 'thread' },
  { names: /^nsmid$/, once: 'grid', atLeast: 1 },
  { names: /^(gridid|is_explicit_cluster|envreg\d+|(total|dynamic|aggr)_smem_size)$/, once: 'grid' },
];
