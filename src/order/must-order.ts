import type { FollowedThread, Step, Synchronization, Trace } from '../follow/trace.js';
import { type Clock, Clocks } from './clocks.js';

/** Behind all steps of a thread. */
const END = 0xffff_ffff;

type Instance = Extract<Synchronization, { readonly barrier: string }>;

/**
 * What happens before what in every execution, as far as barriers and the order of grids say so: by access, what is
 * before it of each thread.
 */
export class MustOrder {
  private readonly clocks = new Clocks();
  /** By thread: from which step on it has which clock, up to this point of the replay. */
  private readonly clocksOf: { readonly from: number; readonly clock: Clock }[][];
  /** By thread: its place in its CTA; by CTA: its threads. */
  private readonly sizes = new Map<number, number>();
  private readonly places: number[] = [];
  /** By launches that are complete: their clocks. */
  private readonly ends = new Map<string, Clock>();
  private readonly lastOf = new Map<string, readonly Step[]>();
  /** A barrier that is not forced: an arrival at its next instance may come before this one is complete. */
  unforced: Instance | undefined;

  constructor(private readonly trace: Trace) {
    this.clocksOf = trace.threads.map(() => [{ from: 0, clock: this.clocks.none }]);
    for (const { ctaId } of trace.threads) {
      const size = this.sizes.get(ctaId) ?? 0;
      this.places.push(size);
      this.sizes.set(ctaId, size + 1);
    }
  }

  /** Goes through the run, and calls for each access with what is before it. */
  replay(of: (row: number, before: (thread: number) => number) => void): void {
    const { accesses, synchronizations } = this.trace;
    let next = 0;
    for (let row = 0; row <= accesses.count; row++) {
      for (let one = synchronizations[next]; one !== undefined && one.row === row; one = synchronizations[next]) {
        this.synchronize(one);
        next += 1;
      }
      if (row === accesses.count) return;
      const clock = this.clockAt(accesses.threads.at(row), accesses.positions.at(row));
      of(row, (thread) => this.count(clock, thread));
    }
  }

  /** What is before a step of a thread: of one that arrives and goes on, when it arrived. */
  private clockAt(thread: number, position: number): Clock {
    return this.clocksOf[thread]?.findLast(({ from }) => from <= position)?.clock ?? this.clocks.none;
  }

  private advance(thread: number, from: number, clock: Clock): void {
    this.clocksOf[thread]?.push({ from, clock: this.clocks.join(this.clockAt(thread, from), clock) });
  }

  /** How many steps of a thread a clock has. */
  private count(clock: Clock, thread: number): number {
    const cta = this.thread(thread).ctaId;
    return clock.frontiers.get(cta)?.[this.places[thread] ?? 0] ?? 0;
  }

  private thread(id: number): FollowedThread {
    const found = this.trace.threads[id];
    if (found === undefined) throw new Error(`no thread ${id}`);
    return found;
  }

  private synchronize(one: Synchronization): void {
    if (one.kind === 'grid-start') {
      if (one.after.length > 0) this.begin(one.launch, one.after);
      return;
    }
    if (one.kind === 'grid-wait') {
      const clock = this.endOf(one.after);
      for (const { thread, position } of one.waiters) this.advance(thread, position, clock);
      return;
    }
    if (one.kind === 'cta-barrier') this.mustBeForced(one);
    const { clocks } = this;
    let clock = clocks.none;
    const steps = new Map<number, [number, number][]>();
    for (const { thread, position } of one.arrivals) {
      clock = clocks.join(clock, this.clockAt(thread, position));
      const { ctaId } = this.thread(thread);
      const own = steps.get(ctaId);
      const entry: [number, number] = [this.places[thread] ?? 0, position];
      if (own === undefined) steps.set(ctaId, [entry]);
      else own.push(entry);
    }
    for (const [cta, own] of steps) clock = clocks.with(clock, cta, this.sizes.get(cta) ?? 0, own);
    for (const { thread, position } of one.waiters) this.advance(thread, position, clock);
  }

  /** All arrivals at the next instance come after a thread that this one has let go on. */
  private mustBeForced(one: Instance): void {
    const waiters = this.lastOf.get(one.barrier);
    this.lastOf.set(one.barrier, one.waiters);
    if (waiters === undefined) return;
    const released = new Map(waiters.map(({ thread, position }) => [thread, position]));
    const isBehind = ({ thread, position }: Step): boolean => {
      const own = released.get(thread);
      if (own !== undefined && own <= position) return true;
      const clock = this.clockAt(thread, position);
      return waiters.some((waiter) => this.count(clock, waiter.thread) >= waiter.position);
    };
    if (!one.arrivals.every(isBehind)) this.unforced ??= one;
  }

  /** All that grids have done is before what the threads of another do. */
  private begin(launch: number, after: readonly number[]): void {
    const clock = this.endOf(after);
    for (const { id, launch: of } of this.trace.threads) if (of === launch) this.advance(id, 0, clock);
  }

  /** All that some grids have done, and what was before it. */
  private endOf(launches: readonly number[]): Clock {
    const key = launches.join();
    const known = this.ends.get(key);
    if (known !== undefined) return known;
    let clock = this.clocks.none;
    const own = this.trace.threads.filter((one) => launches.includes(one.launch));
    for (const { id } of own) clock = this.clocks.join(clock, this.clockAt(id, END));
    for (const cta of new Set(own.map(({ ctaId }) => ctaId))) {
      const size = this.sizes.get(cta) ?? 0;
      const all = Array.from({ length: size }, (_, place): [number, number] => [place, END]);
      clock = this.clocks.with(clock, cta, size, all);
    }
    this.ends.set(key, clock);
    return clock;
  }
}
