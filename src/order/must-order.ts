import type { Span } from '../diagnostics/source.js';
import type { ComesLast } from '../follow/comes-last.js';
import type { Halt } from '../follow/halts.js';
import { TWO_WARPS } from '../follow/pair-steps.js';
import type { FollowedThread, Results, Step, Synchronization, Trace } from '../follow/trace.js';
import type { AwaitedGroups } from './awaited-groups.js';
import type { Before } from './before.js';
import { BeforeAccesses } from './before-accesses.js';
import type { Clock } from './clocks.js';
import { ExclusiveWays } from './exclusive-ways.js';
import type { Remote } from './exits.js';
import { GridStarts } from './grid-starts.js';
import { END, everywhere, Knowledge, type Known } from './knowledge.js';
import { Locks } from './locks.js';
import { MbarrierPhases } from './mbarrier-phases.js';
import type { Orders } from './orders.js';
import { PairsOfCtas } from './pairs-of-ctas.js';
import { ProxyFences } from './proxy-fences.js';
import type { Claims } from './recheck-links.js';
import { TensorOrder } from './tensor-order.js';
import { type BrokenRule, TensorRules } from './tensor-rules.js';
import { Variables } from './variables.js';
import type { OrderEdge } from './whole-run.js';

type Instance = Extract<Synchronization, { readonly barrier: string }>;

/**
 * What happens before what in every execution, as far as barriers, mbarriers and the order of grids say so: by access,
 * what is before it.
 */
export class MustOrder {
  private readonly knowledge: Knowledge;
  private readonly phases: MbarrierPhases;
  private readonly variables: Orders;
  private readonly tensors: TensorOrder | undefined;
  private readonly rules: TensorRules | undefined;
  /** By launches that are complete: their clocks. */
  private readonly ends = new Map<string, Clock>();
  /** By launch, and by thread that has waited for it: the launches that are complete. */
  private readonly completed = { launches: new Map<number, Set<number>>(), threads: new Map<number, Set<number>>() };
  /** By barrier: who waits at the last instance, and at those on ways behind it. */
  private readonly lastOf = new Map<string, readonly (readonly Step[])[]>();
  private readonly ways: ExclusiveWays;
  private readonly pairs: PairsOfCtas;
  private readonly starts: GridStarts;
  private readonly hasTriggers: boolean;
  private readonly fences: ProxyFences;
  private readonly before: BeforeAccesses;
  /** What other operations may complete in other executions. */
  unforced: { readonly span: Span; readonly what: string } | undefined;

  constructor(
    private readonly trace: Trace,
    ordersOf: (knowledge: Knowledge, trace: Trace) => Orders = (...of) => new Variables(...of, new Locks(trace)),
    /** What may be in order in the run itself is asked for, not what is in every execution. */
    isOfRun = false,
  ) {
    this.knowledge = new Knowledge(trace);
    this.ways = new ExclusiveWays(trace);
    this.pairs = new PairsOfCtas(trace);
    this.starts = new GridStarts(this.knowledge, trace);
    this.hasTriggers = trace.synchronizations.some(({ kind }) => kind === 'grid-trigger');
    this.fences = new ProxyFences(this.knowledge, this.pairs, isOfRun);
    this.phases = new MbarrierPhases(this.knowledge, trace.objects);
    this.variables = ordersOf(this.knowledge, trace);
    this.tensors = trace.tensors.size === 0 ? undefined : new TensorOrder(trace, this.knowledge);
    this.rules = this.tensors && new TensorRules(trace, this.tensors);
    const { knowledge, variables, tensors, pairs, completed, fences } = this;
    this.before = new BeforeAccesses(trace, { knowledge, variables, tensors, pairs, completed, fences });
  }

  /** Atomics of which one comes last in each execution: what follows differs with which one. */
  get oneIsLast(): readonly ComesLast[] {
    return this.variables.oneIsLast;
  }

  /** A word of which it matters, and is open, in which order its atomics come. */
  get openWord(): string | undefined {
    return this.variables.openWord;
  }

