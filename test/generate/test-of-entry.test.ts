import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { testOfEntry } from '../../src/generate/test-of-entry.js';
import { parseModule } from '../../src/syntax/parse-module.js';
import { describeWith, NVCC } from '../resources.js';
import { isOfShare } from '../shares.js';
import { checkProgram, ROOT } from '../support.js';

function testsOf(path: string, text: string): readonly string[] {
  const { value, diagnostics } = parseModule({ path, text });
  if (value === undefined) throw new Error(renderDiagnostics(diagnostics));
  return value.entries.map((entry) => testOfEntry(value, entry));
}

const MODULE = `.version 9.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.global .align 4 .u32 count = 3;
.global .align 4 .u32 unused;
.global .align 8 .u64 there = count;
.extern .shared .align 16 .b8 dynamic[];
.func (.param .b32 r) twice (.param .b32 a)
{ .reg .b32 %x; ld.param.b32 %x, [a]; add.s32 %x, %x, %x; st.param.b32 [r], %x; ret; }
.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1, .param .f32 k_param_2, .param .align 4 .b8 k_param_3[8])
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [k_param_0];
  cvta.to.global.u64 %rd2, %rd1;
  ld.param.u32 %r1, [k_param_1];
  { .param .b32 param0; st.param.b32 [param0], %r1; .param .b32 retval0;
    call.uni (retval0), twice, (param0); ld.param.b32 %r2, [retval0]; }
  st.shared.u32 [dynamic], %r2;
  atom.global.add.u32 %r3, [count], 1;
  ld.global.u64 %rd3, [there];
  st.global.u32 [%rd2], %r2;
  ret;
}
`;

describe('a test to start from', () => {
  const [text = ''] = testsOf('k.ptx', MODULE);

  it('launches the kernel, and marks what is guessed', () => {
    expect(text).toMatchInlineSnapshot(`
      "PTX k
      "The kernel k of k.ptx: a test to start from."
      {
        .global .align 16 .b8 data0[1024];  // a guess: its size
        // 8 bytes of a structure: write { field, … } for ?
      }
      launch K "k.ptx" :: k (&data0, 1 /* a guess */, f32 1.0 /* a guess */, ?)
        @ grid 2, block 64, shared 1024 {  // a guess
        run auto;
      }
      expect no-race
      expect no-undefined
      expect no-deadlock
      expect no-trap
      expect no-uninitialized
      "
    `);
  });

  it('has memory for a pointer that only sums of it use', () => {
    const text = `.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 n)
{
  ld.param.u64 %rd1, [p];
  ld.param.u64 %rd2, [n];
  add.s64 %rd3, %rd1, %rd4;
  cp.async.cg.shared.global [%r1], [%rd3], 16;
  ret;
}
`;
    expect(testsOf('k.ptx', text)[0]).toContain(':: k (&data0, 1 /* a guess */)');
  });

  it('is decided as it stands, and finds what its threads do to each other', async () => {
    const { value, diagnostics } = loadTests({
      path: 'k.litmus',
      text,
      modules: { 'k.ptx': { path: 'k.ptx', text: MODULE } },
    });
    const [program] = value ?? expect.unreachable(renderDiagnostics(diagnostics));
    if (program === undefined) throw new Error('no test');
    const { expectations } = await checkProgram(program, 'ptx-9.4');
    expect(expectations.map(({ expectation, outcome }) => [expectation.expectation, outcome])).toEqual([
      ['no-race', 'broken'],
      ['no-undefined', 'met'],
      ['no-deadlock', 'met'],
      ['no-trap', 'met'],
      ['no-uninitialized', 'met'],
    ]);
  });
});

describeWith(NVCC, 'modules that nvcc prints', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-modules-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const sources = readdirSync(join(ROOT, 'litmus/compiled')).filter((name) => name.endsWith('.cu'));
  it.each(['sm_75', 'sm_90a', 'sm_100a', 'sm_120'])('for %s become tests that can be read', (arch) => {
    expect(sources.length).toBeGreaterThan(15);
    for (const source of sources.filter((one) => isOfShare(one, 4, 'of entry'))) {
      const path = join(folder, `${basename(source, '.cu')}.${arch}.ptx`);
      const options = ['-std=c++17', '-lineinfo', '-ptx', `-arch=${arch}`, '-o', path];
      const { status, stderr } = spawnSync('nvcc', [...options, join(ROOT, 'litmus/compiled', source)]);
      expect(status, `${source}: ${stderr}`).toBe(0);
      const tests = testsOf(path, readFileSync(path, 'utf8'));
      expect(tests.length).toBeGreaterThan(0);
      for (const text of tests) {
        const modules = { [basename(path)]: { path, text: readFileSync(path, 'utf8') } };
        const { value, diagnostics } = loadTests({ path, text, modules });
        expect(value, renderDiagnostics(diagnostics)).toBeDefined();
      }
    }
  });
});
