import { createHash } from 'node:crypto';
import type { Model } from '../cat/model.js';
import { VERSION } from '../files/version.js';
import { buildHash, hashOfModel } from './cache-keys.js';
import type { JobName } from './jobs/jobs.js';
import { type Shard, shardText } from './shard.js';
import type { TestSource } from './test-source.js';

/** What was asked of which tests: the first line of a log in NDJSON. */
export interface RunHeader {
  readonly command: JobName;
  readonly version: string;
  /** SHA-256 of the code. */
  readonly build: string;
  /** `2/8`, of a part of a suite. */
  readonly shard: string | null;
  /** The whole suite, of which this may be a part. */
  readonly suite: { readonly sources: number; readonly sha256: string };
  /** Each with the SHA-256 of its text, of what it includes and of its variants. */
  readonly models: readonly { readonly name: string; readonly sha256: string; readonly variants: readonly string[] }[];
  /** What else results depend on. */
  readonly options: Readonly<Record<string, unknown>>;
}

export function headerOf(
  command: JobName,
  sources: readonly TestSource[],
  models: readonly Model[],
  options: RunHeader['options'],
  shard: Shard | undefined,
): RunHeader {
  const hash = createHash('sha256');
  for (const { path, text } of sources) hash.update(`${path}\n${text.length}\n${text}`);
  return {
    command,
    version: VERSION,
    build: buildHash(),
    shard: shard === undefined ? null : shardText(shard),
    suite: { sources: sources.length, sha256: hash.digest('hex') },
    models: models.map((model) => ({
      name: model.name,
      sha256: hashOfModel(model),
      variants: [...model.variants].sort(),
    })),
    options,
  };
}