  /** What may be found in words, where that decides what a thread does. */
  get mayFind(): Results {
    return this.variables.mayFind;
  }

  /** For which other clusters threads wait. */
  get awaited(): AwaitedGroups {
    return this.variables.awaited;
  }

  /** Kinds of edges that order accesses to tensor memory, and those of pairs of CTAs. */
  get edges(): readonly OrderEdge[] {
    return [...(this.tensors?.edges ?? []), ...this.pairs.edges, ...this.starts.edges];
  }

  /** Whether two accesses to tensor memory may be in some order that is not known here. */
  mayBeOrdered(first: number, second: number): boolean {
    return this.trace.tensors.has(second) && this.tensors?.mayBeOrdered(first, second) === true;
  }

  /** What the run does to tensor memory that is undefined, if nothing orders more than is known here. */
  get brokenRules(): readonly BrokenRule[] {
    return this.rules?.broken ?? [];
  }

  /** Operations on mbarriers that are not known to come after the init. */
  get beforeInit(): MbarrierPhases['beforeInit'] {
    return this.phases.beforeInit;
  }

  /** Arrivals at mbarriers that nothing orders before the end of these. */
  get afterEnd(): MbarrierPhases['afterEnd'] {
    return this.phases.afterEnd;
  }

  /** By the read of a poll, the writes of which it finds those of one case. */
  get claims(): Claims {
    return this.variables.claims;
  }

  /** Goes through the run, and calls for each access with what is before it. */
  replay(of: (row: number, before: Before) => void): void {
    const { accesses, synchronizations } = this.trace;
    let next = 0;
    for (let row = 0; row <= accesses.count; row++) {
      for (let one = synchronizations[next]; one !== undefined && one.row === row; one = synchronizations[next]) {
        this.synchronize(one);
        this.tensors?.synchronize(one);
        if (one.kind === 'relinquish') this.rules?.relinquish(one.step);
        next += 1;
      }
      if (row === accesses.count) break;
      this.variables.access(row);
      if (this.trace.tensors.has(row)) this.rules?.access(row);
      of(row, this.before.of(row));
    }
    this.variables.finish();
    this.unforced ??= this.variables.unforced;
    for (const one of this.trace.incomplete) this.mustBeForced({ ...one, waiters: [] });
    const span = this.phases.finish();
    if (span !== undefined) this.unforced ??= { span, what: 'the phase may be complete in another execution' };
  }

  /** The first thread that waits for ever in this run, and may go on in another execution, or in none of its ways. */
  get doubtfulHalt(): Halt | undefined {
    const { halts, results } = this.trace;
    return halts.find(({ step, awaited }) => {
      if (results.size > 0) return true;
      if (awaited?.kind === 'phase') return !this.phases.isDue(awaited, step);
      // Only what the run has may complete a barrier, which must be forced, or end a wait.
      return awaited?.kind !== 'barrier' && awaited?.values?.every((value) => awaited.ends(value) === false) !== true;
    });
  }

  /** Whether a thread of the CTA whose memory it is knows of something, when it exits, that it is over. */
  isOver({ owner, step, what }: Remote): boolean {
    const { knowledge } = this;
    const isKnown = (clock: Clock): boolean => {
      if (what.row !== undefined) return this.before.isComplete(clock, what.row);
      if (knowledge.phases(clock, what.object) > what.phase) return true;
      // What is done by an asynchronous operation is not over when that is issued.
      return !what.isAsync && knowledge.steps(clock, step.thread) > step.position;
    };
    const { clocks, steps } = knowledge.atEnd('ctaId', owner);
    // What a thread of it has found there is over.
    const isFound = ({ row }: typeof what): boolean =>
      row !== undefined && steps.some((end) => this.variables.isObserved(row, end, knowledge.at(end).clock));
    return [...clocks].some(isKnown) || isFound(what);
  }

  /** Whether it is known where something is done that the CTA whose memory it is has started. */
  hasStarted({ owner, step }: Remote): boolean {
    return this.knowledge.hasStarted('ctaId', owner, step);
  }

