import { describe, expect, it } from 'vitest';
import { run } from './written.js';

/** What one thread leaves in `%r1` or `%rd1`, as the word that it stores. */
function result(body: string, wide = false): string {
  const { finals, unsupported } = run({
    memory: `.global .align 16 .b8 x[16] = 0; .global .u${wide ? 64 : 32} out = 0;`,
    passed: ['x', 'out'],
    place: 'grid 1, block 1',
    schedules: 1,
    body: `${body}\nst.global.u${wide ? 64 : 32} [%rd11], ${wide ? '%rd1' : '%r1'};`,
  });
  return unsupported ?? finals[0]?.replace(/^.*out=/, '') ?? '';
}

/** Of each instruction that sets `%r1` from numbers: the number, signed. */
const WORDS: Readonly<Record<string, number>> = {
  'add.s32 %r1, 2147483647, 1': -2147483648,
  'add.sat.s32 %r1, 2147483647, 1': 2147483647,
  'sub.u32 %r1, 3, 5': -2,
  'mul.lo.s32 %r1, 65537, 65537': 131073,
  'mul.hi.u32 %r1, -1, -1': -2,
  'mul.hi.s32 %r1, -1, -1': 0,
  'mad.lo.s32 %r1, 7, 6, -2': 40,
  'div.u32 %r1, -2, 2': 2147483647,
  'div.s32 %r1, -7, 2': -3,
  'rem.s32 %r1, -7, 2': -1,
  'rem.u32 %r1, 17, 5': 2,
  'min.u32 %r1, -1, 5': 5,
  'min.s32 %r1, -1, 5': -1,
  'max.u32 %r1, -1, 5': -1,
  'abs.s32 %r1, -2147483648': -2147483648,
  'neg.s32 %r1, 5': -5,
  'sad.u32 %r1, 3, 10, 100': 107,
  'and.b32 %r1, 12, 10': 8,
  'not.b32 %r1, 0': -1,
  'cnot.b32 %r1, 0': 1,
  'shl.b32 %r1, 1, 31': -2147483648,
  'shl.b32 %r1, 1, 32': 0,
  'shr.u32 %r1, -1, 28': 15,
  'shr.s32 %r1, -16, 40': -1,
  'shf.l.wrap.b32 %r1, 0x80000000, 1, 1': 3,
  'shf.r.clamp.b32 %r1, 5, 7, 32': 7,
  'popc.b32 %r1, 0xf0f': 8,
  'clz.b32 %r1, 0': 32,
  'clz.b32 %r1, 1': 31,
  'brev.b32 %r1, 1': -2147483648,
  'bfind.s32 %r1, -1': -1,
  'bfind.u32 %r1, 9': 3,
  'bfind.shiftamt.u32 %r1, 9': 28,
  'fns.b32 %r1, 0xaaaaaaaa, 3, 2': 5,
  'bfe.u32 %r1, 0xabcd, 4, 8': 0xbc,
  'bfe.s32 %r1, 0xf0, 4, 4': -1,
  'bfi.b32 %r1, 0xf, 0, 8, 4': 0xf00,
  'prmt.b32 %r1, 0x33221100, 0x77665544, 0x5410': 0x55441100,
  'prmt.b32 %r1, 0x80, 0, 0x0008': -2139062017,
  'prmt.b32.f4e %r1, 0x33221100, 0x77665544, 1': 0x44332211,
  'lop3.b32 %r1, 12, 10, 6, 0xe8': 14,
  'szext.wrap.s32 %r1, 0xff, 8': -1,
  'bmsk.clamp.b32 %r1, 4, 8': 0xff0,
  'dp4a.u32.u32 %r1, 0x01020304, 0x01010101, 5': 15,
  'slct.u32.s32 %r1, 1, 2, -1': 2,
  'set.lt.u32.s32 %r1, -1, 0': -1,
  'cvt.s32.s8 %r1, 0x80': -128,
  'cvt.u32.u8 %r1, 0x1ff': 255,
  'cvt.sat.u32.s32 %r1, -3': 0,
  'cvt.rzi.s32.f32 %r1, 0fC0200000': -2,
  'cvt.rni.s32.f32 %r1, 0f40200000': 2,
  'cvt.rn.f32.s32 %f1, 3; mov.b32 %r1, %f1': 0x40400000,
  'add.f32 %f1, 0f3F800000, 0f40000000; mov.b32 %r1, %f1': 0x40400000,
  'fma.rn.f32 %f1, 0f40000000, 0f40400000, 0f3F800000; mov.b32 %r1, %f1': 0x40e00000,
  'neg.f32 %f1, 0f00000000; mov.b32 %r1, %f1': -2147483648,
  'max.f32 %f1, 0f7FC00000, 0f3F800000; mov.b32 %r1, %f1': 0x3f800000,
  'add.rn.f16x2 %r1, 0x3c004000, 0x3c003c00': 0x40004200,
  'cvt.rn.f16.f32 %h1, 0f3F800000; mov.b32 %r1, {%h1, %h1}': 0x3c003c00,
  'add.cc.u32 %r2, -1, 1; addc.u32 %r1, 5, 0': 6,
  'sub.cc.u32 %r2, 0, 1; subc.u32 %r1, 5, 0': 4,
  'setp.ltu.f32 %p1, 0f7FC00000, 0f3F800000; selp.b32 %r1, 1, 0, %p1': 1,
  'setp.lt.f32 %p1, 0f7FC00000, 0f3F800000; selp.b32 %r1, 1, 0, %p1': 0,
  'setp.lo.u32 %p1, 1, -1; selp.b32 %r1, 1, 0, %p1': 1,
  'setp.eq.s32 %p2, 1, 2; setp.eq.or.s32 %p1|%p3, 1, 1, %p2; selp.b32 %r1, 1, 0, %p1': 1,
  'add.s16 %h1, 32767, 1; cvt.s32.s16 %r1, %h1': -32768,
  'mul.wide.u16 %r1, 65535, 65535': -131071,
};

