import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { joinRounds } from '../flow/join-rounds.js';
import type { Code } from '../launch/code.js';
import { clusterOf, laneOf, volume } from '../launch/grid.js';
import type { Residue, Traced } from '../launch/residue.js';
import type { Launch } from '../launch/resolve-launches.js';
import type { RunThread } from '../launch/run-threads.js';
import { EndlessWalk } from '../launch/walk.js';
import type { ProgramStatement } from '../program/operation.js';
import type { Placement, WarpParty } from '../program/placement.js';
import type { LaunchFacts, Program, Register, Thread } from '../program/program.js';
import type { TensorMemory } from '../program/tensor-memory.js';
import type { CheckBudget } from '../program/undecided.js';
import type { LitmusFile, ThreadName, ThreadSyntax } from '../syntax/litmus-ast.js';
import { shownThreadName } from '../syntax/thread-name.js';
import { type Asked, askedBy, registersAsked } from './asked.js';
import type { LocationBuilder } from './build-locations.js';
import { type Analysis, type BuildOptions, chooseThreads, decoderFor } from './choose-threads.js';
import { cutTiles } from './cut-tiles.js';
import type { FlatBody } from './flatten-body.js';
import { kernelCode } from './kernel-code.js';
import { type IsWritten, kernelName, knownMemory, residueOf } from './launch-threads.js';
import { type LaunchPlan, type PlannedLaunch, planLaunches } from './plan-launches.js';
import { WrittenMemory } from './written-memory.js';
import { Inexpressible } from './written-thread.js';

