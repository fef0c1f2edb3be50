import type { Asked } from '../build/asked.js';
import type { IsWritten } from '../build/cut-tiles.js';
import { GridOrders } from '../build/grid-orders.js';
import { buildMemory } from '../build/test-memory.js';
import { type Diagnostic, warning } from '../diagnostics/diagnostic.js';
import { citation, quoteOf, type Span } from '../diagnostics/source.js';
import type { Code } from '../kernel/code.js';
import { decodeKernel } from '../kernel/decode-kernel.js';
import { type LaunchedThread, volume } from '../kernel/grid.js';
import type { LaunchPlan, PlannedLaunch } from '../kernel/plan-launches.js';
import type { LocationTable } from '../program/locations.js';
import type { Placement } from '../program/placement.js';
import type { CheckBudget } from '../program/undecided.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { askedThreads, isSelection } from './asked-threads.js';
import { type ChosenThreads, followThreads, knownMemory, threadsOf } from './launch-threads.js';
import { EndlessExecution } from './lockstep.js';
import { type Chosen, completed, namedThreads, type RunThread, type Ways } from './run-threads.js';
import { type AskedBytes, TouchedMemory } from './touched-memory.js';
import { addWrittenOut, WrittenMemory } from './written-memory.js';

/** What the threads of a test do, as far as that is known before it is run. */
export interface Analysis {
  readonly chosen: readonly (ChosenThreads & { readonly ways: Ways; readonly widened: Set<number> })[];
  readonly written: WrittenMemory;
  readonly diagnostics: readonly Diagnostic[];
}

/** Threads of a launch that are followed: more would take too long. */
const MOST_FOLLOWED = 16_384;

/** How many threads of launches are decided together at most, if not said otherwise. */
export const DEFAULT_MOST_THREADS = 32;

/** Whether launches are about no more threads than are decided together. */
export const areFew = (plan: LaunchPlan, { mostThreads = DEFAULT_MOST_THREADS }: BuildOptions): boolean =>
  plan.launches.reduce((sum, { launch: { shape } }) => sum + volume(shape.grid) * volume(shape.block), 0) <=
  mostThreads;

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
}

/** The threads that a test asks about, and of a launch about all the first, with nothing that they do. */
export function outlined({ launches }: LaunchPlan, asked: Asked): Analysis {
  const diagnostics: Diagnostic[] = [];
  const chosen = launches.map(({ launch }): Analysis['chosen'][number] => {
    const isSome = isSelection(launch.syntax);
    const { threads, diagnostics: wrong } = askedThreads(launch, asked, isSome ? launch.syntax : { runs: [] });
    diagnostics.push(...wrong);
    const hasFirst = isSome || threads.some(({ cta, tid }) => cta === 0 && tid === 0);
    const all = hasFirst ? threads : [{ cta: 0, tid: 0 }, ...threads];
    return {
      chosen: { threads: all.map((one) => ({ ...one, represents: [] })), absent: [] },
      ...{ notes: [], remarks: [], choice: isSome ? 'asked' : 'whole' },
      ...{ ways: () => [], widened: new Set<number>() },
    };
  });
  return { chosen, written: new WrittenMemory(), diagnostics };
}

