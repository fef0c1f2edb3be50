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

/** The limits, counted from now. */
export function deadlineOf({ timeout, clock, memory }: Limits): Deadline {
  const start = clock();
  return {
    remaining: () => start + timeout - clock(),
    outOfMemory: () =>
      memory === undefined || memory.used() <= memory.most
        ? undefined
        : { kind: 'memory', what: `memory: the process has more than ${Math.round(memory.most / 2 ** 20)} MiB` },
  };
}
