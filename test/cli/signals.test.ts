import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-signals-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a run that is told to end', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('by %s reports what is known, and ends with %i', async (signal, expected) => {
    const report = join(folder, `${signal}.xml`);
    const run = spawn(
      'node',
      [join(ROOT, 'dist/cli/main.js'), 'check', 'litmus/kernels', '-f', 'ndjson', '-f', `junit=${report}`],
      { cwd: ROOT },
    );
    let [printed, said] = ['', ''];
    run.stderr.on('data', (text) => {
      said += text;
    });
    // When the first result is there, others are still to come.
    run.stdout.on('data', (text) => {
      printed += text;
      if (!run.killed && printed.includes('"kind":"result"')) run.kill(signal);
    });
    const code = await new Promise((resolve) => run.on('close', resolve));
    expect(code).toBe(expected);
    const lines = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; tests?: number });
    const results = lines.filter(({ kind }) => kind === 'result').length;
    expect(results).toBeGreaterThan(0);
    expect(lines.at(-1)).toMatchObject({ kind: 'summary', tests: results });
    expect(readFileSync(report, 'utf8').match(/<testsuite /g)).toHaveLength(results);
    expect(said).toMatch(new RegExp(`ended by ${signal}: ${results} of \\d+ tests were checked`));
  });

  it('ends at once where every result is printed as it comes and no other process is at work', async () => {
    const tests = ['gemm+2-stages+2-iterations', 'multicast+2-iterations'].map(
      (name) => `litmus/kernels/${name}.litmus`,
    );
    const run = spawn('node', [join(ROOT, 'dist/cli/main.js'), 'check', ...tests, '-f', 'ndjson'], { cwd: ROOT });
    let printed = '';
    run.stdout.on('data', (text) => {
      printed += text;
      if (!run.killed && printed.includes('"kind":"result"')) run.kill('SIGINT');
    });
    const signal = await new Promise((resolve) => run.on('close', (_, by) => resolve(by)));
    expect(signal).toBe('SIGINT');
    expect(printed).not.toContain('"kind":"summary"');
  });
});