/** Follows all threads of the launches, and chooses those that are run. */
export function chooseThreads(
  file: LitmusFile,
  plan: LaunchPlan,
  asked: Asked,
  { mostThreads = DEFAULT_MOST_THREADS, isWhole = false, symmetric }: BuildOptions,
  checkBudget: CheckBudget,
): Analysis {
  const diagnostics: Diagnostic[] = [];
  const launches = plan.launches.map(
    (planned) => new FollowedLaunch(file, plan, planned, asked, checkBudget, diagnostics),
  );
  const written = new WrittenMemory();
  if (diagnostics.some(({ severity }) => severity === 'error')) return { chosen: [], written, diagnostics };
  // What is written must be known before anything is taken to be as it was in the beginning.
  if (isWhole) written.addAll();
  for (const launch of launches) {
    if (file.threads.length > 0) addWrittenOut(written, file, launch.locations, plan.aliases);
    launch.addWritten(written);
  }
  const touched = new TouchedMemory(launches[0]?.askedBytes(plan.aliases) ?? []);
  const found = launches.map((launch, index) => launch.ways(index, written, touched));
  const isSmall = areFew(plan, { mostThreads });
  const explicit = launches.map((launch) => launch.named(isSmall));
  diagnostics.push(...explicit.flatMap((one) => one.diagnostics));
  if (diagnostics.some(({ severity }) => severity === 'error')) return { chosen: [], written, diagnostics };
  const chosen = launches.map((launch, index) => {
    const ways = found[index] ?? (() => []);
    const named = explicit[index]?.threads ?? [];
    const threads = named.length > 0 ? named : [{ cta: 0, tid: 0 }];
    const like = symmetric?.[index];
    const run =
      like === undefined ? completed(launch.shape, threads, ways, launch.isExact) : { threads: like, absent: [] };
    return {
      chosen: run,
      notes: [...launch.notes, ...unknownAddresses(launch, index, touched)],
      remarks: like === undefined ? leftOutBy(launch, index, touched, run) : [],
      choice: like === undefined ? launch.choice : ('symmetric' as const),
      ways,
      widened: launch.widened,
    };
  });
  // Of what is about all threads nothing is answered by some.
  const named = launches.some((launch) => launch.isAuto) ? [] : unseenWrites(launches, chosen, touched);
  return { chosen, written, diagnostics: [...diagnostics, ...named] };
}

/** What threads that are not run would change. */
function leftOutBy(
  launch: FollowedLaunch,
  index: number,
  { counters, outside }: TouchedMemory,
  { threads }: Chosen,
): readonly string[] {
  const run = new Set(threads.map(({ cta, tid }) => `${cta} ${tid}`));
  const textOf = (statement: number): string => {
    const span = launch.spanOf(statement);
    return span === undefined ? 'an instruction' : `${citation(span)} (${quoteOf(span)})`;
  };
  const left = [...outside.values()].flatMap((one) => {
    if (one.launch !== index || [...one.threads.keys()].some((thread) => run.has(thread))) return [];
    const { size } = one.threads;
    const who = size === 1 ? 'a thread leaves' : `${size} threads leave`;
    return [`${who} memory, or the alignment, by ${textOf(one.statement)}, and none of them is run`];
  });
  const counted = [...counters.values()].flatMap((one) => {
    const shown = [...one.threads.keys()].filter((thread) => run.has(thread)).length;
    if (one.launch !== index || shown === one.threads.size) return [];
    return [`${one.threads.size} threads execute ${textOf(one.statement)}, and ${shown} of them are run`];
  });
  return [...left, ...counted];
}

/** Instructions of which it is not known what they touch. */
const unknownAddresses = (launch: FollowedLaunch, index: number, { anywhere }: TouchedMemory): readonly string[] =>
  [...anywhere.values()]
    .filter((one) => one.launch === index)
    .flatMap(({ statement }) => {
      const span = launch.spanOf(statement);
      return span === undefined ? [] : [`the address of ${citation(span)} comes out of memory: it may be any`];
    });

/** What threads would write that are not run, and a condition asks for. */
function unseenWrites(
  launches: readonly FollowedLaunch[],
  chosen: Analysis['chosen'],
  touched: TouchedMemory,
): readonly Diagnostic[] {
  return [...touched.askedWriters.values()].flatMap(({ launch, statement, asked, threads }) => {
    const run = new Set(chosen[launch]?.chosen.threads.map(({ cta, tid }) => `${cta} ${tid}`));
    const shown = [...threads.keys()].filter((thread) => run.has(thread)).length;
    const span = launches[launch]?.spanOf(statement);
    if (shown === threads.size || span === undefined) return [];
    const what = `${threads.size} threads may execute this, and ${shown} of them ${shown === 1 ? 'is' : 'are'} run`;
    return [warning('L0212', span, what, `a condition asks for ${asked.name}, which the others may write as well`)];
  });
}

/** One launch, followed with the memory that a CTA of it sees. */
class FollowedLaunch {
  readonly widened = new Set<number>();
  readonly notes: string[] = [];
  private readonly codes: readonly Code[];
  readonly locations: LocationTable;
  private readonly threads: readonly LaunchedThread[];

