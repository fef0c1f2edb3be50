import { type Clock, type Covered, joinCovered, joinInto, withComponent } from './clock.js';
import { BLOCKED, type Compiled, type Family, NEXT, operandAt, type Run, visible } from './compile.js';
import { Unsupported } from './launch.js';
import type { Machine } from './machine.js';
import type { Instruction } from './module.js';
import { acquire, strongest } from './releases.js';
import { CLUSTER_SCOPE, type Cluster, type Cta, type Thread, type Warp } from './threads.js';
import { gather, Keys } from './warps.js';

/** Barriers of a CTA and of a cluster (PTX ISA 9.7.15.1, 9.7.15.3). */
export interface NamedBarrier {
  /** The threads that have arrived, and how many count for them: a whole warp for each (PTX ISA 9.7.15.1). */
  arrived: number;
  counted: number;
  /** How many threads are expected; -1: all that have not ended. */
  readonly count: number;
  readonly isReduction: boolean;
  clock: Clock;
  covered: Covered;
  readonly waiters: Thread[];
  readonly warps: Set<Warp>;
  /** Of a reduction: how many predicates hold, and where the result goes. */
  holding: number;
  readonly results: (() => void)[];
}

const WARP_SIZE = 32;

interface Arrival {
  readonly kind: 'sync' | 'arrive' | 'red';
  readonly id: number;
  readonly count: number;
  readonly at: Instruction;
  readonly predicate: (thread: Thread) => boolean;
  readonly result: (thread: Thread, holding: number, all: number) => void;
}

/** A warp arrives with all its threads at once. */
function arriveAt(machine: Machine, lanes: readonly Thread[], arrival: Arrival): void {
  const { kind, id, count, at } = arrival;
  const { cta, warp } = lanes[0]!;
  let barrier = cta.barriers[id];
  if (barrier === undefined) {
    barrier = {
      ...{ arrived: 0, counted: 0, count, isReduction: kind === 'red', clock: new Int32Array(0), covered: [] },
      ...{ waiters: [], warps: new Set(), holding: 0, results: [] },
    };
    cta.barriers[id] = barrier;
  }
  if (barrier.count !== count) machine.note('barrier-counts-differ', at);
  if (barrier.isReduction !== (kind === 'red')) machine.note('barrier-reduction-mixed', at);
  if (barrier.warps.has(warp)) machine.note('barrier-arrived-twice', at);
  barrier.warps.add(warp);
  barrier.arrived += lanes.length;
  barrier.counted += WARP_SIZE;
  for (const lane of lanes) {
    barrier.clock = joinInto(barrier.clock, lane.clock);
    barrier.covered = joinCovered(barrier.covered, lane.covered);
    lane.advance();
    if (arrival.predicate(lane)) barrier.holding++;
    if (kind === 'arrive') machine.resume(lane);
    else barrier.waiters.push(lane);
    const { results } = barrier;
    const here = barrier;
    if (kind === 'red') results.push(() => arrival.result(lane, here.holding, here.arrived));
  }
  completeIfAll(machine, cta, id, at);
}

function completeIfAll(machine: Machine, cta: Cta, id: number, at: Instruction | undefined): void {
  const barrier = cta.barriers[id];
  if (barrier === undefined) return;
  const [come, needed] = barrier.count < 0 ? [barrier.arrived, cta.alive] : [barrier.counted, barrier.count];
  if (come > needed && at !== undefined) machine.note('barrier-arrivals', at);
  if (come < needed) return;
  cta.barriers[id] = undefined;
  for (const give of barrier.results) give();
  for (const thread of barrier.waiters) {
    acquire(thread, barrier);
    machine.resume(thread);
  }
}

/** A thread has ended: barriers that wait for all the others may be complete. */
export function threadLeaves(machine: Machine, cta: Cta): void {
  cta.barriers.forEach((barrier, id) => {
    if (barrier !== undefined && barrier.count < 0 && cta.alive > 0) completeIfAll(machine, cta, id, undefined);
  });
}

