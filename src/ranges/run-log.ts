import { at } from '../follow/lane-value.js';
import { lanesIn } from '../follow/lanes.js';
import type { Setting } from '../follow/setting.js';
import type { AccessKind, Trace } from '../follow/trace.js';
import type { Turn } from '../follow/turn.js';
import type { Watch } from '../follow/watch.js';
import type { Code } from '../kernel/code.js';
import type { Operation } from '../program/operation.js';
import { SparseList } from '../program/sparse-list.js';
import { type Dependence, dependenceOf, type Level } from './dependence.js';

/** What is watched of one run: who does it, and with which values, by lane. */
export interface WatchedRun {
  /** Launch, thread, statement and lanes of each step. */
  readonly steps: readonly number[];
  /** By step: the values of its operands, of one lane after the other. */
  readonly values: readonly bigint[];
  readonly trace: Trace;
}

/** By launch, loads that find what depends on varied values: more are found as tests are followed. */
export type DependentLoads = ReadonlyMap<number, Set<number>>;

/** More is not kept of one test. */
const MOST_VALUES = 2_000_000;

/** Takes down what is needed to tell for which other values a test is followed alike. */
export class RunLog implements Watch {
  readonly runs: WatchedRun[] = [];
  /** Why nothing can be told; undefined until the test is followed. */
  refused: string | undefined = 'it was not followed';
  setting: Setting | undefined;
  private readonly dependences = new Map<Code, Dependence>();
  private readonly byLaunch: Dependence[][] = [];
  private steps: number[] = [];
  private values: bigint[] = [];

  constructor(
    readonly varied: Watch['varied'],
    private readonly dependentLoads: Map<number, Set<number>>,
    /** What is in memory at the end is asked. */
    private readonly isContentAsked: boolean,
  ) {}

  begins(setting: Setting): void {
    this.setting = setting;
    this.refused = undefined;
    for (const [launch, { ranks }] of setting.launches.entries()) {
      const loads = this.dependentLoads.get(launch) ?? new Set();
      this.dependentLoads.set(launch, loads);
      const own = ranks.map(({ code }) => {
        const dependence = dependenceOf(code, (address, bytes) => this.levelAt(setting, address, bytes), loads);
        this.dependences.set(code, dependence);
        return dependence;
      });
      this.byLaunch.push(own);
      for (const { refused } of own) this.refuse(refused);
    }
  }

  private refuse(why: string | undefined): void {
    this.refused ??= why;
  }

  /** How bytes at an address depend on the values. */
  private levelAt({ memory }: Setting, address: bigint, bytes: number): Level {
    for (const { name, base, object } of memory.locations.ranges) {
      const offset = Number(address - base);
      if (offset < 0 || offset >= object.size) continue;
      const own = this.varied.get(name)?.filter((one) => one.at < offset + bytes && offset < one.at + one.bytes) ?? [];
      const [only] = own;
      if (only === undefined) continue;
      return own.length === 1 && only.at === offset && only.bytes === bytes ? 'even' : 'any';
    }
    return 'fixed';
  }

  executes(turn: Turn): void {
    if (this.refused !== undefined) return;
    const { code, threads } = turn.warp;
    const watched = this.dependences.get(code)?.watched.get(turn.at);
    if (watched === undefined) return;
    const [first] = threads;
    this.steps.push(first?.launch ?? 0, first?.id ?? 0, turn.at, turn.lanes);
    for (const { operand, width } of watched.operands) {
      const value = turn.value(operand, width);
      for (const lane of lanesIn(turn.lanes)) {
        const own = at(value, lane);
        if (own === undefined) return this.refuse('an open value');
        this.values.push(own);
      }
    }
    if (this.values.length > MOST_VALUES) this.refuse('too much is compared');
  }

  ends(trace: Trace, isStopped: boolean): void {
    if (isStopped) this.refuse('it was not followed to its end');
    if (trace.threads.some(({ way, isElected }) => way !== undefined || isElected === true))
      this.refuse('threads that go several ways');
    if (trace.requests.length + trace.choices.length > 0) this.refuse('what PTX leaves to the hardware');
    if (goesByWhatIsFound(trace)) this.refuse('threads that go by what they find');
    if (this.refused === undefined) this.checkRows(trace);
    this.runs.push({ steps: this.steps, values: this.values, trace });
    [this.steps, this.values] = [[], []];
  }

