import { type Asked, askedBy, registersAsked } from '../build/asked.js';
import { TestBuilder } from '../build/build-program.js';
import { cutTiles, type IsWritten } from '../build/cut-tiles.js';
import { type FlatBody, flattenBody } from '../build/flatten-body.js';
import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import type { Body } from '../flow/graph.js';
import { joinRounds } from '../flow/join-rounds.js';
import type { Code } from '../kernel/code.js';
import { decodeKernel } from '../kernel/decode-kernel.js';
import { DecodedOnce } from '../kernel/decode-once.js';
import { clusterOf, isAboutAll, type LaunchedThread, laneOf, volume } from '../kernel/grid.js';
import { type LaunchPlan, type PlannedLaunch, planLaunches } from '../kernel/plan-launches.js';
import type { Launch } from '../kernel/resolve-launches.js';
import type { ProgramStatement } from '../program/operation.js';
import type { Placement, WarpParty } from '../program/placement.js';
import type { LaunchFacts, Program, Thread } from '../program/program.js';
import { remembered } from '../program/remembered.js';
import type { CheckBudget } from '../program/undecided.js';
import type { LitmusFile, ThreadName, ThreadSyntax } from '../syntax/litmus-ast.js';
import { shownThreadName } from '../syntax/thread-name.js';
import { isAskedIn, isSelection } from './asked-threads.js';
import { type Analysis, type BuildOptions, type ChosenThreads, chooseThreads } from './choose-threads.js';
import { kernelName, knownMemory, specialize, threadsOf } from './launch-threads.js';
import { EndlessExecution } from './lockstep.js';
import type { RunThread } from './run-threads.js';
import type { SpecializedProgram } from './specialized-program.js';
import { WrittenMemory } from './written-memory.js';

/** A thread of a launch that is run, as one of the threads of the test. */
interface Launched {
  readonly header: ThreadSyntax;
  readonly index: number;
  readonly run: RunThread;
  readonly planned: PlannedLaunch;
  readonly launch: number;
  /** It is run beside those that are named. */
  readonly isAdded: boolean;
}

/** What a thread of a launch executes, for writing it down. */
export interface Followed {
  readonly specialized: SpecializedProgram;
  readonly code: Code;
  readonly body: FlatBody;
  readonly launch: ChosenThreads | undefined;
}

const isScFenced = ({ statements }: Code): boolean =>
  statements.some(({ operation }) => operation.kind === 'fence' && operation.order === 'sc');

/** The launches of a test as threads: the test with them, and how their code is made. */
export class LaunchedThreads {
  readonly diagnostics: Diagnostic[];
  /** The test, with a thread for each that is run, and with the memory of its modules. */
  readonly file: LitmusFile;
  readonly plan: LaunchPlan;
  private readonly analysis: Analysis;
  private readonly threads: readonly Launched[];
  private readonly asked: Asked;
  private readonly kernels = new WeakMap<PlannedLaunch, DecodedOnce>();
  private readonly specialized = new Map<number, { readonly specialized: SpecializedProgram; readonly code: Code }>();

