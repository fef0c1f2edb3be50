import { describe, expect, it } from 'vitest';
import { guessesIn } from '../../src/init/guesses.js';
import { relaunched, starterOf } from '../../src/init/starter.js';
import { found, LIMITS, started } from './started.js';

/** Threads of a plane of tiles of 16 times 8, a and b of them along x and y. */
const PLANE = `  mov.u32 %r1, %ctaid.x;
  shl.b32 %r2, %r1, 4;
  mov.u32 %r3, %tid.x;
  add.s32 %r4, %r2, %r3;
  mov.u32 %r5, %ctaid.y;
  shl.b32 %r6, %r5, 3;
  mov.u32 %r7, %tid.y;
  add.s32 %r8, %r6, %r7;
  ld.param.u32 %r9, [w];
  ld.param.u32 %r10, [h];
  setp.ge.s32 %p1, %r4, %r9;
  setp.ge.s32 %p2, %r8, %r10;
  or.pred %p3, %p1, %p2;
  @%p3 bra DONE;
  ld.param.u64 %rd1, [a];
  cvta.to.global.u64 %rd1, %rd1;`;

/** One element of each, at a place that is computed from them. */
const stored = (place: string): string => `${PLANE}
${place}
  mul.wide.s32 %rd2, %r12, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r4;
DONE:
  ret;`;

const sizesIn = (text: string): readonly number[] =>
  [...(/:: k \(([^@]*)\)/.exec(text)?.[1] ?? '').matchAll(/, (\d+)/g)].map(([, one]) => Number(one));

describe('sizes that fit together', () => {
  it('are as large as a few CTAs of the tile that the code has, and not equal', () => {
    const { text, rests } = started(
      stored('  mad.lo.s32 %r12, %r8, %r9, %r4;'),
      '.param .u64 a, .param .u32 w, .param .u32 h',
    );
    expect(text).toContain('@ grid (2, 2), block (16, 8) {');
    expect(sizesIn(text)).toEqual([29, 11]);
    expect(rests).toEqual([]);
  });

  it('are in the order in which rows and columns that are confused race, and that is said', () => {
    // Rows are as far apart as there are columns in the other direction.
    const { text, rests } = started(
      stored('  mad.lo.s32 %r12, %r8, %r10, %r4;'),
      '.param .u64 a, .param .u32 w, .param .u32 h',
    );
    const [width = 0, height = 0] = sizesIn(text);
    expect(width).toBeGreaterThan(height);
    expect(rests).toEqual([expect.stringMatching(/^a race at k.ptx:\d+: not there where data1 is less than data2$/)]);
    expect(text).toContain('// rests on a guess: a race at');
  });

  it('leave rows apart that a stride parts', () => {
    const { text, rests } = started(
      stored('  ld.param.u32 %r11, [ld];\n  mad.lo.s32 %r12, %r8, %r11, %r4;'),
      '.param .u64 a, .param .u32 w, .param .u32 h, .param .u32 ld',
    );
    expect(sizesIn(text)).toEqual([29, 11, 32]);
    expect(rests).toEqual([]);
  });

  it('leave planes apart, too', () => {
    const { text, rests } = started(
      stored(`  mov.u32 %r13, %ctaid.z;
  ld.param.u32 %r11, [plane];
  mul.lo.s32 %r14, %r13, %r11;
  mad.lo.s32 %r12, %r8, %r9, %r4;
  add.s32 %r12, %r12, %r14;`),
      '.param .u64 a, .param .u32 w, .param .u32 h, .param .u32 plane',
    );
    const [width = 0, height = 0, plane = 0] = sizesIn(text);
    expect(text).toContain('@ grid (2, 2, 2), block');
    expect(plane).toBeGreaterThanOrEqual(width * height);
    expect(rests).toEqual([]);
  });
});

describe('a block', () => {
  it('is as wide as the steps that its threads take in a loop', () => {
    const { text } = started(
      `  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  ld.param.u32 %r3, [n];
  ld.param.u64 %rd1, [a];
  cvta.to.global.u64 %rd1, %rd1;
LOOP:
  setp.ge.s32 %p1, %r1, %r3;
  @%p1 bra DONE;
  mad.lo.s32 %r4, %r2, %r3, %r1;
  mul.wide.s32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  add.s32 %r1, %r1, 32;
  bra LOOP;
DONE:
  ret;`,
      '.param .u64 a, .param .u32 n',
    );
    expect(text).toContain('@ grid 1, block (32, 4) {');
  });
});

