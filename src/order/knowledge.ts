import { FENCED_SPACES, type FollowedThread, type Step, type Trace } from '../follow/trace.js';
import { isItself } from '../follow/ways-of-thread.js';
import { groupBy } from '../program/group-by.js';
import { type Clock, Clocks, countIn } from './clocks.js';

/** What is before a point: in base causality, and, by space, behind a fence of the async proxy in the thread's CTA. */
export interface Known {
  readonly clock: Clock;
  readonly shared: Clock;
  readonly remote: Clock;
  readonly global: Clock;
  /** By CTA: what is, in whichever CTA of its pair, behind a fence that covers its shared memory. */
  readonly pairs: PairFences;
  /** What happens before it besides, of which causality says nothing. */
  readonly happened: Clock;
}

type PairFences = ReadonlyMap<number, Clock>;
const NO_FENCES: PairFences = new Map();

const FIELDS = ['clock', ...FENCED_SPACES, 'happened'] as const;

/** What is before a point whatever proxies are used: all behind the end of a grid. */
export const everywhere = (clock: Clock): Known => ({
  ...{ clock, shared: clock, remote: clock, global: clock, pairs: NO_FENCES, happened: clock },
});

const knownBy = (of: (field: (typeof FIELDS)[number]) => Clock, pairs: PairFences): Known => ({
  clock: of('clock'),
  shared: of('shared'),
  remote: of('remote'),
  global: of('global'),
  pairs,
  happened: of('happened'),
});

/** Behind all steps of a thread, and all phases of an mbarrier. */
export const END = 0xffff_ffff;

/** Which threads are meant: of a CTA, or of a cluster. */
type Group = 'ctaId' | 'clusterId';

/** Where some threads exit, or are when following ends, and what they know there. */
interface Ends {
  readonly steps: readonly Step[];
  readonly clocks: ReadonlySet<Clock>;
}

/** What the threads of a run know from which step on, up to a point of its replay. */
export class Knowledge {
  readonly nothing: Known;
  private readonly clocks = new Clocks();
  private readonly knownOf: { readonly from: number; readonly known: Known }[][];
  /** By CTA: how many threads and mbarriers it has; of each its place among them. */
  private readonly sizes = new Map<number, number>();
  private readonly places: readonly number[];
  private readonly objectPlaces: readonly number[];
  private readonly ends = new Map<string, Ends>();
  private readonly groups = new Map<Group, ReadonlyMap<number, readonly FollowedThread[]>>();
  /** By clock and group, whether it has a step of a thread of that. */
  private readonly started = new Map<string, boolean>();
  /** Threads that a barrier lets go on know the same, one after the other: what two of them know is one. */
  private last: { readonly a: Known; readonly b: Known; readonly joined: Known } | undefined;

  constructor(private readonly trace: Trace) {
    this.nothing = everywhere(this.clocks.none);
    this.knownOf = trace.threads.map(() => [{ from: 0, known: this.nothing }]);
    this.places = trace.threads.map(({ ctaId }) => this.placeIn(ctaId));
    this.objectPlaces = trace.objects.map(({ ctaId }) => this.placeIn(ctaId));
  }

  /** What is before a step of a thread: of one that arrives and goes on, when it arrived. */
  at({ thread, position }: Step): Known {
    return this.knownOf[thread]?.findLast(({ from }) => from <= position)?.known ?? this.nothing;
  }

  /** What is before the ends of the threads of a CTA, or of a cluster; it is asked for when all of the run is known. */
  atEnd(of: Group, id: number): Ends {
    const key = `${of} ${id}`;
    const known = this.ends.get(key);
    if (known !== undefined) return known;
    const members = this.members(of, id).filter(isItself);
    const steps = members.map((one): Step => ({ thread: one.id, position: END }));
    const ends = { steps, clocks: new Set(steps.map((one) => this.at(one).clock)) };
    this.ends.set(key, ends);
    return ends;
  }

  /** Whether it is known at a step that a thread of a CTA, or of a cluster, has made one. */
  hasStarted(of: Group, id: number, step: Step): boolean {
    const { clock, happened } = this.at(step);
    return this.hasStep(clock, of, id) || this.hasStep(happened, of, id);
  }

  private hasStep(clock: Clock, of: Group, id: number): boolean {
    const key = `${clock.id} ${of} ${id}`;
    const known = this.started.get(key) ?? this.members(of, id).some((one) => this.steps(clock, one.id) > 0);
    this.started.set(key, known);
    return known;
  }

  private members(of: Group, id: number): readonly FollowedThread[] {
    const groups = this.groups.get(of) ?? groupBy(this.trace.threads, (one) => one[of]);
    this.groups.set(of, groups);
    return groups.get(id) ?? [];
  }

  /** What is before a step, and what its thread has done by then, or before a later step. */
  before(step: Step, { position } = step): Known {
    const known = this.at(step);
    return { ...known, clock: this.withSteps(known.clock, [{ ...step, position }]) };
  }

  /** From a step on its thread knows something as well. */
  advance(from: Step, known: Known): void {
    const before = this.at(from);
    const all = this.join(before, known);
    if (all !== before) this.knownOf[from.thread]?.push({ from: from.position, known: all });
  }

  /** A step observes writes for certain: these have happened, whether it acquires what they hand on or not. */
  observe({ thread, position }: Step, writes: readonly { readonly step: Step }[]): void {
    const steps = writes.map(({ step }) => ({ ...step, position: step.position + 1 }));
    const happened = this.withSteps(this.nothing.happened, steps);
    this.advance({ thread, position: position + 1 }, { ...this.nothing, happened });
  }

