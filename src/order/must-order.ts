import type { Span } from '../diagnostics/source.js';
import type { FollowedThread, Step, Synchronization, Trace } from '../follow/trace.js';
import { FENCED_SPACES, type FencedSpace } from '../follow/trace.js';
import { type Clock, Clocks } from './clocks.js';
import { type Known, MbarrierPhases } from './mbarrier-phases.js';

/** Behind all steps of a thread, and all phases of an mbarrier. */
const END = 0xffff_ffff;

type Instance = Extract<Synchronization, { readonly barrier: string }>;

/** What is before an access in every execution. */
export interface Before {
  /** Whether an earlier access of the run is complete, and before it in base causality. */
  readonly isOrdered: (earlier: number) => boolean;
  /** The same, with a fence of the async proxy between that is executed in its CTA and covers the memory. */
  readonly isFenced: (earlier: number) => boolean;
}

/**
 * What happens before what in every execution, as far as barriers, mbarriers and the order of grids say so: by access,
 * what is before it.
 */
export class MustOrder {
  private readonly clocks = new Clocks();
  /** By thread: from which step on it knows what, up to this point of the replay. */
  private readonly knownOf: { readonly from: number; readonly known: Known }[][];
  /** By thread, and by mbarrier: its place in its CTA; by CTA: how many there are. */
  private readonly sizes = new Map<number, number>();
  private readonly places: number[] = [];
  private readonly objectPlaces: number[] = [];
  /** By launches that are complete: their clocks. */
  private readonly ends = new Map<string, Clock>();
  private readonly lastOf = new Map<string, readonly Step[]>();
  private readonly nothing: Known;
  /** By thread: what was before its last fence that releases; what relaxed waits have found since one that acquires. */
  private readonly released = new Map<number, Known>();
  private readonly found = new Map<number, Known>();
  private readonly phases: MbarrierPhases;
  /** What other operations may complete in other executions. */
  unforced: { readonly span: Span; readonly what: string } | undefined;

  constructor(private readonly trace: Trace) {
    const { none } = this.clocks;
    this.nothing = { clock: none, shared: none, global: none };
    this.knownOf = trace.threads.map(() => [{ from: 0, known: this.nothing }]);
    for (const { ctaId } of trace.threads) this.places.push(this.placeIn(ctaId));
    for (const { ctaId } of trace.objects) this.objectPlaces.push(this.placeIn(ctaId));
    this.phases = new MbarrierPhases({
      objects: trace.objects,
      nothing: this.nothing,
      knownAt: (step) => this.knownAt(step.thread, step.position),
      advance: (thread, from, known) => this.advance(thread, from, known),
      join: (a, b) => this.join(a, b),
      released: (thread) => this.released.get(thread) ?? this.nothing,
      find: (thread, known) => this.found.set(thread, this.join(this.found.get(thread) ?? this.nothing, known)),
      withStep: (known, { thread, position }) => {
        const { ctaId } = this.thread(thread);
        return { ...known, clock: this.with(known.clock, ctaId, [[this.places[thread] ?? 0, position]]) };
      },
      withPhases: (known, object, count) => ({ ...known, clock: this.withPhases(known.clock, object, count) }),
      steps: ({ clock }, thread) => this.count(clock, thread),
      phases: ({ clock }, object) => this.countPhases(clock, object),
    });
  }

  /** Goes through the run, and calls for each access with what is before it. */
  replay(of: (row: number, before: Before) => void): void {
    const { accesses, synchronizations } = this.trace;
    let next = 0;
    for (let row = 0; row <= accesses.count; row++) {
      for (let one = synchronizations[next]; one !== undefined && one.row === row; one = synchronizations[next]) {
        this.synchronize(one);
        next += 1;
      }
      if (row < accesses.count) of(row, this.beforeOf(row));
    }
  }

  private beforeOf(row: number): Before {
    const { threads, positions, ends, tellers, pieces } = this.trace.accesses;
    const [thread, position] = [threads.at(row), positions.at(row)];
    const known = this.knownAt(thread, position);
    const space = this.trace.pieces[pieces.at(row)]?.object.space;
    const isBefore = (clock: Clock, earlier: number): boolean => {
      const teller = tellers.at(earlier);
      if (teller !== 0) return this.countPhases(clock, teller - 1) >= ends.at(earlier);
      return this.count(clock, threads.at(earlier)) >= ends.at(earlier);
    };
    return {
      isOrdered: (earlier) => {
        // What a thread does one after the other is in order, if the first is complete when the next begins.
        if (threads.at(earlier) === thread && tellers.at(earlier) === 0)
          return ends.at(earlier) <= Math.max(position, positions.at(earlier) + 1);
        return isBefore(known.clock, earlier);
      },
      isFenced: (earlier) => {
        if (space !== 'shared' && space !== 'global') return false;
        return isBefore(known[space], earlier);
      },
    };
  }

  /** The next place among the threads and objects of a CTA. */
  private placeIn(ctaId: number): number {
    const size = this.sizes.get(ctaId) ?? 0;
    this.sizes.set(ctaId, size + 1);
    return size;
  }

  /** What is before a step of a thread: of one that arrives and goes on, when it arrived. */
  private knownAt(thread: number, position: number): Known {
    return this.knownOf[thread]?.findLast(({ from }) => from <= position)?.known ?? this.nothing;
  }

  private advance(thread: number, from: number, known: Known): void {
    this.knownOf[thread]?.push({ from, known: this.join(this.knownAt(thread, from), known) });
  }

