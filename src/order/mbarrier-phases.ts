import type { Span } from '../diagnostics/source.js';
import type { FollowedObject, MbarrierSteps, Step, Synchronization, TensorCommit } from '../follow/trace.js';
import { append } from '../program/group-by.js';
import type { Scope } from '../program/placement.js';
import type { Clock } from './clocks.js';
import type { Knowledge, Known } from './knowledge.js';

/** The largest pending count and tx-count (PTX ISA, mbarrier). */
const LARGEST = 2 ** 20 - 1;

/** What arrivals hand on: to threads of their own CTA, by that; to those of others, if their scope holds these too. */
interface Handed {
  readonly own: ReadonlyMap<number, Known>;
  readonly wide: Known;
  /** What its commits tell of to all waits, and to those that acquire. */
  readonly told: Clock;
  readonly toldByAcquire: Clock;
}

/** The same of a phase that is complete, and what has happened by then, whether it is handed on or not. */
interface Complete extends Handed {
  readonly happened: Clock;
  /** Who knows of all of these knows that it is complete; undefined where something asynchronous is among them. */
  readonly done: readonly Step[] | undefined;
}

/** An arrival that may come after the end of its object, since nothing orders them; and that end. */
export interface Late {
  readonly step: Step;
  readonly span: Span;
  readonly end: { readonly step: Step; readonly span: Span };
}

/** What is handed on in a CTA, and beyond it. */
interface ByScope {
  readonly own: Known;
  readonly wide: Known;
}

/** An object as far as the replay has come. */
interface ObjectPhases {
  /** The phase that its init begins; undefined before that. */
  first: number | undefined;
  /** Nothing has initialized it before that. */
  isFirst: boolean;
  isOver: boolean;
  /** How many phases who knows its end knows. */
  ended: number;
  /** What its arrivals hand on, those of earlier phases too. */
  handed: Handed;
  /** What is before something that is done to it, handed on or not; the same of its arrivals. */
  behind: Known;
  arrived: Known;
  /** Nothing has been done to it in the phase at hand. */
  isFresh: boolean;
  /** By complete phase: what was handed on by then. */
  readonly complete: Map<number, Complete>;
  /** By phase: those that have found it complete. */
  readonly waits: Map<number, Step[]>;
  /** What has been done to it in the phase at hand; undefined if something of that is asynchronous. */
  done: Step[] | undefined;
  /** Arrivals of which nobody takes the result, and since which nothing else has been done, in one phase. */
  tail: { readonly step: Step; readonly span: Span; readonly phase: number }[];
  /** What must not be the last in the phase at hand: it raises a count and does not arrive, or may not complete it. */
  counted: Step[];
  /** Its count, and how far those of the phase at hand may go, in whatever order. */
  count: number;
  most: number;
  /** Arrivals and bytes that are missing; the count of the next phase; where this one was last counted, if it was. */
  pending: number;
  bytes: number;
  next: number;
  last: Span | undefined;
}

/**
 * The phases of mbarrier objects. A phase is the same in every execution if all that is done to the object in it comes
 * after the phase before is complete, and what raises its counts before one of its arrivals; then its counts come to
 * zero with the last of them, and not before. A wait is for the same phase in every execution if it comes after the
 * phase before that is complete, and the next one cannot be complete before it.
 */
export class MbarrierPhases {
  private readonly objects: ObjectPhases[];
  private readonly none: Clock;
  /** By thread: what was before its last fence that releases; what relaxed waits have found since one that acquires. */
  private readonly released = new Map<number, ByScope>();
  private readonly found = new Map<number, ByScope>();
  /** By thread: what it has initialized. */
  private readonly inits = new Map<
    number,
    { readonly object: number; readonly phase: number; readonly at: number }[]
  >();
  /** What is not so. */
  unforced: string | undefined;
  /** What is done to an object that may not be initialized yet, for the first time. */
  readonly beforeInit: { readonly step: Step; readonly span: Span }[] = [];
  /** What may be done to an object after its end. */
  readonly afterEnd: Late[] = [];

