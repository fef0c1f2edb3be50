import { describe, expect, it } from 'vitest';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { findLaunch, starterOf } from '../../src/init/starter.js';
import { parseModule } from '../../src/syntax/parse-module.js';

/** What is thin in the best launch of a kernel that takes an array and two sizes. */
function thinIn(body: string, mostTrials: number): { readonly thin: readonly string[]; readonly text: string } {
  const head = '.version 9.0\n.target sm_90a\n.address_size 64';
  const text = `${head}\n.visible .entry k(.param .u64 a, .param .u32 m, .param .u32 n)\n{\n${body}\n}\n`;
  const { value, diagnostics } = parseModule({ path: 'k.ptx', text });
  const [entry] = value?.entries ?? [];
  if (value === undefined || entry === undefined) throw new Error(renderDiagnostics(diagnostics));
  const limits = { remaining: () => 1, budget: () => () => undefined, mostTrials };
  const source = { module: value, entry, path: 'k.ptx', program: undefined, nvcc: undefined, name: 'k' };
  return starterOf(findLaunch(source, limits), limits);
}

/** A loop of CTAs over rows, in which there is one of threads over columns. */
const rows = (step: string): string => `  ld.param.u64 %rd1, [a];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %nctaid.x;
  ld.param.u32 %r3, [m];
  ld.param.u32 %r4, [n];
ROW:
  setp.ge.s32 %p1, %r1, %r3;
  @%p1 bra DONE;
  mov.u32 %r5, %tid.x;
COLUMN:
  setp.ge.s32 %p2, %r5, %r4;
  @%p2 bra NEXT;
  red.global.add.u32 [%rd1], 1;
  add.s32 %r5, %r5, 32;
  bra COLUMN;
NEXT:
  add.s32 %r1, %r1, ${step};
  bra ROW;
DONE:
  ret;`;

describe('rounds of loops', () => {
  it('are counted for an outer loop by itself', () => {
    // No launch goes round again.
    expect(thinIn(rows('100000'), 40).thin).toEqual([
      expect.stringContaining('no thread goes twice round the loop at k.ptx:'),
    ]);
    expect(thinIn(rows('%r2'), 40).thin).toEqual([]);
  });

  it('are enough with different numbers for different sizes', () => {
    const [, m, n] = /k \(&\w+, (\d+)[^,]*, (\d+)/.exec(thinIn(rows('%r2'), 40).text) ?? [];
    expect(m).not.toBe(n);
  });
});

describe('the shape of a block', () => {
  const STORE = `
  ld.param.u64 %rd1, [a];
  mul.wide.u32 %rd2, %r9, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r9;
  ret;`;
  const IDS = '  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %tid.y;\n  mov.u32 %r3, %tid.z;\n';

  it('has the dimensions that are read for themselves, and one where a rank is made of them', () => {
    const rank = `mov.u32 %r4, %ntid.x;\n  mov.u32 %r5, %ntid.y;\n  mad.lo.s32 %r6, %r3, %r5, %r2;
  mad.lo.s32 %r9, %r6, %r4, %r1;`;
    expect(thinIn(IDS + rank + STORE, 3).text).toContain('block 64 {');
    // The register goes on as something else.
    const tile = 'mov.u32 %r4, %ctaid.y;\n  add.s32 %r9, %r4, %r2;\n  add.s32 %r2, %r2, 16;\n  add.s32 %r9, %r9, %r1;';
    expect(thinIn(IDS.replace(/ {2}mov.u32 %r3.*\n/, '') + tile + STORE, 3).text).toContain('block (16, 16) {');
  });

  it('is no other one for a race: CTAs that write to the same places are shown', () => {
    const same = `  ld.param.u64 %rd1, [a];
  ld.param.u32 %r5, [n];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.s32 %r4, %r2, %r3, %r1;
  setp.ge.s32 %p1, %r4, %r5;
  @%p1 bra DONE;
  red.global.add.u32 [%rd1], 1;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3+4], %r4;
DONE:
  ret;`;
    const { text } = thinIn(same, 1);
    expect(text).toContain('125 /* a guess */)');
    expect(text).toContain('@ grid 2, block 64 {');
  });
});
