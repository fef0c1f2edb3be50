import type { Span } from '../diagnostics/source.js';
import { kindOf, rowsTouching, type Step, type Synchronization, type Trace, threadOf } from '../follow/trace.js';
import type { PollStep, TakeStep } from '../follow/wait-steps.js';
import { groupBy } from '../program/group-by.js';
import { initialValue } from '../program/locations.js';
import type { Scope } from '../program/placement.js';
import { type Change, changed } from './reachable-values.js';
import { holdEachOther, holds } from './scopes.js';
import { ticketLockAt } from './ticket-locks.js';

/** From where a thread has a lock to where it gives it back, and what of that others are behind in any order. */
interface Section {
  readonly lock: Lock;
  readonly thread: number;
  readonly taken: number;
  readonly left: number;
  /** What comes at these positions is behind what an earlier section has released, and released to a later one. */
  from: number;
  to: number;
}

/** Where a thread is covered by a section: who has the lock, or one that comes to barriers of the CTA with that. */
interface Covered {
  readonly section: Section;
  readonly from: number;
  readonly to: number;
}

/** A word that threads take, one after the other, and give back. */
interface Lock {
  readonly span: Span;
  readonly sections: Section[];
  /** Its accesses that take it, look whether it is free, or give it back. */
  readonly rows: Set<number>;
}

type Place = readonly [piece: number, start: number, size: number, range: number];

/**
 * Locks: words that threads take by an atomic that finds them free, and give back before another one takes them. The
 * sections in between come in some order in every execution. Where each begins with an acquire pattern and ends with a
 * release pattern, what is done in one is before what is done in another, or behind it.
 */
export class Locks {
  private readonly locks = new Map<string, Lock>();
  private readonly ofThread = new Map<number, Covered[]>();
  /** The reads by which threads find that they have their turn. */
  private readonly turns = new Set<number>();
  /** Threads that wait for others than those of their CTA at a barrier. */
  private readonly waiters: ReadonlySet<number>;
  /** What is not so. */
  unforced: { readonly span: Span; readonly what: string } | undefined;

  constructor(private readonly trace: Trace) {
    const takes = trace.synchronizations.filter((one): one is TakeStep => one.kind === 'take');
    const polls = trace.synchronizations.flatMap((one) =>
      one.kind === 'poll' && one.after !== undefined ? [one] : [],
    );
    for (const take of takes) {
      const key = this.placeOf(take.read).join(' ');
      if (!this.locks.has(key)) this.locks.set(key, { span: take.span, sections: [], rows: new Set() });
    }
    const isNone = takes.length === 0 && polls.length === 0;
    this.waiters = new Set(isNone ? [] : trace.synchronizations.flatMap(waitersAt));
    if (isNone) return;
    for (const [key, lock] of this.locks) {
      const what = this.readLock(lock, key.split(' ').map(Number) as unknown as Place, takes);
      if (what === undefined) continue;
      this.unforced ??= { span: lock.span, what };
      lock.rows.clear();
      lock.sections.length = 0;
    }
    for (const [key, own] of groupBy(polls, ({ read }) => this.placeOf(read).join(' '))) this.readTickets(key, own);
    this.findPatterns();
  }

  /** Whether a wait of a thread is for its ticket, and ends when the thread before has had its turn. */
  isTurn(read: number): boolean {
    return this.turns.has(read);
  }

  /** Whether two accesses are of those by which threads take a lock and give it back. */
  areOfLock(a: number, b: number): boolean {
    return [...this.locks.values()].some(({ rows }) => rows.has(a) && rows.has(b));
  }

  /** Whether an access is of a word that is a lock. */
  isOfLock(row: number): boolean {
    if (this.locks.size === 0) return false;
    const [piece, start, size] = this.placeOf(row);
    return [...this.locks.keys()].some((key) => {
      const [of, from = 0, bytes = 0] = key.split(' ').map(Number);
      return of === piece && from < start + size && start < from + bytes;
    });
  }

  /** Whether one of two accesses comes before the other in every execution, since both have a lock. */
  exclude(a: number, b: number): boolean {
    if (this.locks.size === 0) return false;
    const [first, second] = [this.sectionsAt(a), this.sectionsAt(b)];
    const areApart = (one: Section, other: Section): boolean => one !== other && one.lock === other.lock;
    return first.some((one) => second.some((other) => areApart(one.section, other.section)));
  }