  constructor(
    given: LitmusFile,
    options: BuildOptions,
    private readonly checkBudget: CheckBudget,
    /** Keep what the threads execute, for writing it down. */
    private readonly traces = false,
  ) {
    this.asked = askedBy(given.clauses);
    this.plan = planLaunches(given);
    const wrong = this.plan.diagnostics.some(({ severity }) => severity === 'error');
    this.analysis = wrong
      ? { chosen: [], written: new WrittenMemory(), diagnostics: [] }
      : chooseThreads(given, this.plan, this.asked, options, checkBudget);
    this.diagnostics = [...this.plan.diagnostics, ...this.analysis.diagnostics];
    const taken = new Set(given.threads.map(({ name }) => name));
    let number = 0;
    const nextName = (): ThreadName => {
      while (taken.has(`${number}`)) number += 1;
      number += 1;
      return `${number - 1}`;
    };
    const { shown } = options;
    const isAsked = shown === undefined ? isAskedIn(this.plan, this.asked) : isAmong(shown);
    this.threads = this.plan.launches
      .flatMap((planned, launch) => {
        const { threads = [], choice } = this.analysis.chosen[launch] ?? {};
        const isSymmetric = choice === 'symmetric';
        // Of threads that others are like each has the number that it has among all; those that are named come first.
        const numbered = isSymmetric ? threadsOf(planned.launch) : threads.filter((run) => isAsked({ launch, ...run }));
        const names = new Map(numbered.map((one) => [numberOf(planned, one), nextName()]));
        const nameOf = (run: RunThread): ThreadName | undefined => names.get(numberOf(planned, run));
        return threads.map((run) => ({ run, planned, launch, name: nameOf(run), isSymmetric }));
      })
      .map(({ name, isSymmetric, ...one }, i) => ({
        ...one,
        header: headerOf(one.planned, one.run, name ?? nextName(), isSymmetric),
        ...{ index: given.threads.length + i, isAdded: name === undefined },
      }));
    this.file = {
      ...given,
      clauses: clausesOf(given),
      declarations: [...given.declarations, ...this.plan.declarations],
      threads: [...given.threads, ...this.threads.map(({ header }) => header)],
    };
  }

  /** The test that they are threads of, beside those that it writes out. */
  test(): TestBuilder {
    const { threads, functions } = this.file;
    const written = threads.slice(0, threads.length - this.threads.length);
    const flat = [
      ...written.map((thread) => flattenBody(thread, functions)),
      // What is wrong with a kernel is told with its launch.
      ...this.threads.map(({ planned }) => ({ ...planned.body, diagnostics: [] })),
    ];
    return new TestBuilder(this.file, flat, this.checkBudget, this.plan.shownNames);
  }

  /** Of a thread of a launch, what is left of its kernel for it. */
  thread(index: number, test: TestBuilder): Thread | undefined {
    const found = this.threads.find((one) => one.index === index);
    const placement = test.placements[index];
    if (found === undefined || placement === undefined) return undefined;
    const { locations } = test.memory;
    const { planned, run, header, launch } = found;
    const name = shownThreadName(header.name);
    const place = { launch: planned.launch.syntax.name, cta: run.cta, tid: run.tid };
    const asked = registersAsked(this.asked, { name, launched: place });
    const { code, diagnostics: wrong } = this.decoded(planned, test).at(placement, asked);
    this.diagnostics.push(...wrong);
    const analysis = this.analysis.chosen[launch];
    if (analysis?.ways === undefined)
      return { index, name, placement, launched: place, registers: code.registers, statements: [], labels: new Map() };
    const own = this.threads.filter((one) => one.launch === launch && one.run.cta === run.cta);
    const { warp } = laneOf(planned.launch.shape, run);
    const isRun = (lane: number): boolean => own.some((one) => one.run.tid === warp * 32 + lane);
    const way = analysis.ways(run.cta).find((one) => one.includes(run.tid)) ?? [run.tid];
    const isWritten: IsWritten = (object) => this.analysis.written.has(locations, object);
    const known = knownMemory(locations, isWritten);
    const isPartial = own.length < volume(planned.launch.shape.block);
    try {
      const told = {
        isRun,
        isPartial,
        keepsReads:
          isScFenced(code) && this.plan.launches.some((one) => one.launch.dependentOn.includes(planned.launch.number)),
        traces: this.traces,
      };
      const left = specialize({ ...run, planned }, code, way, known, analysis.widened, told, this.checkBudget);
      if (this.traces) this.specialized.set(index, { specialized: left.specialized, code });
      this.diagnostics.push(
        ...left.diagnostics.map((one) => (one.code === 'L0215' ? one : { ...one, code: 'L0211' as const })),
      );
      const { diagnostics, ...body } = cutTiles(left.specialized.finished(), locations, placement, isWritten);
      this.diagnostics.push(...diagnostics, ...this.leftOut(found, body.statements));
      return {
        ...{ index, name, placement, launched: place },
        registers: new Map([...code.registers, ...left.specialized.registers]),
        ...startingWith(test.orders.waitsAtStart(placement, header.span), joinRounds(body)),
      };
    } catch (thrown) {
      if (!(thrown instanceof EndlessExecution)) throw thrown;
      const { span } = code.statements[thrown.statement] ?? header;
      this.diagnostics.push({
        severity: 'error',
        code: 'L0211',
        span,
        message: ENDLESS,
        hint: 'launch the kernel with less work for each thread',
      });
      return undefined;
    }
  }

