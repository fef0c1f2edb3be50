import { describe, expect, it } from 'vitest';
import { initialOf } from '../../src/init/contents.js';
import { started } from './started.js';

/** Each thread takes a number, which says where it counts. */
const counted = (taken: string, bytes = 4): string => `  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u64 %rd1, [at];
  ld.param.u64 %rd2, [sums];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mul.wide.s32 %rd3, %r4, ${bytes};
  add.s64 %rd4, %rd1, %rd3;
  ${taken}
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd6, %rd2, %rd5;
  red.global.add.u32 [%rd6], 1;
  ret;`;

const PARAMETERS = '.param .u64 at, .param .u64 sums';

describe('an array of floating-point numbers', () => {
  it.each(['32', '64'])('begins with such numbers: f%s', (width) => {
    const { text } = started(
      counted(`ld.global.f${width} %f1, [%rd4];\n  cvt.rzi.s32.f${width} %r5, %f1;`, Number(width) / 8),
      PARAMETERS,
    );
    expect(text).toContain(`.f${width} data0[128] = {0.0, 1.0, 1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 7.0, 0.0,`);
    expect(text).toContain('.u32 data1[8] = 0;');
  });

  it('begins with the bits of such numbers where these have no type', () => {
    const half = counted('ld.global.u16 %rs1, [%rd4];\n  cvt.f32.f16 %f1, %rs1;\n  cvt.rzi.s32.f32 %r5, %f1;', 2);
    expect(started(half, PARAMETERS).text).toMatch(
      /as bits of f16.*\n.*\.u16 data0\[128\] = \{0, 0x3c00, 0x3c00, 0x4000,/,
    );
    const brain = half.replace('cvt.f32.f16', 'cvt.f32.bf16');
    expect(started(brain, PARAMETERS).text).toMatch(
      /as bits of bf16.*\n.*\.u16 data0\[128\] = \{0, 0x3f80, 0x3f80, 0x4000,/,
    );
  });

  it('is none where numbers become such', () => {
    const { text } = started(
      counted('ld.global.u16 %rs1, [%rd4];\n  cvt.rn.f16.u16 %rs2, %rs1;\n  cvt.u32.u16 %r5, %rs1;', 2),
      PARAMETERS,
    );
    expect(text).toContain('.u16 data0[128] = {0, 1, 1, 2,');
  });
});

describe('an array that is only read', () => {
  it('has different numbers where places depend on them, be it long', () => {
    const { text } = started(counted('ld.global.u32 %r5, [%rd4+1600];'), PARAMETERS);
    expect(text).toMatch(/a guess: small numbers, for places or ways depend on them\n.* data0\[528\] = \{0, 1, 1, 2,/);
  });

  it('is not told to begin as 0 where it is 0', () => {
    const use = { element: 4, float: undefined, compared: [], expected: [] };
    const said = (writes: boolean): unknown => initialOf('zero', 4, { ...use, writes }, 32).comment;
    expect([said(true), said(false)]).toEqual(['a guess: it begins as 0', 'a guess: zeros, for ways depend on them']);
  });
});

describe('what is in an array', () => {
  it.each(['setp.ge.s32 %p1, %r6, 0;', 'shr.u32 %r7, %r6, 31;\n  setp.eq.u32 %p1, %r7, 0;'])(
    'is on both sides of what it is compared with: %s',
    (asks) => {
      const guarded = `ld.global.u32 %r6, [%rd4];
  ${asks}
  @%p1 bra DONE;
  add.s32 %r5, %r6, 3;`;
      const { text } = started(counted(guarded).replace('ret;', 'DONE:\n  ret;'), PARAMETERS);
      expect(text).toContain(
        '// a guess: numbers on both sides of what they are compared with, for places or ways depend',
      );
      expect(text).toContain('data0[128] = {0, 0, -1, 1, 1, 1, 0, 2, -1, 3,');
    },
  );

  it('is what an exchange expects, where otherwise none succeeds', () => {
    const { text } = started(
      counted(`atom.global.cas.b32 %r6, [%rd4], -1, 5;
  mov.u32 %r5, 1;
  setp.ne.s32 %p1, %r6, -1;
  @%p1 bra DONE;`).replace('ret;', 'DONE:\n  ret;'),
      PARAMETERS,
    );
    expect(text).toContain('data0[128] = {-1, 0, -2, 1, 0, 1, -1, 2,');
  });

  it('fits its elements', () => {
    const use = { element: 1, float: undefined, compared: [255], expected: [], writes: false };
    expect(initialOf('both sides', 6, use, 32).initial).toBe(' = {255, 0, 254, 1, 0, 1}');
    expect(initialOf('every third', 87, use, 32).initial).toMatch(/, 252, 255, 2}$/);
  });
});
