import type { ExecutionRelationsOf } from '../../execution/candidate-execution.js';
import type { MemoryObject } from '../../program/locations.js';
import type { Formula } from '../formula/formula.js';
import type { FormulaRelation } from '../relations/pair-formulas.js';
import type { EncodedViolation } from './encoded-violation.js';

/** `object event k`: an operation has the k-th place in the order of an object, or looks at it after k of them. */
export type MbarrierPlace = string & { readonly brand: 'mbarrier place' };

/** A place that an operation may have, the k-th or after k others, with the formula that it has. */
export interface PossiblePlace {
  readonly place: MbarrierPlace;
  readonly k: number;
  readonly formula: Formula;
}

export const placeKey = (object: number, event: number, k: number): MbarrierPlace =>
  `${object} ${event} ${k}` as MbarrierPlace;

/** The operations on one mbarrier object: an order of those that change it, and when each wait looks. */
export interface EncodedObject {
  /** Among those of the test. */
  readonly number: number;
  readonly object: MemoryObject;
  readonly offset: number;
  /** By place in the order, then by operation. */
  readonly steps: readonly ReadonlyMap<number, Formula>[];
  /** By wait, then by the number of operations before it. */
  readonly waits: ReadonlyMap<number, readonly Formula[]>;
}

export interface MbarrierEncoding
  extends Pick<ExecutionRelationsOf<FormulaRelation>, 'mbarrierOrder' | 'mbarrierPhase'> {
  readonly objects: readonly EncodedObject[];
  /** All places that operations may have, with what says that they do. */
  candidates(): readonly PossiblePlace[];
  /** The wait looks when all operations are done: a thread that waits for ever is not let down by its own haste. */
  looksLast(wait: number): Formula;
  readonly violations: readonly EncodedViolation[];
}
