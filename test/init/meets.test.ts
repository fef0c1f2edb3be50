import { describe, expect, it } from 'vitest';
import { started } from './started.js';

const PARAMETERS = '.param .u64 .ptr .global a, .param .u64 .ptr .global b';

/** What the first thread of a CTA does under a lock. */
const locked = (word: string, more = ''): string => `  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  mov.u32 %r1, %tid.x;
  ${more}
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra DONE;
LOCK:
  atom.global.cas.b32 %r2, [${word}], 0, 1;
  setp.ne.u32 %p2, %r2, 0;
  @%p2 bra LOCK;
  ld.global.u32 %r3, [%rd2];
  add.u32 %r3, %r3, 1;
  st.global.u32 [%rd2], %r3;
  atom.global.exch.b32 %r2, [${word}], 0;
DONE:
  ret;`;

const counting = (atomic: string, more = ''): string => `  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  ${more}
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  ${atomic}
DONE:
  ret;`;

describe('CTAs that do not ask which they are', () => {
  it('are several where one thread of each takes a lock', () => {
    for (const text of [
      started(locked('%rd1'), PARAMETERS).text,
      started(locked('lock'), PARAMETERS, { more: '.global .u32 lock;' }).text,
    ])
      expect(text).toContain('@ grid 2, block 64 {');
  });

  it('are told to be, where that goes wrong', () => {
    const { rests } = started(locked('%rd1'), PARAMETERS);
    expect(rests).toContainEqual(expect.stringMatching(/^a race at .*: not there where the grid is 1$/));
  });

  it('are several where one thread of each counts', () => {
    expect(started(counting('red.global.add.u32 [%rd1], 1;'), PARAMETERS).text).toContain('@ grid 2, block 64 {');
    expect(started(counting('atom.add.u32 %r2, [%rd1], 1;'), PARAMETERS).text).toContain('@ grid 2, block 64 {');
  });

  it('are one where that is for its own threads, or in its memory', () => {
    for (const atomic of ['red.global.cta.add.u32 [%rd1], 1;', 'red.shared.add.u32 [s], 1;'])
      expect(started(counting(atomic), PARAMETERS, { more: '.shared .u32 s;' }).text).toContain('@ grid 1, block 64 {');
  });

  it('are one where what others do goes wrong with several, and that is told', () => {
    const { text, rests } = started(
      counting('red.global.add.u32 [%rd1], 1;', 'st.global.u32 [%rd4], %r1;'),
      PARAMETERS,
    );
    expect(text).toContain('@ grid 1, block 64 {');
    expect(rests).toEqual([expect.stringMatching(/^no race at k.ptx:\d+: there is one where the grid is 2$/)]);
  });
});
