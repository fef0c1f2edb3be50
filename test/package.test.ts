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

  it('has types that strict TypeScript takes as they are', () => {
    writeFileSync(
      join(folder, 'use.ts'),
      `import { checkTest, loadTests, type CheckOptions, type TestResult, UsageError, Z3 } from 'ptx-litmus';
       import { type Answer, checkInWorker, loadModel } from 'ptx-litmus/node';
       const options: CheckOptions = { timeout: 1000, states: true };
       export async function holds(text: string): Promise<boolean | undefined> {
         const [test] = loadTests({ path: 'a.litmus', text }).value ?? [];
         const { value: model } = loadModel('ptx-9.4');
         if (test === undefined || model === undefined) throw new UsageError('no test');
         const result: TestResult = checkTest(await Z3.start(), test, model, options);
         const answer: Answer = await checkInWorker({ path: 'a.litmus', text }, { signal: AbortSignal.timeout(1) });
         return answer.results.length > 0 ? result.conditions[0]?.holds : undefined;
       }`,
    );
    const compile = spawnSync(
      join(ROOT, 'node_modules/.bin/tsc'),
      [
        ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2023'],
        ...['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types'), 'use.ts'],
      ],
      { cwd: folder, encoding: 'utf8' },
    );
    expect(compile.stdout).toBe('');
    expect(compile.status).toBe(0);
  });

  it('checks in a thread of its own, which a signal ends at once', () => {
    writeFileSync(join(folder, 'MP.litmus'), TEST);
    writeFileSync(
      join(folder, 'worker.mjs'),
      `import { readFileSync } from 'node:fs';
       import { checkInWorker } from 'ptx-litmus/node';
       const source = { path: 'MP.litmus', text: readFileSync('MP.litmus', 'utf8') };
       const { results, diagnostics } = await checkInWorker(source, { options: { reasons: true } });
       console.log(results.length, results[0].tool.name, results[0].conditions[0].observation, diagnostics.length);
       console.log((await checkInWorker({ path: 'bad.litmus', text: 'hello' })).diagnostics[0].code);
       const ended = new AbortController();
       const answer = checkInWorker(source, { signal: ended.signal }).catch((reason) => console.log('ended:', reason));
       ended.abort('by the caller');
       await answer;
       await checkInWorker(source, { model: 'none' }).catch((cause) => console.log(cause.message));`,
    );
    expect(execFileSync('node', ['worker.mjs'], { cwd: folder, encoding: 'utf8' }).split('\n')).toEqual([
      '1 ptx-litmus Never 0',
      'L0001',
      'ended: by the caller',
      expect.stringContaining('no model none'),
      '',
    ]);
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
