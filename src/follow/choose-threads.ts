import type { Asked } from '../build/asked.js';
import type { IsWritten } from '../build/cut-tiles.js';
import { GridOrders } from '../build/grid-orders.js';
import { buildMemory } from '../build/test-memory.js';
import { type Diagnostic, hasErrors } from '../diagnostics/diagnostic.js';
import type { Code } from '../kernel/code.js';
import { decodeKernel } from '../kernel/decode-kernel.js';
import { aboutOf, type LaunchedThread, volume } from '../kernel/grid.js';
import type { LaunchPlan, PlannedLaunch } from '../kernel/plan-launches.js';
import type { Launch } from '../kernel/resolve-launches.js';
import type { LocationTable } from '../program/locations.js';
import type { Placement } from '../program/placement.js';
import type { LaunchFacts } from '../program/program.js';
import type { CheckBudget } from '../program/undecided.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { askedThreads, isSelection } from './asked-threads.js';
import { followThreads, knownMemory, threadsOf } from './launch-threads.js';
import { addingWrites } from './launched-writes.js';
import { EndlessExecution, type LockstepHooks } from './lockstep.js';
import { alone, namedThreads, partOf, type RunThread, type Ways } from './run-threads.js';
import { addWrittenOut, WrittenMemory } from './written-memory.js';

/** The threads of a launch that are run, in the order of CTA and thread. */
export interface ChosenThreads {
  readonly threads: readonly RunThread[];
  readonly choice: LaunchFacts['choice'];
  /** What they do, as far as that is known before; undefined where nothing of it is asked. */
  readonly ways?: Ways;
  readonly widened: Set<number>;
}

/** The threads of a test, and what they do, as far as that is known before it is run. */
export interface Analysis {
  readonly chosen: readonly ChosenThreads[];
  readonly written: WrittenMemory;
  readonly diagnostics: readonly Diagnostic[];
}

/** Threads that are followed at most for what each of them does. */
const MOST_FOLLOWED = 16_384;

/** How many threads of launches are decided together at most, if not said otherwise. */
export const DEFAULT_MOST_THREADS = 32;

/** Whether launches have no more threads than are decided together. */
export const areFew = (plan: LaunchPlan, { mostThreads = DEFAULT_MOST_THREADS }: BuildOptions): boolean =>
  plan.launches.reduce((sum, { launch }) => sum + sizeOf(launch), 0) <= Math.min(mostThreads, MOST_FOLLOWED);

/** How many threads a launch has, if it does not say itself which it has alone. */
const sizeOf = ({ shape, syntax: { runs } }: Launch): number =>
  aboutOf(runs) === 'exactly' ? 0 : volume(shape.grid) * volume(shape.block);

/** How a test is read. */
export interface BuildOptions {
  /** How many threads of launches are decided together at most. */
  readonly mostThreads?: number | undefined;
  /** Nothing is left out that no question depends on, and no memory that could be written is taken as known. */
  readonly isWhole?: boolean | undefined;
  /** What the threads of launches do is not asked: all that is, is known from a run of all of them. */
  readonly isOutline?: boolean | undefined;
  /** By launch, threads that are run for all: each other thread does what one of these does. */
  readonly symmetric?: readonly (readonly RunThread[])[] | undefined;
  /** By launch, threads of which an execution is shown; others are represented. */
  readonly shown?: readonly (readonly LaunchedThread[])[] | undefined;
}

/** The threads that a test asks about, and of a launch about all the first, with nothing that they do. */
function outlined({ launches }: LaunchPlan, asked: Asked): Analysis {
  const diagnostics: Diagnostic[] = [];
  const chosen = launches.map(({ launch }): ChosenThreads => {
    const about = aboutOf(launch.syntax.runs);
    const { threads, diagnostics: wrong } = askedThreads(launch, asked, about === 'all' ? { runs: [] } : launch.syntax);
    diagnostics.push(...wrong);
    const hasFirst = about !== 'all' || threads.some(({ cta, tid }) => cta === 0 && tid === 0);
    const all = hasFirst ? threads : [{ cta: 0, tid: 0 }, ...threads];
    return {
      threads: all.map((one) => ({ ...one, represents: [] })),
      choice: about === 'all' ? 'whole' : 'asked',
      widened: new Set(),
    };
  });
  return { chosen, written: new WrittenMemory(), diagnostics };
}

/**
 * Says which threads of launches are run, and follows them: all of few, those that a launch has alone (`exactly`), and
 * others as the options say. Of more there is an outline, or, where the test names some, a part that can be looked at.
 */
export function chooseThreads(
  file: LitmusFile,
  plan: LaunchPlan,
  asked: Asked,
  options: BuildOptions,
  checkBudget: CheckBudget,
): Analysis {
  const { isWhole = false, isOutline = false, symmetric } = options;
  const isSome = options.shown === undefined && plan.launches.some(({ launch }) => isSelection(launch.syntax));
  const isPart = isSome && !areFew(plan, options);
  const shown = isPart ? plan.launches.map(({ launch }) => askedThreads(launch, asked).threads) : options.shown;
  const areSome = symmetric !== undefined || shown !== undefined;
  if (isOutline || !(areSome || areFew(plan, options))) return outlined(plan, asked);
  const diagnostics: Diagnostic[] = [];
  const launches = plan.launches.map(
    (planned) => new FollowedLaunch(file, plan, planned, asked, checkBudget, diagnostics),
  );
  const written = new WrittenMemory();
  if (hasErrors(diagnostics)) return { chosen: [], written, diagnostics };
  // What is written must be known before anything is taken to be as it was in the beginning.
  if (isWhole) written.addAll();
  for (const launch of launches) {
    if (file.threads.length > 0) addWrittenOut(written, file, launch.locations, plan.aliases);
    launch.addWritten(written);
  }
  const chosen = launches.map((launch, index): ChosenThreads => {
    const ways = launch.ways(written);
    const own = launch.chosen(ways, symmetric?.[index], shown?.[index]);
    const choice = isPart && own.choice === 'shown' ? 'part' : own.choice;
    return { ...own, choice, ways, widened: launch.widened };
  });
  return { chosen, written, diagnostics };
}