  join(a: Known, b: Known): Known {
    if (a === b || b === this.nothing) return a;
    if (a === this.nothing) return b;
    if (this.last?.a === a && this.last.b === b) return this.last.joined;
    const both = knownBy((of) => this.clocks.join(a[of], b[of]), this.joinPairs(a.pairs, b.pairs));
    const joined = FIELDS.every((of) => both[of] === a[of]) && both.pairs === a.pairs ? a : both;
    this.last = { a, b, joined };
    return joined;
  }

  /** What is known in both of two cases. */
  meet(a: Known, b: Known): Known {
    const pairs = [...a.pairs].flatMap(([cta, own]) => {
      const other = b.pairs.get(cta);
      return other === undefined ? [] : [[cta, this.clocks.meet(own, other)] as const];
    });
    return knownBy((of) => this.clocks.meet(a[of], b[of]), new Map(pairs));
  }

  /** What of something known is so for threads of all CTAs. */
  beyondCta({ clock, happened, pairs }: Known): Known {
    return { ...this.nothing, clock, happened, pairs };
  }

  private joinPairs(a: PairFences, b: PairFences): PairFences {
    if (a === b || b.size === 0) return a;
    if (a.size === 0) return b;
    const joined = new Map(a);
    for (const [cta, clock] of b) joined.set(cta, this.clocks.join(a.get(cta) ?? this.clocks.none, clock));
    return [...joined].every(([cta, clock]) => a.get(cta) === clock) ? a : joined;
  }

  /** By CTA: all that is before some of its steps, of threads that mostly know the same. */
  byCta(steps: readonly Step[]): ReadonlyMap<number, Known> {
    const each = new Map<number, Set<Known>>();
    for (const step of steps) {
      const { ctaId } = this.thread(step.thread);
      const own = each.get(ctaId) ?? new Set();
      each.set(ctaId, own.add(this.at(step)));
    }
    const all = (own: Set<Known>): Known => [...own].reduce((a, b) => this.join(a, b), this.nothing);
    return new Map([...each].map(([cta, own]) => [cta, all(own)]));
  }

  /** What is before all of some steps, of different threads; of what one of these has done, what all others know of. */
  ofAll(steps: readonly Step[]): Known {
    const known = steps.map((step) => this.at(step));
    const distinct = [...new Set(known)].reduce((a, b) => this.meet(a, b), known[0] ?? this.nothing);
    const clocks = new Set(known.map(({ clock }) => clock));
    if (clocks.size <= 1) return distinct;
    const own = steps.map((step, i): Step => {
      const others = known.filter((_, at) => at !== i).map(({ clock }) => this.steps(clock, step.thread));
      return { thread: step.thread, position: Math.min(step.position, ...others) };
    });
    return { ...distinct, clock: this.withSteps(distinct.clock, own) };
  }

  /** Whether all that is known in one case is known in another. */
  includes(all: Known, some: Known): boolean {
    const areIncluded = FIELDS.every((of) => this.clocks.join(all[of], some[of]) === all[of]);
    return areIncluded && this.joinPairs(all.pairs, some.pairs) === all.pairs;
  }

  joinClocks(a: Clock, b: Clock): Clock {
    return this.clocks.join(a, b);
  }

  meetClocks(a: Clock, b: Clock): Clock {
    return this.clocks.meet(a, b);
  }

  /** A clock with what threads have done before some steps. */
  withSteps(clock: Clock, steps: Iterable<Step>): Clock {
    const byCta = new Map<number, [number, number][]>();
    for (const { thread, position } of steps) {
      const { ctaId } = this.thread(thread);
      const own = byCta.get(ctaId) ?? [];
      byCta.set(ctaId, own);
      own.push([this.places[thread] ?? 0, position]);
    }
    return [...byCta].reduce((all, [cta, own]) => this.clocks.with(all, cta, own), clock);
  }

  /** A clock with all that threads and mbarriers of some CTAs do. */
  withAll(clock: Clock, ctas: Iterable<number>, end: number): Clock {
    return [...ctas].reduce((all, cta) => {
      const size = this.sizes.get(cta) ?? 0;
      const steps = Array.from({ length: size }, (_, place): [number, number] => [place, end]);
      return this.clocks.with(all, cta, steps);
    }, clock);
  }

  /** A clock with so many phases of an mbarrier. */
  withPhases(clock: Clock, object: number, count: number): Clock {
    const cta = this.ctaOf(object);
    return this.clocks.with(clock, cta, [[this.objectPlaces[object] ?? 0, count]]);
  }

  /** How many steps of a thread a clock has. */
  steps(clock: Clock, thread: number): number {
    return countIn(clock, this.thread(thread).ctaId, this.places[thread] ?? 0);
  }

  /** How many phases of an mbarrier are complete by a clock. */
  phases(clock: Clock, object: number): number {
    return countIn(clock, this.ctaOf(object), this.objectPlaces[object] ?? 0);
  }

  thread(id: number): FollowedThread {
    const found = this.trace.threads[id];
    if (found === undefined) throw new Error(`no thread ${id}`);
    return found;
  }

  private ctaOf(object: number): number {
    return this.trace.objects[object]?.ctaId ?? -1;
  }

  /** The next place among the threads and objects of a CTA. */
  private placeIn(ctaId: number): number {
    const size = this.sizes.get(ctaId) ?? 0;
    this.sizes.set(ctaId, size + 1);
    return size;
  }
}