  private decoded(planned: PlannedLaunch, test: TestBuilder): DecodedOnce {
    return remembered(
      this.kernels,
      planned,
      () =>
        new DecodedOnce((placement, asked) =>
          decodeKernel(planned, placement, test, test.orders, asked, this.checkBudget),
        ),
    );
  }

  /** What waits for threads that `exactly` leaves out, and is not modeled so. */
  private leftOut(
    { planned: { launch: of }, run: { cta, tid }, launch }: Launched,
    statements: readonly ProgramStatement[],
  ): readonly Diagnostic[] {
    if (this.analysis.chosen[launch]?.choice !== 'exactly') return [];
    const { shape } = of;
    const [own, { warp }] = [clusterOf(shape, cta).cluster, laneOf(shape, { cta, tid })];
    const among = (is: (run: RunThread) => boolean): number =>
      this.threads.filter((one) => one.launch === launch && is(one.run)).length;
    const isWarpCut = among((one) => one.cta === cta && laneOf(shape, one).warp === warp) < lanesOf(shape, tid);
    const isClusterCut =
      among((one) => clusterOf(shape, one.cta).cluster === own) < volume(shape.cluster) * volume(shape.block);
    const found = statements.find(
      ({ operation }) =>
        (operation.kind === 'cluster-barrier' && isClusterCut) ||
        (operation.kind === 'barrier' && operation.level !== 'cta' && isWarpCut),
    );
    if (found === undefined) return [];
    const message = 'run exactly leaves out threads that this instruction may wait for';
    return [error('L0211', found.span, message, 'run them, or leave out exactly')];
  }

  /** What was found when a thread was followed, where that is kept. */
  followed(index: number): Followed | undefined {
    const [found, left] = [this.threads.find((one) => one.index === index), this.specialized.get(index)];
    if (found === undefined || left === undefined) return undefined;
    return { ...left, body: found.planned.body, launch: this.analysis.chosen[found.launch] };
  }

  /** By CTA, the threads by which its warps take part in barriers. */
  parties(placements: readonly Placement[]): Program['parties'] {
    const parties = new Map<string, readonly WarpParty[]>();
    for (const { planned, run, index, launch } of this.threads) {
      const cta = placements[index]?.cta;
      if (cta === undefined || parties.has(cta)) continue;
      const { shape } = planned.launch;
      const own = this.threads.filter((one) => one.launch === launch && one.run.cta === run.cta);
      const areAlone = this.analysis.chosen[launch]?.choice === 'exactly';
      const warps = new Map<string, WarpParty>();
      for (let warp = 0; warp * 32 < volume(shape.block); warp++) {
        const isOf = (tid: number): boolean => Math.floor(tid / 32) === warp;
        const threads = own.filter((one) => isOf(one.run.tid) || one.run.represents.some(isOf)).map((one) => one.index);
        const isCut = areAlone && threads.length < lanesOf(shape, 32 * warp);
        const key = `${threads.join()} ${isCut}`;
        warps.set(key, { threads, warps: (warps.get(key)?.warps ?? 0) + 1, isCut });
      }
      parties.set(cta, [...warps.values()]);
    }
    return parties;
  }

