import {
  type AccessKind,
  type FollowedThread,
  kindOf,
  type Step,
  stepOf,
  type Trace,
  threadOf,
} from '../follow/trace.js';
import { goingOf } from '../follow/ways-of-thread.js';
import type { Scope } from '../program/placement.js';
import type { Knowledge, Known } from './knowledge.js';
import { holds } from './scopes.js';
import type { Handed, Write } from './variable-writes.js';

/** What is found: the write of one of these cases, or all atomics of it, one after the other. */
export type Alternatives = readonly (readonly Write[])[];

/** What a thread has found by an access, as far as it knows on its way. */
interface Found {
  readonly read: number;
  readonly alternatives: Alternatives;
}

/** Acquire patterns (PTX ISA 8.8): what threads are behind that have found something. */
export class Acquisitions {
  /** By thread: what it has found, and has not acquired in all scopes. */
  private readonly found = new Map<number, readonly Found[]>();
  /** By access: where what it has found is acquired, and in which scope; for ways that are gone by that. */
  private readonly acquiredAt = new Map<number, { readonly scope: Scope; readonly step: Step }[]>();
  /** By alternatives, and by scope and CTA: what one knows there in any case. */
  private readonly known = new WeakMap<Alternatives, Map<string, Known>>();
  private isOnOneGpu: boolean | undefined;

  constructor(
    private readonly knowledge: Knowledge,
    private readonly trace: Trace,
  ) {}

  /** A thread has found something by an access, which may acquire. */
  find(read: number, alternatives: Alternatives): void {
    const { tags, scope }: AccessKind = kindOf(this.trace, read);
    if (tags.has('RED')) return;
    const step = stepOf(this.trace, read);
    if (tags.has('ACQ') && scope !== undefined)
      this.acquire(read, step, { ...step, position: step.position + 1 }, alternatives, scope);
    this.found.set(step.thread, [...(this.found.get(step.thread) ?? []), { read, alternatives }]);
  }

  /** A thread begins as one that has found something by an access, whoever makes that. */
  findAs(begin: Step, read: number, alternatives: Alternatives): void {
    const { tags, scope }: AccessKind = kindOf(this.trace, read);
    if (tags.has('RED')) return;
    if (tags.has('ACQ') && scope !== undefined) this.acquire(read, begin, begin, alternatives, scope);
    this.found.set(begin.thread, [{ read, alternatives }]);
  }

  /** A thread executes a fence that acquires. */
  fence(step: Step, scope: Scope): void {
    for (const { read, alternatives } of this.found.get(step.thread) ?? [])
      this.acquire(read, step, step, alternatives, scope);
    if (this.isForAll(scope)) this.found.delete(step.thread);
  }

  /** A thread begins a way, where it knows more of what an access has found than that which goes on to it. */
  way(thread: FollowedThread, begun: number, row: number, alternatives: Alternatives): void {
    const inherited = (this.found.get(begun) ?? []).filter(({ read }) => read !== row);
    // Who acquires by a fence has found it itself (PTX ISA 8.8).
    const isOwn = goingOf(this.trace.threads, threadOf(this.trace, row)) === goingOf(this.trace.threads, thread);
    this.found.set(thread.id, isOwn ? [...inherited, { read: row, alternatives }] : inherited);
    const begin = { thread: thread.id, position: 0 };
    const { clock } = this.knowledge.at(begin);
    for (const { scope, step } of this.acquiredAt.get(row) ?? []) {
      const reader = this.knowledge.thread(step.thread);
      if (reader.ctaId === thread.ctaId && this.knowledge.steps(clock, step.thread) > step.position)
        this.knowledge.advance(begin, this.of(alternatives, scope, reader));
    }
  }

  /** What one knows in any case who finds one of several writes, and acquires in a scope. */
  of(alternatives: Alternatives, scope: Scope, reader: FollowedThread): Known {
    const known = this.known.get(alternatives) ?? new Map<string, Known>();
    this.known.set(alternatives, known);
    const key = `${scope} ${reader.ctaId}`;
    const found = known.get(key) ?? this.inAnyOf(alternatives, scope, reader);
    known.set(key, found);
    return found;
  }

  private inAnyOf(alternatives: Alternatives, scope: Scope, reader: FollowedThread): Known {
    const { knowledge } = this;
    const each = alternatives.map((writes) =>
      writes
        .flatMap(({ handed }) => handed)
        .filter((one) => holds(one.scope, one.thread, reader) && holds(scope, reader, one.thread))
        .reduce((all, one) => knowledge.join(all, this.knownTo(reader, one)), knowledge.nothing),
    );
    return each.length === 0 ? knowledge.nothing : each.reduce((all, one) => knowledge.meet(all, one));
  }

  private acquire(read: number, step: Step, behind: Step, alternatives: Alternatives, scope: Scope): void {
    this.knowledge.advance(behind, this.of(alternatives, scope, this.knowledge.thread(step.thread)));
    if (this.trace.results.size === 0) return;
    this.acquiredAt.set(read, [...(this.acquiredAt.get(read) ?? []), { scope, step }]);
  }

  /** A fence of the async proxy is of use in its own CTA, or pair of CTAs, only (PTX ISA 8.9.5). */
  private knownTo({ ctaId }: FollowedThread, { thread, known }: Handed): Known {
    return thread.ctaId === ctaId ? known : this.knowledge.beyondCta(known);
  }

  /** Whether what is acquired in a scope need not be acquired again. */
  private isForAll(scope: Scope): boolean {
    const { threads } = this.trace;
    this.isOnOneGpu ??= threads.every(({ gpu }) => gpu === threads[0]?.gpu);
    return scope === 'sys' || (scope === 'gpu' && this.isOnOneGpu);
  }
}
