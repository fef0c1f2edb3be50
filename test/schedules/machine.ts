import { completeCluster, threadLeaves } from './barriers.js';
import { type Clock, joinInto, knows } from './clock.js';
import { type Copy, progress, Stream } from './copies.js';
import { Detector } from './detector.js';
import { takeUpEnds } from './grids.js';
import { newMbarrier } from './mbarrier.js';
import { CONST, GLOBAL, LOCAL, Memory, PARAM, Segment, SHARED } from './memory.js';
import type { Instruction } from './module.js';
import type { LaunchPlan, TestPlan } from './plan.js';
import { Random } from './random.js';
import { acquire, Releases } from './releases.js';
import { specialValue } from './specials.js';
import type { PlacedMap } from './tensors.js';
import { type Cluster, type Cta, type Launch, Thread, type Warp } from './threads.js';
import type { Value } from './values.js';
import { laneLeaves } from './warps.js';

/** What ends a run before its threads have. */
export class Stop extends Error {
  readonly kind: 'undefined' | 'trap';

  constructor(kind: 'undefined' | 'trap', message: string) {
    super(message);
    this.kind = kind;
  }
}

/** One run of all threads of a test: its memory, who can go on, and what has been found. */
export class Machine {
  readonly random: Random;
  readonly memory = new Memory();
  readonly maps: readonly PlacedMap[];
  readonly detector = new Detector();
  readonly releases = new Releases();
  readonly launches: Launch[] = [];
  readonly threads: Thread[] = [];
  readonly ready: Thread[] = [];
  /** Threads that have read the same again and again: they wait for memory to change. */
  readonly parked: Thread[] = [];
  readonly copies: Copy[] = [];
  /** Of what was undefined: the rule and the place. */
  readonly undefined = new Map<string, Instruction>();
  /** How often memory has changed. */
  change = 0;
  alive = 0;
  private components = 0;
  /** Which launch has a component that is no thread's. */
  private readonly owners: (Launch | undefined)[] = [];

  constructor(plan: TestPlan, seed: number) {
    this.random = new Random(seed);
    this.maps = plan.maps;
    this.detector.onUndefined = (rule, at) => this.note(rule, at);
    for (const { name, space, size, bytes } of plan.globals) {
      const segment = new Segment(name, space === 'const' ? CONST : GLOBAL, size);
      this.fill(segment, bytes);
      this.memory.globals.push(segment);
    }
    const count = plan.launches.reduce((all, one) => all + threadsOf(one), 0);
    this.components = count;
    let clusters = 0;
    let ctas = 0;
    for (const one of plan.launches) {
      const launch = this.makeLaunch(one, clusters, ctas, count);
      clusters += launch.ctas.length;
      ctas += launch.ctas.length;
    }
    this.startLaunches();
  }

  private fill(segment: Segment, bytes: Uint8Array | 'open'): void {
    if (bytes !== 'open') segment.bytes.set(bytes);
    else if (segment.size > 4096) segment.bytes.fill(this.random.below(256));
    else for (let i = 0; i < segment.size; i++) segment.bytes[i] = this.random.below(256);
  }

  private makeLaunch(plan: LaunchPlan, clusters: number, ctas: number, components: number): Launch {
    const parameters = new Segment('parameters', PARAM, plan.parameters.length);
    parameters.bytes.set(plan.parameters);
    for (const [start, size] of plan.open)
      for (let i = 0; i < size; i++) parameters.bytes[start + i] = this.random.below(256);
    const launch: Launch = {
      ...{ plan, random: this.random, parameters, ctas: [], state: 'waiting', alive: 0 },
      ...{ triggered: 0, triggers: [], end: undefined, waiters: [] },
    };
    this.launches.push(launch);
    const { grid, cluster: size } = plan;
    const made = new Map<string, Cluster>();
    for (let z = 0; z < grid[2]; z++)
      for (let y = 0; y < grid[1]; y++)
        for (let x = 0; x < grid[0]; x++) {
          const key = `${Math.floor(x / size[0])} ${Math.floor(y / size[1])} ${Math.floor(z / size[2])}`;
          let cluster = made.get(key);
          if (cluster === undefined) {
            cluster = newCluster(clusters + made.size);
            made.set(key, cluster);
          }
          this.makeCta(launch, cluster, ctas + launch.ctas.length, [x, y, z], components);
        }
    return launch;
  }