  /** What every answer says of the launches. */
  facts(): readonly LaunchFacts[] {
    return this.plan.launches.map(({ launch }, i): LaunchFacts => {
      const { syntax, shape } = launch;
      const analysis = this.analysis.chosen[i];
      const size = (word: string, [x, y, z]: readonly [number, number, number]): string =>
        `${word} ${y === 1 && z === 1 ? x : `(${x}, ${y}, ${z})`}`;
      const cluster = volume(shape.cluster) === 1 ? [] : [size('cluster', shape.cluster)];
      return {
        name: syntax.name,
        kernel: kernelName(launch),
        shape: [size('grid', shape.grid), size('block', shape.block), ...cluster].join(', '),
        run: this.threads
          .filter((one) => one.launch === i)
          .map(({ run, header, ...one }) => ({
            thread: shownThreadName(header.name),
            cta: run.cta,
            tid: run.tid,
            represents: run.represents.length,
            ...(one.isAdded && { isAdded: true }),
          })),
        threads: volume(shape.grid) * volume(shape.block),
        ctas: volume(shape.grid),
        choice: analysis?.choice ?? 'whole',
        unseen: this.plan.launches[i]?.unseen ?? [],
      };
    });
  }
}

/** Tells whether a thread is one of some, by launch. */
const isAmong =
  (some: readonly (readonly LaunchedThread[])[]) =>
  ({ launch, cta, tid }: LaunchedThread & { readonly launch: number }): boolean =>
    some[launch]?.some((one) => one.cta === cta && one.tid === tid) === true;

const numberOf = ({ launch: { shape } }: PlannedLaunch, { cta, tid }: LaunchedThread): number =>
  cta * volume(shape.block) + tid;

function headerOf(
  { launch }: PlannedLaunch,
  { cta, tid }: RunThread,
  name: ThreadName,
  othersAreAlike: boolean,
): ThreadSyntax {
  const { syntax, shape, gpu, number } = launch;
  const { span } = syntax;
  const { cluster, rank } = clusterOf(shape, cta);
  const level = (of: ThreadSyntax['levels'][number]['level'], at: number) => ({ level: of, number: at, span });
  return {
    name,
    span,
    levels: [
      level('gpu', gpu),
      level('grid', number),
      level('cluster', cluster),
      level('cta', cta),
      level('warp', laneOf(shape, { cta, tid }).warp),
    ],
    statements: [],
    launched: {
      launch: syntax.name,
      cta,
      tid,
      rank,
      clusterSize: volume(shape.cluster),
      warpLanes: lanesOf(shape, tid),
      othersAreAlike,
    },
  };
}

const lanesOf = (shape: Launch['shape'], tid: number): number =>
  Math.min(32, volume(shape.block) - 32 * Math.floor(tid / 32));

/** Why a thread is not written out that goes on and on. */
export const ENDLESS = 'this loop goes round too often to be followed';

/** A body with statements before it. */
const startingWith = (before: readonly ProgramStatement[], { statements, labels }: Body): Body => ({
  statements: [...before, ...statements],
  labels: new Map([...labels].map(([name, at]) => [name, at + before.length])),
});

/** A kernel test that asks for nothing asks for what no kernel should do. */
function clausesOf({ clauses, launches }: LitmusFile): LitmusFile['clauses'] {
  const [first] = launches;
  const asks = clauses.some(({ kind }) => kind === 'condition' || kind === 'expect');
  if (first === undefined || asks) return clauses;
  // Threads that a test leaves out would write what those that it has read.
  const areAllThere = launches.every((launch) => isAboutAll(launch.runs) || isSelection(launch));
  const values = areAllThere ? (['no-uninitialized'] as const) : [];
  const wanted = ['no-race', 'no-undefined', 'no-deadlock', 'no-trap', ...values] as const;
  return [...clauses, ...wanted.map((expectation) => ({ kind: 'expect' as const, expectation, span: first.span }))];
}
