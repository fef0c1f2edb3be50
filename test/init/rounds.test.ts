import { describe, expect, it } from 'vitest';
import type { Starter } from '../../src/init/starter.js';
import { LIMITS, started } from './started.js';

/** What is thin in the best launch of a kernel that takes an array and two sizes. */
const thinIn = (body: string, mostTrials: number): Starter =>
  started(body, '.param .u64 a, .param .u32 m, .param .u32 n', { limits: { ...LIMITS, mostTrials } });

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

/** Copies one element after the other, and waits for each; what is done with it goes to one of a few places. */
const inTurn = (next: string): string => `  .shared .align 4 .u32 s[32];
  ld.param.u64 %rd1, [a];
  cvta.to.global.u64 %rd1, %rd1;
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, 0;
  mov.u32 %r4, 0;
  mov.u32 %r6, s;
  mad.lo.u32 %r6, %r2, 4, %r6;
LOOP:
  setp.ge.s32 %p2, %r3, %r1;
  @%p2 bra DONE;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd2, %rd1, %rd2;
  cp.async.ca.shared.global [%r6], [%rd2], 4;
  cp.async.wait_all;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd3, %rd1, %rd3;
  red.global.add.u32 [%rd3], 1;
  ${next}
  add.s32 %r3, %r3, 1;
  bra LOOP;
DONE:
  ret;`;

describe('a loop that uses buffers in turn', () => {
  it('goes round until one of them is used again', () => {
    const sizeBy = (next: string): number => Number(/k \(&\w+, [^,]*, (\d+)/.exec(thinIn(inTurn(next), 40).text)?.[1]);
    expect(sizeBy('add.s32 %r4, %r3, 1;')).toBe(2);
    expect(sizeBy('xor.b32 %r4, %r4, 1;')).toBe(3);
    expect(sizeBy('and.b32 %r4, %r3, 3;')).toBe(5);
    expect(sizeBy('rem.u32 %r4, %r3, 3;')).toBeGreaterThan(3);
  });
});

describe('a barrier that lanes come to one after the other', () => {
  it('is one round of its loop', () => {
    const { thin } = started(
      `  ld.param.u64 %rd1, [a];
  cvta.to.global.u64 %rd1, %rd1;
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, 0;
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra AWAY;
LOOP:
  barrier.sync 0;
  add.s32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, %r1;
  @%p2 bra LOOP;
  red.global.add.u32 [%rd1], 1;
  ret;
AWAY:
  mov.u32 %r5, 1;
  bra LOOP;`,
      '.param .u64 a, .param .u32 n',
      { program: 'int main() { k<<<1, 64>>>(a, 1); }', limits: { ...LIMITS, mostTrials: 1 } },
    );
    expect(thin).toEqual([expect.stringContaining('no thread goes twice round the loop')]);
  });
});

describe('an unrolled loop', () => {
  it('is gone round by what is left over, where each copy stands by itself', () => {
    const rest = (left: number): string => `  setp.eq.s32 %p1, %r2, ${left};
  @%p1 bra DONE;
  .loc 1 5 3
  red.global.add.u32 [%rd1], 1;`;
    const body = `  ld.param.u64 %rd1, [a];
  cvta.to.global.u64 %rd1, %rd1;
  ld.param.u32 %r1, [n];
  and.b32 %r2, %r1, 3;
  sub.s32 %r3, %r1, %r2;
  mov.u32 %r4, 0;
  setp.lt.u32 %p2, %r1, 4;
  @%p2 bra REST;
LOOP:
  .loc 1 5 3
${'  red.global.add.u32 [%rd1], 1;\n'.repeat(4)}  add.s32 %r4, %r4, 4;
  setp.lt.u32 %p3, %r4, %r3;
  @%p3 bra LOOP;
REST:
${[0, 1, 2].map(rest).join('\n')}
DONE:
  ret;
  .file 1 "k.cu"`;
    const shown = (n: number): Starter =>
      started(body, '.param .u64 a, .param .u32 n', {
        program: `int main() { k<<<1, 32>>>(a, ${n}); }`,
        limits: { ...LIMITS, mostTrials: 1 },
      });
    const isShort = expect.stringContaining('no thread goes twice round the loop at k.cu:5');
    expect(shown(3).thin).not.toContainEqual(isShort);
    expect(shown(1).thin).toContainEqual(isShort);
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

describe('a loop that only waits', () => {
  it('need not go round twice: for an mbarrier, as it is tried', () => {
    const { thin } = started(
      `  ld.param.u64 %rd1, [a];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra READY;
  mbarrier.init.shared.b64 [m], 64;
READY:
  bar.sync 0;
  mbarrier.arrive.shared.b64 %rd2, [m];
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p2, [m], 0;
  @%p2 bra DONE;
  bra WAIT;
DONE:
  red.global.add.u32 [%rd1], 1;
  ret;`,
      '.param .u64 .ptr .global a',
      { more: '.shared .align 8 .b64 m;' },
    );
    expect(thin).toEqual([]);
  });

  it('does not stand for the loop around it, be a look set apart before it', () => {
    const { thin } = started(
      `  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [flag];
  mov.u32 %r1, %tid.x;
  mov.u32 %r9, 0;
LOOP:
  red.global.add.u32 [%rd1], 1;
  ld.acquire.gpu.global.u32 %r2, [%rd2];
  setp.ne.u32 %p1, %r2, 7;
  @%p1 bra GO;
WAIT:
  ld.acquire.gpu.global.u32 %r2, [%rd2];
  setp.eq.u32 %p1, %r2, 7;
  @%p1 bra WAIT;
GO:
  add.u32 %r9, %r9, 1;
  setp.lt.u32 %p2, %r9, 1;
  @%p2 bra LOOP;
  ret;`,
      '.param .u64 .ptr .global a, .param .u64 .ptr .global flag',
    );
    expect(thin).toEqual([expect.stringMatching(/^no thread goes twice round the loop at k.ptx:\d+$/)]);
  });
});
