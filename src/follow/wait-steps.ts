import type { Span } from '../diagnostics/source.js';
import type { GuardedUpdate } from './guarded-wait.js';
import type { Step } from './trace.js';

/** A thread finds what it has waited for, and goes on. */
export interface PollStep {
  readonly kind: 'poll';
  readonly row: number;
  readonly step: Step;
  /** The access that finds it. */
  readonly read: number;
  /** Whether a value ends the wait, if an atomic has found another one before; undefined where that is open. */
  readonly ends: (found: bigint, result: bigint | undefined) => boolean | undefined;
  /** Why that is open, where nothing else tells it. */
  readonly why?: (() => string) | undefined;
  /** The access of that atomic. */
  readonly after: number | undefined;
  /** The value is used beside that. */
  readonly isUsed: boolean;
  /** It waits for nobody: the run is that in which this atomic comes last. */
  readonly isChosen?: true;
  /** The value is taken for open: one of those that may be found there. */
  readonly isOpen: boolean;
  /** What ends it is an update of the word, which is made when a value is found that ends it. */
  readonly makes?: GuardedUpdate;
  readonly span: Span;
}

/** A thread takes what it has waited for to be free, by an atomic: such as a lock. */
export interface TakeStep extends Pick<PollStep, 'row' | 'step' | 'read' | 'ends' | 'isUsed' | 'span'> {
  readonly kind: 'take';
  /** Where looks come before the atomic: of all values that may be there, those that end the wait in any order. */
  readonly endsAmong?: (values: readonly bigint[]) => ReadonlySet<bigint> | undefined;
}