  constructor(
    file: LitmusFile,
    plan: LaunchPlan,
    private readonly planned: PlannedLaunch,
    private readonly asked: Asked,
    private readonly checkBudget: CheckBudget,
    diagnostics: Diagnostic[],
  ) {
    const { shape } = planned.launch;
    const placements = Array.from({ length: volume(shape.cluster) }, (_, rank) => placementOf(planned, rank));
    const bodies = placements.map((placement) => ({ placement, body: planned.body }));
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
    const all = threadsOf(planned.launch);
    this.threads = all.slice(0, Math.max(1, Math.floor(MOST_FOLLOWED / volume(shape.block))) * volume(shape.block));
    if (this.threads.length < all.length)
      this.notes.push(
        `the first ${this.threads.length} of ${all.length} threads were followed: what others touch is not known`,
      );
  }

  spanOf(statement: number): Span | undefined {
    return this.codes[0]?.statements[statement]?.span;
  }

  /** The bytes of locations that the conditions of the test name. */
  askedBytes(aliases: ReadonlyMap<string, string>): readonly AskedBytes[] {
    return this.asked.locations.flatMap(({ name, index, offset }): readonly AskedBytes[] => {
      const [range] = this.locations.named(aliases.get(name) ?? name);
      if (range === undefined) return [];
      const bytes = range.elementType.width / 8;
      const start = offset === undefined ? Number(index ?? 0n) * bytes : Number(offset);
      return [{ name: this.locations.nameOf(range.object), start, end: start + bytes }];
    });
  }

  get shape(): PlannedLaunch['launch']['shape'] {
    return this.planned.launch.shape;
  }

  get isAuto(): boolean {
    const { runs } = this.planned.launch.syntax;
    return runs.length === 0 || runs.some(({ kind }) => kind === 'auto');
  }

  get isExact(): boolean {
    return this.planned.launch.syntax.runs.some(({ exactly }) => exactly);
  }

  get choice(): 'exactly' | 'auto' | 'named' {
    if (this.isExact) return 'exactly';
    return this.isAuto ? 'auto' : 'named';
  }

  /** The threads that the launch names, and those that conditions name; of a small launch that names none all. */
  named(isSmall: boolean): ReturnType<typeof namedThreads> {
    const { launch } = this.planned;
    const named = this.isExact ? namedThreads(launch.syntax.runs, this.shape) : askedThreads(launch, this.asked);
    return isSmall && this.isAuto ? { ...named, threads: threadsOf(launch) } : named;
  }

  /** Adds what its threads may write. */
  addWritten(written: WrittenMemory): void {
    const touched = new TouchedMemory();
    // A descriptor may be what is written: that is known when all is.
    this.follow(
      0,
      () => true,
      touched,
      () => false,
    );
    for (const location of touched.writtenBy(0)) written.add(location);
    for (const map of touched.mapsWritten) written.addMap(map);
    if ([...touched.anywhere.values()].some(({ writes }) => writes)) written.addAll();
  }

  /** Which of its threads go the same way, by CTA; takes down what they touch. */
  ways(index: number, written: WrittenMemory, touched: TouchedMemory): Ways {
    const groups = this.follow(index, (object) => written.has(this.locations, object), touched);
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

  private follow(
    index: number,
    isWritten: IsWritten,
    touched: TouchedMemory,
    mayChange = isWritten,
  ): readonly (readonly LaunchedThread[])[] {
    const memory = knownMemory(this.locations, isWritten);
    const codeOf = (rank: number): Code => this.codes[rank] as Code;
    this.checkBudget();
    try {
      return followThreads(this.planned, codeOf, this.threads, memory, this.widened, (threads) => ({
        ...touched.hooks(index, this.planned.launch, this.locations, codeOf, threads, mayChange),
        checkBudget: this.checkBudget,
      }));
    } catch (thrown) {
      if (!(thrown instanceof EndlessExecution)) throw thrown;
      this.notes.push('its loops go round too often to be followed');
      return [this.threads];
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
