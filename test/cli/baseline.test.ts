import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';
import { runHere, runProcess } from './run.js';

const ONE = 'CoWW+weak-weak.litmus';
const OTHER = 'MP+rel.gpu+acq.gpu.litmus';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-baseline-'));
  mkdirSync(join(folder, 'suite'));
  for (const name of [ONE, OTHER]) cpSync(join(ROOT, 'litmus/classic', name), join(folder, 'suite', name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(...args: readonly string[]): Promise<{ readonly text: string; readonly code: number | null }> {
  const asked = ['baseline', ...args];
  // How slowly a process begins decides what it has no time for.
  const { out, err, code } = args.includes('--timeout') ? runProcess(asked, folder) : await runHere(asked, folder);
  return { text: out + err, code };
}

describe('a baseline', () => {
  it('of one file says nothing of those beside it', async () => {
    expect((await run('write', `suite/${ONE}`, '-o', 'one.json')).code).toBe(0);
    expect(await run('check', 'one.json')).toMatchObject({
      code: 0,
      text: expect.stringContaining('1 test, all as recorded'),
    });
  });

  it('of a folder tells of a test that is new there', async () => {
    rmSync(join(folder, 'suite', OTHER));
    await run('write', 'suite', '-o', 'all.json');
    cpSync(join(ROOT, 'litmus/classic', OTHER), join(folder, 'suite', OTHER));
    const { text, code } = await run('check', 'all.json');
    expect(text).toContain('new: is not in the baseline');
    expect(code).toBe(1);
  });

  it('compares what can be read beside a file that cannot', async () => {
    await run('write', 'suite', '-o', 'all.json');
    writeFileSync(join(folder, 'suite', ONE), 'no test');
    const { text, code } = await run('check', 'all.json');
    expect(text).toContain('error L0001');
    expect(text).toContain('1 test, all as recorded');
    expect(text).not.toContain('missing');
    expect(code).toBe(2);
  });

  it('that cannot be complete says so', async () => {
    writeFileSync(join(folder, 'suite', 'bad.litmus'), 'no test');
    const { text, code } = await run('write', 'suite', '-o', 'all.json', '--timeout', '0.001');
    expect(text).toContain(`not all of suite/${ONE} is known`);
    expect(text).toContain('not recorded, since it has errors: suite/bad.litmus');
    expect(code).toBe(2);
  });
});
