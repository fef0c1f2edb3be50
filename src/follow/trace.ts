import type { Span } from '../diagnostics/source.js';
import type { MbarrierStep } from '../effects/effect.js';
import type { Tag } from '../effects/event-tags.js';
import { WARP_SIZE } from '../kernel/grid.js';
import type { Arithmetic } from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import type { TensorUse } from '../program/tensor-memory.js';
import type { UndefinedRule } from '../program/undefined-rules.js';
import type { Accesses, UninitializedRead } from './accesses.js';
import type { Choice } from './choices.js';
import type { GridStep } from './grids.js';
import type { Halt, IncompleteBarrier } from './halts.js';
import type { LastStep } from './last-step.js';
import type { Piece } from './memory-image.js';
import type { Growth } from './ticket-growth.js';
import type { PollStep, TakeStep } from './wait-steps.js';
import type { Derived } from './warp.js';

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
  /** It is the lane of its warp that elect.sync takes, in what it does by itself; its number is that of the first. */
  readonly isElected?: boolean;
  /** It does what the last one of several threads does, whichever that is; its number is that of one of them. */
  readonly isLastOfAll?: boolean;
  /** It is another thread, on a way that this goes in some executions. */
  readonly way?: Way;
}

/** What a thread does if what has been found is so: a way of it, which is followed as a thread of its own. */
export interface Way {
  /** The thread, and where it begins this way. */
  readonly of: Step;
  /** The access that has found something; whether a value of that leads to this way. */
  readonly row: number;
  readonly leads: (found: bigint) => boolean;
  /** The vote that decides what the access alone leaves open, and the predicate that it makes here. */
  readonly vote?: { readonly id: number; readonly bit: bigint };
}

/** A thread of a launch, and nobody who goes beside it. */
export const isOfLaunch = ({ isElected, isLastOfAll, way }: FollowedThread): boolean =>
  isElected !== true && isLastOfAll !== true && way === undefined;

/** What is found in words of which it is open what, by the word: all that may be, as far as is known. */
export type Results = ReadonlyMap<string, readonly bigint[]>;

/** A word of memory, in every run. */
export const wordOf = ({ object, owner }: Piece, offset: number): string => `${object.id} ${owner} ${offset}`;

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
  /** What a write makes of what is there and its value: `set`, this value; `same`, what an atomic has found. */
  readonly change: 'set' | 'same' | 'unknown' | Arithmetic;
  /** It is the read of a loop that waits for what it finds. */
  readonly isPoll: boolean;
  /** Some executions have it, and others have not, or have it at others of its bytes. */
  readonly isPossible: boolean;
  /** Where its address is open: the size of its elements, each of which begins at a multiple of that. */
  readonly unit: number | undefined;
}

/** What one thread does wrong, whatever others do. */
export interface Finding {
  readonly rule: UndefinedRule | 'trap' | 'deadlock';
  readonly thread: FollowedThread;
  readonly span: Span;
  /** What may come before it. */
  readonly behind?: { readonly thread: FollowedThread; readonly span: Span };
}

/** An mbarrier object of a followed run, or what tells of the groups of a warpgroup, as it does of phases. */
export interface FollowedObject {
  readonly id: number;
  /** The CTA in whose shared memory it is, among all that are followed. */
  readonly ctaId: number;
  /** Its count, where it is initialized before any thread starts. */
  readonly declared: number | undefined;
}

/** A step of a thread: before it is what the thread does at positions below. */
export interface Step {
  readonly thread: number;
  readonly position: number;
}