const LONG: Readonly<Record<string, string>> = {
  'add.s64 %rd1, -1, 1': '0',
  'sub.s64 %rd1, 0, 1': '18446744073709551615',
  'mul.wide.s32 %rd1, -2, 3': '18446744073709551610',
  'mul.wide.u32 %rd1, -1, -1': '18446744065119617025',
  'mul.hi.u64 %rd1, -1, -1': '18446744073709551614',
  'mad.wide.s32 %rd1, -1, 1, 5': '4',
  'shl.b64 %rd1, 3, 62': '13835058055282163712',
  'shr.s64 %rd1, -8, 1': '18446744073709551612',
  'shr.u64 %rd1, -1, 60': '15',
  'cvt.s64.s32 %rd1, -1': '18446744073709551615',
  'cvt.u64.u32 %rd1, -1': '4294967295',
  'mov.b64 %rd1, {1, 2}': '8589934593',
  'bfi.b64 %rd1, 1, 2, 32, 32': '4294967298',
  'min.s64 %rd1, -5, 3': '18446744073709551611',
  'setp.lt.s64 %p1, -5, 3; selp.b64 %rd1, 1, 0, %p1': '1',
  'add.f64 %fd1, 0d3FF0000000000000, 0d3FF0000000000000; mov.b64 %rd1, %fd1': '4611686018427387904',
  'cvt.f64.f32 %fd1, 0f3F800000; mov.b64 %rd1, %fd1': '4607182418800017408',
};