  private makeCta(launch: Launch, cluster: Cluster, index: number, place: readonly number[], components: number): void {
    const cta: Cta = {
      ...{ index, launch, cluster, rank: cluster.ctas.length, warps: [], threads: [], shared: [], barriers: [] },
      ...{ alive: 0, hasTriggered: false, end: undefined },
    };
    const { plan } = launch;
    const linear = launch.ctas.push(cta) - 1;
    cluster.ctas.push(cta);
    for (const { name, size, bytes, arrivals } of plan.shared.variables) {
      const segment = new Segment(name, SHARED, size, cta);
      this.fill(segment, bytes);
      if (arrivals !== undefined) segment.mbarriers.set(0, newMbarrier(arrivals));
      cta.shared.push(segment);
    }
    const count = plan.block[0] * plan.block[1] * plan.block[2];
    for (let tid = 0; tid < count; tid++) {
      if (tid % 32 === 0)
        cta.warps.push({ cta, index: cta.warps.length, lanes: [], alive: 0, waiting: 0, chance: this.random.next() });
      if (isChosen(plan, tid, linear)) this.makeThread(cta.warps.at(-1)!, tid, place, components);
    }
  }

  private makeThread(warp: Warp, tid: number, place: readonly number[], components: number): void {
    const { cta } = warp;
    const { plan } = cta.launch;
    const regs: Value[] = plan.template.slice();
    const copies = { small: new Stream(), bulk: new Stream(), waiting: undefined };
    const thread = new Thread(this.threads.length, warp, tid % 32, tid, regs, new Int32Array(components), copies);
    for (const [name, slot] of plan.specials) regs[slot] = specialValue(name, thread, place, this.random);
    if (plan.localSize > 0) thread.local = new Segment('local', LOCAL, plan.localSize);
    thread.clockRegister = this.random.below(1000000);
    this.threads.push(thread);
    warp.lanes.push(thread);
    cta.threads.push(thread);
    cta.alive++;
    warp.alive++;
    cta.cluster.alive++;
    cta.launch.alive++;
    this.alive++;
  }

  /** For copies of a launch. */
  newComponent(launch: Launch): number {
    this.owners[this.components] = launch;
    return this.components++;
  }

  /** Behavior that is not defined, after which the run has no meaning. */
  fail(rule: string, at: Instruction): never {
    this.note(rule, at);
    throw new Stop('undefined', rule);
  }

  note(rule: string, at: Instruction): void {
    if (!this.undefined.has(rule)) this.undefined.set(rule, at);
  }

  trap(at: Instruction): never {
    throw new Stop('trap', at.place);
  }

  /** Shared memory of another CTA is there only while that runs. */
  checkRemote(thread: Thread, cta: Cta, at: Instruction): void {
    if (cta.alive === 0) this.note('shared-memory-of-ended-cta', at);
    else if (!cta.threads.some(({ component }) => knows(thread.clock, component, 1)))
      this.note('shared-memory-of-cta-not-started', at);
  }

  put(segment: Segment, offset: number, size: number, value: Value): void {
    if (segment.read(offset, size) === value) return;
    segment.write(offset, size, value);
    this.changed();
  }

  changed(): void {
    this.change++;
    if (this.parked.length > 0) this.wakeParked();
  }

  wakeParked(): void {
    for (const thread of this.parked) this.makeReady(thread);
    this.parked.length = 0;
  }

  /** A read: if it has told nothing new, the thread may be waiting. */
  sees(thread: Thread, address: number, value: Value): void {
    const { seen, pc } = thread;
    const { change } = this;
    if (thread.change !== change) thread.polls = 0;
    thread.change = change;
    const last = seen[pc];
    if (last === undefined) seen[pc] = { change, address, value, others: new Map() };
    else if (last.change !== change) {
      last.change = change;
      last.address = address;
      last.value = value;
      if (last.others.size > 0) last.others.clear();
    } else if (last.address === address && last.value === value) {
      thread.polls++;
      return;
    } else {
      // A loop over several places.
      const isKnown = last.others.get(address) === value;
      last.others.set(last.address, last.value);
      last.address = address;
      last.value = value;
      if (isKnown) thread.polls++;
      if (isKnown) return;
    }
    thread.polls = 0;
  }

  makeReady(thread: Thread): void {
    thread.state = 'ready';
    thread.at = this.ready.push(thread) - 1;
  }

  private takeOut(thread: Thread): void {
    if (thread.at < 0) return;
    const last = this.ready.pop()!;
    if (last !== thread) {
      this.ready[thread.at] = last;
      last.at = thread.at;
    }
    thread.at = -1;
  }

  block(thread: Thread): void {
    this.takeOut(thread);
    thread.state = 'blocked';
  }

  park(thread: Thread): void {
    this.takeOut(thread);
    thread.state = 'parked';
    this.parked.push(thread);
  }