/** What orders threads in the followed run; `row`: how many accesses were made before. */
export type Synchronization =
  | {
      /**
       * Threads that come together: what is before an arrival is before what comes after a waiter's step. Of threads
       * that come relaxed to a barrier of their cluster the last fences that release stand for their arrivals.
       */
      readonly kind: 'cta-barrier' | 'warp-barrier' | 'cluster-barrier' | 'cluster-fence' | 'warp-exchange';
      readonly row: number;
      /** Which of the barriers; no two instances of one overlap. */
      readonly barrier: string;
      readonly arrivals: readonly Step[];
      readonly waiters: readonly Step[];
      readonly span: Span;
    }
  | GridStep
  | MbarrierSteps
  /** Lanes execute a memory fence: with a relaxed arrival behind it it releases, behind a relaxed wait it acquires. */
  | {
      readonly kind: 'fence';
      readonly row: number;
      readonly steps: readonly Step[];
      readonly scope: Scope | undefined;
      /** It is a fence.sc. */
      readonly isSequential: boolean;
      readonly releases: boolean;
      readonly acquires: boolean;
      readonly span: Span;
    }
  /** A thread begins a way, as another one; it goes on behind all ways that it may have gone, of which it has one. */
  | { readonly kind: 'way'; readonly row: number; readonly thread: number }
  | { readonly kind: 'way-end'; readonly row: number; readonly threads: readonly number[]; readonly behind: Step }
  /** The lane that elect.sync takes goes its own way: it comes after all that is before every lane of its warp. */
  | { readonly kind: 'election'; readonly row: number; readonly step: Step; readonly lanes: readonly Step[] }
  | LastStep
  /** Threads have waited for groups of matrix products: for that one of their warpgroup, and those before it. */
  | {
      readonly kind: 'matrix-group';
      readonly row: number;
      readonly object: number;
      readonly phase: number;
      readonly steps: readonly Step[];
      /** Where the warps have committed it. */
      readonly issued: readonly Step[];
    }
  /** Threads execute a fence of tcgen05, before what synchronizes them with others, or after it. */
  | {
      readonly kind: 'tensor-fence';
      readonly row: number;
      readonly place: 'before_thread_sync' | 'after_thread_sync';
      readonly steps: readonly Step[];
    }
  /** Of threads that have arrived at a barrier of their cluster: their last fences of what they initialized. */
  | {
      readonly kind: 'init-fence';
      readonly row: number;
      readonly fences: readonly Step[];
      readonly waiters: readonly Step[];
    }
  /** A warp does something together with one of the other CTA of its pair; a CTA allocates no more tensor memory. */
  | { readonly kind: 'pair-step'; readonly row: number; readonly steps: readonly Step[]; readonly span: Span }
  | { readonly kind: 'relinquish'; readonly row: number; readonly step: Step; readonly span: Span }
  | PollStep
  | TakeStep
  /** Lanes execute a fence between the generic and the async proxy, which covers memory in these spaces. */
  | {
      readonly kind: 'proxy-fence';
      readonly row: number;
      readonly steps: readonly Step[];
      readonly spaces: readonly FencedSpace[];
      readonly span: Span;
    }
  /** Fences that release the shared memory of a CTA from the generic to the async proxy, and acquire it there. */
  | {
      readonly kind: 'proxy-release' | 'proxy-acquire';
      readonly row: number;
      readonly steps: readonly Step[];
      readonly span: Span;
    };

/**
 * What is made of the result of an atomic that may be another one in other executions, and what that is in the run: a
 * condition that a thread goes by.
 */
export interface Assumption {
  readonly row: number;
  readonly of: (result: bigint) => bigint | undefined;
  readonly now: bigint;
  /** On some ways it is asked of some results only. */
  readonly isAsked?: (result: bigint) => boolean;
  readonly span: Span;
}

/** A word that atomics count upwards, if nothing else writes it: what it is taken to come to at most. */
export interface Count extends Counted {
  readonly word: string;
  readonly piece: Piece;
  readonly offset: number;
  readonly bytes: number;
  /** Threads draw from it until it ends: in other executions more often than here. */
  readonly isOfQueue?: true;
}

/** How far a word is counted, and of what all that is added is a multiple. */
export interface Counted {
  readonly most: bigint;
  readonly unit: bigint;
}

/** An access whose address is made of what an atomic finds, and grows with that, from an address on. */
export interface TicketedAccess {
  /** The access of the atomic. */
  readonly from: number;
  readonly scale: bigint;
  readonly first: bigint;
  /** If it does not grow evenly. */
  readonly growth: Growth | undefined;
  /** How many bytes it has from there on. */
  readonly bytes: bigint;
}

