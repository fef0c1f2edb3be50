import type { LastStep } from '../follow/last-step.js';
import {
  type FencedSpace,
  type MbarrierSteps,
  type Step,
  type Synchronization,
  stepOf,
  type Trace,
} from '../follow/trace.js';
import { type HandedToGrid, Triggers } from './recheck-grids.js';
import { type Acquired, Patterns } from './recheck-patterns.js';

/** By thread, a step. */
export type Steps = ReadonlyMap<number, number>;

/** The phase of an mbarrier. */
interface Phase {
  readonly object: number;
  readonly phase: number;
}

/** Something that a chain goes through. */
export interface Link {
  /** Launches all of whose threads have come to their ends before it. */
  readonly after: readonly number[];
  /** By thread: the step at which it arrives, and that from which on it is behind it. */
  readonly arrivals: Steps;
  readonly waiters: Steps;
  /** Where one of several writes was found: the arrivals of each, of which one is there. */
  readonly cases: readonly Steps[];
  /** The CTAs of those who arrive. */
  readonly ctas: ReadonlySet<number>;
  /** The phase of an mbarrier that was waited for. */
  readonly told: Phase | undefined;
  /** The phases of that object are groups of a warpgroup, of which all before are complete as well. */
  readonly areGroups?: true;
  readonly fences: readonly FencedSpace[];
  /** It says what happens before what, and nothing of data. */
  readonly isOfExecution: boolean;
  /** It is the end of a way: what has been done there is before what comes behind it, and nothing else by that. */
  readonly isOfWay: boolean;
  /** The CTA of a thread that begins a way behind it: only who is on such a way there is behind it by that. */
  readonly intoWay: number | undefined;
  /** It counts if the one leads to the other by links before it, of each of these. */
  readonly needs: readonly { readonly from: Step; readonly to: Step }[];
  /** What of the run it is. */
  readonly of: Synchronization | undefined;
}

/** Behind all that a thread does. */
const END = 0xffff_ffff;

type GridStart = Extract<Synchronization, { readonly kind: 'grid-start' }>;
type Fence = Extract<Synchronization, { readonly kind: 'fence' }>;

const NOBODY: Steps = new Map();
/** What nothing goes through. */
export const NOTHING: Link = {
  ...{ after: [], arrivals: NOBODY, cases: [], waiters: NOBODY, ctas: new Set(), told: undefined, fences: [] },
  ...{ isOfExecution: false, isOfWay: false, intoWay: undefined, needs: [], of: undefined },
};

/** By place in coherence order, the threads whose atomics may come there instead, behind the same ones before. */
export type CoherenceChoices = readonly (readonly number[])[];

/** The write that is found, or the atomics one after the other, of one of several cases. */
export type Cases = readonly (readonly number[])[];

/**
 * What is found, by the read of a poll, and by the thread that goes a way which that leads to. This is taken for
 * granted here; that there are no others is for recheck-polls and recheck-ways to see.
 */
export interface Claims {
  readonly polls: ReadonlyMap<number, Cases>;
  readonly ways: ReadonlyMap<number, Cases>;
  /** By word whose coherence order is that of a case: which others are looked at, too. */
  readonly coherence: ReadonlyMap<string, CoherenceChoices>;
}

export const NO_CLAIMS: Claims = { polls: new Map(), ways: new Map(), coherence: new Map() };

/** What orders threads in a run, as links of chains. */
export function linksOf(trace: Trace, claims: Claims): readonly Link[] {
  const reader = new LinkReader(trace, new Patterns(trace, claims));
  return trace.synchronizations.flatMap((of) => reader.read(of).map((link) => ({ ...link, of })));
}

/** Up to which step of it something is handed on to threads of the CTA, and to others. */
interface ByScope {
  readonly own: number | undefined;
  readonly wide: number | undefined;
}

class LinkReader {
  /** By object and phase: who has arrived, and hands on what it has done up to a step, in its CTA and beyond. */
  private readonly arrived = new Map<string, Map<number, ByScope>>();
  /** By object and phase: up to where threads are that have done something to it, handed on or not. */
  private readonly done = new Map<string, Map<number, number>>();
  /** By thread: its last fences that release; the phases that waits have found since a fence that acquires. */
  private readonly released = new Map<number, ByScope>();
  private readonly found = new Map<number, Phase[]>();
  /** By thread: the last fence that releases its shared memory to the async proxy. */
  private readonly proxyReleases = new Map<number, Step>();

  private readonly triggers: Triggers;

  constructor(
    private readonly trace: Trace,
    private readonly patterns: Patterns,
  ) {
    this.triggers = new Triggers(trace);
  }

