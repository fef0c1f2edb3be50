import type { Deadline, Undecided } from '../program/undecided.js';

/** What a test may take. */
export interface Limits {
  /** In milliseconds. */
  readonly timeout: number;
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
  /** The memory of the process in bytes, and the most that it may be. */
  readonly memory?: { readonly used: () => number; readonly most: number } | undefined;
  /**
   * Why nothing may be done at all, if so.
   *
   * @internal
   */
  readonly over?: Undecided | undefined;
  /**
   * Hears that a limit is reached: what is left open then may be decided another time.
   *
   * @internal
   */
  readonly reached?: (() => void) | undefined;
}

/** What holds where nothing is said. The clock is the only one that is not given by the caller. */
export const DEFAULT_LIMITS: Limits = { timeout: 60_000, clock: () => performance.now() };
export const DEFAULT_UNROLL = 3;

/** In milliseconds. */
const MEMORY_PAUSE = 1;

/** The limits, counted from now. */
export function deadlineOf({ timeout, clock, memory, over, reached }: Limits): Deadline {
  const start = clock();
  let asked = Number.NEGATIVE_INFINITY;
  return {
    remaining: () => {
      const left = start + timeout - clock();
      if (left <= 0) reached?.();
      return left;
    },
    outOfMemory: () => {
      if (over !== undefined) return over;
      // The system is asked only now and then: that takes longer than what is done between two questions.
      if (memory === undefined || clock() - asked < MEMORY_PAUSE) return undefined;
      asked = clock();
      if (memory.used() <= memory.most) return undefined;
      reached?.();
      return { kind: 'memory', what: `memory: the process has more than ${Math.round(memory.most / 2 ** 20)} MiB` };
    },
  };
}