/** Atomics of a word in the coherence order that a case has: one behind the other, as in its run. */
export interface OrderedAtomics {
  readonly word: string;
  readonly rows: readonly number[];
}

/** Where a fence of the async proxy may have its effect: in the shared memory of its CTA, of others, and in global. */
export const FENCED_SPACES = ['shared', 'remote', 'global'] as const;
export type FencedSpace = (typeof FENCED_SPACES)[number];

/** Lanes do one thing each, and the same, to an mbarrier object, one after the other. */
export interface MbarrierSteps {
  readonly kind: 'mbarrier';
  readonly row: number;
  readonly object: number;
  readonly step: MbarrierStep;
  /** The phase into which it falls; of an init the one that it begins, of a wait the one that it finds complete. */
  readonly phase: number;
  /** The last of them completes the phase. */
  readonly completes: boolean;
  /** What each adds to the pending count, to the tx-count, and to the count of later phases. */
  readonly pending: number;
  readonly bytes: number;
  readonly expected: number;
  /** Of a wait: it may as well find that the phase is not complete, and another one of the thread waits for it. */
  readonly isTry: boolean;
  /** It is done by an asynchronous operation that the step issues. */
  readonly isAsync: boolean;
  /** The commit that arrives, of those of a thread. */
  readonly commit?: TensorCommit | undefined;
  /** It must not complete the phase (.noComplete). */
  readonly noComplete: boolean;
  /** Something reads what it gives. */
  readonly isUsed: boolean;
  readonly order: 'release' | 'acquire' | 'relaxed' | undefined;
  readonly scope: Scope | undefined;
  readonly steps: readonly Step[];
  readonly span: Span;
}

/**
 * A tcgen05.commit of a thread, the so manieth for its CTA group: it tells that what the thread has issued before for
 * that group is complete, and so do later ones.
 */
export interface TensorCommit {
  /** What tells of them as the phases of an mbarrier do: all waits; those that acquire. */
  readonly object: number;
  readonly byAcquire: number;
  readonly phase: number;
}

/** An access to tensor memory. */
export interface TensorRow {
  readonly use: TensorUse;
  /** Which warp makes it, of all. */
  readonly warp: number;
  /** All lanes of the warp make it together. */
  readonly isOfWarp: boolean;
  /** Behind these steps its threads have waited for it (tcgen05.wait). */
  waits: readonly Step[];
  /** The first commit that tells of it. */
  commit: TensorCommit | undefined;
}

/** One run of all threads, as it was followed. */
export interface Trace {
  readonly threads: readonly FollowedThread[];
  readonly kinds: readonly AccessKind[];
  readonly pieces: readonly Piece[];
  /** By piece: the CTA in whose shared memory it is; by CTA: the other one of its pair, if that is there. */
  readonly owners: readonly (number | undefined)[];
  readonly peers: ReadonlyMap<number, number>;
  readonly objects: readonly FollowedObject[];
  readonly accesses: Accesses;
  /** Where threads are that do something together: it comes after what is before all of these steps. */
  readonly issues: readonly (readonly Step[])[];
  readonly synchronizations: readonly Synchronization[];
  readonly assumptions: readonly Assumption[];
  readonly counts: readonly Count[];
  /** What was taken for all that may be found in words. */
  readonly results: Results;
  /** The case that the run is of: all executions that have these atomics in this order. */
  readonly coherence: readonly OrderedAtomics[];
  /** By write: what its value is made of, where that is not known. */
  readonly derived: ReadonlyMap<number, Derived>;
  /** By row: those of accesses whose address is open. */
  readonly tickets: ReadonlyMap<number, TicketedAccess>;
  /** By row: the accesses to tensor memory. */
  readonly tensors: ReadonlyMap<number, TensorRow>;
  /** By row of a load that finds an element of a vector as it was before: that of the store that it does not find. */
  readonly torn: ReadonlyMap<number, number>;
  /** Accesses of copies of which something tells besides what is said to, which may do so earlier. */
  readonly retold: ReadonlySet<number>;
  readonly findings: readonly Finding[];
  readonly halts: readonly Halt[];
  readonly incomplete: readonly IncompleteBarrier[];
  readonly uninitialized: readonly UninitializedRead[];
  /** Where lanes ask which of them are active: in other executions others may be. */
  readonly activeTogether: readonly Span[];
  /** Requests to cancel a CTA, where all are taken to fail (PTX ISA, clusterlaunchcontrol.try_cancel). */
  readonly requests: readonly Span[];
  /** Lanes exchange values, and that is not taken to order memory (docs/decisions/warp-barrier.md). */
  readonly exchanges: boolean;
  readonly choices: readonly Choice[];
  /** A thread has done what may order more than is said here. */
  readonly hands: boolean;
  /** Accesses and fences release or acquire: what they may order is known of the run itself. */
  readonly handsByAccesses: boolean;
  /** Fences order what threads have initialized before, where arrivals are relaxed. */
  readonly fencesInits: boolean;
  /** Strong accesses, or relaxed arrivals at a barrier of a cluster, may order execution, though not causality. */
  readonly observes: boolean;
}

