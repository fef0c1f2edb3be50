import { UsageError } from '../diagnostics/usage-error.js';
import { testName } from '../syntax/split-tests.js';
import { sha256 } from './digests.js';
import type { TestSource } from './test-source.js';

/** One of several parts of a suite, counted from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Reads `2/8`. */
export function readShard(text: unknown): Shard {
  if (Array.isArray(text)) throw new UsageError('--shard is given more than once');
  const [, index = 0, count = 0] = (/^(\d+)\/(\d+)$/.exec(String(text)) ?? []).map(Number);
  if (index < 1 || index > count)
    throw new UsageError(`--shard takes the number of a part and how many there are, such as 2/8, found "${text}"`);
  return { index, count };
}

export const shardText = ({ index, count }: Shard): string => `${index}/${count}`;

/** Whether a test belongs to a part: by its path and name, so that it stays there when others are added. */
export function isInShard(source: TestSource, { index, count }: Shard): boolean {
  return Number.parseInt(sha256(identityOf(source)).slice(0, 12), 16) % count === index - 1;
}

/** By what a test is known when its text has changed. */
export function identityOf({ path, text }: TestSource): string {
  return `${path.replaceAll('\\', '/')}\n${testName(text) ?? ''}`;
}