  constructor(
    private readonly knowledge: Knowledge,
    objects: readonly FollowedObject[],
  ) {
    this.none = knowledge.nothing.clock;
    this.objects = objects.map(({ declared }) => ({
      ...{ first: declared === undefined ? undefined : 0, isOver: false, ended: 0, isFresh: true, counted: [] },
      ...{ count: declared ?? 0, most: declared ?? 0, isFirst: true, done: [], tail: [] },
      ...{ pending: declared ?? 0, next: declared ?? 0, bytes: 0, last: undefined },
      ...{
        handed: { own: new Map(), wide: knowledge.nothing, told: this.none, toldByAcquire: this.none },
        behind: knowledge.nothing,
        arrived: knowledge.nothing,
        complete: new Map(),
        waits: new Map(),
      },
    }));
  }

  step(entry: MbarrierSteps): void {
    const object = this.objects[entry.object];
    if (object === undefined) throw new Error(`no mbarrier object ${entry.object}`);
    for (const step of entry.steps) this.one(object, entry, step);
    if (entry.completes) this.complete(object, entry);
  }

  /** Looks at phases that are not complete at the end of the run; the first that may be in another execution. */
  finish(): Span | undefined {
    const doubtful = this.objects.find((one) => one.last !== undefined && !this.isNeverComplete(one));
    return doubtful?.last;
  }

  /** Arrivals are missing, or bytes that are expected before all have arrived. */
  private isNeverComplete({ pending, bytes, counted, arrived }: ObjectPhases): boolean {
    return pending > 0 || (bytes > 0 && counted.every(this.isBefore(arrived)));
  }

  /** Whether who waits at a step for the phase at hand comes behind the phase before. */
  isDue({ object: id, phase }: { readonly object: number; readonly phase: number }, step: Step): boolean {
    const { clock, happened } = this.knowledge.at(step);
    const needed = Math.max(phase, this.objects[id]?.first ?? 0);
    return [clock, happened].some((one) => this.knowledge.phases(one, id) >= needed);
  }

  /** Threads are told that groups of their warpgroup are complete. */
  told({ object, phase, steps, issued }: Extract<Synchronization, { readonly kind: 'matrix-group' }>): void {
    const { knowledge } = this;
    const told = this.withPhases(knowledge.nothing, object, phase + 1);
    // That the warps have issued it is before that, but no data of theirs are.
    const known = new Set(issued.map((step) => knowledge.at(step)).flatMap(({ clock, happened }) => [clock, happened]));
    const all = [...known].reduce((clock, one) => knowledge.joinClocks(clock, one), knowledge.nothing.happened);
    const happened = knowledge.withSteps(all, issued.map(next));
    for (const step of steps) knowledge.advance(next(step), { ...told, happened });
  }

  /** What threads have initialized before a fence of theirs is before what others do, and nothing else of theirs. */
  fencedInits({ fences, waiters }: Extract<Synchronization, { readonly kind: 'init-fence' }>): void {
    let known = this.knowledge.nothing;
    for (const { thread, position } of fences)
      for (const { object, phase, at } of this.inits.get(thread) ?? [])
        if (at < position) known = this.withPhases(known, object, phase);
    for (const waiter of waiters) this.knowledge.advance(waiter, known);
  }

  /** What is before a fence is released by relaxed arrivals behind it; what relaxed waits have found is acquired. */
  fence(step: Step, scope: Scope, releases: boolean, acquires: boolean): void {
    const { knowledge } = this;
    const isWide = scope !== 'cta';
    const found = this.found.get(step.thread);
    if (acquires && found !== undefined) {
      knowledge.advance(step, isWide ? knowledge.join(found.own, found.wide) : found.own);
      if (isWide) this.found.delete(step.thread);
    }
    if (!releases) return;
    const own = knowledge.before(step);
    this.released.set(step.thread, { own, wide: isWide ? own : this.releasedBy(step).wide });
  }

  private releasedBy({ thread }: Step): ByScope {
    const { nothing } = this.knowledge;
    return this.released.get(thread) ?? { own: nothing, wide: nothing };
  }

