import type { Extent } from './module.js';
import type { Random } from './random.js';
import type { Thread } from './threads.js';
import { high, low, type Value } from './values.js';

/** Special registers that stay what they are (PTX ISA 10); clocks are read where they are moved. */
export function specialValue(name: string, thread: Thread, place: readonly number[], random: Random): Value {
  const [, base = '', axis] = /^%(\w+?)(?:\.([xyzw]))?$/.exec(name) ?? [];
  const { plan } = thread.launch;
  if (axis !== undefined) return ofAxis(base, 'xyzw'.indexOf(axis), thread, place);
  const mask = /^lanemask_(\w\w)$/.exec(base);
  if (mask !== null) return laneMask(mask[1]!, thread.lane);
  const environment = /^envreg(\d+)$/.exec(base);
  if (environment !== null) {
    // The workspace of a cooperative launch: its high and its low word.
    if (environment[1] === '1') return high(plan.workspace);
    return environment[1] === '2' ? low(plan.workspace) : 0;
  }
  switch (base) {
    case 'laneid':
      return thread.lane;
    case 'warpid':
      return thread.warp.index;
    case 'nwarpid':
      return 64;
    case 'smid':
      return random.below(132);
    case 'nsmid':
      return 132;
    case 'gridid':
      return 1 + thread.launch.plan.name.length;
    case 'cluster_ctarank':
      return thread.cta.rank;
    case 'cluster_nctarank':
      return product(plan.cluster);
    case 'is_explicit_cluster':
      return product(plan.cluster) > 1 ? 1 : 0;
    case 'dynamic_smem_size':
      return plan.dynamicShared;
    case 'total_smem_size':
    case 'aggr_smem_size':
      return plan.shared.variables.reduce((all, { size }) => all + size, 0);
    default:
      return random.next();
  }
}

const product = (extent: Extent): number => extent[0] * extent[1] * extent[2];

function ofAxis(base: string, axis: number, { tid, launch }: Thread, place: readonly number[]): number {
  const { block, grid, cluster } = launch.plan;
  if (axis === 3) return 0;
  const size = cluster[axis]!;
  switch (base) {
    case 'tid':
      return [tid % block[0], Math.floor(tid / block[0]) % block[1], Math.floor(tid / (block[0] * block[1]))][axis]!;
    case 'ntid':
      return block[axis]!;
    case 'ctaid':
      return place[axis]!;
    case 'nctaid':
      return grid[axis]!;
    case 'cluster_ctaid':
      return place[axis]! % size;
    case 'cluster_nctaid':
      return size;
    case 'clusterid':
      return Math.floor(place[axis]! / size);
    default:
      return Math.ceil(grid[axis]! / size);
  }
}

function laneMask(kind: string, lane: number): number {
  const own = 1 << lane;
  const below = own - 1;
  if (kind === 'eq') return own;
  if (kind === 'lt') return below | 0;
  if (kind === 'le') return below | own;
  return kind === 'gt' ? ~(below | own) : ~below;
}