  /** Whether all who may access some memory know, as far as they are followed, that an access of it is over. */
  isKnownToAll(row: number): boolean {
    const { owners, pieces, accesses } = this.trace;
    const { clusterId } = this.knowledge.thread(accesses.threads.at(row));
    const piece = accesses.pieces.at(row);
    if (owners[piece] === undefined) return pieces[piece]?.object.owner !== undefined;
    const { clocks, steps } = this.knowledge.atEnd('clusterId', clusterId);
    return steps.length === 1 || [...clocks].every((clock) => this.before.isComplete(clock, row));
  }

  private synchronize(one: Synchronization): void {
    switch (one.kind) {
      case 'grid-start':
        if (one.after.length > 0) this.begin(one.launch, one.after);
        if (one.launchedBy.length > 0) this.starts.begin(one.launch, one.launchedBy);
        if (one.launchedBy.length > 0) this.variables.begin?.(one.launch, one.launchedBy);
        return;
      case 'grid-trigger':
        for (const step of one.steps) {
          this.starts.trigger(step);
          this.variables.trigger?.(step);
        }
        return;
      case 'grid-wait': {
        const clock = this.endOf(one.after);
        for (const waiter of one.waiters) {
          this.knowledge.advance(waiter, everywhere(clock));
          this.complete(this.completed.threads, waiter.thread, one.after);
        }
        return;
      }
      case 'mbarrier':
        this.phases.step(one);
        if (this.phases.unforced !== undefined) this.unforced ??= { span: one.span, what: this.phases.unforced };
        return;
      case 'fence':
        for (const step of one.steps) {
          this.variables.fence(step, one.scope, one.releases, one.acquires, one.isSequential);
          if (one.scope !== undefined) this.phases.fence(step, one.scope, one.releases, one.acquires);
          if (one.releases && this.hasTriggers) this.starts.fence(step, one.scope);
        }
        return;
      case 'matrix-group':
        return this.phases.told(one);
      case 'init-fence':
        return this.phases.fencedInits(one);
      case 'poll':
        return this.variables.poll(one);
      case 'take':
      case 'tensor-fence':
      case 'relinquish':
        return;
      case 'pair-step':
        return this.mustComeInTurn(one);
      case 'way':
        return this.beginWay(this.knowledge.thread(one.thread));
      case 'way-end':
        return this.endWays(one.threads, one.behind);
      case 'last':
        return this.variables.last(one);
      case 'election':
        return this.knowledge.advance(one.step, this.knowledge.ofAll(one.lanes));
      case 'proxy-fence':
      case 'proxy-release':
      case 'proxy-acquire':
        return this.fences.fence(one);
      default:
        return this.meet(one);
    }
  }

  /** A thread begins a way behind what it has done. */
  private beginWay(thread: FollowedThread): void {
    if (thread.way === undefined) return;
    this.knowledge.advance({ thread: thread.id, position: 0 }, this.knowledge.before(thread.way.of));
    this.variables.way(thread);
  }

  /** A thread goes on behind its ways: it knows what it knows on each of them, and comes after what is done there. */
  private endWays(threads: readonly number[], behind: Step): void {
    const { knowledge } = this;
    const ends = threads.map((thread): Step => ({ thread, position: END }));
    const [first = knowledge.nothing, ...others] = ends.map((end) => knowledge.at(end));
    const onEach = others.reduce((all, known) => knowledge.meet(all, known), first);
    knowledge.advance(behind, { ...onEach, clock: knowledge.withSteps(onEach.clock, ends) });
  }