/** One launch, followed with the memory that a CTA of it sees. */
class FollowedLaunch {
  readonly widened = new Set<number>();
  private readonly codes: readonly Code[];
  readonly locations: LocationTable;
  /** The threads that there are, as far as they are followed. */
  private readonly threads: readonly LaunchedThread[];

  constructor(
    file: LitmusFile,
    plan: LaunchPlan,
    private readonly planned: PlannedLaunch,
    asked: Asked,
    private readonly checkBudget: CheckBudget,
    diagnostics: Diagnostic[],
  ) {
    const { launch, body } = planned;
    const { shape, syntax } = launch;
    const placements = Array.from({ length: volume(shape.cluster) }, (_, rank) => placementOf(planned, rank));
    const bodies = placements.map((placement) => ({ placement, body }));
    const declarations = [...file.declarations, ...plan.declarations];
    const test = buildMemory(declarations, bodies, checkBudget);
    const orders = new GridOrders(declarations);
    this.locations = test.memory.locations;
    diagnostics.push(...test.memory.diagnostics);
    // Which threads are meant by numbers is not known yet.
    const registers = new Set(asked.registers.map(({ register }) => register));
    this.codes = placements.map((placement) => {
      const { code, diagnostics: wrong } = decodeKernel(planned, placement, test, orders, registers, checkBudget);
      diagnostics.push(...wrong);
      return code;
    });
    const named = namedThreads(aboutOf(syntax.runs) === 'all' ? [] : syntax.runs, shape);
    diagnostics.push(...named.diagnostics);
    const all = threadsOf(launch);
    const most = Math.max(1, Math.floor(MOST_FOLLOWED / volume(shape.block))) * volume(shape.block);
    this.threads = this.isExact ? named.threads : all.slice(0, most);
  }

  private get isExact(): boolean {
    return aboutOf(this.planned.launch.syntax.runs) === 'exactly';
  }

  /** The threads that are run, and why these. */
  chosen(
    ways: Ways,
    symmetric: readonly RunThread[] | undefined,
    shown: readonly LaunchedThread[] | undefined,
  ): Pick<ChosenThreads, 'threads' | 'choice'> {
    const { launch } = this.planned;
    if (symmetric !== undefined) return { threads: symmetric, choice: 'symmetric' };
    if (this.isExact) return { threads: alone(this.threads), choice: 'exactly' };
    if (shown === undefined) return { threads: alone(threadsOf(launch)), choice: 'all' };
    const some = shown.length > 0 ? shown : [{ cta: 0, tid: 0 }];
    return { threads: partOf(launch.shape, some, ways), choice: 'shown' };
  }

  /** Adds what its threads may write: anything, where they are not followed to their ends. */
  addWritten(written: WrittenMemory): void {
    const groups = this.follow(
      () => true,
      (code) => addingWrites(written, this.locations, code),
    );
    if (groups === undefined) written.addAll();
  }

  /** Which of its threads go the same way, by CTA. */
  ways(written: WrittenMemory): Ways {
    const groups = this.follow((object) => written.has(this.locations, object)) ?? [this.threads];
    const byCta = new Map<number, (readonly number[])[]>();
    for (const group of groups) {
      const own = new Map<number, number[]>();
      for (const { cta, tid } of group) {
        const list = own.get(cta);
        if (list === undefined) own.set(cta, [tid]);
        else list.push(tid);
      }
      for (const [cta, tids] of own) byCta.set(cta, [...(byCta.get(cta) ?? []), tids.sort((a, b) => a - b)]);
    }
    const first = byCta.get(0) ?? [];
    return (cta) => (byCta.get(cta) ?? first).toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
  }

  /** Its threads by the ways that they go; undefined where loops go round too often. */
  private follow(
    isWritten: IsWritten,
    hooksOf: (code: Code) => LockstepHooks = () => ({}),
  ): readonly (readonly LaunchedThread[])[] | undefined {
    const memory = knownMemory(this.locations, isWritten);
    const codeOf = (rank: number): Code => this.codes[rank] as Code;
    this.checkBudget();
    try {
      return followThreads(this.planned, codeOf, this.threads, memory, this.widened, (code) => ({
        ...hooksOf(code),
        checkBudget: this.checkBudget,
      }));
    } catch (thrown) {
      if (!(thrown instanceof EndlessExecution)) throw thrown;
      return undefined;
    }
  }
}

/** Where a thread of a rank of a cluster is, as far as addresses follow from that. */
function placementOf({ launch: { gpu, number, shape } }: PlannedLaunch, rank: number): Placement {
  return {
    thread: rank,
    gpu,
    grid: number,
    cluster: 'cluster',
    cta: `cta ${rank}`,
    ctaNumber: rank,
    warp: `warp of ${rank}`,
    warpNumber: 0,
    clusterIndex: 0,
    rank,
    clusterSize: volume(shape.cluster),
    warpIndex: 0,
    lane: 0,
    lanes: 1,
    warpLanes: Math.min(32, volume(shape.block)),
    firstLane: 0,
  };
}
