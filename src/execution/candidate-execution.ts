import type { EventStructure } from '../events/events.js';
import type { ExecutionEvent, InitialWriteEvent } from '../events/program-event.js';
import type { Located, MemoryObject, MemoryRange } from '../program/locations.js';
import type { UndefinedRule } from '../program/undefined-rules.js';
import type { EventSet } from '../relation/event-set.js';
import type { Relation } from '../relation/relation.js';

/** The hypothetical write of the initial value of some bytes (PTX ISA 8.2.6): an event without a thread. */
export interface InitialWrite extends MemoryRange {
  readonly event: InitialWriteEvent;
}

/** All events that an execution of a test can have: those of the threads, then the initial writes. */
export interface EventUniverse {
  readonly structure: EventStructure;
  readonly initialWrites: readonly InitialWrite[];
  readonly events: readonly ExecutionEvent[];
}

/**
 * The relations that an execution gives and a model takes, as pairs of events or as formulas for them; all others
 * follow from the events.
 */
export interface ExecutionRelationsOf<R> {
  readonly readsFrom: R;
  /** The same, where the read takes other bytes from another write. */
  readonly partialReadsFrom: R;
  /** Partial (PTX ISA 8.9.6): only what the model demands need be ordered. */
  readonly coherence: R;
  /** Of each byte: a read to the writes coherence-after its source (8.9.7). */
  readonly fromReads: R;
  readonly fenceSc: R;
  readonly barrierSynchronization: R;
  readonly warpSynchronization: R;
  /** barrier.cluster: an arrival and the wait of the same phase (8.9.4). */
  readonly clusterSynchronization: R;
  /** The end of a thread and a wait at a barrier that does not wait for it any more. */
  readonly exitSynchronization: R;
  /** What a completion of a CTA barrier needed, and a later arrival there of a warp that had only arrived for it. */
  readonly rearrival: R;
  /**
   * What a completion of a CTA barrier needed, and an arrival there of another warp that it did not take, nor one
   * before it.
   */
  readonly lateArrival: R;
  /**
   * What a warp instruction waits for, the same one of another lane or the end of its thread, and that instruction; it
   * orders no memory.
   */
  readonly laneSynchronization: R;
  /** One order of the operations on each mbarrier object. */
  readonly mbarrierOrder: R;
  /** What counts in a phase of an mbarrier, and a wait that returned True for that phase or a later one. */
  readonly mbarrierPhase: R;
  /** An asynchronous access and a wait that tells that it is complete. */
  readonly completion: R;
  /** A fence and an access that it orders: limited by state space, address and proxies. */
  readonly fenceCoverage: R;
  /** An access to another CTA's shared memory, and the ends of that CTA's threads. */
  readonly sharedMemoryExit: R;
  /**
   * What lets a dependent grid start, and the start of each of its threads: of each CTA of the grid before the first
   * trigger, or, if there is none, all that the CTA does (PTX ISA 9.7.15.14).
   */
  readonly launches: R;
  readonly sameLocation: R;
  readonly sameVirtualLocation: R;
  readonly partialOverlap: R;
  readonly addressDependency: R;
  readonly dataDependency: R;
  readonly controlDependency: R;
}

/** Those of one execution. */
export type ExecutionRelations = ExecutionRelationsOf<Relation>;

/** What a part of an execution, such as its barriers, gives of its relations, and where it is undefined. */
export interface PartOfExecution<K extends keyof ExecutionRelations> {
  readonly relations: Pick<ExecutionRelations, K>;
  readonly violations: readonly Violation[];
}

/**
 * How a thread stops: at its end, at a trap, going round a waiting loop, at an event that never lets it go, where
 * nothing promises that it goes on, or going round loops whose rounds write, for ever.
 */
export type ThreadEnd =
  | { readonly kind: 'ended' }
  | { readonly kind: 'trapped' }
  | { readonly kind: 'spins'; readonly round: readonly number[] }
  | { readonly kind: 'blocked'; readonly event: number }
  /** Before a node, or its end, which has the number of nodes: nothing promises that the thread goes on. */
  | { readonly kind: 'halted'; readonly node: number }
  /** It goes through the nodes of a round again and again, that write; the execution shows that until a node. */
  | { readonly kind: 'repeats'; readonly node: number; readonly round: readonly number[] };

/** What happened to one mbarrier object. */
export interface MbarrierHistory {
  readonly object: MemoryObject;
  readonly offset: number;
  /** The operations that change it, in their order, each with the state before it. */
  readonly steps: readonly { readonly event: number; readonly before: MbarrierSnapshot; readonly completes: boolean }[];
  readonly waits: readonly { readonly event: number; readonly at: MbarrierSnapshot }[];
  readonly last: MbarrierSnapshot;
}

export interface MbarrierSnapshot {
  readonly valid: boolean;
  readonly phase: number;
  readonly expected: number;
  readonly pending: number;
  readonly bytes: number;
}

/** Behavior that PTX leaves undefined, by the rule that says so. */
export interface Violation {
  readonly rule: UndefinedRule;
  readonly event: number;
}

/** One execution of a test: what was executed with which values, and how the events are related. */
export interface CandidateExecution {
  readonly universe: EventUniverse;
  readonly executed: EventSet;
  /** By event; of memory events that are executed. */
  readonly targets: readonly (Located | undefined)[];
  /** By event: the bit pattern read or written. */
  readonly values: readonly (bigint | undefined)[];
  readonly relations: ExecutionRelations;
  readonly finalState: FinalState;
  /**
   * Of the observed memory: the write that each part of it is left by (any coherence-maximal one may be,
   * docs/decisions/final-memory.md).
   */
  readonly finalWrites: readonly FinalWrite[];
  /** By thread; all `ended` but in an execution that shows a deadlock. */
  readonly ends: readonly ThreadEnd[];
  readonly mbarriers: readonly MbarrierHistory[];
  /** What each mbarrier wait returned. */
  readonly answers: ReadonlyMap<number, boolean>;
  readonly violations: readonly Violation[];
}

export interface FinalWrite {
  readonly write: number;
  readonly objectId: number;
  /** In bytes. */
  readonly offset: number;
  readonly bytes: number;
}

/** The values of a test's observables when every thread is at its end, by the observable's name. */
export type FinalState = ReadonlyMap<string, bigint>;