  private meet(one: Instance): void {
    if (one.kind === 'cta-barrier') this.mustBeForced(one);
    if (!this.ways.areOnOneWay(one.arrivals))
      this.unforced ??= { span: one.span, what: 'a barrier to which not all come on the same way' };
    const { knowledge } = this;
    /** What is behind fences is of use only to threads of the same CTA. */
    const fenced = knowledge.byCta(one.arrivals);
    const all = [...fenced.values()].reduce((a, b) => knowledge.join(a, knowledge.beyondCta(b)), knowledge.nothing);
    const { happened, pairs } = all;
    const clock = knowledge.withSteps(all.clock, one.arrivals);
    const behind = new Map<number, Known>();
    for (const [cta, known] of fenced) behind.set(cta, { ...known, clock, happened, pairs });
    const beside = { ...knowledge.nothing, clock, happened, pairs };
    for (const waiter of one.waiters)
      knowledge.advance(waiter, behind.get(knowledge.thread(waiter.thread).ctaId) ?? beside);
  }

  /** All arrivals at the next instance come after a thread that this one has let go on. */
  private mustBeForced({ barrier, arrivals, waiters, span }: Omit<Instance, 'kind' | 'row'>): void {
    const all = this.lastOf.get(barrier) ?? [];
    const [first] = arrivals;
    const isOnWay = first !== undefined && this.knowledge.thread(first.thread).way !== undefined;
    this.lastOf.set(barrier, isOnWay ? [...all, waiters] : [waiters]);
    const isApart = ([other]: readonly Step[]): boolean =>
      first !== undefined && other !== undefined && this.ways.areExclusive(first.thread, other.thread);
    if (!all.every((last) => isApart(last) || this.areBehind(arrivals, last)))
      this.unforced ??= { span, what: 'other arrivals may complete this barrier' };
  }

  /** The warps of a CTA do what needs the other CTA of their pair one after the other. */
  private mustComeInTurn({ steps, span }: Extract<Synchronization, { readonly kind: 'pair-step' }>): void {
    const { ctaId } = this.knowledge.thread(steps[0]?.thread ?? -1);
    const last = this.lastOf.get(`pair ${ctaId}`) ?? [];
    this.lastOf.set(`pair ${ctaId}`, [steps.map(({ thread, position }) => ({ thread, position: position + 1 }))]);
    if (!last.every((before) => this.areBehind(steps, before))) this.unforced ??= { span, what: TWO_WARPS };
  }

  /** Whether all of some steps come after one that a barrier has let go on. */
  private areBehind(steps: readonly Step[], waiters: readonly Step[]): boolean {
    const released = new Map(waiters.map(({ thread, position }) => [thread, position]));
    return steps.every((step) => {
      const own = released.get(step.thread);
      if (own !== undefined && own <= step.position) return true;
      const { clock } = this.knowledge.at(step);
      return waiters.some((waiter) => this.knowledge.steps(clock, waiter.thread) >= waiter.position);
    });
  }

  /** All that grids have done is before what the threads of another do, whatever proxies they use. */
  private begin(launch: number, after: readonly number[]): void {
    const known = everywhere(this.endOf(after));
    this.complete(this.completed.launches, launch, after);
    for (const { id, launch: of } of this.trace.threads)
      if (of === launch) this.knowledge.advance({ thread: id, position: 0 }, known);
  }

  /** Launches are complete, and so are those that were before they began. */
  private complete(completed: Map<number, Set<number>>, of: number, launches: readonly number[]): void {
    const all = completed.get(of) ?? new Set();
    completed.set(of, all);
    for (const one of launches) for (const each of [one, ...(this.completed.launches.get(one) ?? [])]) all.add(each);
  }

  /** All that some grids have done, and what was before it. */
  private endOf(launches: readonly number[]): Clock {
    const key = launches.join();
    const known = this.ends.get(key);
    if (known !== undefined) return known;
    const { knowledge } = this;
    let { clock } = knowledge.nothing;
    const own = this.trace.threads.filter((one) => launches.includes(one.launch));
    for (const { id, way } of own)
      if (way === undefined) clock = knowledge.joinClocks(clock, knowledge.at({ thread: id, position: END }).clock);
    clock = knowledge.withAll(clock, new Set(own.map(({ ctaId }) => ctaId)), END);
    this.ends.set(key, clock);
    return clock;
  }
}