  read(one: Synchronization): readonly Link[] {
    switch (one.kind) {
      case 'cta-barrier':
      case 'warp-barrier':
      case 'warp-exchange':
      case 'cluster-barrier':
      case 'cluster-fence': {
        const [arrivals, waiters] = [byThread(one.arrivals), byThread(one.waiters)];
        return [{ ...NOTHING, arrivals, waiters, ctas: this.ctasOf(threadsOf(one.arrivals)) }];
      }
      case 'grid-start':
        return this.gridStart(one);
      case 'grid-wait':
        return [{ ...NOTHING, after: one.after, waiters: byThread(one.waiters) }];
      case 'proxy-fence': {
        const [arrivals, waiters] = [byThread(one.steps), behind(one.steps)];
        return [{ ...NOTHING, arrivals, waiters, fences: one.spaces, ctas: this.ctasOf(threadsOf(one.steps)) }];
      }
      case 'grid-trigger':
        this.triggers.add(one);
        return [];
      case 'proxy-release':
      case 'proxy-acquire':
        return one.steps.flatMap((step) => this.oneWay(step, one.kind));
      case 'fence':
        if (one.releases) this.triggers.fence(one);
        return one.steps.flatMap((step) => [
          ...this.fence(step, one),
          ...this.patterns.fence(step, one).map((found) => this.handed(found)),
        ]);
      case 'matrix-group':
        return this.matrixGroup(one);
      case 'take':
      case 'init-fence':
      case 'tensor-fence':
      case 'relinquish':
      case 'pair-step':
        return [];
      case 'way':
        return this.wayOf(one.thread);
      case 'way-end':
        return this.wayEnd(one);
      case 'last':
        return this.lastOf(one);
      case 'election': {
        const ctas = this.ctasOf(threadsOf(one.lanes));
        const cases = one.lanes.map((step) => byThread([step]));
        return [{ ...NOTHING, arrivals: byThread(one.lanes), cases, waiters: byThread([one.step]), ctas }];
      }
      case 'poll':
        return this.patterns.poll(one).map((found) => this.handed(found));
      case 'mbarrier':
        return this.onMbarrier(one);
    }
  }

  private matrixGroup({
    object,
    phase,
    steps,
    issued,
  }: Extract<Synchronization, { readonly kind: 'matrix-group' }>): readonly Link[] {
    const own = { ...NOTHING, waiters: behind(steps), ctas: this.ctasOf(threadsOf(steps)) };
    return [
      { ...own, told: { object, phase }, areGroups: true },
      { ...own, arrivals: behind(issued), isOfExecution: true },
    ];
  }

  private wayEnd(one: Extract<Synchronization, { readonly kind: 'way-end' }>): readonly Link[] {
    const ends = one.threads.map((thread) => byThread([{ thread, position: END }]));
    const of = { ...NOTHING, waiters: byThread([one.behind]), ctas: this.ctasOf(one.threads) };
    const onEach = { ...of, arrivals: new Map(ends.flatMap((end) => [...end])), cases: ends };
    return [...ends.map((arrivals) => ({ ...of, arrivals, isOfWay: true })), onEach];
  }

  private gridStart({ launch, after, launchedBy }: GridStart): readonly Link[] {
    const own = this.trace.threads.filter((one) => one.launch === launch);
    const handed = this.triggers.handedTo(launchedBy, own).map((of) => this.handedToGrid(of));
    return [{ ...NOTHING, after, waiters: new Map(own.map(({ id }) => [id, 0])) }, ...handed];
  }

  private handedToGrid({ step, to, triggers }: HandedToGrid): Link {
    const waiters = new Map(to.map(({ id }) => [id, 0]));
    const from = { ...step, position: step.position + 1 };
    const needs = triggers.map((trigger) => ({ from, to: trigger }));
    return { ...NOTHING, arrivals: byThread([step]), waiters, ctas: this.ctasOf([step.thread]), needs };
  }

  /** A thread begins behind what is before each of some atomics, and what all of them hand on. */
  private lastOf(one: LastStep): readonly Link[] {
    const steps = one.rows.map((row) => stepOf(this.trace, row));
    const begin = { thread: one.thread, position: 1 };
    const cases = steps.map((step) => byThread([step]));
    const ctas = this.ctasOf(threadsOf(steps));
    const own = { ...NOTHING, arrivals: byThread(steps), cases, waiters: byThread([begin]), ctas };
    return [own, ...this.patterns.last(one).map((found) => this.handed(found))];
  }

  /** Fences that have released to the async proxy what one acquires, if they come before it. */
  private oneWay(step: Step, kind: 'proxy-release' | 'proxy-acquire'): readonly Link[] {
    if (kind === 'proxy-release') this.proxyReleases.set(step.thread, step);
    if (kind === 'proxy-release') return [];
    const [own] = this.ctasOf([step.thread]);
    const released = [...this.proxyReleases.values()].filter(({ thread }) => this.ctasOf([thread]).has(own ?? -1));
    return released.map((from) => ({
      ...{ ...NOTHING, arrivals: byThread([from]), waiters: behind([step]), ctas: this.ctasOf([from.thread]) },
      ...{ fences: ['shared'], needs: [{ from: { ...from, position: from.position + 1 }, to: step }] },
    }));
  }

