/**
 * How two accesses to a common byte, one of them a write, stand to each other where nothing orders them. `strong`: they
 * are morally strong, and no race (PTX ISA 8.7); `results`: atomics besides, which come to the same in any order, but
 * find different values; `locked`: who has a lock makes them, in one order or the other; `proxies`: by different names
 * of the memory, or ways to it of which nothing is said here (8.6).
 */
export type ConflictKind = 'race' | 'strong' | 'locked' | 'results' | 'proxies';

/** What comes between two accesses. */
export interface Relay {
  /** An asynchronous read comes between; which the first may be before, and which may be before the second. */
  readonly isReadBetween: boolean;
  readonly mayBeRelayed: boolean;
}

/** All conflicts of two instructions that are alike. */
export interface Conflict extends Relay {
  readonly kind: ConflictKind;
  /** The first pair that was met: the earlier and the later access of the run. */
  readonly first: readonly [row: number, row: number];
  /** How many pairs of threads have it at some byte. */
  pairs: number;
  /** What is missing is a fence between proxies alone: of the first pair, and of all. */
  readonly isFirstOrdered: boolean;
  areOrdered: boolean;
  /** Both write the same value there in every execution; undefined: that is not looked at. */
  readonly isSameValue: boolean | undefined;
}