/** `bar`, `barrier`, with `.cta` or without. */
export const bar: Family = (at, compiler) => {
  const words = at.words.filter((word) => word !== 'cta');
  if (words[1] === 'warp') return warpSync(at, compiler);
  if (words[1] === 'cluster') return clusterBarrier(at, compiler);
  const isAligned = words[0] === 'bar' || words.includes('aligned');
  const kind = words[1];
  if (kind !== 'sync' && kind !== 'arrive' && kind !== 'red') throw new Unsupported(`${at.opcode} is not known`);
  const isRed = kind === 'red';
  const target = isRed ? compiler.target(at.operands[0]) : -1;
  const rest = isRed ? at.operands.slice(1) : at.operands;
  const id = compiler.source(rest[0], 32);
  const hasCount = rest.length > (isRed ? 2 : 1);
  const count = hasCount ? compiler.source(rest[1], 32) : -1;
  const predicate = isRed ? compiler.predicate(rest.at(-1)) : undefined;
  const mode = words[2];
  const keys = new Keys((both) => (isAligned ? `bar ${both} ${at.line}` : `barrier ${both} ${kind}`));
  const run: Run = (thread, machine) => {
    const number = thread.regs[id] as number;
    const threads = count < 0 ? -1 : (thread.regs[count] as number);
    if (number < 0 || number > 15) return machine.fail('barrier-number', at);
    if (count >= 0 && (threads <= 0 || threads % 32 !== 0)) return machine.fail('barrier-count', at);
    const arrival: Arrival = {
      ...{ kind, id: number, count: threads, at },
      predicate: ({ regs }) => predicate !== undefined && regs[predicate.slot] === predicate.sense,
      result: ({ regs }, holding, all) => {
        regs[target] = mode === 'popc' ? holding : Number(mode === 'and' ? holding === all : holding > 0);
      },
    };
    const key = keys.of(threads * 16 + number);
    gather(machine, thread, { key, mask: -1, at, slots: [], finish: (lanes) => arriveAt(machine, lanes, arrival) });
    return BLOCKED;
  };
  return { run, isVisible: true };
};

/** All lanes of the mask wait for each other, and what they did before is ordered before what they do then. */
const warpSync: Family = (at, compiler): Compiled => {
  const mask = compiler.source(operandAt(at, 0), 32);
  const keys = new Keys((lanesMask) => `warp ${lanesMask}`);
  const run: Run = (thread, machine) => {
    const lanesMask = thread.regs[mask] as number;
    const finish = (lanes: readonly Thread[]): void => {
      let clock: Clock = new Int32Array(0);
      let covered: Covered = [];
      for (const lane of lanes) {
        clock = joinInto(clock, lane.clock);
        covered = joinCovered(covered, lane.covered);
        lane.advance();
      }
      for (const lane of lanes) {
        acquire(lane, { clock, covered });
        machine.resume(lane);
      }
    };
    gather(machine, thread, { key: keys.of(lanesMask), mask: lanesMask, at, slots: [], finish });
    return BLOCKED;
  };
  return { run, isVisible: true };
};

const clusterBarrier: Family = (at): Compiled => {
  const isRelaxed = at.words.includes('relaxed');
  if (at.words[2] === 'arrive') return visible((thread, machine) => arriveInCluster(machine, thread, isRelaxed, at));
  const run: Run = (thread, machine) => {
    const { cluster } = thread.cta;
    if (thread.clusterPhase < 0) return machine.fail('cluster-wait-without-arrive', at);
    if (cluster.phase > thread.clusterPhase) {
      thread.clusterPhase = -1;
      acquire(thread, cluster.before!);
      return NEXT;
    }
    machine.block(thread);
    cluster.waiters.push(thread);
    return BLOCKED;
  };
  return { run, isVisible: true };
};

function arriveInCluster(machine: Machine, thread: Thread, isRelaxed: boolean, at: Instruction): void {
  const { cluster } = thread.cta;
  if (thread.clusterPhase >= 0) machine.fail('cluster-arrive-twice', at);
  thread.clusterPhase = cluster.phase;
  let clock = cluster.clock ?? new Int32Array(0);
  if (isRelaxed) {
    for (const release of strongest(thread.fences)) {
      if (release.scope < CLUSTER_SCOPE) continue;
      clock = joinInto(clock, release.clock);
      cluster.covered = joinCovered(cluster.covered, release.covered);
    }
    if (thread.initsReleased > 0) clock = withComponent(clock, thread.inits, thread.initsReleased);
  } else {
    clock = joinInto(clock, thread.clock);
    cluster.covered = joinCovered(cluster.covered, thread.covered);
    thread.advance();
  }
  cluster.clock = clock;
  cluster.arrived++;
  completeCluster(machine, cluster);
}

export function completeCluster(machine: Machine, cluster: Cluster): void {
  if (cluster.arrived === 0 || cluster.arrived < cluster.alive) return;
  cluster.before = { clock: cluster.clock!, covered: cluster.covered };
  cluster.clock = undefined;
  cluster.covered = [];
  cluster.arrived = 0;
  cluster.phase++;
  for (const thread of cluster.waiters.splice(0)) {
    thread.clusterPhase = -1;
    acquire(thread, cluster.before);
    machine.resume(thread);
  }
}
