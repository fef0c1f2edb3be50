import type { Span } from '../diagnostics/source.js';
import type { Step } from '../follow/trace.js';
import type { Alternatives } from './acquisitions.js';
import type { Write } from './variable-writes.js';

/** A poll that is over, and what may still come to it in other executions. */
export interface Waited {
  /** Its access: the read of a loop, or an atomic that comes last. */
  readonly read: number;
  readonly step: Step;
  readonly isUsed: boolean;
  readonly isOpen: boolean;
  readonly ends: (value: bigint) => boolean | undefined;
  readonly span: Span;
  /** Atomics all of which it has waited for, and what they come to; those that may come before it as well. */
  readonly all: readonly Write[];
  readonly value: bigint | undefined;
  readonly later: Write[];
  /** What it has found. */
  readonly alternatives: Alternatives;
  /** Of stores: all that it may find, beside what was there before. */
  readonly sources: Write[];
  readonly base: bigint | undefined;
  /** Ways that are gone by what it has found, and the stores that lead there. */
  readonly learned: { readonly leads: (value: bigint) => boolean; readonly of: readonly Write[] }[];
  /** Whether it is morally strong with a write. */
  readonly isStrongWith: (write: Write) => boolean;
}

/** What is found by who waits, and of which atomics all are. */
export type Found = Pick<Waited, 'all' | 'value' | 'alternatives'> & {
  readonly base?: bigint;
  readonly beside?: readonly Write[];
};
export type Waits = Omit<Waited, keyof Found | 'later' | 'sources' | 'learned'>;