  /** A way begins behind what its thread has done, and what leads there. */
  private wayOf(thread: number): readonly Link[] {
    const { way, ctaId = -1 } = this.trace.threads[thread] ?? {};
    if (way === undefined) return [];
    const begin = { thread, position: 0 };
    const own = { ...NOTHING, arrivals: byThread([way.of]), waiters: byThread([begin]), ctas: new Set([ctaId]) };
    const known = this.patterns.way(thread).map(({ at, cases }) => {
      const needs = [{ from: at, to: begin }];
      return { ...this.handed({ cases, behind: begin }), needs };
    });
    return [own, ...known].map((link) => ({ ...link, intoWay: ctaId }));
  }

  private handed({ cases, behind: at }: Acquired): Link {
    const [only = NOBODY, ...others] = cases;
    const arrivals = new Map(only);
    for (const one of others)
      for (const [thread, step] of one) arrivals.set(thread, Math.max(arrivals.get(thread) ?? 0, step));
    const ctas = this.ctasOf(arrivals.keys());
    return { ...NOTHING, arrivals, cases: others.length === 0 ? [] : cases, waiters: byThread([at]), ctas };
  }

  private fence(step: Step, { scope, releases, acquires }: Fence): readonly Link[] {
    const isWide = scope !== 'cta';
    const told = acquires ? (this.found.get(step.thread) ?? []) : [];
    if (acquires && isWide) this.found.delete(step.thread);
    if (releases) {
      const wide = isWide ? step.position : this.released.get(step.thread)?.wide;
      this.released.set(step.thread, { own: step.position, wide });
    }
    // What it releases itself is behind what it acquires.
    return told.map((phase) => ({ ...this.toldAt(phase, [step], isWide), waiters: byThread([step]) }));
  }

  private onMbarrier(one: MbarrierSteps): readonly Link[] {
    const { object, phase, step, order, scope, isAsync, steps } = one;
    if (one.isTry) return [];
    const isWide = scope !== 'cta';
    if (step === 'arrive' && !isAsync)
      for (const { thread, position } of steps) {
        const fenced = this.released.get(thread);
        const all = this.arrivedIn({ object, phase });
        const before = all.get(thread);
        all.set(thread, {
          own: latest(before?.own, order === 'release' ? position : fenced?.own),
          wide: latest(before?.wide, order === 'release' && isWide ? position : fenced?.wide),
        });
      }
    if (step !== 'wait') {
      const done = this.doneIn({ object, phase });
      for (const { thread, position } of steps) done.set(thread, position);
      return [];
    }
    if (order !== 'acquire' || !isWide)
      for (const { thread } of steps) this.found.set(thread, [...(this.found.get(thread) ?? []), { object, phase }]);
    const done = this.doneIn({ object, phase });
    const ctas = this.ctasOf(done.keys());
    const happened = { ...NOTHING, arrivals: done, waiters: behind(steps), ctas, isOfExecution: true };
    return order === 'acquire' ? [this.toldAt({ object, phase }, steps, isWide), happened] : [happened];
  }

  private doneIn(phase: Phase): Map<number, number> {
    return mapIn(this.done, phase);
  }

  private arrivedIn(phase: Phase): Map<number, ByScope> {
    return mapIn(this.arrived, phase);
  }

  /** Lanes of a warp have waited for a phase: arrivals in their CTA count, and others if the scopes hold both. */
  private toldAt(told: Phase, steps: readonly Step[], isWide: boolean): Link {
    const [cta] = this.ctasOf(threadsOf(steps));
    const arrivals = new Map<number, number>();
    for (const [thread, { own, wide }] of this.arrivedIn(told)) {
      const until = this.trace.threads[thread]?.ctaId === cta ? latest(own, wide) : isWide ? wide : undefined;
      if (until !== undefined) arrivals.set(thread, until);
    }
    const ctas = this.ctasOf([...threadsOf(steps), ...arrivals.keys()]);
    return { ...NOTHING, arrivals, waiters: behind(steps), told, ctas };
  }

  private ctasOf(threads: Iterable<number>): ReadonlySet<number> {
    return new Set([...threads].map((thread) => this.trace.threads[thread]?.ctaId ?? -1));
  }
}

const threadsOf = (steps: readonly Step[]): readonly number[] => steps.map(({ thread }) => thread);

/** What is kept of a phase, by thread. */
function mapIn<T>(phases: Map<string, Map<number, T>>, { object, phase }: Phase): Map<number, T> {
  const known = phases.get(`${object} ${phase}`) ?? new Map<number, T>();
  phases.set(`${object} ${phase}`, known);
  return known;
}

/** The later of two steps, if there are any. */
const latest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b);

const byThread = (steps: readonly Step[]): Steps => new Map(steps.map(({ thread, position }) => [thread, position]));

const behind = (steps: readonly Step[]): Steps => new Map(steps.map(({ thread, position }) => [thread, position + 1]));