  private one(object: ObjectPhases, entry: MbarrierSteps, step: Step): void {
    const { knowledge } = this;
    const known = knowledge.at(step);
    if (entry.step === 'init') return this.begin(object, entry, step, known);
    // Before the first phase nothing is to be waited for but the init.
    const needed = Math.max(entry.phase, object.first ?? 0);
    const ended = [known.clock, known.happened].map((clock) => knowledge.phases(clock, entry.object));
    // What arrives in a phase must come after a wait for the one before, besides (9.7.15.16.4).
    const isOfEnd = entry.step === 'inval' && this.areAllKnown(object.complete.get(needed - 1)?.done, step);
    const isEarly = Math.max(...ended) < needed && !isOfEnd;
    this.enter(object, entry, step);
    if (isEarly && !object.isOver && object.isFirst && needed === object.first)
      this.beforeInit.push({ step, span: entry.span });
    if (isEarly || object.isOver)
      this.unforced ??=
        needed === object.first
          ? 'this may come to the mbarrier before it is initialized'
          : 'this may come to the mbarrier before the phase that it comes to here';
    if (entry.isTry) return;
    if (entry.step === 'wait') return this.wait(object, entry, step);
    if (entry.step === 'inval') return this.end(object, entry, step, known);
    const behind = this.knowledge.before(step);
    object.isFresh = false;
    object.behind = knowledge.join(object.behind, behind);
    object.most += Math.max(entry.bytes, 0) + Math.max(entry.pending, 0);
    object.pending += entry.pending;
    object.bytes += entry.bytes;
    object.next += entry.expected;
    object.last = entry.span;
    if (object.most > LARGEST) this.unforced ??= 'a count of the mbarrier may go too far';
    if (entry.noComplete || entry.step === 'expect_tx' || entry.step === 'increment') object.counted.push(step);
    if (entry.step === 'arrive') {
      object.arrived = knowledge.join(object.arrived, behind);
      if (!entry.isAsync) object.handed = this.handedOn(object.handed, entry, step);
      if (entry.commit !== undefined) object.handed = this.toldBy(object.handed, entry.commit);
    }
    if (entry.step === 'complete_tx' && entry.bytes === 0) this.unforced ??= 'a copy of no bytes';
  }

  /** Whether something comes after all of some steps in causality: what has happened before is not ordered by that. */
  private areAllKnown(steps: readonly Step[] | undefined, step: Step): boolean {
    const { clock } = this.knowledge.before(step);
    return steps?.every(({ thread, position }) => this.knowledge.steps(clock, thread) > position) === true;
  }

  /** Keeps what is done to an object; of an arrival whose result nobody takes also that it may be done later. */
  private enter(object: ObjectPhases, entry: MbarrierSteps, step: Step): void {
    if (entry.step === 'inval') return;
    const { isAsync, isUsed, noComplete, expected, commit, phase, span } = entry;
    if (entry.step !== 'wait' && isAsync) object.done = undefined;
    else if (entry.step !== 'wait') object.done?.push(step);
    const isPlain = entry.step === 'arrive' && !isAsync && !isUsed && !noComplete && expected === 0;
    object.tail = object.tail.filter((one) => isPlain && commit === undefined && one.phase === phase);
    if (isPlain && commit === undefined) object.tail.push({ step, span, phase });
  }

  /**
   * An arrival hands on what is before it, if it releases, and what is before the last fence that does, each as far as
   * the scope of that goes. What is behind fences of a proxy is of use only to threads of its CTA.
   */
  private handedOn(handed: Handed, { order, scope }: MbarrierSteps, step: Step): Handed {
    const { knowledge } = this;
    const { ctaId } = knowledge.thread(step.thread);
    const [behind, released] = [knowledge.before(step), this.releasedBy(step)];
    const own = order === 'release' ? behind : released.own;
    const wide = order === 'release' && scope !== 'cta' ? behind : released.wide;
    return {
      ...handed,
      own: new Map(handed.own).set(ctaId, knowledge.join(handed.own.get(ctaId) ?? knowledge.nothing, own)),
      wide: knowledge.join(handed.wide, knowledge.beyondCta(wide)),
    };
  }

  private toldBy(handed: Handed, { object, byAcquire, phase }: TensorCommit): Handed {
    const { knowledge } = this;
    return {
      ...handed,
      told: knowledge.withPhases(handed.told, object, phase + 1),
      toldByAcquire: knowledge.withPhases(handed.toldByAcquire, byAcquire, phase + 1),
    };
  }

