import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readModel } from '../../src/cat/resolve-model.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { BASE_KINDS } from '../../src/execution/base-relations.js';
import { check, litmus, modelOf, ROOT } from '../support.js';

/** A model of ours with one line exchanged, as a published formalization has it. */
function variant(name: string, line: string, other: string) {
  const text = readFileSync(join(ROOT, `models/${name}.cat`), 'utf8');
  expect(text).toContain(line);
  return modelOf(text.replace(line, other), `${name}-variant`);
}

const MP = (release: string, acquire: string): string =>
  litmus(
    '.global .u32 x = 0; .global .u32 flag = 0;',
    [`st.weak.global.u32 [x], 1; ${release}`, `${acquire} ld.weak.global.u32 r1, [x];`],
    'exists (P1:r1 == 0 /\\ flag != 0 /\\ P1:r0 == 1)\nlocations [flag;]',
  );

describe('where the published formalizations disagree', () => {
  const fenceSc = MP('fence.sc.sys; st.relaxed.sys.global.u32 [flag], 1;', 'ld.acquire.sys.global.u32 r0, [flag];');

  it(
    'fence.sc releases in our models (8.8); if only fence.acq_rel did, as in a published cat file, stale data ' +
      'would be allowed',
    async () => {
      for (const model of ['ptx-6.0', 'ptx-7.5'])
        expect((await check(fenceSc, model)).conditions[0]?.reachable).toBe(false);
      const published = variant(
        'ptx-7.5',
        'let release-fence = F & (REL | ACQ_REL | SC)',
        'let release-fence = F & ACQ_REL',
      );
      expect((await check(fenceSc, published)).conditions[0]?.reachable).toBe(true);
    },
  );

  it('a red acquires nothing (8.11.1); if its read were an acquire, the stale read would be forbidden', async () => {
    const text = litmus(
      '.global .u32 x = 0; .global .u32 flag = 0;',
      [
        'st.weak.global.u32 [x], 42; st.release.gpu.global.u32 [flag], 1;',
        'red.sys.global.add.u32 [flag], 1; fence.acquire.gpu; ld.weak.global.u32 r0, [x];',
      ],
      'permit (P1:r0 == 0 /\\ flag == 2) as stale',
    );
    expect((await check(text)).conditions[0]?.expectation).toBe('met');
    const published = variant(
      'ptx-7.5',
      '  | ([strong-read \\ RED]; po; [acquire-fence])',
      '  | ([strong-read]; po; [acquire-fence])',
    );
    expect((await check(text, published)).conditions[0]?.expectation).toBe('broken');
    const atom = text
      .replace('red.sys.global.add.u32 [flag], 1;', 'atom.sys.global.add.u32 r9, [flag], 1;')
      .replace('permit', 'forbid');
    expect((await check(atom)).conditions[0]?.expectation).toBe('met');
  });

  it('fences are of the generic proxy; without one no fence would be morally strong with anything', async () => {
    const text = MP('st.release.sys.global.u32 [flag], 1;', 'ld.relaxed.sys.global.u32 r0, [flag]; fence.acq_rel.sys;');
    expect((await check(text)).conditions[0]?.reachable).toBe(false);
    const published = variant('ptx-7.5', 'let same-proxy = (GEN * GEN)', 'let same-proxy = ((GEN & M) * (GEN & M))');
    expect((await check(text, published)).conditions[0]?.reachable).toBe(true);
  });
});

