import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { litmus, ROOT } from './support.js';

let folder: string;
let contents: readonly string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-package-'));
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
      cwd: ROOT,
      encoding: 'utf8',
    }),
  ) as [{ files: { path: string }[] }];
  contents = packed.files.map(({ path }) => path);
  const [tarball] = readdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "name": "user", "private": true, "type": "module" }');
  execFileSync('npm', ['install', '--ignore-scripts', '--prefer-offline', `./${tarball}`], {
    cwd: folder,
    stdio: 'pipe',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TEST = litmus(
  '.global .u32 x = 0; .global .u32 y = 0;',
  [
    'st.weak.global.u32 [x], 1; st.release.gpu.global.u32 [y], 1;',
    'ld.acquire.gpu.global.u32 r0, [y]; ld.weak.global.u32 r1, [x];',
  ],
  'forbid (P1:r0 == 1 /\\ P1:r1 == 0) as stale',
);

describe('the published package', () => {
  it('has the program, the models and their papers, and nothing else', () => {
    expect(contents).toContain('models/ptx-7.5.cat');
    expect(contents.filter((path) => !/^(dist\/|models\/|README\.md$|LICENSE$|package\.json$)/.test(path))).toEqual([]);
  });

  it('runs its command when installed into an empty folder', () => {
    writeFileSync(join(folder, 'MP.litmus'), TEST);
    const { stdout, stderr, status } = spawnSync(
      'npx',
      ['--no-install', 'ptx-litmus', 'MP.litmus', '-m', 'ptx-7.5', '-m', 'sc'],
      { cwd: folder, encoding: 'utf8' },
    );
    expect(stderr.replace(/^npm warn.*\n/gm, '')).toBe('');
    expect(stdout).toContain('ruled out by axiom Causality');
    expect(stdout).toContain('expectations: 2 met, 0 broken');
    expect(status).toBe(0);
  });

  it('works as a library, as the README shows it', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    writeFileSync(
      join(folder, 'use.mjs'),
      readme.slice(readme.indexOf('```ts\n') + 6, readme.indexOf('```', readme.indexOf('```ts\n') + 6)),
    );
    expect(execFileSync('node', ['use.mjs'], { cwd: folder, encoding: 'utf8' })).toContain('3 final states');
  });
});