/** A thread of a launch that is run, as one of the threads of the test. */
interface Launched {
  readonly header: ThreadSyntax;
  readonly index: number;
  readonly run: RunThread;
  readonly planned: PlannedLaunch;
  readonly launch: number;
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
  private readonly residues = new Map<number, { readonly residue: Residue; readonly code: Code }>();

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
    this.threads = this.plan.launches
      .flatMap((planned, launch) =>
        (this.analysis.chosen[launch]?.chosen.threads ?? []).map((run) => ({
          run,
          planned,
          launch,
          index: 0,
          header: headerOf(planned, run, nextName()),
        })),
      )
      .map((one, i) => ({ ...one, index: given.threads.length + i }));
    this.file = {
      ...given,
      declarations: [...given.declarations, ...this.plan.declarations],
      threads: [...given.threads, ...this.threads.map(({ header }) => header)],
    };
  }

  /** The bodies of the threads that are run, for what must be known of all of them. */
  bodyOf(index: number): PlannedLaunch['body'] | undefined {
    return this.threads.find((one) => one.index === index)?.planned.body;
  }

  /** Of a thread of a launch, what is left of its kernel for it. */
  thread(
    index: number,
    placement: Placement,
    memory: LocationBuilder,
    tensorMemory: TensorMemory | undefined,
    prerequisites: readonly number[],
  ): Omit<Thread, 'placement'> | undefined {
    const found = this.threads.find((one) => one.index === index);
    if (found === undefined) return undefined;
    const { planned, run, header, launch } = found;
    const name = shownThreadName(header.name);
    const place = { launch: planned.launch.syntax.name, cta: run.cta, tid: run.tid };
    const asked = registersAsked(this.asked, { name, launched: place });
    const code = this.decoded(planned, placement, memory, tensorMemory, prerequisites, asked);
    const analysis = this.analysis.chosen[launch];
    const own = this.threads.filter((one) => one.launch === launch && one.run.cta === run.cta);
    const { warp } = laneOf(planned.launch.shape, run);
    const isRun = (lane: number): boolean => own.some((one) => one.run.tid === warp * 32 + lane);
    const way = analysis?.ways(run.cta).find((one) => one.includes(run.tid)) ?? [run.tid];
    const { locations } = memory;
    const isWritten: IsWritten = (object) => this.analysis.written.has(locations, object);
    const known = knownMemory(locations, isWritten);
    const isPartial = own.length < volume(planned.launch.shape.block);
    try {
      const left = residueOf({ ...run, planned }, code, way, known, analysis?.widened ?? new Set(), {
        isRun,
        isPartial,
        keepsReads:
          isScFenced(code) && this.plan.launches.some((one) => one.launch.dependentOn.includes(planned.launch.number)),
        traces: this.traces,
      });
      if (this.traces) this.residues.set(index, { residue: left.residue, code });
      this.diagnostics.push(
        ...left.diagnostics.map((one) => (one.code === 'L0215' ? one : { ...one, code: 'L0211' as const })),
      );
      const { diagnostics, ...body } = cutTiles(left.residue.finished(), locations, placement, isWritten);
      this.diagnostics.push(...diagnostics, ...this.leftOut(launch, run.cta, body.statements));
      return {
        index,
        name,
        launched: place,
        registers: usedRegisters(code, left.residue.registers),
        ...joinRounds(body),
      };
    } catch (thrown) {
      if (!(thrown instanceof EndlessWalk)) throw thrown;
      const { span } = code.statements[thrown.statement] ?? header;
      this.diagnostics.push({
        severity: 'error',
        code: 'L0211',
        span,
        message: 'this loop goes round too often to be followed',
        hint: 'launch the kernel with less work for each thread',
      });
      return undefined;
    }
  }

  /** What waits for threads that `exactly` leaves out, and is not modeled so. */
  private leftOut(launch: number, cta: number, statements: readonly ProgramStatement[]): readonly Diagnostic[] {
    const absent = this.analysis.chosen[launch]?.chosen.absent ?? [];
    if (!absent.some((thread) => thread.cta === cta)) return [];
    const found = statements.find(
      ({ operation }) =>
        operation.kind === 'cluster-barrier' || (operation.kind === 'barrier' && operation.level !== 'cta'),
    );
    if (found === undefined) return [];
    const message = 'run exactly leaves out threads that this instruction may wait for';
    return [error('L0211', found.span, message, 'run them, or leave out exactly')];
  }

  /** Where the aligned barriers of a thread stand, in its order. */
  barriersOf(index: number): readonly number[] {
    const { statements = [] } = this.residues.get(index)?.residue.finished() ?? {};
    return statements.flatMap(({ operation, span }) =>
      (operation.kind === 'barrier' || operation.kind === 'cluster-barrier') && operation.aligned ? [span.start] : [],
    );
  }

  /** What a thread executes, for writing it down; throws where a test without launches cannot say that. */
  written(
    index: number,
    placements: readonly Placement[],
  ):
    | { readonly statements: FlatBody['statements']; readonly code: Code; readonly traced: readonly Traced[] }
    | undefined {
    const found = this.threads.find((one) => one.index === index);
    const left = this.residues.get(index);
    const cta = placements[index]?.cta;
    if (found === undefined || left === undefined || cta === undefined) return undefined;
    const { name } = found.header;
    for (const what of left.residue.unsaid) throw new Inexpressible(`${shownThreadName(name)}: ${what}`);
    const parties = this.parties(placements).get(cta) ?? [];
    const isShared = parties.some(
      ({ warps, isCut }, i) => isCut || warps > 1 || parties.some((other, j) => i !== j && overlap(parties[i], other)),
    );
    const counts = left.residue
      .finished()
      .statements.some(({ operation }) => operation.kind === 'barrier' && operation.count !== undefined);
    if (isShared && counts) throw new Inexpressible('warps that are not run at a barrier that counts threads');
    if (parties.some(({ isCut }) => isCut)) throw new Inexpressible('threads that are left out, and never arrive');
    const { choice, uncovered = [], elsewhere = [], notes = [] } = this.analysis.chosen[found.launch] ?? {};
    if (uncovered.length > 0) throw new Inexpressible('pairs of instructions that no threads cover');
    // Each of these makes an answer `unknown: coverage`: without its launch, the test would be met.
    const [what] = choice === 'auto' ? [...elsewhere, ...notes] : [];
    if (what !== undefined) throw new Inexpressible(`what threads do that are not run: ${what}`);
    return { statements: found.planned.body.statements, code: left.code, traced: left.residue.traced };
  }

  private decoded(
    planned: PlannedLaunch,
    placement: Placement,
    memory: LocationBuilder,
    tensorMemory: TensorMemory | undefined,
    prerequisites: readonly number[],
    asked: ReadonlySet<string>,
  ): Code {
    const decoder = decoderFor(planned, placement, memory, tensorMemory, prerequisites);
    const { code, diagnostics } = kernelCode(decoder, planned.body, planned.special, asked, this.checkBudget);
    this.diagnostics.push(...diagnostics);
    return code;
  }

  /** By CTA, the threads by which its warps take part in barriers. */
  parties(placements: readonly Placement[]): Program['parties'] {
    const parties = new Map<string, readonly WarpParty[]>();
    for (const { planned, run, index, launch } of this.threads) {
      const cta = placements[index]?.cta;
      if (cta === undefined || parties.has(cta)) continue;
      const { shape } = planned.launch;
      const own = this.threads.filter((one) => one.launch === launch && one.run.cta === run.cta);
      const absent = this.analysis.chosen[launch]?.chosen.absent ?? [];
      const warps = new Map<string, WarpParty>();
      for (let warp = 0; warp * 32 < volume(shape.block); warp++) {
        const isOf = (tid: number): boolean => Math.floor(tid / 32) === warp;
        const threads = own.filter((one) => isOf(one.run.tid) || one.run.represents.some(isOf)).map((one) => one.index);
        const isCut = absent.some((thread) => thread.cta === run.cta && isOf(thread.tid));
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
          .map(({ run, header }) => ({
            thread: shownThreadName(header.name),
            cta: run.cta,
            tid: run.tid,
            represents: run.represents.length,
          })),
        threads: volume(shape.grid) * volume(shape.block),
        choice: analysis?.choice ?? 'named',
        pairs: analysis?.pairs ?? 0,
        uncovered: analysis?.uncovered ?? [],
        elsewhere: analysis?.elsewhere ?? [],
        notes: analysis?.notes ?? [],
        remarks: analysis?.remarks ?? [],
      };
    });
  }
}

const overlap = (a: WarpParty | undefined, b: WarpParty): boolean =>
  a?.threads.some((thread) => b.threads.includes(thread)) === true;

function headerOf({ launch }: PlannedLaunch, { cta, tid }: RunThread, name: ThreadName): ThreadSyntax {
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
    },
  };
}

const lanesOf = (shape: Launch['shape'], tid: number): number =>
  Math.min(32, volume(shape.block) - 32 * Math.floor(tid / 32));

const usedRegisters = (code: Code, more: ReadonlyMap<string, Register>): ReadonlyMap<string, Register> =>
  new Map([...code.registers, ...more]);
