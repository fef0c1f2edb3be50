/** The scopes of the PTX memory model (PTX ISA 8.5, Table 21), from small to large. */
export const SCOPES = ['cta', 'cluster', 'gpu', 'sys'] as const;
export type Scope = (typeof SCOPES)[number];

/** Where a thread runs. CTA, cluster and warp are unique keys: the same number on another GPU is another one. */
export interface Placement {
  /** The index of the thread. */
  readonly thread: number;
  /** The GPU; undefined for a thread of the host, which is in none. */
  readonly gpu: number | undefined;
  /** The launch. */
  readonly grid: number;
  readonly cluster: string;
  readonly cta: string;
  /** The number that the test gave the CTA, as `%ctaid` and `@ cta n` name it. */
  readonly ctaNumber: number;
  readonly warp: string;
  /** The number that the test gave the warp; undefined: none. */
  readonly warpNumber: number | undefined;
  /** The clusters of the test, numbered as they appear. */
  readonly clusterIndex: number;
  /** `%cluster_ctarank`: the place of the CTA among those of its cluster that appear in the test. */
  readonly rank: number;
  /** How many CTAs of its cluster appear in the test. */
  readonly clusterSize: number;
  /** The place of the warp among those of its CTA that appear in the test. */
  readonly warpIndex: number;
  /** The place of the thread among those of its warp that appear in the test. */
  readonly lane: number;
  /** How many threads of its warp appear in the test. */
  readonly lanes: number;
  /** How many lanes its warp has: of a launch all of them, otherwise those that appear in the test. */
  readonly warpLanes: number;
  /** Of a launch: lanes of its warp that do not appear do what one does that does, at the same barriers. */
  readonly othersAreAlike?: boolean;
  /** The lowest lane of its warp that appears in the test: what a warp does as a whole is done by it. */
  readonly firstLane: number;
}

/** The threads of the test by which warps of a CTA take part in its barriers. */
export interface WarpParty {
  /** Of a launch: threads of the warp that are run, and those that stand for the others. */
  readonly threads: readonly number[];
  /** How many warps have these threads. */
  readonly warps: number;
  /** A thread of the warp is left out, and never arrives. */
  readonly isCut: boolean;
}

/**
 * CTAs in a cluster, at most (PTX ISA, Cluster of Cooperative Thread Arrays; 16 where the non-portable size is
 * allowed).
 */
export const LARGEST_CLUSTER = 16;

/** The CTAs whose ranks differ in the last bit only are a pair (PTX ISA 9.7.18.5, CTA pair). */
export const pairOf = ({ cluster, rank }: Placement): string => `${cluster} ${rank >> 1}`;

/** Four warps of a CTA, the first of a rank that is a multiple of four, are a warpgroup (PTX ISA, wgmma). */
export function areInOneWarpgroup(a: Placement, b: Placement): boolean {
  if (a.cta !== b.cta || a.warp === b.warp) return a.warp === b.warp;
  if (a.warpNumber === undefined || b.warpNumber === undefined) return false;
  return a.warpNumber >> 2 === b.warpNumber >> 2;
}

/** Whether the scope, taken at thread `a`, contains thread `b` (PTX ISA 8.5). */
export function scopeIncludes(scope: Scope, a: Placement, b: Placement): boolean {
  switch (scope) {
    case 'cta':
      return a.cta === b.cta;
    case 'cluster':
      return a.cluster === b.cluster;
    case 'gpu':
      return a.gpu !== undefined && a.gpu === b.gpu;
    case 'sys':
      return true;
  }
}
