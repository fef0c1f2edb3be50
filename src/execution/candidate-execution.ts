import type { EventStructure, ProgramEvent } from '../program/events.js';
import type { MemoryObject } from '../program/locations.js';
import type { EventSet } from '../relation/event-set.js';
import type { Relation } from '../relation/relation.js';

/** The hypothetical write of the initial value of some bytes (PTX ISA 8.2.6): an event without a thread. */
export interface InitialWrite {
  readonly event: ProgramEvent;
  readonly object: MemoryObject;
  /** In bytes. */
  readonly offset: number;
  readonly bytes: number;
}

/** All events that an execution of a test can have: those of the threads, then the initial writes. */
export interface EventUniverse {
  readonly structure: EventStructure;
  readonly initialWrites: readonly InitialWrite[];
  readonly events: readonly ProgramEvent[];
}

/** Where an access goes: the object, the first byte in it, and the virtual address (an alias has its own). */
export interface AccessTarget {
  readonly object: MemoryObject;
  readonly offset: number;
  readonly bytes: number;
  readonly virtualAddress: bigint;
}

/** The relations that an execution gives and a model takes; all others follow from the events. */
export interface ExecutionRelations {
  readonly readsFrom: Relation;
  /** Partial (PTX ISA 8.9.6): only what the model demands need be ordered. */
  readonly coherence: Relation;
  /** Of each byte: a read to the writes coherence-after its source (8.9.7). */
  readonly fromReads: Relation;
  readonly fenceSc: Relation;
  readonly barrierSynchronization: Relation;
  readonly warpSynchronization: Relation;
  readonly sameLocation: Relation;
  readonly sameVirtualLocation: Relation;
  readonly partialOverlap: Relation;
  readonly addressDependency: Relation;
  readonly dataDependency: Relation;
  readonly controlDependency: Relation;
}

/** One execution of a test: what was executed with which values, and how the events are related. */
export interface CandidateExecution {
  readonly universe: EventUniverse;
  readonly executed: EventSet;
  /** By event; of memory events that are executed. */
  readonly targets: readonly (AccessTarget | undefined)[];
  /** By event: the bit pattern read or written. */
  readonly values: readonly (bigint | undefined)[];
  readonly relations: ExecutionRelations;
  readonly finalState: FinalState;
}

/** The values of a test's observables when every thread is at its end, by the observable's name. */
export type FinalState = ReadonlyMap<string, bigint>;
