import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';

const ONE = 'CoWW+weak-weak.litmus';
const OTHER = 'MP+rel.gpu+acq.gpu.litmus';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-baseline-'));
  mkdirSync(join(folder, 'suite'));
  for (const name of [ONE, OTHER]) cpSync(join(ROOT, 'litmus/classic', name), join(folder, 'suite', name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(...args: readonly string[]): { readonly text: string; readonly code: number | null } {
  const { stdout, stderr, status } = spawnSync('node', [join(ROOT, 'dist/cli/main.js'), 'baseline', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { text: stdout + stderr, code: status };
}

describe('a baseline', () => {
  it('of one file says nothing of those beside it', () => {
    expect(run('write', `suite/${ONE}`, '-o', 'one.json').code).toBe(0);
    expect(run('check', 'one.json')).toMatchObject({
      code: 0,
      text: expect.stringContaining('1 test, all as recorded'),
    });
  });

  it('of a folder tells of a test that is new there', () => {
    rmSync(join(folder, 'suite', OTHER));
    run('write', 'suite', '-o', 'all.json');
    cpSync(join(ROOT, 'litmus/classic', OTHER), join(folder, 'suite', OTHER));
    const { text, code } = run('check', 'all.json');
    expect(text).toContain('new: is not in the baseline');
    expect(code).toBe(1);
  });

  it('compares what can be read beside a file that cannot', () => {
    run('write', 'suite', '-o', 'all.json');
    writeFileSync(join(folder, 'suite', ONE), 'no test');
    const { text, code } = run('check', 'all.json');
    expect(text).toContain('error L0001');
    expect(text).toContain('1 test, all as recorded');
    expect(text).not.toContain('missing');
    expect(code).toBe(2);
  });

  it('that cannot be complete says so', () => {
    writeFileSync(join(folder, 'suite', 'bad.litmus'), 'no test');
    const { text, code } = run('write', 'suite', '-o', 'all.json', '--timeout', '0.001');
    expect(text).toContain(`not all of suite/${ONE} is known`);
    expect(text).toContain('not recorded, since it has errors: suite/bad.litmus');
    expect(code).toBe(2);
  });
});
