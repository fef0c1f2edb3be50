import type { Setting } from '../follow/setting.js';
import type { FollowedThread } from '../follow/trace.js';
import type { Shape } from '../kernel/grid.js';
import { registersRead } from '../program/operands.js';
import type { Renaming } from './renamed-clusters.js';

/**
 * Renamings of clusters, again: by one, a thread that is left out does what the one does that is kept. Shares nothing
 * with what found it but the decoded code, of which it looks at each statement for registers that tell CTAs apart.
 */
export function firstWrongRenaming({ launches }: Setting, renamings: readonly Renaming[]): string | undefined {
  const told = launches.map(({ ranks }) => {
    const read = ranks.flatMap(({ code: { statements } }) =>
      statements.flatMap(({ operation, guard }) => [...registersRead(operation), ...(guard ? [guard.register] : [])]),
    );
    return new Set(read.filter((name) => OF_CTAS.test(name)));
  });
  const isRight = ({ kept, leftOut, before }: Renaming): boolean => {
    const shape = launches[kept.launch]?.planned.launch.shape;
    if (shape === undefined || kept.launch !== leftOut.launch || kept.tid !== leftOut.tid) return false;
    if (before.some(({ clusterId }) => clusterId === kept.clusterId || clusterId === leftOut.clusterId)) return false;
    const [a, b] = [kept, leftOut].map((one) => placeOf(one, shape));
    if (a === undefined || b === undefined || a.inCluster.some((at, i) => at !== b.inCluster[i])) return false;
    // The number of the cluster along an axis says where all of its CTAs are along that.
    return AXES.every((axis, i) => {
      const isTold = [`ctaid.${axis}`, `clusterid.${axis}`].some((name) => told[kept.launch]?.has(name));
      return !isTold || a.cluster[i] === b.cluster[i];
    });
  };
  return renamings.every(isRight) ? undefined : 'an order of CTAs that is said to be like another one';
}

const OF_CTAS = /^(ctaid|clusterid)\.[xyz]$/;
const AXES = ['x', 'y', 'z'] as const;

interface PlaceInGrid {
  readonly cluster: readonly number[];
  readonly inCluster: readonly number[];
}

/** Where the CTA of a thread is, axis by axis: its cluster, and it in its cluster. */
function placeOf({ cta }: FollowedThread, { grid, cluster }: Pick<Shape, 'grid' | 'cluster'>): PlaceInGrid {
  const [x, y] = grid;
  const at = [cta % x, Math.floor(cta / x) % y, Math.floor(cta / (x * y))];
  return {
    cluster: at.map((one, i) => Math.floor(one / (cluster[i] ?? 1))),
    inCluster: at.map((one, i) => one % (cluster[i] ?? 1)),
  };
}
