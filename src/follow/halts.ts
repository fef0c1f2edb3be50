import type { Span } from '../diagnostics/source.js';
import type { Step } from './trace.js';

/** What a thread waits for when nobody can go on any more. */
export type Awaited =
  | { readonly kind: 'barrier'; readonly barrier: string }
  | { readonly kind: 'phase'; readonly object: number; readonly phase: number }
  /** What others write to some bytes; whether a value ends that, undefined where it is open. */
  | {
      readonly kind: 'value';
      readonly piece: number;
      readonly offset: number;
      readonly bytes: number;
      /** What may be there, by what is written in this run, in whatever order; undefined where that is open. */
      readonly values: readonly bigint[] | undefined;
      readonly ends: (value: bigint) => boolean | undefined;
    };

/** A thread that waits for ever, in this run; of what is awaited otherwise nothing is told. */
export interface Halt {
  readonly step: Step;
  readonly span: Span;
  readonly awaited: Awaited | undefined;
}

/** An instance of a barrier of a CTA to which too few have come when nobody can go on any more. */
export interface IncompleteBarrier {
  readonly barrier: string;
  readonly arrivals: readonly Step[];
  /** How many threads it waits for, in whole warps; undefined: for all of the CTA. */
  readonly count: number | undefined;
  readonly span: Span;
}
