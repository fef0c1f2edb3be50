import { describe, expect, it } from 'vitest';
import { LIMITS, started } from './started.js';

/** A loop in which a number goes on, and the bound of that. */
const loop = (first: string, step: string): string => `  ld.param.u64 %rd1, [a];
  ld.param.u32 %r1, [n];
  mov.u32 %r9, %tid.x;
  ${first}
LOOP:
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra DONE;
  red.global.add.u32 [%rd1], %r9;
  ${step}
  bra LOOP;
DONE:
  ret;`;

const PARAMETERS = '.param .u64 .ptr .global a, .param .u32 n';

const numberIn = (text: string): number => Number(/:: k \(&data0, (\d+)/.exec(text)?.[1]);

describe('a size that a loop doubles up to', () => {
  it('is a power of two by which the loop goes over the block', () => {
    const { text, thin } = started(loop('mov.u32 %r2, 1;', 'shl.b32 %r2, %r2, 1;'), PARAMETERS);
    expect(text).toContain('@ grid 1, block 64 {');
    expect(numberIn(text)).toBe(128);
    expect(thin).toEqual([]);
    expect(numberIn(started(loop('mov.u32 %r2, 1;', 'add.u32 %r2, %r2, %r2;'), PARAMETERS).text)).toBe(128);
  });

  it('is one where halves of it are taken', () => {
    const { text } = started(
      `  ld.param.u64 %rd1, [a];
  ld.param.u32 %r1, [n];
  mov.u32 %r9, %tid.x;
  shr.u32 %r2, %r1, 1;
LOOP:
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra DONE;
  red.global.add.u32 [%rd1], %r9;
  shr.u32 %r2, %r2, 1;
  bra LOOP;
DONE:
  ret;`,
      PARAMETERS,
    );
    expect(numberIn(text)).toBe(128);
  });

  it('is no more than half where otherwise what nothing has written is read', () => {
    const { text, rests } = started(
      `  ld.param.u64 %rd1, [a];
  ld.param.u32 %r1, [n];
  mov.u32 %r9, %tid.x;
  shl.b32 %r8, %r9, 2;
  mov.u32 %r7, s;
  add.u32 %r7, %r7, %r8;
  st.shared.u32 [%r7], %r9;
  shr.u32 %r2, %r1, 1;
LOOP:
  bar.sync 0;
  setp.ge.u32 %p2, %r9, %r2;
  @%p2 bra NEXT;
  shl.b32 %r6, %r2, 2;
  add.u32 %r6, %r6, %r7;
  ld.shared.u32 %r5, [%r6];
  ld.shared.u32 %r4, [%r7];
  add.u32 %r4, %r4, %r5;
  st.shared.u32 [%r7], %r4;
NEXT:
  shr.u32 %r2, %r2, 1;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra LOOP;
  ret;`,
      PARAMETERS,
      { more: '.extern .shared .align 4 .b8 s[];' },
    );
    expect(text).toContain('@ grid 1, block 64, shared 256 {');
    expect(text).toContain(', 64 /* a guess */)');
    expect(rests).toEqual([
      expect.stringMatching(/^no read of what nothing has written at k.ptx:\d+: there is one where data1 is 128$/),
    ]);
  });

  it('is told where it goes over less than the block', () => {
    const { text, thin } = started(loop('mov.u32 %r2, 1;', 'shl.b32 %r2, %r2, 1;'), PARAMETERS, {
      program: 'int main() { k<<<1, 64>>>(0, 8); }',
      limits: { ...LIMITS, mostTrials: 1 },
    });
    expect(numberIn(text)).toBe(8);
    expect(thin).toEqual(['data1 is too small for its loops to go over the block']);
  });

  it('is none where a loop adds', () => {
    const { text } = started(loop('mov.u32 %r2, %tid.x;', 'add.u32 %r2, %r2, 32;'), PARAMETERS);
    expect(Math.log2(numberIn(text)) % 1).not.toBe(0);
  });
});

describe('a number that is compared with what a comparison comes to', () => {
  it.each(['setp.ne.u32 %p2, %r4, %r1', 'xor.b32 %r4, %r4, %r1;\n  setp.ne.u32 %p2, %r4, 0'])(
    'is 0 or 1: %s',
    (asks) => {
      const { text, thin } = started(
        `  ld.param.u64 %rd1, [a];
  ld.param.u32 %r1, [n];
  ld.global.u32 %r2, [%rd1];
  setp.gt.u32 %p1, %r2, 100;
  selp.u32 %r4, 1, 0, %p1;
  mov.u32 %r9, %tid.x;
  ${asks};
  @%p2 bra DONE;
  red.global.add.u32 [%rd1+4], %r9;
DONE:
  ret;`,
        PARAMETERS,
      );
      expect(text).toMatch(/:: k \(&data0, [01] \/\* a guess/);
      expect(thin).toEqual([]);
    },
  );
});
