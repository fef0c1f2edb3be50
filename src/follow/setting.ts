import { askedBy } from '../build/asked.js';
import type { LocationBuilder } from '../build/build-locations.js';
import { GridOrders } from '../build/grid-orders.js';
import { buildMemory } from '../build/test-memory.js';
import type { Code } from '../kernel/code.js';
import { decodeKernel } from '../kernel/decode-kernel.js';
import { volume, WARP_SIZE } from '../kernel/grid.js';
import type { LaunchPlan, PlannedLaunch } from '../kernel/plan-launches.js';
import type { ProgramStatement } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import type { CheckBudget } from '../program/undecided.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';

/** A launch with the code of its kernel, decoded once for each rank of a cluster. */
export interface LaunchCode {
  readonly planned: PlannedLaunch;
  readonly ranks: readonly { readonly placement: Placement; readonly code: Code }[];
  /** What its threads wait for before they begin. */
  readonly start: readonly ProgramStatement[];
}

/** What is known of the launches of a test before they run. */
export interface Setting {
  readonly launches: readonly LaunchCode[];
  readonly memory: LocationBuilder;
}

/**
 * Decodes the kernels of a test, and lays out the memory of one cluster of each launch. What is wrong with them is told
 * where the test is built.
 */
export function settingOf(file: LitmusFile, plan: LaunchPlan, checkBudget: CheckBudget): Setting {
  const placed = plan.launches.map((planned) =>
    Array.from({ length: volume(planned.launch.shape.cluster) }, (_, rank) => rankOf(planned, rank)),
  );
  let thread = 0;
  const numbered = placed.map((ranks, cluster) =>
    ranks.map((one): Placement => ({ ...one, thread: thread++, clusterIndex: cluster })),
  );
  const bodies = numbered.flatMap((ranks, i) => {
    const body = plan.launches[i]?.body;
    return body === undefined ? [] : ranks.map((placement) => ({ placement, body }));
  });
  const declarations = [...file.declarations, ...plan.declarations];
  const test = buildMemory(declarations, bodies, checkBudget, plan.shownNames, true);
  const orders = new GridOrders(declarations);
  const asked = new Set(askedBy(file.clauses).registers.map(({ register }) => register));
  const launches = plan.launches.map((planned, i): LaunchCode => {
    const ranks = (numbered[i] ?? []).map((placement) => {
      const { code } = decodeKernel(planned, placement, test, orders, asked, checkBudget, true);
      return { placement, code };
    });
    const own = ranks[0]?.placement;
    const start = own === undefined ? [] : orders.waitsAtStart(own, planned.launch.syntax.span);
    return { planned, ranks, start };
  });
  return { launches, memory: test.memory };
}

/** Where a thread of a rank of a cluster is, as far as addresses follow from that. */
function rankOf({ launch: { gpu, number, shape, syntax } }: PlannedLaunch, rank: number): Placement {
  const of = `launch ${syntax.name}`;
  const lanes = Math.min(WARP_SIZE, volume(shape.block));
  return {
    ...{ thread: rank, gpu, grid: number, cluster: of, cta: `${of}, rank ${rank}`, ctaNumber: rank },
    ...{ warp: `${of}, rank ${rank}`, warpNumber: 0, clusterIndex: 0, rank, clusterSize: volume(shape.cluster) },
    ...{ warpIndex: 0, lane: 0, lanes, warpLanes: lanes, firstLane: 0 },
  };
}
