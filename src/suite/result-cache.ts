import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../diagnostics/usage-error.js';
import { fileProblem } from '../files/file-problem.js';
import { makeFolder, writeText } from '../files/write-text.js';
import { sha256 } from './digests.js';

/** Entries of another format are not found. */
const FORMAT = 'v1';
const TAG = 'CACHEDIR.TAG';
/** By which backup tools know a cache (bford.info/cachedir). */
const TAG_TEXT = `Signature: 8a477f597d28d172789f06886806bc55
# What ptx-litmus has decided. It may be deleted at any time.
`;
const DIGEST = 16;
/** In milliseconds: what tests took that is not worth to be remembered. */
const SHORT = 50;

/**
 * Decided results in a folder, an entry a file, by the hash of everything that they follow from. Entries are written
 * as a whole or not at all, so that any number of runs may share a folder and be killed at any time. What is wrong with
 * the folder costs time, never a result.
 */
export class ResultCache {
  private writes = true;
  private readonly times: Map<string, number>;
  private readonly news = new Map<string, number>();

  private constructor(
    private readonly folder: string,
    private readonly warn: (text: string) => void,
    private readonly writeFileAtomic: (path: string, text: string, options: { readonly fsync: boolean }) => void,
  ) {
    this.attempt(() => {
      makeFolder(folder);
      if (!existsSync(join(folder, TAG))) writeText(join(folder, TAG), TAG_TEXT);
      if (!existsSync(join(folder, '.gitignore'))) writeText(join(folder, '.gitignore'), '*\n');
    });
    this.times = this.readTimes();
  }

  /**
   * The cache in a folder, which is made if it is not there.
   *
   * @param warn - Is told once what is wrong with the folder, and of each damaged entry.
   * @throws UsageError - If the folder holds something else.
   */
  static async open(folder: string, warn: (text: string) => void): Promise<ResultCache> {
    refuseOther(folder);
    // Not loaded where there is no cache.
    const { sync } = await import('write-file-atomic');
    return new ResultCache(folder, warn, sync);
  }

  /** What was kept under a key. */
  find(key: string): string | undefined {
    const path = this.pathOf(key);
    const text = readIfThere(path);
    if (text === undefined) return undefined;
    const value = text.slice(DIGEST + 1);
    if (text.startsWith(`${digestOf(value)}\n`)) return value;
    this.warn(`the cache entry ${path} is damaged; what it held is decided anew`);
    return undefined;
  }

  keep(key: string, value: string): void {
    this.attempt(() => {
      const path = this.pathOf(key);
      makeFolder(dirname(path));
      this.writeFileAtomic(path, `${digestOf(value)}\n${value}`, { fsync: false });
    });
  }

  /** How long a test took when it was decided last, in milliseconds; undefined if that was not long, or never. */
  timeOf(test: string): number | undefined {
    return this.times.get(test);
  }

  get remembersTimes(): boolean {
    return this.times.size > 0;
  }

  took(test: string, time: number): void {
    if (time >= SHORT || this.times.has(test)) this.news.set(test, Math.round(time));
  }

  /** Remembers times, with those that other runs have left meanwhile. */
  close(): void {
    if (this.news.size === 0) return;
    const times = new Map([...this.readTimes(), ...this.news].filter(([, time]) => time >= SHORT));
    this.attempt(() => this.writeFileAtomic(this.timesPath(), JSON.stringify([...times]), { fsync: false }));
  }

  private readTimes(): Map<string, number> {
    try {
      return new Map(JSON.parse(readIfThere(this.timesPath()) ?? '[]') as readonly (readonly [string, number])[]);
    } catch {
      // They only tell what to begin with.
      return new Map();
    }
  }

  private readonly timesPath = (): string => join(this.folder, FORMAT, 'times.json');

  private pathOf(key: string): string {
    return join(this.folder, FORMAT, key.slice(0, 2), key.slice(2));
  }

  private attempt(write: () => void): void {
    if (!this.writes) return;
    try {
      write();
    } catch (thrown) {
      const problem = fileProblem(thrown);
      if (problem === undefined) throw thrown;
      this.writes = false;
      this.warn(`the cache ${this.folder} keeps nothing more: ${problem}`);
    }
  }
}

/** A folder of somebody else's is not written to: most likely it is the tests, and --cache was meant without one. */
function refuseOther(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isDirectory() && (existsSync(join(folder, TAG)) || readdirSync(folder).length === 0)) return;
  throw new UsageError(
    `${folder} is no folder of a cache: --cache takes the folder behind it, or none at the end of the command`,
  );
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const digestOf = (value: string): string => sha256(value).slice(0, DIGEST);