describe('instructions of the random schedules', () => {
  it.each(Object.entries(WORDS))('%s', (body, expected) => {
    expect(result(`${body};`)).toBe(String(expected));
  });

  it.each(Object.entries(LONG))('%s', (body, expected) => {
    expect(result(`${body};`, true)).toBe(expected);
  });

  it('load and store parts of registers by the sign of the type', () => {
    expect(result('st.global.u32 [%rd10], 0x80ff;\nld.global.s8 %r1, [%rd10];')).toBe('-1');
    expect(result('st.global.u32 [%rd10], 0x80ff;\nld.global.u16 %r1, [%rd10];')).toBe('33023');
    expect(result('st.global.v2.u32 [%rd10], {1, 2};\nld.global.v2.u32 {%r2, %r1}, [%rd10];')).toBe('2');
    expect(result('st.global.u8 [%rd10+1], 0x1ff;\nld.global.u32 %r1, [%rd10];')).toBe('65280');
  });

  it('update memory by atomics', () => {
    const twice = (first: string, second = first): string => result(`${first}\n${second}\nld.global.u32 %r1, [%rd10];`);
    expect(twice('atom.global.add.u32 %r1, [%rd10], 5;')).toBe('10');
    expect(twice('red.global.add.u32 [%rd10], 5;', 'atom.global.inc.u32 %r1, [%rd10], 5;')).toBe('0');
    expect(twice('atom.global.dec.u32 %r1, [%rd10], 9;')).toBe('8');
    expect(twice('red.global.max.s32 [%rd10], -3;', 'red.global.min.s32 [%rd10], -3;')).toBe('-3');
    expect(twice('atom.global.exch.b32 %r2, [%rd10], 3;', 'atom.global.cas.b32 %r2, [%rd10], 3, 8;')).toBe('8');
    expect(twice('red.global.add.f32 [%rd10], 0f3F800000;')).toBe(String(0x40000000));
  });

  it('exchange within a warp', () => {
    const warp = (body: string): readonly string[] => {
      const { finals } = run({
        memory: '.global .u32 out[32] = 0;',
        passed: ['out'],
        place: 'grid 1, block 32',
        schedules: 5,
        body: `${body}\nmul.wide.u32 %rd1, %r0, 4;\nadd.s64 %rd1, %rd10, %rd1;\nst.global.u32 [%rd1], %r1;`,
      });
      return finals.map((final) => final.slice(4));
    };
    const lanes = (of: (lane: number) => number): string[] => [Array.from({ length: 32 }, (_, i) => of(i)).join(',')];
    expect(warp('shfl.sync.down.b32 %r1, %r0, 1, 31, -1;')).toEqual(lanes((i) => Math.min(i + 1, 31)));
    expect(warp('shfl.sync.up.b32 %r1, %r0, 2, 0, -1;')).toEqual(lanes((i) => (i < 2 ? i : i - 2)));
    expect(warp('shfl.sync.bfly.b32 %r1, %r0, 16, 31, -1;')).toEqual(lanes((i) => i ^ 16));
    expect(warp('shfl.sync.idx.b32 %r1, %r0, 3, 0x181f, -1;')).toEqual(lanes((i) => (i & 24) + 3));
    expect(warp('setp.lt.u32 %p1, %r0, 4;\nvote.sync.ballot.b32 %r1, %p1, -1;')).toEqual(lanes(() => 15));
    // Whatever the masks are: their lanes meet, and each lane is in one of them.
    const ACTIVE = 'activemask.b32 %r2;\nshfl.sync.idx.b32 %r3, %r2, %r0, 31, %r2;\nsub.s32 %r1, %r2, %r3;';
    expect(warp(ACTIVE)).toEqual(lanes(() => 0));
    expect(warp('redux.sync.add.u32 %r1, %r0, -1;')).toEqual(lanes(() => 496));
    expect(warp('and.b32 %r2, %r0, 1;\nmatch.any.sync.b32 %r1, %r2, -1;')).toEqual(
      lanes((i) => (i & 1 ? 0xaaaaaaaa | 0 : 0x55555555)),
    );
    expect(warp('elect.sync %r2|%p1, -1;\nvote.sync.ballot.b32 %r3, %p1, -1;\npopc.b32 %r1, %r3;')).toEqual(
      lanes(() => 1),
    );
  });

  it('are undefined outside of memory, of lanes and of alignment', () => {
    const rules = (body: string): readonly string[] => [
      ...run({ memory: '.global .u32 out = 0;', passed: ['out'], place: 'grid 1, block 2', body }).undefined.keys(),
    ];
    expect(rules('ld.global.u32 %r1, [%rd10+4];')).toEqual(['out-of-bounds']);
    expect(rules('ld.global.u64 %rd1, [%rd10];')).toEqual(['out-of-bounds']);
    expect(rules('ld.global.u16 %r1, [%rd10+1];')).toEqual(['misaligned']);
    expect(rules('ld.shared.u32 %r1, [0];')).toEqual(['out-of-bounds']);
    expect(rules('shfl.sync.idx.b32 %r1, %r0, 0, 31, 1;')).toEqual(['lane-outside-of-mask']);
    expect(rules('bar.sync 16;')).toEqual(['barrier-number']);
    expect(rules('bar.sync 0, 33;')).toEqual(['barrier-count']);
  });

  it('that are not known are named where a thread comes to them', () => {
    expect(result('tcgen05.wait::ld.sync.aligned;')).toMatch(
      /^k\.ptx:\d+: tcgen05\.wait::ld\.sync\.aligned is not known$/,
    );
    expect(result('bra OVER;\ntcgen05.wait::ld.sync.aligned;\nOVER: mov.u32 %r1, 4;')).toBe('4');
    expect(result('bra NOWHERE;')).toMatch(/^line \d+: no label NOWHERE$/);
  });
});
