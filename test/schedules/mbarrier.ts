import { type Clock, type Covered, joinCovered, joinInto, withComponent } from './clock.js';
import type { Machine } from './machine.js';
import type { Segment } from './memory.js';
import type { Instruction } from './module.js';
import { acquire, type Release, releaseOf, strongest } from './releases.js';
import { isMutual, type Scope, SYS, type Thread } from './threads.js';

/** An mbarrier (PTX ISA 9.7.15.16), and what the arrivals of its phases have released. */
export interface Mbarrier {
  expected: number;
  pending: number;
  transactions: number;
  phase: number;
  /** Of the phase that is not complete. */
  now: Part;
  /** Of all phases that are. */
  readonly past: Part;
}

/** What arrivals have released, by CTA and scope; what copies have done, which is of no scope. */
interface Part {
  readonly releases: Map<number, Joined>;
  copies: Clock | undefined;
}

interface Joined {
  readonly thread: Thread;
  readonly scope: Scope;
  clock: Clock;
  covered: Covered;
}

const MOST = 2 ** 20 - 1;
const part = (): Part => ({ releases: new Map(), copies: undefined });

export function newMbarrier(count: number): Mbarrier {
  return { expected: count, pending: count, transactions: 0, phase: 0, now: part(), past: part() };
}

function add(into: Part, { thread, scope, clock, covered }: Joined | Release): void {
  const key = thread.cta.index * 8 + scope;
  const known = into.releases.get(key);
  if (known === undefined) into.releases.set(key, { thread, scope, clock: clock.slice(), covered });
  else {
    known.clock = joinInto(known.clock, clock);
    known.covered = joinCovered(known.covered, covered);
  }
}

function completeIfDone(machine: Machine, barrier: Mbarrier): void {
  if (barrier.pending !== 0 || barrier.transactions !== 0) return;
  for (const release of barrier.now.releases.values()) add(barrier.past, release);
  const { copies } = barrier.now;
  if (copies !== undefined) barrier.past.copies = joinInto(barrier.past.copies ?? new Int32Array(0), copies);
  barrier.now = part();
  barrier.phase++;
  barrier.pending = barrier.expected;
  machine.changed();
}

export function barrierAt(machine: Machine, segment: Segment, offset: number, at: Instruction): Mbarrier {
  return segment.mbarriers.get(offset) ?? machine.fail('mbarrier-not-initialized', at);
}

export function initialize(machine: Machine, segment: Segment, offset: number, count: number, at: Instruction): void {
  for (const other of segment.mbarriers.keys())
    if (Math.abs(other - offset) < 8) machine.note('mbarrier-initialized-twice', at);
  if (count < 1 || count > MOST) machine.fail('mbarrier-count', at);
  segment.mbarriers.set(offset, newMbarrier(count));
  machine.changed();
}

export function expect(machine: Machine, barrier: Mbarrier, bytes: number, at: Instruction): void {
  barrier.transactions += bytes;
  if (Math.abs(barrier.transactions) > MOST) machine.fail('mbarrier-transactions', at);
}

/** `arrive-on`: so many arrivals fewer are pending. */
export function arriveOn(machine: Machine, barrier: Mbarrier, count: number, at: Instruction): void {
  if (count < 1 || barrier.pending < count) machine.fail('mbarrier-arrivals', at);
  barrier.pending -= count;
  completeIfDone(machine, barrier);
}

export interface Arrival {
  readonly count: number;
  readonly scope: Scope;
  readonly isRelease: boolean;
  readonly drops: boolean;
  /** Bytes that are expected from now on. */
  readonly bytes: number;
}

/** Tells the phase that the arrival belongs to. */
export function arrive(machine: Machine, barrier: Mbarrier, thread: Thread, arrival: Arrival, at: Instruction): number {
  const { count, scope, isRelease, drops, bytes } = arrival;
  const own: (Release | undefined)[] = [...thread.fences];
  if (isRelease) own.push(releaseOf(thread, scope));
  for (const release of strongest(own)) add(barrier.now, release);
  if (bytes !== 0) expect(machine, barrier, bytes, at);
  const { phase } = barrier;
  if (drops) {
    barrier.expected -= count;
    if (barrier.expected < 1) machine.note('mbarrier-dropped-to-nothing', at);
  }
  arriveOn(machine, barrier, count, at);
  return phase;
}

/** A copy is complete: all that it did, and nothing that came before it in its thread, is told by the phase. */
export function completeCopy(
  machine: Machine,
  barrier: Mbarrier,
  { component, epoch }: { readonly component: number; readonly epoch: number },
): void {
  barrier.now.copies = withComponent(barrier.now.copies ?? new Int32Array(component + 1), component, epoch);
  machine.changed();
}

export function completeTransactions(machine: Machine, barrier: Mbarrier, bytes: number, at: Instruction): void {
  barrier.transactions -= bytes;
  if (Math.abs(barrier.transactions) > MOST) machine.fail('mbarrier-transactions', at);
  completeIfDone(machine, barrier);
}

/** The thread knows that a phase is complete. */
export function observe(
  barrier: Mbarrier,
  thread: Thread,
  scope: Scope,
  isAcquire: boolean,
  machine: Machine,
  place: Place,
): void {
  const { releases, copies } = barrier.past;
  for (const one of releases.values()) {
    if (isAcquire && isMutual(one.thread, one.scope, thread, scope)) acquire(thread, one);
    else machine.releases.observe(thread, { ...place, release: { ...one, clock: one.clock.slice(), epoch: 0 } });
  }
  if (copies === undefined) return;
  if (isAcquire) thread.clock = joinInto(thread.clock, copies);
  else {
    const release: Release = { thread, scope: SYS, epoch: 0, clock: copies.slice(), covered: [] };
    machine.releases.observe(thread, { ...place, release });
  }
}

interface Place {
  readonly segment: Segment;
  readonly offset: number;
}
