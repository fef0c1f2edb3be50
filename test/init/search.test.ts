import { describe, expect, it } from 'vitest';
import { started } from './started.js';

describe('a mistake in which every launch ends', () => {
  it('is shown by the launch that would show most without it', () => {
    // Behind the end of the array, before what a size decides.
    const { text, thin } = started(
      `  ld.param.u64 %rd1, [a];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra NONE;
  red.global.add.u32 [%rd1], 1;
NONE:
  shl.b32 %r6, %r4, 2;
  mov.u32 %r7, s;
  add.u32 %r7, %r7, %r6;
  st.shared.u32 [%r7], %r4;
  bar.sync 0;
  @%p1 bra DONE;
  red.global.add.u32 [%rd1+4], 1;
DONE:
  ret;`,
      '.param .u64 .ptr .global a, .param .u32 n',
      { more: '.shared .align 4 .b8 s[4];' },
    );
    expect(text).toContain(':: k (&data0, 125 /* a guess */)');
    // What is behind the mistake may need as much.
    expect(text).toContain('.u32 data0[125] = 0;');
    expect(text).toContain('@ grid 2, block 64 {');
    expect(thin[0]).toBe('this launch ends in outside-memory, a mistake of the kernel or of a guess');
  });
});
