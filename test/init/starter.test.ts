import { describe, expect, it } from 'vitest';
import { starterNames } from '../../src/init/starter.js';
import { started } from './started.js';

const THREAD = `  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;`;

describe('a launch to start from', () => {
  it('has a size at which a guard goes both ways, and arrays that are as large as what is touched', () => {
    const { text, thin } = started(
      `${THREAD}
  ld.param.u64 %rd1, [a];
  ld.param.u32 %r5, [n];
  setp.ge.s32 %p1, %r4, %r5;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.s32 %rd3, %r4, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  st.global.f32 [%rd4], %f1;
DONE:
  ret;`,
      '.param .u64 a, .param .u32 n',
    );
    expect(text).toMatchInlineSnapshot(`
      "PTX k
      "The kernel k of k.ptx: a test to start from."
      {
        // Sizes are what this launch touches: measured.
        .global .align 16 .f32 data0[125] = ?;
      }
      // thin: no two threads share a byte that one of them writes
      launch K "k.ptx" :: k (&data0, 125 /* a guess */)
        @ grid 2, block 64 {  // a guess
        run auto;
      }
      expect no-race
      expect no-undefined
      expect no-deadlock
      expect no-trap
      expect no-uninitialized
      "
    `);
    expect(thin).toEqual(['no two threads share a byte that one of them writes']);
  });

  it('goes twice round a loop, and takes names and sizes from the program', () => {
    const { text, thin } = started(
      `${THREAD}
  ld.param.u64 %rd1, [a];
  ld.param.u32 %r5, [n];
  mov.u32 %r6, %nctaid.x;
  mul.lo.s32 %r7, %r6, %r2;
  cvta.to.global.u64 %rd2, %rd1;
LOOP:
  setp.ge.s32 %p1, %r4, %r5;
  @%p1 bra DONE;
  red.global.add.u32 [%rd2], 1;
  add.s32 %r4, %r4, %r7;
  bra LOOP;
DONE:
  ret;`,
      '.param .u64 a, .param .u32 n',
      {
        program:
          '__global__ void k(unsigned* total, int count) {}\nint main() { const int B = 32; k<<<3, B>>>(0, 100); }\n',
      },
    );
    expect(text).toContain('.u32 total[1] = 0;');
    expect(text).toContain(':: k (&total, 100 /* count: a guess */)');
    expect(text).toContain('@ grid 3, block 32 {');
    expect(thin).toEqual([]);
  });

  it('tells the fields of a structure apart, and what the kernel does not load', () => {
    const { text } = started(
      `  ld.param.u64 %rd1, [s+8];
  ld.param.f32 %f1, [s+20];
  cvta.to.global.u64 %rd2, %rd1;
  st.global.f32 [%rd2], %f1;
  ret;`,
      '.param .align 8 .b8 s[24], .param .u32 unused',
    );
    expect(text).toContain(
      ':: k ({ ?, ?, &data0_8, ?, f32 1.0 } /* a guess */, ? /* data1: the kernel does not load it */)',
    );
    expect(text).toContain('@ grid 1, block 1 {');
  });

  it('puts small numbers where places are read from', () => {
    const { text, thin } = started(
      `${THREAD}
  ld.param.u64 %rd1, [at];
  ld.param.u64 %rd2, [sums];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mul.wide.s32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r5, [%rd4];
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd6, %rd2, %rd5;
  red.global.add.u32 [%rd6], 1;
  ret;`,
      '.param .u64 at, .param .u64 sums',
    );
    expect(text).toContain('data0[128] = {0, 1, 1, 2, 3, 0, 4, 5, 6, 7, 0,');
    expect(text).toContain('data1[8] = 0;  // a guess: it begins as 0');
    expect(thin).toEqual([]);
  });

  it('says which lines no thread comes to', () => {
    const { text, thin } = started(
      `  ld.param.u64 %rd1, [a];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 5000;
  @%p1 bra DONE;
  st.global.u32 [%rd1], 1;
DONE:
  ret;`,
      '.param .u64 .ptr .global a',
    );
    expect(thin[0]).toBe('no thread comes to k.ptx:11');
    expect(text).toContain('// thin: no thread comes to k.ptx:11;');
  });

  it('takes clusters and shared memory from what the code does', () => {
    const { text } = started(
      `  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r4, s;
  add.u32 %r5, %r4, %r2;
  st.shared.u32 [%r5], %r1;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  ret;`,
      '',
      { more: '.extern .shared .align 16 .b8 s[];' },
    );
    expect(text).toContain('cluster 2, shared 256');
  });

  it('has names as short as tell kernels apart', () => {
    const named = (name: string): Parameters<typeof starterNames>[0][number] =>
      ({ name }) as unknown as Parameters<typeof starterNames>[0][number];
    expect(starterNames([named('_Z5scalePjj'), named('_ZN2ns5scaleEPj'), named('plain')])).toEqual([
      'scale',
      'scale_2',
      'plain',
    ]);
  });
});