  /** Takes the turns of a ticket lock for its sections. */
  private readTickets(key: string, polls: readonly PollStep[]): void {
    const tickets = this.locks.has(key) ? undefined : ticketLockAt(this.trace, polls);
    const [first] = polls;
    if (tickets === undefined || first === undefined) return;
    const lock: Lock = { span: first.span, sections: [], rows: new Set(tickets.rows) };
    for (const { thread, drawn, taken, left } of tickets.turns) {
      const section = sectionOf(lock, { thread, position: taken }, { thread, position: left });
      if (this.waits({ ...section, taken: drawn, left: taken }) || this.waits(section)) return;
      lock.sections.push(section);
    }
    this.locks.set(key, lock);
    for (const { read } of polls) this.turns.add(read);
  }

  private sectionsAt(row: number): readonly Covered[] {
    const { threads, positions } = this.trace.accesses;
    const { tags } = kindOf(this.trace, row);
    if (!tags.has('GEN') || tags.has('ASY')) return [];
    const at = positions.at(row);
    return (this.ofThread.get(threads.at(row)) ?? []).filter(({ from, to }) => from <= at && at < to);
  }

  /** Goes through what is written to a lock; gives what is wrong with it. */
  private readLock(lock: Lock, place: Place, takes: readonly TakeStep[]): string | undefined {
    const { accesses } = this.trace;
    const own = new Map(takes.filter(({ read }) => this.isPlace(read, place)).map((take) => [take.read, take]));
    const isFree = (value: bigint | undefined): boolean =>
      value !== undefined && [...own.values()].every(({ ends }) => ends(value, undefined) === true);
    const isHeld = (value: bigint | undefined): boolean =>
      value !== undefined && [...own.values()].every(({ ends }) => ends(value, undefined) === false);
    const [piece, start, size] = place;
    let holder: Step | undefined;
    const object = this.trace.pieces[piece]?.object;
    let now = object && initialValue(object, start, size);
    /** What is there before it is taken, and while somebody has it, if others than plain values are put there. */
    const [free, held] = [new Set<bigint | undefined>(), new Set<bigint | undefined>()];
    let isRelative = false;
    for (const row of rowsTouching(this.trace, piece, start, size)) {
      const kind = kindOf(this.trace, row);
      const { writes, isPoll, change, isPossible } = kind;
      const take = own.get(row);
      const step = { thread: accesses.threads.at(row), position: accesses.positions.at(row) };
      if (!writes) {
        if (isPoll && this.isPlace(row, place)) lock.rows.add(row);
        continue;
      }
      if (!this.isPlace(row, place)) return 'others access parts of this lock';
      if (isPossible) return 'this lock is written in some executions only';
      const before = now;
      now = contentsBehind({ kind, value: accesses.values.at(row), bytes: size }, before);
      if (take !== undefined) {
        if (holder !== undefined || !isHeld(now)) return 'this lock may be taken by several';
        if (take.isUsed) return 'what was found in this lock is used';
        free.add(before);
        held.add(now);
        holder = step;
      } else if (holder === undefined && lock.sections.length === 0) continue;
      else if (holder?.thread !== step.thread || !isFree(now))
        return 'others than those who have this lock write to it';
      else {
        lock.sections.push(sectionOf(lock, holder, step));
        free.add(now);
        holder = undefined;
      }
      isRelative ||= change !== 'set';
      lock.rows.add(row);
    }
    const values = [...free, ...held].filter((value) => value !== undefined);
    for (const { endsAmong } of own.values()) {
      if (endsAmong === undefined) continue;
      const ends = endsAmong(values);
      if (ends === undefined || values.some((value) => ends.has(value) !== free.has(value)))
        return 'this lock may be taken by several';
    }
    if (isRelative && (free.size > 1 || held.size > 1)) return 'what is left in this lock depends on what was there';
    if (holder !== undefined && lock.sections.length > 0) return 'this lock is not given back';
    const users = [...lock.rows].map((row) => ({
      scope: kindOf(this.trace, row).scope,
      thread: threadOf(this.trace, row),
    }));
    if (!holdEachOther(users)) return 'those who take this lock are not in the scopes of the others';
    return lock.sections.some((one) => this.waits(one)) ? 'who has this lock waits for something else' : undefined;
  }

  /** Whether a thread waits for others in a section: for more than to meet threads of its CTA, which wait for none. */
  private waits(section: Section): boolean {
    const { thread, taken, left } = section;
    const isInside = (step: Step): boolean => step.thread === thread && taken < step.position && step.position < left;
    const { ctaId } = this.trace.threads[thread] ?? {};
    const isCalm = (): boolean =>
      this.trace.threads.every(({ id, ctaId: of }) => id === thread || of !== ctaId || !this.waiters.has(id));
    return this.trace.synchronizations.some((one) => {
      switch (one.kind) {
        case 'poll':
        case 'take':
          return isInside(one.step);
        case 'mbarrier':
          return one.step === 'wait' && one.steps.some(isInside);
        case 'grid-wait':
        case 'cluster-barrier':
          return one.waiters.some(isInside);
        case 'cta-barrier':
        case 'warp-barrier':
          return (one.arrivals.some(isInside) || one.waiters.some(isInside)) && !isCalm();
        default:
          return false;
      }
    });
  }