  /** What the thread has waited for is there: it goes on after the instruction. */
  resume(thread: Thread): void {
    thread.pc++;
    this.makeReady(thread);
  }

  exit(thread: Thread): void {
    this.takeOut(thread);
    const { cta, launch } = thread;
    const { cluster } = cta;
    thread.state = 'done';
    this.alive--;
    cta.alive--;
    thread.warp.alive--;
    cta.end = joinInto(cta.end ?? new Int32Array(0), thread.clock);
    if (thread.clusterPhase === cluster.phase) cluster.arrived--;
    cluster.alive--;
    laneLeaves(this, thread.warp);
    threadLeaves(this, cta);
    completeCluster(this, cluster);
    if (cta.alive === 0) this.endCta(cta);
    this.letGo(launch);
  }

  private endCta(cta: Cta): void {
    if (!cta.hasTriggered) cta.launch.triggered++;
    cta.hasTriggered = true;
    this.startLaunches();
    if (cta.cluster.ctas.length > 1) this.checkEnd(cta);
  }

  /** What others have done in its shared memory must come before the end of the CTA. */
  private checkEnd({ shared, end, launch }: Cta): void {
    for (const { cells, cta } of shared)
      for (const accesses of cells)
        for (const { thread, component, epoch, at } of accesses ?? [])
          if (thread.cta !== cta && thread.launch === launch && !knows(end!, component, epoch))
            this.note('shared-memory-of-ended-cta', at);
  }

  /** A copy that belongs to a launch has begun. */
  hold(launch: Launch): void {
    launch.alive++;
  }

  /** A thread or copy of a launch has ended. */
  letGo(launch: Launch): void {
    if (--launch.alive > 0) return;
    launch.state = 'done';
    let end: Clock = new Int32Array(this.components);
    for (const { threads } of launch.ctas) for (const { clock } of threads) end = joinInto(end, clock);
    // All copies too: nothing of a launch that has ended is under way.
    for (const { copies, component } of launch.ctas.flatMap(({ threads }) => threads)) {
      for (const { reads, writes, all } of [copies.small, copies.bulk])
        for (const stream of [reads, writes]) if (stream >= 0) end[stream] = all;
      end[component] = this.threads[component]!.epoch;
    }
    this.owners.forEach((owner, i) => {
      if (owner === launch && end[i] === 0) end[i] = 1;
    });
    launch.end = end;
    this.startLaunches();
  }

  dependencies({ plan }: Launch): readonly Launch[] {
    return plan.dependentOn.map((index) => this.launches[index]!);
  }

  /** Starts what may start; `griddepcontrol.wait` goes on where all is done. */
  startLaunches(): void {
    for (const launch of this.launches) {
      const { plan } = launch;
      const before = plan.after.map((index) => this.launches[index]!);
      const dependencies = this.dependencies(launch);
      if (launch.state === 'waiting') {
        const isFree = dependencies.every(
          ({ triggered, ctas, state }) => state === 'done' || triggered === ctas.length,
        );
        if (!before.every(({ state }) => state === 'done') || !isFree) continue;
        launch.state = 'running';
        for (const { threads } of launch.ctas)
          for (const thread of threads) this.startThread(thread, before, dependencies);
      }
      if (launch.waiters.length > 0 && dependencies.every(({ state }) => state === 'done'))
        for (const thread of launch.waiters.splice(0)) {
          takeUpEnds(thread, dependencies);
          this.resume(thread);
        }
    }
  }

  private startThread(thread: Thread, before: readonly Launch[], dependencies: readonly Launch[]): void {
    takeUpEnds(thread, before);
    for (const { triggers } of dependencies) for (const release of triggers) acquire(thread, release);
    this.makeReady(thread);
  }

  /** Moves bytes of some copy that is under way. */
  moveSome(): void {
    const index = this.random.below(this.copies.length);
    const copy = this.copies[index]!;
    if (!progress(this, copy)) return;
    const at = this.copies.indexOf(copy);
    this.copies[at] = this.copies.at(-1)!;
    this.copies.pop();
  }
}

function newCluster(index: number): Cluster {
  return {
    ...{ index, ctas: [], phase: 0, arrived: 0, alive: 0, clock: undefined, covered: [] },
    ...{ waiters: [], before: undefined },
  };
}

function threadsOf({ grid, block }: LaunchPlan): number {
  return [...grid, ...block].reduce((all, one) => all * one, 1);
}

function isChosen({ exactly }: LaunchPlan, tid: number, cta: number): boolean {
  return exactly?.some(({ threads, ctas }) => threads.includes(tid) && (ctas?.includes(cta) ?? true)) ?? true;
}