describe('a model of the user', () => {
  it('that is too large to be understood is refused', () => {
    const read = (text: string): readonly string[] =>
      readModel('mine', { path: 'mine.cat', text: `"mine"\n${text}` }, BASE_KINDS).diagnostics.map(
        ({ code, message }) => `${code}: ${message}`,
      );
    expect(read(`acyclic ${Array.from({ length: 5000 }, () => 'po').join(' | ')} as a`)).toEqual([
      'L0309: this expression has more than 500 operators within one another',
    ]);
    const doubled = Array.from({ length: 40 }, (_, i) => `let f${i + 1}(x) = f${i}(f${i}(x))`).join('\n');
    expect(read(`let f0(x) = x | po\n${doubled}\nacyclic f40(po) as a`)).toEqual([
      'L0309: the functions of this model come to more than 20000 calls',
    ]);
    expect(read(`let f0(x) = x | po\n${doubled}\nlet rec r = f40(r)\nacyclic r as a`).join()).toContain('L0309');
  });

  it('may use a name that our models no longer have: a warning says what it is now', () => {
    const sc = readFileSync(join(ROOT, 'models/ptx-7.5.cat'), 'utf8');
    const include = () => ({ path: 'ptx-7.5.cat', text: sc });
    const read = (text: string) =>
      readModel('mine', { path: 'mine.cat', text: `"mine"\ninclude "ptx-7.5.cat"\n${text}` }, BASE_KINDS, include);
    const { value, diagnostics } = read('acyclic lets-go | co as mine');
    expect(diagnostics.map(({ code, severity, message }) => `${severity} ${code}: ${message}`)).toEqual([
      'warning L0308: lets-go is now called after-barrier',
    ]);
    expect(value?.checks.find(({ name }) => name === 'mine')?.expression).toMatchObject({
      left: { kind: 'name', name: 'after-barrier' },
    });
    expect(read('let lets-go = po acyclic lets-go as mine').diagnostics).toEqual([]);
  });

  it(
    'in the style of the published GPU models loads: base relations, redefined co, recursion, names with ' + 'dashes',
    async () => {
      const model = modelOf(`PTX
(* A comment (* nested *) *)
// another
let co = co+
let fr = rf^-1; co
let strong-op = ((W & (RLX | REL)) | (R & (RLX | ACQ)) | (F & (ACQ_REL | SC)))
let ms1 = po | po^-1 | ([strong-op]; sr; [strong-op])
let ms2 = GEN * GEN | TEX * TEX | SUR * SUR | CON * CON
let ms3 = vloc | ((_ * _) \\ (M * M))
let morally-strong = ms1 & ms2 & ms3
let rec observation = (morally-strong & rf) | (observation; rmw; observation)
let release = ([W & REL]; (po & loc)?; [W & strong-op]) | ([F & ACQ_REL]; po; [W & strong-op])
let acquire = ([R & strong-op]; (po & loc)?; [R & ACQ]) | ([R & strong-op]; po; [F & ACQ_REL])
let sync-barrier = syncbar & scta
let sync = morally-strong & (release; observation; acquire)
let rec base = po | sync | sync_fence | sync-barrier | (base; base)
let causality = ([M]; (vloc & base); [M]) | (observation; ([M]; (vloc & base); [M]))
let alias-fence = [F & ALIAS]
empty (([W]; causality; [W]) & loc) \\ co as Coherence
empty ((([F & SC]; base; [F & SC]) & morally-strong) \\ sync_fence) as FenceSC
empty (((morally-strong & fr); (morally-strong & co)) & rmw) as Atomicity
acyclic (rf | addr | data | ctrl) as No-Thin-Air
irreflexive ((rf | fr); causality) as Causality
flag ~empty rmw as has-rmw
show sync, base as hb
unshow hb
`);
      const text = MP('st.release.gpu.global.u32 [flag], 1;', 'ld.acquire.gpu.global.u32 r0, [flag];');
      expect((await check(text, model)).conditions[0]?.reachable).toBe(false);
      expect((await check(text.replaceAll('.gpu', '.cta'), model)).conditions[0]?.reachable).toBe(true);
    },
  );

  it('without an axiom against thin air gets values out of thin air', async () => {
    const text = litmus(
      '.global .u32 x = 0; .global .u32 y = 0;',
      [
        'ld.weak.global.u32 r0, [x]; st.weak.global.u32 [y], r0;',
        'ld.weak.global.u32 r0, [y]; st.weak.global.u32 [x], r0;',
      ],
      'exists (P0:r0 == 17)',
    );
    expect((await check(text, modelOf('acyclic co'))).conditions[0]?.reachable).toBe(true);
    expect((await check(text, modelOf('acyclic rf | data | addr | ctrl'))).conditions[0]?.reachable).toBe(false);
    const { conditions } = await check(text, 'ptx-7.5', { reasons: true });
    expect(conditions[0]?.forbiddenBy?.axioms).toEqual(['No-Thin-Air']);
  });

  it('that does not mention a feature of the test is asked nothing about it', async () => {
    const barrier = litmus('.global .u32 x = 0;', ['bar.sync 0; st.weak.global.u32 [x], 1;'], 'exists (x == 1)');
    const { conditions } = await check(barrier, modelOf('acyclic co'));
    expect(conditions[0]?.undecided).toMatchObject({ kind: 'feature', what: 'CTA barriers' });
    const alias = litmus(
      '.global .u32 x = 0; .global .u32 y aliases x;',
      ['st.weak.global.u32 [x], 1; ld.weak.global.u32 r0, [y];'],
      'exists (P0:r0 == 0)',
    );
    expect((await check(alias, 'ptx-6.0')).conditions[0]?.undecided).toMatchObject({
      kind: 'feature',
      what: 'aliases',
    });
    expect((await check(alias, 'ptx-7.5')).conditions[0]?.reachable).toBe(true);
  });

  it('may include files, each once in a chain, and is told which cannot be read', () => {
    const files: Readonly<Record<string, string>> = { 'a.cat': 'let hb = po | rf\n', 'b.cat': 'include "b.cat"\n' };
    const read = (text: string) =>
      readModel('m', { path: 'm.cat', text }, BASE_KINDS, (path) =>
        files[path] === undefined ? undefined : { path, text: files[path] },
      );
    expect(read('include "a.cat"\nacyclic hb as A').value?.checks.map(({ name }) => name)).toEqual(['A']);
    expect(renderDiagnostics(read('include "b.cat"').diagnostics)).toContain('"b.cat" includes itself');
    expect(renderDiagnostics(read('include "c.cat"').diagnostics)).toContain('cannot read the included file "c.cat"');
  });

  it('may define functions, of sets and of relations', async () => {
    const model = modelOf(
      'let both(r, s) = r | s\nlet on(S) = [S]; po; [S]\nlet hb = both(on(M), rf)\nacyclic both(hb, both(co, ' +
        'fr)) as sc',
    );
    const text = litmus(
      '.global .u32 x = 0; .global .u32 y = 0;',
      [
        'st.weak.global.u32 [x], 1; ld.weak.global.u32 r0, [y];',
        'st.weak.global.u32 [y], 1; ld.weak.global.u32 r0, [x];',
      ],
      'exists (P0:r0 == 0 /\\ P1:r0 == 0)',
    );
    expect((await check(text, model)).conditions[0]?.reachable).toBe(false);
  });
});
