import { describe, expect, it } from 'vitest';
import { started } from './started.js';

/** Each thread below n reads the element so many behind its own, and stores to its own of another array. */
const reading = (ahead: number): string => `
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.s32 %r5, %r3, %r4, %r2;
  setp.ge.s32 %p1, %r5, %r1; @%p1 bra E;
  mul.wide.s32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r6, [%rd4 + ${4 * ahead}]; st.global.u32 [%rd5], %r6;
E:
  ret;`;
const PARAMETERS = '.param .u64 a, .param .u64 b, .param .u32 n';

describe('arrays of a starter', () => {
  it('that are longer than a size says, as others are, are told with what goes wrong if they are not', () => {
    const { text, rests } = started(reading(3), PARAMETERS);
    const [, size] = /data1\[(\d+)\]/.exec(text) ?? [];
    expect(rests).toEqual([
      `that data0 has ${Number(size) + 3} elements, as many as are touched: with ${size}, as data1 has, ` +
        'it ends in outside-memory',
    ]);
    expect(text).toContain('// rests on a guess: that data0 has');
  });

  it('that are as long as each other are not', () => {
    expect(started(reading(0), PARAMETERS).rests).toEqual([]);
  });
});