/** What an access of a run is. */
export function kindOf({ kinds, accesses }: Trace, row: number): AccessKind {
  const kind = kinds[accesses.kinds.at(row)];
  if (kind === undefined) throw new Error(`no access ${row}`);
  return kind;
}

/** Whether two accesses have all their bytes in common, or none: where an address is open, it may be so. */
export function areOfSameBytes(trace: Trace, a: number, b: number): boolean {
  const { starts, sizes } = trace.accesses;
  const [one, other] = [kindOf(trace, a).unit, kindOf(trace, b).unit];
  if (one === undefined && other === undefined) return starts.at(a) === starts.at(b) && sizes.at(a) === sizes.at(b);
  const unit = one ?? sizes.at(a);
  return unit === (other ?? sizes.at(b)) && (starts.at(a) - starts.at(b)) % unit === 0;
}

/** All accesses that touch some bytes, by their rows. */
export function rowsTouching({ accesses }: Trace, piece: number, start: number, size: number): readonly number[] {
  const { pieces, starts, sizes } = accesses;
  const rows: number[] = [];
  for (let row = 0; row < accesses.count; row++)
    if (pieces.at(row) === piece && starts.at(row) < start + size && start < starts.at(row) + sizes.at(row))
      rows.push(row);
  return rows;
}

/** To which of these an access of its thread goes. */
export function fencedSpaceOf(trace: Trace, row: number): FencedSpace | undefined {
  const piece = trace.accesses.pieces.at(row);
  const space = trace.pieces[piece]?.object.space;
  if (space === 'global') return space;
  if (space !== 'shared') return undefined;
  const owner = trace.owners[piece];
  return owner === undefined || owner === threadOf(trace, row).ctaId ? 'shared' : 'remote';
}

/** The word of memory at which an access begins. */
export function wordAt({ pieces, accesses }: Trace, row: number): string {
  const piece = pieces[accesses.pieces.at(row)];
  return piece === undefined ? '' : wordOf(piece, accesses.starts.at(row));
}

/** The number of the first thread of its warp. */
export const firstOfWarp = ({ id, tid }: FollowedThread): number => id - (tid % WARP_SIZE);

/** Who makes an access. */
export function threadOf({ threads, accesses }: Trace, row: number): FollowedThread {
  const thread = threads[accesses.threads.at(row)];
  if (thread === undefined) throw new Error(`no access ${row}`);
  return thread;
}

/** The steps at which threads make an access: mostly one. */
export function stepsOf(trace: Trace, row: number): readonly Step[] {
  return trace.issues[trace.accesses.issues.at(row) - 1] ?? [stepOf(trace, row)];
}

/** The step of its thread that an access is. */
export const stepOf = ({ accesses: { threads, positions } }: Trace, row: number): Step => ({
  ...{ thread: threads.at(row), position: positions.at(row) },
});