  /** An init, of memory that holds no object, or of one that is known to be over. */
  private begin(object: ObjectPhases, { object: id, phase, pending }: MbarrierSteps, step: Step, known: Known): void {
    const { knowledge } = this;
    const isFree = object.first === undefined || (object.isOver && knowledge.phases(known.clock, id) >= object.ended);
    if (!isFree) this.unforced ??= 'an mbarrier that may be initialized while it is in use';
    object.waits.clear();
    object.isFirst = object.first === undefined;
    Object.assign(object, { first: phase, count: pending, most: pending, isOver: false, tail: [], done: [] });
    Object.assign(object, { pending, next: pending, bytes: 0, last: undefined });
    knowledge.advance(next(step), this.withPhases(knowledge.nothing, id, phase));
    append(this.inits, step.thread, { object: id, phase, at: step.position });
  }

  private wait(object: ObjectPhases, { object: id, phase, order, scope }: MbarrierSteps, step: Step): void {
    const { knowledge } = this;
    const waits = object.waits.get(phase) ?? [];
    object.waits.set(phase, waits);
    waits.push(step);
    const handed = object.complete.get(phase);
    if (handed === undefined) return;
    // That the phase is complete is told at any scope.
    const { clock: complete } = this.withPhases(knowledge.nothing, id, phase + 1);
    const commits = order === 'acquire' ? knowledge.joinClocks(handed.told, handed.toldByAcquire) : handed.told;
    const told = { ...knowledge.nothing, clock: knowledge.joinClocks(complete, commits) };
    const inCta = handed.own.get(knowledge.thread(step.thread).ctaId) ?? knowledge.nothing;
    knowledge.advance(next(step), { ...knowledge.nothing, happened: handed.happened });
    const own = knowledge.join(inCta, told);
    if (order === 'acquire') knowledge.advance(next(step), scope === 'cta' ? own : knowledge.join(own, handed.wide));
    if (order === 'acquire' && scope !== 'cta') return;
    const found = this.found.get(step.thread) ?? { own: knowledge.nothing, wide: knowledge.nothing };
    const all = { own: knowledge.join(found.own, own), wide: knowledge.join(found.wide, handed.wide) };
    this.found.set(step.thread, all);
  }

  private complete(object: ObjectPhases, { phase }: MbarrierSteps): void {
    const { knowledge } = this;
    if (!object.counted.every(this.isBefore(object.arrived)))
      this.unforced ??= 'the phase may be complete before something that it is to count';
    if (!(object.waits.get(phase - 1) ?? []).every(this.isBefore(object.behind)))
      this.unforced ??= 'the phase may be complete before a wait for the one before it, which then waits for another';
    Object.assign(object, { counted: [], pending: object.next, bytes: 0, last: undefined });
    object.most = object.count;
    object.isFresh = true;
    object.waits.delete(phase - 1);
    object.complete.delete(phase - 1);
    const { clock, happened } = object.behind;
    const all = knowledge.joinClocks(clock, happened);
    object.complete.set(phase, { ...object.handed, happened: all, done: object.done });
    object.done = [];
  }

  private isBefore({ clock, happened }: Known): (step: Step) => boolean {
    const { knowledge } = this;
    return ({ thread, position }) =>
      knowledge.steps(clock, thread) > position || knowledge.steps(happened, thread) > position;
  }

  /** All that was done to the object is before its end, which counts as one phase more. */
  private end(object: ObjectPhases, { object: id, phase, span }: MbarrierSteps, step: Step, known: Known): void {
    const { knowledge } = this;
    const waits = [...object.waits.values()].flat();
    const isDone = object.isFresh || this.areAllKnown(object.done, step);
    if (!isDone || !waits.every(({ thread, position }) => knowledge.steps(known.clock, thread) > position))
      this.unforced ??= 'the mbarrier may be invalidated before something else is done to it';
    for (const { step: other, span: at } of object.tail)
      if (!this.areAllKnown([other], step) && knowledge.steps(known.happened, other.thread) <= other.position)
        this.afterEnd.push({ step: other, span: at, end: { step, span } });
    Object.assign(object, { isOver: true, ended: phase + 1, tail: [], done: [], last: undefined });
    knowledge.advance(next(step), this.withPhases(knowledge.nothing, id, phase + 1));
  }

  private withPhases(known: Known, object: number, count: number): Known {
    return { ...known, clock: this.knowledge.withPhases(known.clock, object, count) };
  }
}

const next = ({ thread, position }: Step): Step => ({ thread, position: position + 1 });
