import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Cdcl } from '../../src/axiomatic/solver/cdcl.js';
import { Answers } from '../../src/interactive/answers.js';
import type { Draft } from '../../src/interactive/questions.js';
import { NODE_MODELS } from '../../src/lsp/node-models.js';
import { litmusPaths } from '../language/texts.js';
import { SWEEP_ALL, shareOf } from '../shares.js';
import { ROOT } from '../support.js';

const answers = new Answers(NODE_MODELS, new Cdcl());
const model = { name: 'ptx-9.4' };
const MP = `PTX MP
{ .global .u32 data = 0; .global .u32 flag = 0; }
P0 @ cta 0 {
  st.weak.global.u32 [data], 42;
  st.release.cta.global.u32 [flag], 1;
}
P1 @ cta 1 {
  ld.acquire.gpu.global.u32 r0, [flag];
  ld.weak.global.u32 r1, [data];
}
forbid (P1:r0 == 1 /\\ P1:r1 == 0) as stale
expect no-race
`;
const draft: Draft = { path: 'MP.litmus', text: MP };
const about = { draft, model };

describe('what is asked of a text that is being written', () => {
  it('has verdicts, and the places at which an expectation is broken', async () => {
    const { tests, findings, marks } = await answers.answer('check', about);
    expect(marks).toEqual([]);
    expect(tests[0]?.claims.map(({ outcome }) => outcome)).toEqual(['broken', 'broken']);
    expect(findings.map(({ path, line, claim }) => `${path}:${line} ${claim}`)).toEqual([
      'MP.litmus:4 expect no-race',
      'MP.litmus:9 expect no-race',
    ]);
  });

  it('has mistakes of the test, and of a model that is being written', async () => {
    const wrong = { path: 'MP.litmus', text: MP.replace('release', 'releese') };
    const { marks, tests } = await answers.answer('check', { draft: wrong, model });
    expect(tests).toEqual([]);
    expect(marks[0]).toMatchObject({ line: 5, column: 6, endLine: 5, endColumn: 13, code: 'L0102' });
    const own = { name: 'mine', text: '"mine"\nacyclic rff\n' };
    expect((await answers.answer('check', { draft, model: own })).marks[0]).toMatchObject({ line: 2, code: 'L0302' });
  });

  it('decides by a model that is being written', async () => {
    const own = { name: 'mine', text: '"mine"\nempty rf as No-Read-Finds-Anything\n' };
    const { tests } = await answers.answer('check', { draft, model: own });
    expect(tests[0]?.claims[0]?.outcome).toBe('met');
  });

  it('is explained, drawn with its race marked, and has its final states', async () => {
    expect((await answers.answer('explain', about)).text).toContain('What is missing that would exclude it');
    const { pictures } = await answers.answer('draw', about);
    expect(pictures.map(({ title }) => title)).toEqual(['MP: race', 'MP, stale: allowed by ptx-9.4']);
    expect(pictures[0]?.svg.match(/class="node marked"/g)).toHaveLength(2);
    const hidden = await answers.answer('draw', { ...about, hide: ['rf'] });
    expect(hidden.pictures[0]?.relations).not.toContain('rf');
    expect((await answers.answer('states', about)).text).toMatch(/^4 final states\n/);
  });

  it('is run step by step, each place by the choices that lead there', async () => {
    const begin = await answers.answer('step', { ...about, taken: [] });
    expect(begin.done).toEqual([]);
    expect(begin.choices[0]).toContain('st.weak.global.u32 [data], 42');
    let taken: readonly number[] = [];
    let place = begin;
    for (; place.choices.length > 0; place = await answers.answer('step', { ...about, taken })) taken = [...taken, 0];
    expect(place.done).toHaveLength(taken.length);
    expect(place.end[0]).toBe('nothing more happens');
  });

  it('is compared under two models', async () => {
    const { text, rows } = await answers.answer('compare', { ...about, other: { name: 'sc' } });
    expect(text).toContain('P1:r0 = 1, P1:r1 = 0');
    expect(rows.map(({ a, b }) => [a, b])).toEqual([
      ['broken, Sometimes', 'met, Never'],
      // This model has no races.
      ['broken', 'undecided'],
    ]);
    const same = await answers.answer('compare', { ...about, other: { name: 'ptx-9.4' } });
    expect(same.text).toBe('ptx-9.4 and ptx-9.4 allow the same of this test');
  });

  it('is mended: the text with each change is decided to be right', async () => {
    const { changes } = await answers.answer('mend', about);
    expect(changes.length).toBeGreaterThan(0);
    for (const { draft: changed } of changes) {
      const { tests } = await answers.answer('check', { draft: changed, model });
      expect(tests[0]?.broken).toBe(false);
    }
  });

  it('has a module of its own, which findings name', async () => {
    const folder = join(ROOT, 'litmus/kernels/launched');
    const text = readFileSync(join(folder, 'cpasync-broken.litmus'), 'utf8');
    const modules = { 'cpasync.ptx': readFileSync(join(folder, 'cpasync.ptx'), 'utf8') };
    const kernel: Draft = { path: 'cpasync-broken.litmus', text, modules };
    expect((await answers.answer('diagnose', { draft: kernel })).modules).toEqual(['cpasync.ptx']);
    const { findings } = await answers.answer('check', { draft: kernel, model });
    expect(new Set(findings.map(({ path }) => path))).toEqual(new Set(['cpasync.cu']));
    const none = await answers.answer('check', { draft: { ...kernel, modules: {} }, model });
    expect(none.marks[0]?.code).toBe('L0208');
  });

  it('is one of several tests', async () => {
    const two = {
      path: 'two.litmus',
      text: `${MP}${MP.replace('PTX MP', 'PTX MP2').replace('release.cta', 'release.gpu')}`,
    };
    expect((await answers.answer('explain', { draft: two, model, test: 1 })).text).toMatch(/^MP2 /);
  });

  it('is what the command says of the same test', async () => {
    const paths = litmusPaths(60);
    const { stdout } = spawnSync('node', [join(ROOT, 'dist/cli/main.js'), 'check', ...paths, '-f', 'json'], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    interface Reported {
      readonly test: { readonly name: string };
      readonly conditions: readonly {
        readonly observation: string | null;
        readonly expectation: { met: boolean | null };
      }[];
      readonly expectations: readonly { readonly met: boolean | null }[];
    }
    const { results } = JSON.parse(stdout) as { readonly results: readonly Reported[] };
    const told: unknown[] = [];
    for (const path of paths) {
      const named = [...readFileSync(path, 'utf8').matchAll(/launch\s+\w+\s*"([^"]*)"/g)].map(([, name = '']) => name);
      const modules = named.map((name) => [name, readFileSync(join(dirname(path), name), 'utf8')]);
      const text = readFileSync(path, 'utf8');
      const drafted = { path, text, ...(named.length > 0 && { modules: Object.fromEntries(modules) }) };
      const { tests } = await answers.answer('check', { draft: drafted, model });
      for (const { name, claims } of tests)
        told.push([name, claims.map((one) => [one.observation ?? null, metOf(one.outcome)])]);
    }
    const reported = results.map(({ test, conditions, expectations }) => [
      test.name,
      [
        ...conditions.map(({ observation, expectation }) => [observation, expectation.met]),
        ...expectations.map(({ met }) => [null, met]),
      ],
    ]);
    expect(told).toEqual(reported);
    expect(told.length).toBeGreaterThan(15);
  });

  it('never throws because of what a text says: no prefix of a test does, whatever is asked', async () => {
    const kinds = ['diagnose', 'check', 'explain', 'draw', 'states'] as const;
    // All of them, by night as well, would take hours.
    for (const path of litmusPaths(300).filter((one) => shareOf(one, 100, 'prefixes') < (SWEEP_ALL ? 3 : 100))) {
      const text = readFileSync(path, 'utf8').slice(0, 1500);
      for (let length = 0; length <= text.length; length += 31)
        for (const kind of kinds)
          await answers.answer(kind, { draft: { path: 'a.litmus', text: text.slice(0, length), modules: {} }, model });
    }
  });
});

const metOf = (outcome: string): boolean | null => (outcome === 'met' ? true : outcome === 'broken' ? false : null);
