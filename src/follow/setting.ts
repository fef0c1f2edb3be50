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
import type { Declaration, LitmusFile } from '../syntax/litmus-ast.js';
import { isAskedIn, isSelection, type Place } from './asked-threads.js';
import type { WordsInRun } from './open-words.js';
import type { Watch } from './watch.js';

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
  readonly watch?: Watch | undefined;
  /** What lanes of a warp exchange orders their memory (docs/decisions/warp-barrier.md). */
  readonly areExchangesOrdered?: boolean;
  /** Of words of memory whose contents are open: between which numbers they are. */
  readonly words?: WordsInRun;
  /** Whether the test asks about a thread, and not just about others of its launch. */
  readonly isAsked: (place: Place) => boolean;
  /** Whether it names threads of its launches. */
  readonly namesThreads: boolean;
}

/**
 * Decodes the kernels of a test, and lays out the memory of one cluster of each launch. What is wrong with them is told
 * where the test is built.
 */
export function settingOf(file: LitmusFile, plan: LaunchPlan, checkBudget: CheckBudget, watch?: Watch): Setting {
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
  const built = (from: readonly Declaration[]): ReturnType<typeof buildMemory> =>
    buildMemory(from, bodies, checkBudget, plan.shownNames, true);
  const test = built(declarations);
  const known = watch === undefined ? test : built(declarations.map((one) => without(one, watch.varied)));
  const orders = new GridOrders(declarations);
  const wanted = askedBy(file.clauses);
  const asked = new Set(wanted.registers.map(({ register }) => register));
  const launches = plan.launches.map((planned, i): LaunchCode => {
    const ranks = (numbered[i] ?? []).map((placement) => {
      const { code } = decodeKernel(planned, placement, known, orders, asked, checkBudget, true);
      return { placement, code };
    });
    const own = ranks[0]?.placement;
    const start = own === undefined ? [] : orders.waitsAtStart(own, planned.launch.syntax.span);
    return { planned, ranks, start };
  });
  // Names that nobody declares are memory of one of the two only.
  if (known.memory.locations.ranges.length !== test.memory.locations.ranges.length)
    return settingOf(file, plan, checkBudget);
  const namesThreads = asked.size > 0 || plan.launches.some(({ launch }) => isSelection(launch.syntax));
  const setting = { launches, memory: test.memory, watch, isAsked: isAskedIn(plan, wanted), namesThreads };
  watch?.begins(setting);
  return setting;
}

/** A parameter without the values of some of its bytes. */
function without(one: Declaration, varied: Watch['varied']): Declaration {
  const own = one.kind === 'location' ? varied.get(one.name) : undefined;
  if (own === undefined || one.kind !== 'location' || one.initial?.kind !== 'record') return one;
  const fields = one.initial.fields.filter(({ at }) => own.every((bytes) => bytes.at !== at));
  return { ...one, initial: { ...one.initial, fields } };
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

/** By launch, the code of its first CTA: that of others differs in numbers alone. */
export const codesOf = ({ launches }: Setting): readonly (Code | undefined)[] =>
  launches.map(({ ranks }) => ranks[0]?.code);

/** Whether a thread could come to a trap, be it behind a time-out, or to what has no meaning here. */
export const hasTraps = (setting: Setting): boolean =>
  codesOf(setting).some(
    (code) =>
      code === undefined ||
      code.refused.size + code.timeouts.length > 0 ||
      code.statements.some(({ operation }) => operation.kind === 'trap'),
  );