describe('a block that is left for another', () => {
  it('is told with what goes wrong there', () => {
    const { text, rests } = started(
      `  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  shl.b32 %r3, %r2, 3;
  add.s32 %r4, %r3, %r1;
  mul.wide.u32 %rd2, %r4, 4;
  ld.param.u64 %rd1, [a];
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;`,
      '.param .u64 .ptr .global a',
    );
    expect(text).toContain('@ grid 1, block (8, 8) {');
    expect(rests).toEqual([
      expect.stringMatching(/^no race at k.ptx:\d+: there is one where the block is \(16, 16\)$/),
    ]);
  });
});

/** A CTA for each element of a list of places. */
const AT_PLACE = `  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  ld.param.u64 %rd1, [index];
  ld.param.u64 %rd2, [table];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  shr.u32 %r3, %r2, 1;
  mul.wide.u32 %rd3, %r3, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r4, [%rd4];
  mul.wide.u32 %rd5, %r4, 4;
  add.s64 %rd6, %rd2, %rd5;
  st.global.u32 [%rd6], %r1;
  ret;`;

describe('what is in arrays', () => {
  it('is told to be a guess on which a race rests, where it is', () => {
    const apart = AT_PLACE.replace('shr.u32 %r3, %r2, 1', 'mad.lo.s32 %r3, %r1, 64, %r2');
    const { rests } = started(apart, '.param .u64 index, .param .u64 table');
    expect(rests).toEqual([
      expect.stringMatching(/^a race at k.ptx:\d+: not there where the numbers in data0 are all different$/),
    ]);
    expect(started(AT_PLACE, '.param .u64 index, .param .u64 table').rests).toEqual([]);
  });

  it('is where rows begin, some of them long, where loops go from one to the next', () => {
    const { text, thin } = started(
      `  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  ld.param.u64 %rd1, [rows];
  ld.param.u64 %rd2, [sums];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r3, [%rd4];
  ld.global.u32 %r4, [%rd4+4];
  add.s32 %r3, %r3, %r2;
LOOP:
  setp.ge.s32 %p1, %r3, %r4;
  @%p1 bra DONE;
  mul.wide.u32 %rd5, %r3, 4;
  add.s64 %rd6, %rd2, %rd5;
  red.global.add.u32 [%rd6], 1;
  red.global.add.u32 [%rd2], 1;
  mov.u32 %r6, %ntid.x;
  add.s32 %r3, %r3, %r6;
  bra LOOP;
DONE:
  ret;`,
      '.param .u64 rows, .param .u64 sums',
    );
    expect(text).toMatch(/data0\[\d\] = \{0, 69, 72/);
    expect(thin).toEqual([]);
  });

  it('is pointers to arrays of their own where addresses are read from', () => {
    const { text, rests } = started(
      `  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  ld.param.u64 %rd1, [all];
  cvta.to.global.u64 %rd1, %rd1;
  mul.wide.u32 %rd2, %r1, 8;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u64 %rd4, [%rd3];
  mul.wide.u32 %rd5, %r2, 4;
  add.s64 %rd6, %rd4, %rd5;
  st.f32 [%rd6], 0f00000000;
  ret;`,
      '.param .u64 all',
    );
    expect(text).toContain('.f32 data0_0[64] = ?;');
    expect(text).toContain('.f32 data0_1[64] = ?;');
    expect(text).toContain(
      '.u64 data0[2] = {&data0_0, &data0_1};  // a guess: each pointer leads to an array of its own',
    );
    expect(rests).toEqual([]);
  });

  it('is pointers in a structure, of which a number that is computed takes one', () => {
    const { text } = started(
      `  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mov.b64 %rd1, s;
  mul.wide.u32 %rd2, %r1, 8;
  add.s64 %rd3, %rd1, %rd2;
  add.s64 %rd7, %rd3, 8;
  ld.param.u64 %rd4, [%rd7+-8];
  mul.wide.u32 %rd5, %r2, 4;
  add.s64 %rd6, %rd4, %rd5;
  st.global.u32 [%rd6], %r2;
  ret;`,
      '.param .align 8 .b8 s[32]',
    );
    expect(text).toContain(':: k ({ &data0_0, &data0_8, &data0_16, &data0_24 })');
    expect(text).toContain('.u32 data0_8[64] = ?;');
  });
});

describe('a ring of slots', () => {
  it('is gone round', () => {
    const { text } = started(
      `  mov.u32 %r1, 0;
  mov.u32 %r9, %tid.x;
  ld.param.u32 %r2, [n];
  ld.param.u64 %rd1, [a];
LOOP:
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra DONE;
  shl.b32 %r3, %r1, 7;
  and.b32 %r4, %r3, 1920;
  cvt.u64.u32 %rd2, %r4;
  add.s64 %rd3, %rd1, %rd2;
  red.global.add.u32 [%rd3], %r9;
  add.s32 %r1, %r1, 1;
  bra LOOP;
DONE:
  ret;`,
      '.param .u64 .ptr .global a, .param .u32 n',
    );
    // 16 slots of 128 bytes.
    expect(sizesIn(text)[0]).toBeGreaterThan(16);
  });
});

describe('a search', () => {
  const given = [stored('  mad.lo.s32 %r12, %r8, %r9, %r4;'), '.param .u64 a, .param .u32 w, .param .u32 h'] as const;

  it('finds the same however long launches take, as long as the time is not over', () => {
    let now = 1e9;
    const slow = { ...LIMITS, remaining: () => (now -= 1e6) };
    expect(started(...given, { limits: slow }).text).toBe(started(...given).text);
  });

  it('ends where the time is over, and says so', () => {
    const { thin } = started(...given, { limits: { ...LIMITS, remaining: () => 0 } });
    expect(thin).toContain('the time was over before all was tried: --timeout gives more');
  });

  it('tries no launch that does more than may be followed', () => {
    const { thin } = started(...given, { limits: { ...LIMITS, mostWork: 10 } });
    expect(thin).toEqual(['following it takes too long']);
  });
});

describe('what a person says', () => {
  it('is no guess any more', () => {
    const launch = found(stored('  mad.lo.s32 %r12, %r8, %r9, %r4;'), '.param .u64 a, .param .u32 w, .param .u32 h');
    const guesses = guessesIn(launch.trials.facts, launch.best.candidate, launch.trials.names);
    expect(guesses.map(({ what, value, form }) => [what, value, form])).toEqual([
      ['grid', '2, 2', 'one to three whole numbers of at least 1, such as 4 or 2, 2'],
      ['block', '16, 8', 'one to three whole numbers of at least 1, such as 4 or 2, 2'],
      ['data1', '29', 'a whole number, decimal or from 0x on'],
      ['data2', '11', 'a whole number, decimal or from 0x on'],
    ]);
    const [, block, width] = guesses;
    const other = width?.with(block?.with(launch.best.candidate, '8 x 8') ?? launch.best.candidate, '20');
    const said = new Set([block?.key ?? '', width?.key ?? '']);
    const { text } = starterOf(relaunched(launch, other ?? launch.best.candidate, said));
    expect(text).toContain(':: k (&data0, 20, 11 /* a guess */)');
    expect(text).toContain('@ grid (2, 2), block (8, 8) {  // a guess');
    expect(block?.with(launch.best.candidate, 'large')).toBeUndefined();
  });
});

describe('threads that do not ask which they are', () => {
  const store = (instruction: string): string => `  ld.param.u64 %rd1, [a];\n  ${instruction}\n  ret;`;

  it('are one where several race', () => {
    const { text, thin } = started(store('st.global.u32 [%rd1], 1;'), '.param .u64 .ptr .global a');
    expect(text).toContain('@ grid 1, block 1 {');
    expect(thin).toEqual(['it has one thread']);
  });

  it('are several where these do not', () => {
    const { text, thin } = started(store('red.global.add.u32 [%rd1], 1;'), '.param .u64 .ptr .global a');
    expect(text).toContain('@ grid 1, block 64 {');
    expect(thin).toEqual([]);
  });
});