  /** Whether the accesses of a kind are at addresses that move with the values. */
  isMoving({ launch, statement }: AccessKind): boolean {
    return this.byLaunch[launch]?.some(({ moving }) => moving.has(statement)) === true;
  }

  private operationAt(launch: number, statement: number): Operation | undefined {
    return this.setting?.launches[launch]?.ranks[0]?.code.statements[statement]?.operation;
  }

  /** What is watched at a statement. */
  watchedAt(launch: number, statement: number): ReturnType<Dependence['watched']['get']> {
    return this.byLaunch[launch]?.map(({ watched }) => watched.get(statement)).find((one) => one !== undefined);
  }

  /** Finds who reads what depends on the values, and what else likeness is not told of. */
  private checkRows(trace: Trace): void {
    const { accesses, kinds, pieces } = trace;
    const marks = this.dependentBytes(trace);
    for (let row = 0; row < accesses.count; row++) {
      const kind = kinds[accesses.kinds.at(row)];
      const piece = pieces[accesses.pieces.at(row)];
      if (kind === undefined || piece === undefined) continue;
      const [start, size] = [accesses.starts.at(row), accesses.sizes.at(row)];
      if (this.isMoving(kind)) {
        if (kind.writes && this.isContentAsked) this.refuse('what is in memory at the end');
        if (piece.mbarriers.size > 0 || piece.object.mbarrier !== undefined) this.refuse('memory with mbarriers');
      }
      if (!kind.reads) continue;
      const range = this.setting?.memory.locations.ranges[accesses.ranges.at(row)];
      const own = this.varied.get(range?.name ?? '') ?? [];
      const isVaried = own.some((one) => one.at < start + size && start < one.at + one.bytes);
      if (isVaried && !this.isOf(kind, 'ofParameters')) this.refuse('a parameter that is read by its address');
      if (marks.get(piece.id)?.isFree(start, start + size) === false && !this.isMoving(kind)) this.depends(kind);
    }
  }

  /** A load finds what depends on the values: from now on it is known. */
  private depends(kind: AccessKind): void {
    const { launch, statement } = kind;
    const code = this.setting?.launches[launch]?.ranks[0]?.code;
    const isPoll = kind.isPoll || code?.polls.has(statement) === true;
    const isLoad = this.operationAt(launch, statement)?.kind === 'load' && !isPoll;
    const loads = this.dependentLoads.get(launch);
    if (!isLoad || loads === undefined) return this.refuse('data that decide more than data');
    if (loads.has(statement)) return;
    loads.add(statement);
    this.refuse('loads of data that depend on the values');
  }

  private isOf({ launch, statement }: AccessKind, which: 'dependentStores' | 'ofParameters'): boolean {
    return this.byLaunch[launch]?.some((one) => one[which].has(statement)) === true;
  }

  /** By piece: the bytes where something is stored that depends on the values. */
  private dependentBytes({ accesses, kinds, pieces }: Trace): ReadonlyMap<number, SparseList<true>> {
    const marks = new Map<number, SparseList<true>>();
    for (let row = 0; row < accesses.count; row++) {
      const kind = kinds[accesses.kinds.at(row)];
      const piece = pieces[accesses.pieces.at(row)];
      if (kind === undefined || piece === undefined || !kind.writes || !this.isOf(kind, 'dependentStores')) continue;
      if (this.isContentAsked) this.refuse('what is in memory at the end');
      const own = marks.get(piece.id) ?? new SparseList<true>();
      marks.set(piece.id, own);
      const [start, size] = [accesses.starts.at(row), accesses.sizes.at(row)];
      for (let at = start; at < start + size; at++) own.set(at, true);
    }
    return marks;
  }
}

/** What is made of what threads find is told by functions, of which nobody knows how they depend on values. */
const goesByWhatIsFound = ({ synchronizations, ...trace }: Trace): boolean =>
  synchronizations.some(({ kind }) => kind === 'poll' || kind === 'take') ||
  trace.assumptions.length + trace.counts.length > 0 ||
  trace.derived.size + trace.tickets.size + trace.results.size > 0;
