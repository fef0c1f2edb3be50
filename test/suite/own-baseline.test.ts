import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support.js';

it(
  'every test of litmus/ is as its baseline has it: baseline write litmus/ -o litmus/baseline.json records what ' +
    'was meant to change',
  () => {
    const { stdout, stderr, status } = spawnSync(
      'node',
      [join(ROOT, 'dist/cli/main.js'), 'baseline', 'check', 'litmus/baseline.json'],
      { cwd: ROOT, encoding: 'utf8' },
    );
    // One test of the suite warns: what it waits for is not in the test, and it is there to say so.
    expect(stderr.match(/^\S+ (?:warning|error) \w+/gm)).toEqual([
      expect.stringMatching(/griddepcontrol\+MP\.litmus:\d+:\d+ warning L0109$/),
    ]);
    expect(stdout).toMatch(/^\d+ tests, all as recorded\nthe model ptx-9\.4 is the one that was recorded\n$/);
    expect(status).toBe(0);
  },
);
