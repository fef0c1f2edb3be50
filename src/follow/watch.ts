import type { Setting } from './setting.js';
import type { Trace } from './trace.js';
import type { Turn } from './turn.js';

/** Some bytes of a parameter of a kernel. */
export interface ParameterBytes {
  readonly at: number;
  readonly bytes: number;
}

/** Hears what is done while a test is followed, in each of its runs. */
export interface Watch {
  /** By the name of a parameter: what the code is decoded without, so that only loads give it. */
  readonly varied: ReadonlyMap<string, readonly ParameterBytes[]>;
  begins(setting: Setting): void;
  /** Before lanes execute an operation that is no branch. */
  executes(turn: Turn): void;
  ends(trace: Trace, isStopped: boolean): void;
}
