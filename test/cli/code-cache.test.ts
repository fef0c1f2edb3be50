import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';

const TEST = join(ROOT, 'litmus/classic/MP+rel.gpu+acq.gpu.litmus');
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-cache-'));
  for (const part of ['dist', 'models', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const file of caches()) rmSync(join(folder, 'dist/cli', file));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const caches = (): readonly string[] => readdirSync(join(folder, 'dist/cli')).filter((file) => file.includes('.cache'));

function check(): readonly [number | null, string, string] {
  const { status, stdout, stderr } = spawnSync('node', [join(folder, 'dist/cli/main.js'), 'check', TEST], {
    encoding: 'utf8',
  });
  return [status, stdout.replace(/\d+ ms|[\d.]+ s/g, 'N'), stderr];
}

describe('the code cache', () => {
  it('is left by the first run, one file, and changes no answer', () => {
    const first = check();
    expect(first).toEqual([0, expect.stringContaining('4 met, 0 broken'), '']);
    expect(caches()).toHaveLength(1);
    expect(check()).toEqual(first);
    expect(caches()).toHaveLength(1);
  });

  it('is of no matter where it is damaged', () => {
    const before = check();
    const [file = ''] = caches();
    for (const text of ['', 'no code', 'x'.repeat(1 << 20)]) {
      writeFileSync(join(folder, 'dist/cli', file), text);
      expect(check()).toEqual(before);
    }
  });
});
