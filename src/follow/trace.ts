import type { Span } from '../diagnostics/source.js';
import type { Tag } from '../effects/event-tags.js';
import type { Scope } from '../program/placement.js';
import type { UndefinedRule } from '../program/undefined-rules.js';
import type { Piece } from './memory-image.js';

/** A thread that is followed. */
export interface FollowedThread {
  readonly id: number;
  readonly launch: number;
  readonly cta: number;
  readonly tid: number;
  readonly gpu: number;
  /** Its CTA and its cluster among all that are followed. */
  readonly ctaId: number;
  readonly clusterId: number;
}

/** What accesses by one effect of one statement have in common. */
export interface AccessKind {
  readonly id: number;
  readonly launch: number;
  readonly statement: number;
  readonly span: Span;
  readonly reads: boolean;
  readonly writes: boolean;
  readonly tags: ReadonlySet<Tag>;
  readonly scope: Scope | undefined;
  /** Of a read-modify-write of integers whose result nobody uses: all of one name come to the same in any order. */
  readonly commutes: string | undefined;
}

/** What one thread does wrong, whatever others do. */
export interface Finding {
  readonly rule: UndefinedRule | 'trap' | 'deadlock';
  readonly thread: FollowedThread;
  readonly span: Span;
}

/** A step of a thread: before it is what the thread does at positions below. */
export interface Step {
  readonly thread: number;
  readonly position: number;
}

/** What orders threads in the followed run; `row`: how many accesses were made before. */
export type Synchronization =
  | {
      /** Threads that come together: what is before an arrival is before what comes after a waiter's step. */
      readonly kind: 'cta-barrier' | 'warp-barrier' | 'cluster-barrier';
      readonly row: number;
      /** Which of the barriers; no two instances of one overlap. */
      readonly barrier: string;
      readonly arrivals: readonly Step[];
      readonly waiters: readonly Step[];
      readonly span: Span;
    }
  /** A grid begins, after all of others. */
  | { readonly kind: 'grid-start'; readonly row: number; readonly launch: number; readonly after: readonly number[] }
  /** Threads of a dependent grid have waited for all of others (griddepcontrol.wait). */
  | {
      readonly kind: 'grid-wait';
      readonly row: number;
      readonly waiters: readonly Step[];
      readonly after: readonly number[];
    };

/** A list of numbers that grows. */
export class Column {
  private values = new Uint32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new Uint32Array(2 * this.length);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = value;
  }

  set(index: number, value: number): void {
    this.values[index] = value;
  }

  at(index: number): number {
    return this.values[index] ?? 0;
  }
}

/** All accesses of a followed run, in the order in which it makes them: a row each. */
export class Accesses {
  /** Who makes it, and as what of all that the thread does. */
  readonly threads = new Column();
  readonly positions = new Column();
  /** The step of its thread from which on it is complete: the next, but of asynchronous accesses. */
  readonly ends = new Column();
  readonly kinds = new Column();
  readonly pieces = new Column();
  /** By which name of its memory it is made (an alias has its own). */
  readonly ranges = new Column();
  readonly starts = new Column();
  readonly sizes = new Column();

  get count(): number {
    return this.threads.length;
  }
}

/** One run of all threads, as it was followed. */
export interface Trace {
  readonly threads: readonly FollowedThread[];
  readonly kinds: readonly AccessKind[];
  readonly pieces: readonly Piece[];
  readonly accesses: Accesses;
  readonly synchronizations: readonly Synchronization[];
  readonly findings: readonly Finding[];
  /** A thread has executed a fence, or an access that releases or acquires: that may order more than is said here. */
  readonly hands: boolean;
}
