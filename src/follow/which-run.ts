import type { Case } from './held-back.js';
import type { Contents, Contested } from './memory-image.js';
import type { QueueRun } from './queue-rounds.js';
import type { NewElements } from './torn-vectors.js';
import type { Counted, Results } from './trace.js';

/**
 * Which warps go first, each as far as it comes: the first or the last of a launch; or all in turns, as far as the next
 * fence of each, or the next strong access; or all as far as before the next fence of each, which the last then
 * executes, or as far as behind the next atomic, where the last then goes on; or the first, and copies are complete
 * only when no warp can go on, or no round of a wait that is told to a CTA is left out.
 */
export type Schedule =
  | 'first'
  | 'last'
  | 'in turns'
  | 'by accesses'
  | 'before fences'
  | 'behind atomics'
  | 'late copies'
  | 'told rounds';

/** Which of all runs is followed. */
export interface WhichRun extends Case {
  /** So many statements of warps at most. */
  readonly steps?: number;
  /** What is not known of memory. */
  readonly without?: Contested;
  readonly schedule?: Schedule;
  /** What is in memory whose contents are open. */
  readonly given?: Contents | undefined;
  /** Which elements of vectors strong loads find new, if not all. */
  readonly newElements?: NewElements;
  /** That atomics count words upwards alone, and how far, where that is known; else each thread does so once. */
  readonly counted?: ReadonlyMap<string, Counted> | undefined;
  /** Of what these find nothing is taken to be as in the run: conditions on it are open. */
  readonly areTicketsOpen?: true;
  /** Threads draw from a queue so often, until it ends. */
  readonly queue?: QueueRun;
  /** What may be found in words: where it decides a way, both are gone. */
  readonly results?: Results;
  /** Such ways go on behind their join while registers that differ say what is accessed. */
  readonly areWaysLong?: boolean;
}
