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

/** What the compiler says of a file that uses the package. */
function compiled(file: string): readonly [number | null, string] {
  const { status, stdout } = spawnSync(
    join(ROOT, 'node_modules/.bin/tsc'),
    [
      ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2023'],
      ...['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types'), file],
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  return [status, stdout];
}

describe('the published package', () => {
  it('has the program, the models, and all that its README points to, each once', () => {
    expect(contents).toContain('models/ptx-7.5.cat');
    const linked = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)];
    expect(linked.length).toBeGreaterThan(8);
    for (const [, path] of linked) expect(contents).toContain(path);
    const code = contents.filter((path) => path.endsWith('.js')).map((path) => readFileSync(join(ROOT, path), 'utf8'));
    // What only one module says: a message of the parser and a sentence of a rule.
    for (const sentence of ['the text does not have the shape of a litmus test', 'a barrier number outside of 0 to 15'])
      expect([sentence, code.filter((text) => text.includes(sentence)).length]).toEqual([sentence, 1]);
    const others = /^(dist|models|litmus|docs)\/|^(README|CHANGELOG|CONTRIBUTING)\.md$|^LICENSE$|^package\.json$/;
    expect(contents.filter((path) => !others.test(path))).toEqual([]);
    // V8's code cache is of one machine.
    expect(contents.filter((path) => path.endsWith('.cache'))).toEqual([]);
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
    expect(compiled('use.ts')).toEqual([0, '']);
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

  it('shows how to use every function in an example, which compiles', async () => {
    const { Judge, Z3 } = await import('../src/library/index.js');
    const exported = { ...(await import('../src/library/index.js')), ...(await import('../src/library/node.js')) };
    const examples = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => [
        ...readFileSync(join(ROOT, 'src', path), 'utf8').matchAll(/@example\n \* ```ts\n([^`]*) \* ```/g),
      ])
      .concat([
        ...readFileSync(join(ROOT, 'src/axiomatic/solver/z3.ts'), 'utf8').matchAll(
          /@example\n {3}\* ```ts\n([^`]*) {3}\* ```/g,
        ),
      ])
      .map(([, code = '']) => code.replace(/^ *\* ?/gm, ''));
    const functions = Object.entries(exported).filter(([, value]) => typeof value === 'function');
    expect(functions.length).toBeGreaterThan(15);
    expect([typeof Judge, typeof Z3]).toEqual(['function', 'function']);
    for (const [name] of functions.filter(([name]) => name !== 'UsageError'))
      expect([name, examples.some((code) => code.includes(name))]).toEqual([name, true]);
    const names = (of: object): string => Object.keys(of).join(', ');
    writeFileSync(
      join(folder, 'examples.ts'),
      [
        "import { createHash } from 'node:crypto';",
        `import { ${names(await import('../src/library/index.js'))} } from 'ptx-litmus';`,
        "import type { Model, Program, SatSolver } from 'ptx-litmus';",
        `import { ${names(await import('../src/library/node.js'))} } from 'ptx-litmus/node';`,
        'declare const solver: SatSolver; declare const program: Program; declare const model: Model;',
        'declare const text: string;',
        'declare const source: { path: string; text: string };',
        ...examples.map((code) => `export const example${examples.indexOf(code)} = async () => {\n${code}};`),
      ].join('\n'),
    );
    expect(compiled('examples.ts')).toEqual([0, '']);
  });

  it('says in a docstring what everything is that it exports', () => {
    for (const entry of ['index', 'node']) {
      const exports = [
        ...readFileSync(join(ROOT, `src/library/${entry}.ts`), 'utf8').matchAll(
          /^export (?:type )?\{([^}]*)\} from '(.*)\.js';$/gm,
        ),
      ].flatMap(([, names = '', from]) =>
        [...names.matchAll(/(\w+)(?:,|\s*$)/g)].map(([, name]) => ({ name, file: `src/library/${from}.ts` })),
      );
      expect(exports.length).toBeGreaterThan(4);
      for (const { name, file } of exports) {
        const documented = new RegExp(
          `\\*/\nexport (async function|class|const|function\\*?|interface|type) ${name}\\b`,
        );
        expect([name, documented.test(readFileSync(join(ROOT, file), 'utf8'))]).toEqual([name, true]);
      }
    }
  });

  it('is used from plain JavaScript', () => {
    writeFileSync(join(folder, 'MP.litmus'), TEST);
    writeFileSync(
      join(folder, 'plain.cjs'),
      `const { readFileSync } = require('node:fs');
       (async () => {
         const { checkTest, explainTest, loadTests, Z3 } = await import('ptx-litmus');
         const { loadModel } = await import('ptx-litmus/node');
         const { value: [test] } = loadTests({ path: 'MP.litmus', text: readFileSync('MP.litmus', 'utf8') });
         const z3 = await Z3.start();
         const { value: model } = loadModel('ptx-9.4');
         console.log(checkTest(z3, test, model).conditions[0].observation);
         console.log(explainTest(z3, test, model).split('\\n')[0].split('   ')[1]);
       })();`,
    );
    expect(execFileSync('node', ['plain.cjs'], { cwd: folder, encoding: 'utf8' })).toBe('Never\nmet\n');
  });
});
