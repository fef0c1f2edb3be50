import { COVERS_GLOBAL, COVERS_SHARED, isCovered, knows } from './clock.js';
import type { Segment } from './memory.js';
import type { Instruction } from './module.js';
import { type Actor, isMutual, type Scope, type Thread, WEAK } from './threads.js';

/** What a thread or a copy has done to bytes of a segment. */
export interface Access {
  readonly component: number;
  epoch: number;
  readonly thread: Thread;
  readonly start: number;
  readonly size: number;
  readonly writes: boolean;
  readonly scope: Scope;
  readonly isAsyncProxy: boolean;
  readonly way: Way;
  readonly at: Instruction;
  /** A strong write whose value is there, or atomics alone have made another one of it. */
  isThere: boolean;
  /** Strong reads that have found it, or what atomics have made of it: it comes before what follows them (8.9.5). */
  observers: { readonly component: number; readonly epoch: number }[];
}

/** How memory is accessed: as ever, as an mbarrier, or through the path for constant data. */
export type Way = 'plain' | 'mbarrier' | 'nc';

/**
 * Data races of a run (PTX ISA 8.7.1). Of each word all accesses are kept, of a thread the last one by each
 * instruction: an earlier one is ordered before whatever that one is ordered before.
 */
export class Detector {
  /** Pairs of instructions, each as two numbers of instructions in one. */
  readonly races = new Map<string, Race>();
  /** Told of what is undefined and yet ends nothing. */
  onUndefined: (rule: string, at: Instruction) => void = () => {};

  access(actor: Actor, segment: Segment, start: number, size: number, what: What, at: Instruction): void {
    const last = (start + size - 1) >> 3;
    for (let cell = start >> 3; cell <= last; cell++) {
      const from = Math.max(start, cell << 3);
      const to = Math.min(start + size, (cell + 1) << 3);
      this.accessWord(actor, segment, cell, from, to - from, what, at);
    }
  }

  private accessWord(
    actor: Actor,
    segment: Segment,
    cell: number,
    start: number,
    size: number,
    what: What,
    at: Instruction,
  ): void {
    let known = segment.cells[cell];
    if (known === undefined) {
      known = [];
      segment.cells[cell] = known;
    }
    let own: Access | undefined;
    const isOfMbarrier = what.way === 'mbarrier';
    for (let i = 0; i < known.length; i++) {
      const other = known[i]!;
      if (other.component === actor.component) {
        if (other.at === at && other.start === start && other.size === size && other.writes === what.writes) {
          own = other;
          // An access of the thread itself comes before; two copies of a stream need not be ordered.
          if (other.epoch === actor.epoch || actor.thread === actor) continue;
        }
        if (other.epoch === actor.epoch) continue;
      } else if (isOfMbarrier && other.way === 'mbarrier') {
        continue;
      }
      if (!other.writes && !what.writes) continue;
      if (other.start >= start + size || start >= other.start + other.size) continue;
      this.meet(other, actor, segment, start, size, what, at);
    }
    if (what.way === 'plain') this.observe(known, actor, start, size, what);
    const isThere = what.writes && what.scope !== WEAK;
    if (own !== undefined) {
      own.epoch = actor.epoch;
      own.isThere = isThere;
      own.observers = [];
      return;
    }
    const { component, epoch, thread, isAsyncProxy } = actor;
    const { writes, scope, way } = what;
    known.push({ component, epoch, thread, start, size, writes, scope, isAsyncProxy, way, at, isThere, observers: [] });
  }

  /** A strong read observes the writes whose value it finds (8.9.2); a write that is no atomic ends what is there. */
  private observe(known: readonly Access[], actor: Actor, start: number, size: number, what: What): void {
    const { component, epoch } = actor;
    const isUpdate = what.isUpdate === true;
    for (const other of known) {
      if (!other.isThere || other.start >= start + size || start >= other.start + other.size) continue;
      const isStrong =
        what.scope !== WEAK &&
        other.start === start &&
        other.size === size &&
        other.isAsyncProxy === actor.isAsyncProxy &&
        isMutual(other.thread, other.scope, actor.thread, what.scope);
      if (what.writes && !(isUpdate && isStrong)) other.isThere = false;
      else if (isStrong) other.observers.push({ component, epoch });
    }
  }

  /** Two accesses that conflict, the other one first in this run. */
  private meet(
    other: Access,
    actor: Actor,
    segment: Segment,
    start: number,
    size: number,
    { scope, way }: What,
    at: Instruction,
  ): void {
    if ((way === 'nc' || other.way === 'nc') && other.thread.launch === actor.thread.launch)
      this.onUndefined('nc-read-of-written-location', way === 'nc' ? at : other.at);
    if (way === 'mbarrier' && other.way === 'mbarrier') return;
    const isObserved = other.observers.some(
      ({ component, epoch }) => component === actor.component || knows(actor.clock, component, epoch),
    );
    const isOrdered = isObserved || knows(actor.clock, other.component, other.epoch);
    if (isOrdered) {
      if (other.isAsyncProxy || !actor.isAsyncProxy) return;
      const space = segment.cta === undefined ? COVERS_GLOBAL : COVERS_SHARED + segment.cta.index;
      if (isCovered(actor.covered, space, other.component, other.epoch)) return;
    } else if (
      scope !== WEAK &&
      other.scope !== WEAK &&
      other.start === start &&
      other.size === size &&
      other.isAsyncProxy === actor.isAsyncProxy &&
      isMutual(other.thread, other.scope, actor.thread, scope)
    ) {
      return;
    }
    this.add(other, at, isOrdered, segment);
  }

  private add(other: Access, at: Instruction, isOrdered: boolean, segment: Segment): void {
    const [first, second] = other.at.line <= at.line ? [other.at, at] : [at, other.at];
    const key = `${first.place} ${second.place}`;
    if (!this.races.has(key)) this.races.set(key, { first, second, isProxy: isOrdered, location: segment.name });
  }
}

export interface What {
  readonly writes: boolean;
  /** An atomic, which reads what is there and writes. */
  readonly isUpdate?: boolean;
  readonly scope: Scope;
  readonly way: Way;
}

export interface Race {
  readonly first: Instruction;
  readonly second: Instruction;
  /** Ordered, and yet not across the proxies. */
  readonly isProxy: boolean;
  readonly location: string;
}
