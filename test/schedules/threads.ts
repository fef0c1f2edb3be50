import type { NamedBarrier } from './barriers.js';
import type { Clock, Covered } from './clock.js';
import type { CopyState } from './copies.js';
import type { Segment } from './memory.js';
import type { Instruction } from './module.js';
import type { LaunchPlan } from './plan.js';
import type { Random } from './random.js';
import type { Release } from './releases.js';
import type { Value } from './values.js';

/** Who accesses memory: a thread, or a copy that one has begun. */
export interface Actor {
  readonly component: number;
  epoch: number;
  clock: Clock;
  covered: Covered;
  readonly isAsyncProxy: boolean;
  /** The thread, or the one that began the copy: scopes go by it. */
  readonly thread: Thread;
}

export const WEAK = 0;
export const CTA = 1;
export const CLUSTER_SCOPE = 2;
export const GPU = 3;
export const SYS = 4;
export type Scope = 0 | 1 | 2 | 3 | 4;

/** One launch in a run. */
export interface Launch {
  readonly plan: LaunchPlan;
  readonly random: Random;
  readonly parameters: Segment;
  readonly ctas: Cta[];
  state: 'waiting' | 'running' | 'done';
  /** Threads that have not ended, and copies that have not. */
  alive: number;
  /** CTAs that have let the dependent launches start, or have ended. */
  triggered: number;
  /** What the triggers have released, for dependent launches. */
  triggers: Release[];
  end: Clock | undefined;
  /** Threads that wait for the launches that come before. */
  readonly waiters: Thread[];
}

export interface Cluster {
  readonly index: number;
  readonly ctas: Cta[];
  /** The phase of `barrier.cluster`, and how many have arrived in it. */
  phase: number;
  arrived: number;
  alive: number;
  clock: Clock | undefined;
  covered: Covered;
  readonly waiters: Thread[];
  /** What the phase before has released. */
  before: { readonly clock: Clock; readonly covered: Covered } | undefined;
}

export interface Cta {
  /** Among all CTAs of the run. */
  readonly index: number;
  readonly launch: Launch;
  readonly cluster: Cluster;
  readonly rank: number;
  readonly warps: Warp[];
  readonly threads: Thread[];
  readonly shared: Segment[];
  readonly barriers: (NamedBarrier | undefined)[];
  alive: number;
  hasTriggered: boolean;
  /** What its threads knew when they ended. */
  end: Clock | undefined;
}

export interface Warp {
  readonly cta: Cta;
  readonly index: number;
  readonly lanes: Thread[];
  /** Lanes that have not ended, and those of them that wait for others. */
  alive: number;
  waiting: number;
  /** What `elect.sync` goes by in this run. */
  readonly chance: number;
}

/** A lane that waits for others of its warp. */
export interface Gathering {
  readonly key: string;
  readonly mask: number;
  readonly at: Instruction;
  /** Where its operands are: lanes may come by different instructions of one kind. */
  readonly slots: readonly number[];
  /** What to do for all of them when they are there. */
  readonly finish: (lanes: readonly Thread[], slots: readonly (readonly number[])[]) => void;
}

/** What an instruction has read since memory changed last. */
export interface Seen {
  change: number;
  address: number;
  value: Value;
  readonly others: Map<number, Value>;
}

export class Thread implements Actor {
  readonly component: number;
  epoch = 1;
  clock: Clock;
  covered: Covered = [];
  readonly isAsyncProxy = false;
  readonly thread: Thread = this;
  readonly launch: Launch;
  readonly cta: Cta;
  readonly warp: Warp;
  readonly lane: number;
  /** In the CTA. */
  readonly tid: number;
  readonly regs: Value[];
  pc = 0;
  state: 'ready' | 'blocked' | 'parked' | 'done' = 'blocked';
  /** Its place among the ready ones. */
  at = -1;
  gathering: Gathering | undefined;
  /** How often in a row it has read what it had read before, and of which state of memory. */
  polls = 0;
  change = -1;
  readonly seen: (Seen | undefined)[] = [];
  /** The last release fences, by scope. */
  readonly fences: (Release | undefined)[] = [];
  /** What strong reads have observed and no acquire has taken up. */
  observed: Observed[] = [];
  /** Clock components of their own: of its `mbarrier.init`s, for the fence that is for them alone. */
  inits = -1;
  initCount = 0;
  /** How many of them a `fence.mbarrier_init` has released. */
  initsReleased = 0;
  readonly copies: CopyState;
  /** Of `barrier.cluster`: the phase it has arrived in, waiting for it. */
  clusterPhase = -1;
  local: Segment | undefined;
  carry = 0;
  clockRegister = 0;

  constructor(
    component: number,
    warp: Warp,
    lane: number,
    tid: number,
    regs: Value[],
    clock: Clock,
    copies: CopyState,
  ) {
    this.component = component;
    this.warp = warp;
    this.cta = warp.cta;
    this.launch = warp.cta.launch;
    this.lane = lane;
    this.tid = tid;
    this.regs = regs;
    this.clock = clock;
    this.copies = copies;
    clock[component] = 1;
  }

  /** What comes now is after all that was released so far. */
  advance(): void {
    this.clock[this.component] = ++this.epoch;
  }
}

export interface Observed {
  readonly release: Release;
  /** Where it was observed. */
  readonly segment: Segment;
  readonly offset: number;
}

/** The narrowest scope that holds both. */
export function levelOf(a: Thread, b: Thread): Scope {
  if (a.cta === b.cta) return CTA;
  if (a.cta.cluster === b.cta.cluster) return CLUSTER_SCOPE;
  return a.launch.plan.gpu === b.launch.plan.gpu ? GPU : SYS;
}

/** Whether the scope of each holds the other's thread. */
export function isMutual(a: Thread, aScope: Scope, b: Thread, bScope: Scope): boolean {
  const level = levelOf(a, b);
  return aScope >= level && bScope >= level;
}
