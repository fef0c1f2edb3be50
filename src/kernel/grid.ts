import type { Dimensions, RunClause } from '../syntax/launch-ast.js';

/** Threads of a warp. */
export const WARP_SIZE = 32;

/** The shape of a launch. */
export interface Shape {
  readonly grid: Dimensions;
  readonly block: Dimensions;
  readonly cluster: Dimensions;
}

/** A thread of a launch, by the linear numbers of its CTA and of itself there. */
export interface LaunchedThread {
  readonly cta: number;
  readonly tid: number;
}

/** Where a thread of a launch runs. */
export interface PlacedLane {
  readonly cta: number;
  readonly warp: number;
  readonly lane: number;
  /** The lanes of its warp that there are, as bits. */
  readonly warpMask: bigint;
}

/** Whom a launch is about: all of its threads, some that it names among all, or those as the only ones that it has. */
export function aboutOf(runs: readonly RunClause[]): 'all' | 'named' | 'exactly' {
  if (runs.some(({ exactly }) => exactly)) return 'exactly';
  return runs.length === 0 || runs.some(({ kind }) => kind === 'auto' || kind === 'all') ? 'all' : 'named';
}

/** Whether a launch is about all of its threads. */
export const isAboutAll = (runs: readonly RunClause[]): boolean => aboutOf(runs) === 'all';

export const volume = ([x, y, z]: Dimensions): number => x * y * z;

/** The numbers along x, y and z of a linear number, x first (PTX ISA, %tid). */
export const pointOf = (linear: number, [x, y]: Dimensions): Dimensions => [
  linear % x,
  Math.floor(linear / x) % y,
  Math.floor(linear / (x * y)),
];

export const linearOf = ([x, y, z]: Dimensions, [width, height]: Dimensions): number => x + width * (y + height * z);

/** How many clusters there are along x, y and z. */
const clustersOf = ({ grid, cluster }: Shape): Dimensions => zip(grid, cluster, (all, own) => Math.ceil(all / own));

function zip(a: Dimensions, b: Dimensions, of: (x: number, y: number) => number): Dimensions {
  return [of(a[0], b[0]), of(a[1], b[1]), of(a[2], b[2])];
}

/** The number of a CTA's cluster, and the CTA's rank in it. */
export function clusterOf(shape: Shape, cta: number): { readonly cluster: number; readonly rank: number } {
  const at = pointOf(cta, shape.grid);
  return {
    cluster: linearOf(
      zip(at, shape.cluster, (x, width) => Math.floor(x / width)),
      clustersOf(shape),
    ),
    rank: linearOf(
      zip(at, shape.cluster, (x, width) => x % width),
      shape.cluster,
    ),
  };
}

/** The CTAs of a cluster, by rank. */
export function ctasOfCluster(shape: Shape, cluster: number): readonly number[] {
  const corner = zip(pointOf(cluster, clustersOf(shape)), shape.cluster, (x, width) => x * width);
  return Array.from({ length: volume(shape.cluster) }, (_, rank) =>
    linearOf(
      zip(corner, pointOf(rank, shape.cluster), (x, more) => x + more),
      shape.grid,
    ),
  );
}

export function laneOf({ block }: Shape, { cta, tid }: LaunchedThread): PlacedLane {
  const warp = Math.floor(tid / WARP_SIZE);
  const lanes = Math.min(WARP_SIZE, volume(block) - warp * WARP_SIZE);
  return { cta, warp, lane: tid % WARP_SIZE, warpMask: (1n << BigInt(lanes)) - 1n };
}

type OfThread<T> = (shape: Shape, thread: LaunchedThread) => T;

const VECTORS: Readonly<Record<string, OfThread<Dimensions>>> = {
  tid: ({ block }, { tid }) => pointOf(tid, block),
  ntid: ({ block }) => block,
  ctaid: ({ grid }, { cta }) => pointOf(cta, grid),
  nctaid: ({ grid }) => grid,
  clusterid: (shape, { cta }) => pointOf(clusterOf(shape, cta).cluster, clustersOf(shape)),
  nclusterid: clustersOf,
  cluster_ctaid: (shape, { cta }) => pointOf(clusterOf(shape, cta).rank, shape.cluster),
  cluster_nctaid: ({ cluster }) => cluster,
};

const SCALARS: Readonly<Record<string, OfThread<number | bigint>>> = {
  laneid: (_, { tid }) => tid % WARP_SIZE,
  warpid: (_, { tid }) => Math.floor(tid / WARP_SIZE),
  nwarpid: ({ block }) => Math.ceil(volume(block) / WARP_SIZE),
  current_graph_exec: () => 0,
  WARP_SZ: () => WARP_SIZE,
  cluster_ctarank: (shape, { cta }) => clusterOf(shape, cta).rank,
  cluster_nctarank: ({ cluster }) => volume(cluster),
  is_explicit_cluster: ({ cluster }) => (volume(cluster) > 1 ? 1 : 0),
  lanemask_eq: (_, { tid }) => bitOf(tid),
  lanemask_lt: (_, { tid }) => bitOf(tid) - 1n,
  lanemask_le: (_, { tid }) => 2n * bitOf(tid) - 1n,
  lanemask_gt: (_, { tid }) => ALL_LANES - (2n * bitOf(tid) - 1n),
  lanemask_ge: (_, { tid }) => ALL_LANES - (bitOf(tid) - 1n),
};

const ALL_LANES = 0xffff_ffffn;
const bitOf = (tid: number): bigint => 1n << BigInt(tid % WARP_SIZE);

/** The predefined registers of a thread whose values follow from the launch, by name (PTX ISA, Special Registers). */
export const PREDEFINED: ReadonlyMap<string, OfThread<bigint>> = new Map([
  ...Object.entries(VECTORS).flatMap(([name, vector]) =>
    ['x', 'y', 'z'].map((axis, i): [string, OfThread<bigint>] => [
      `${name}.${axis}`,
      (shape, thread) => BigInt(vector(shape, thread)[i] ?? 0),
    ]),
  ),
  ...Object.entries(SCALARS).map(([name, scalar]): [string, OfThread<bigint>] => [
    name,
    (shape, thread) => BigInt(scalar(shape, thread)),
  ]),
]);
