import type { Deadline } from '../program/undecided.js';

/** What a test may take. */
export interface Limits {
  /** In milliseconds. */
  readonly timeout: number;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
  /** The memory of the process in bytes, and the most that it may be. */
  readonly memory?: { readonly used: () => number; readonly most: number } | undefined;
}

/** What holds where nothing is said. The clock is the only one that is not given by the caller. */
export const DEFAULT_LIMITS: Limits = { timeout: 60_000, clock: () => performance.now() };
export const DEFAULT_UNROLL = 3;

/** In milliseconds. */
const MEMORY_PAUSE = 1;

/** The limits, counted from now. */
export function deadlineOf({ timeout, clock, memory }: Limits): Deadline {
  const start = clock();
  let asked = Number.NEGATIVE_INFINITY;
  return {
    remaining: () => start + timeout - clock(),
    outOfMemory: () => {
      // The system is asked only now and then: that takes longer than what is done between two questions.
      if (memory === undefined || clock() - asked < MEMORY_PAUSE) return undefined;
      asked = clock();
      if (memory.used() <= memory.most) return undefined;
      return { kind: 'memory', what: `memory: the process has more than ${Math.round(memory.most / 2 ** 20)} MiB` };
    },
  };
}