  private join(a: Known, b: Known): Known {
    const [clock, shared, global] = (['clock', ...FENCED_SPACES] as const).map((of) =>
      this.clocks.join(a[of], b[of]),
    ) as [Clock, Clock, Clock];
    return { clock, shared, global };
  }

  /** How many steps of a thread a clock has. */
  private count(clock: Clock, thread: number): number {
    const cta = this.thread(thread).ctaId;
    return clock.frontiers.get(cta)?.[this.places[thread] ?? 0] ?? 0;
  }

  /** How many phases of an mbarrier are complete by a clock. */
  private countPhases(clock: Clock, object: number): number {
    const cta = this.trace.objects[object]?.ctaId ?? -1;
    return clock.frontiers.get(cta)?.[this.objectPlaces[object] ?? 0] ?? 0;
  }

  private withPhases(clock: Clock, object: number, count: number): Clock {
    return this.with(clock, this.trace.objects[object]?.ctaId ?? -1, [[this.objectPlaces[object] ?? 0, count]]);
  }

  private with(clock: Clock, cta: number, steps: Iterable<readonly [place: number, count: number]>): Clock {
    return this.clocks.with(clock, cta, this.sizes.get(cta) ?? 0, steps);
  }

  private thread(id: number): FollowedThread {
    const found = this.trace.threads[id];
    if (found === undefined) throw new Error(`no thread ${id}`);
    return found;
  }

  private synchronize(one: Synchronization): void {
    switch (one.kind) {
      case 'grid-start':
        if (one.after.length > 0) this.begin(one.launch, one.after);
        return;
      case 'grid-wait': {
        const clock = this.endOf(one.after);
        for (const { thread, position } of one.waiters) this.advance(thread, position, everywhere(clock));
        return;
      }
      case 'mbarrier':
        this.phases.step(one);
        if (this.phases.unforced !== undefined) this.unforced ??= { span: one.span, what: this.phases.unforced };
        return;
      case 'fence':
        for (const step of one.steps) this.memoryFence(step, one.releases, one.acquires);
        return;
      case 'proxy-fence':
        for (const step of one.steps) this.fence(step, one.spaces);
        return;
      default:
        return this.meet(one);
    }
  }

  private meet(one: Instance): void {
    if (one.kind === 'cta-barrier') this.mustBeForced(one);
    let { clock } = this.nothing;
    const steps = new Map<number, [number, number][]>();
    /** What is behind fences: of use only to threads of the same CTA. */
    const fenced = new Map<number, Known>();
    for (const { thread, position } of one.arrivals) {
      const known = this.knownAt(thread, position);
      clock = this.clocks.join(clock, known.clock);
      const { ctaId } = this.thread(thread);
      const own = steps.get(ctaId);
      const entry: [number, number] = [this.places[thread] ?? 0, position];
      if (own === undefined) steps.set(ctaId, [entry]);
      else own.push(entry);
      const both = this.join(fenced.get(ctaId) ?? this.nothing, known);
      fenced.set(ctaId, both);
    }
    for (const [cta, own] of steps) clock = this.with(clock, cta, own);
    for (const { thread, position } of one.waiters)
      this.advance(thread, position, { ...(fenced.get(this.thread(thread).ctaId) ?? this.nothing), clock });
  }

  /** What is before a fence is released by relaxed arrivals behind it; what relaxed waits have found is acquired. */
  private memoryFence({ thread, position }: Step, releases: boolean, acquires: boolean): void {
    const found = this.found.get(thread);
    if (acquires && found !== undefined) {
      this.advance(thread, position, found);
      this.found.delete(thread);
    }
    if (!releases) return;
    const known = this.knownAt(thread, position);
    const clock = this.with(known.clock, this.thread(thread).ctaId, [[this.places[thread] ?? 0, position]]);
    this.released.set(thread, { ...known, clock });
  }

  /** What is before a fence is behind it for the async proxy, in the CTA of the fence. */
  private fence({ thread, position }: Step, spaces: readonly FencedSpace[]): void {
    const { clock } = this.knownAt(thread, position);
    const before = this.with(clock, this.thread(thread).ctaId, [[this.places[thread] ?? 0, position]]);
    const fenced = Object.fromEntries(spaces.map((space) => [space, before]));
    this.advance(thread, position, { ...this.nothing, ...fenced });
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
      const { clock } = this.knownAt(thread, position);
      return waiters.some((waiter) => this.count(clock, waiter.thread) >= waiter.position);
    };
    if (!one.arrivals.every(isBehind))
      this.unforced ??= { span: one.span, what: 'other arrivals may complete this barrier' };
  }

  /** All that grids have done is before what the threads of another do, whatever proxies they use. */
  private begin(launch: number, after: readonly number[]): void {
    const known = everywhere(this.endOf(after));
    for (const { id, launch: of } of this.trace.threads) if (of === launch) this.advance(id, 0, known);
  }

  /** All that some grids have done, and what was before it. */
  private endOf(launches: readonly number[]): Clock {
    const key = launches.join();
    const known = this.ends.get(key);
    if (known !== undefined) return known;
    let { clock } = this.nothing;
    const own = this.trace.threads.filter((one) => launches.includes(one.launch));
    for (const { id } of own) clock = this.clocks.join(clock, this.knownAt(id, END).clock);
    for (const cta of new Set(own.map(({ ctaId }) => ctaId))) {
      const size = this.sizes.get(cta) ?? 0;
      const all = Array.from({ length: size }, (_, place): [number, number] => [place, END]);
      clock = this.with(clock, cta, all);
    }
    this.ends.set(key, clock);
    return clock;
  }
}

const everywhere = (clock: Clock): Known => ({ clock, shared: clock, global: clock });
