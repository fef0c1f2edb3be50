import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isOfShare, SWEEP_ALL } from '../shares.js';
import { ROOT } from '../support.js';

/** Tests with few threads, by a hash of their names: something of every folder. */
const FILES = readdirSync(join(ROOT, 'litmus'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.litmus') && !file.includes('kernels'))
  .filter((file) => isOfShare(file, 160, 'what a process keeps'))
  .map((file) => join('litmus', file));

/** All that is said of tests, by path and model, where one process decides them in that order. */
function saidOf(files: readonly string[]): ReadonlyMap<string, unknown> {
  const asked = ['check', ...files, '-j', '1', '-m', 'ptx-9.4', '-m', 'ptx-7.5', '--no-times', '-v', '-f', 'ndjson'];
  const { stdout } = spawnSync('node', [join(ROOT, 'dist/cli/main.js'), ...asked], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const results = stdout
    .trim()
    .split('\n')
    .map((line): { kind: string; source?: number; test?: { path: string }; model?: { name: string } } =>
      JSON.parse(line),
    )
    .filter(({ kind }) => kind === 'result')
    // But for the place of the file among those that were asked about.
    .map(({ source: _, ...rest }) => rest);
  return new Map(results.map((one) => [`${one.test?.path} under ${one.model?.name}`, one]));
}

const shuffled = (files: readonly string[], seed: string): readonly string[] => {
  const rank = (file: string): string => createHash('sha256').update(seed).update(file).digest('hex');
  return [...files].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
};

describe('a process that decides many tests', () => {
  it('says of each what a process says that decides nothing else, in whatever order they come', () => {
    const alone = new Map(FILES.flatMap((file) => [...saidOf([file])]));
    expect(alone.size).toBeGreaterThan(10);
    for (const seed of SWEEP_ALL ? ['one order', 'another'] : ['one order']) {
      const together = saidOf(shuffled(FILES, seed));
      expect(together.size).toBe(alone.size);
      for (const [of, result] of alone) expect(together.get(of), of).toEqual(result);
    }
  });
});