  /** Where threads are covered that come behind who has a lock by a barrier, and before that by another one. */
  private mates(section: Section): ReadonlyMap<number, Covered> {
    const { thread, from, to } = section;
    const isInside = (step: Step): boolean => step.thread === thread && from <= step.position && step.position <= to;
    const first = new Map<number, number>();
    const last = new Map<number, number>();
    for (const one of this.trace.synchronizations) {
      if (one.kind !== 'cta-barrier' && one.kind !== 'warp-barrier') continue;
      if (one.arrivals.some(isInside))
        for (const mate of one.waiters) if (!first.has(mate.thread)) first.set(mate.thread, mate.position);
      if (one.waiters.some(isInside)) for (const mate of one.arrivals) last.set(mate.thread, mate.position);
    }
    first.delete(thread);
    return new Map([...first].map(([mate, at]) => [mate, { section, from: at, to: last.get(mate) ?? -1 }]));
  }

  /** Finds release and acquire patterns of the sections (PTX ISA 8.8); where one has none, the lock orders nothing. */
  private findPatterns(): void {
    const fences = this.trace.synchronizations.flatMap((one) => (one.kind === 'fence' ? [one] : []));
    for (const lock of this.locks.values()) {
      const users = new Set([...lock.rows].map((row) => threadOf(this.trace, row)));
      const isForAll = (scope: Scope | undefined, thread: number): boolean => {
        const own = this.trace.threads[thread];
        return scope !== undefined && own !== undefined && [...users].every((one) => holds(scope, own, one));
      };
      const byStep = new Map(
        [...lock.rows].flatMap((row) =>
          kindOf(this.trace, row).writes || this.turns.has(row)
            ? [[this.keyOf(row), kindOf(this.trace, row)] as const]
            : [],
        ),
      );
      for (const section of lock.sections) {
        const { thread, taken, left } = section;
        const [take, leave] = [byStep.get(`${thread} ${taken}`), byStep.get(`${thread} ${left}`)];
        const inside = fences.flatMap(({ steps, scope, releases, acquires }) =>
          steps.flatMap(({ thread: of, position }) =>
            of === thread && taken < position && position < left && isForAll(scope, thread)
              ? [{ position, releases, acquires }]
              : [],
          ),
        );
        const acquires = inside.find((one) => one.acquires)?.position;
        const releases = inside.findLast((one) => one.releases)?.position;
        if (take?.tags.has('ACQ') && isForAll(take.scope, thread)) section.from = taken + 1;
        else if (acquires !== undefined) section.from = acquires + 1;
        if (leave?.tags.has('REL') && isForAll(leave.scope, thread)) section.to = left;
        else if (releases !== undefined) section.to = releases;
      }
      if (lock.sections.every(({ from, to }) => from < Infinity && to >= 0))
        for (const section of lock.sections)
          for (const [thread, covered] of [[section.thread, { ...section, section }] as const, ...this.mates(section)])
            this.ofThread.set(thread, [...(this.ofThread.get(thread) ?? []), covered]);
    }
  }

  private keyOf(row: number): string {
    return `${this.trace.accesses.threads.at(row)} ${this.trace.accesses.positions.at(row)}`;
  }

  private placeOf(row: number): Place {
    const { pieces, starts, sizes, ranges } = this.trace.accesses;
    return [pieces.at(row), starts.at(row), sizes.at(row), ranges.at(row)];
  }

  private isPlace(row: number, place: Place): boolean {
    return this.placeOf(row).every((of, i) => of === place[i]);
  }
}

/** What is in a word behind an access. */
const contentsBehind = (change: Change, before: bigint | undefined): bigint | undefined =>
  change.kind.change === 'set' ? change.value : before === undefined ? undefined : changed(before, change);

const sectionOf = (lock: Lock, { thread, position: taken }: Step, { position: left }: Step): Section => ({
  ...{ lock, thread, taken, left, from: Infinity, to: -1 },
});

/** Who waits for something, but to meet threads of the CTA. */
function waitersAt(one: Synchronization): readonly number[] {
  const steps =
    one.kind === 'poll' || one.kind === 'take'
      ? [one.step]
      : one.kind === 'grid-wait' || one.kind === 'cluster-barrier'
        ? one.waiters
        : one.kind === 'mbarrier' && one.step === 'wait'
          ? one.steps
          : [];
  return steps.map(({ thread }) => thread);
}
