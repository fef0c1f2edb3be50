import type { Limits } from '../check/limits.js';

/** What `--timeout` and `--memory` say. */
export interface LimitArguments {
  /** In seconds. */
  readonly timeout: number;
  /** In MiB, resident. */
  readonly memory?: number | undefined;
}

/** What a test may take, as the command line has it. */
export function limitsOf({ timeout, memory }: LimitArguments): Limits {
  return {
    timeout: timeout * 1000,
    clock: () => performance.now(),
    memory: memory === undefined ? undefined : { used: process.memoryUsage.rss, most: memory * 2 ** 20 },
  };
}
