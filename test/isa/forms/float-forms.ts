import { bankOf, type FormGroup, list, product, typed } from './form-list.js';

const HALVES = ['.f16', '.bf16', '.f16x2', '.bf16x2'];
const FLOATS = [...HALVES, '.f32', '.f64'];
const ROUNDINGS = ['', '.rn', '.rz', '.rm', '.rp', '.rna'];

const ARITHMETIC: readonly string[] = [
  ...product(['add', 'sub', 'mul'], ['', '.rn', '.rz', '.rp'], ['', '.ftz', '.sat', '.ftz.sat'], typed(FLOATS, 3)),
  ...product(['fma', 'fma.rn', 'fma.rm'], ['', '.ftz', '.sat', '.relu', '.ftz.relu'], typed(FLOATS, 4)),
  ...product(['mad', 'mad.rn', 'mad.rz'], ['', '.ftz', '.sat'], typed(['.f32', '.f64', '.f16'], 4)),
  ...product(['add.rn', 'mul.rz', 'sub', 'fma.rn', 'add.ftz', 'fma'], ['.f32x2', '.rn.ftz.f32x2'], [list('d', 3)]),
  'fma.rn.f32x2 d0, d1, d2, d3;',
  'fma.rn.oob.f16 h0, h1, h2, h3;',
  'fma.rn.oob.relu.bf16x2 r0, r1, r2, r3;',
  'add.ftz.rn.f32 f0, f1, f2;',
  'add.sat.ftz.f32 f0, f1, f2;',
  'add.f32.rn f0, f1, f2;',
  'add.rn.rz.f32 f0, f1, f2;',
  'add.f32 f0, f1, 0f3F800000;',
  'add.f32 f0, f1, 1.0;',
  'add.f32 f0, f1, 1;',
  'add.f32 r0, r1, r2;',
  'add.f32 f0, e1, f2;',
  'add.f64 d0, d1, d2;',
  'add.f64 e0, e1, 0d4000000000000000;',
  'add.f16 r0, r1, r2;',
  'add.f16 f0, f1, f2;',
  'add.f16 h0, h1, 0f3F800000;',
  'add.f16x2 f0, f1, f2;',
  'add.f32.f16 f0, h1, f2;',
  'add.rn.f32.bf16 f0, h1, f2;',
  'fma.rn.f32 f0, f1, f2;',
  'fma.rn.f32.f16 f0, h1, h2, f3;',
  ...product(['div'], [...ROUNDINGS.slice(0, 4), '.approx', '.full'], ['', '.ftz'], typed(['.f32', '.f64', '.f16'], 3)),
  ...product(
    ['rcp', 'sqrt', 'rsqrt'],
    ['', '.rn', '.rz', '.approx', '.full'],
    ['', '.ftz'],
    typed(['.f32', '.f64', '.f16'], 2),
  ),
  ...product(
    ['sin', 'cos', 'lg2', 'ex2', 'tanh'],
    ['', '.approx', '.rn', '.full'],
    ['', '.ftz'],
    typed(['.f32', '.f64', '.f16', '.f16x2', '.bf16', '.bf16x2'], 2),
  ).filter((form) => /^(ex2|tanh)|f32|f64 |f16 /.test(form)),
  'sin.ftz.approx.f32 f0, f1;',
  'rcp.approx.ftz.f64 d0, d1;',
  'ex2.ftz.bf16.approx h0, h1;',
];

const ORDERING: readonly string[] = [
  ...product(['min', 'max'], ['', '.ftz', '.NaN', '.ftz.NaN', '.xorsign.abs', '.NaN.xorsign.abs'], typed(FLOATS, 3)),
  ...product(
    ['min', 'max'],
    ['.NaN.ftz', '.xorsign', '.abs', '.abs.xorsign', '.relu', '.sat', '.xorsign.abs.NaN'],
    ['.f32 f0, f1, f2;', '.f16 h0, h1, h2;'],
  ),
  ...product(['min', 'max'], ['', '.NaN', '.ftz.NaN.abs', '.abs'], ['.f32'], [list('f', 4)]),
  ...product(['neg', 'abs'], ['', '.ftz', '.sat', '.approx'], typed(FLOATS, 2)),
  ...product(['copysign', 'copysign.ftz'], typed(FLOATS, 3)),
  ...product(
    ['testp'],
    ['.finite', '.infinite', '.number', '.notanumber', '.normal', '.subnormal', '.zero', ''],
    ['.f32 p0, f0;', '.f64 p0, e0;', '.f16 p0, h0;'],
  ),
  'testp.ftz.finite.f32 p0, f0;',
  ...product(
    ['setp'],
    ['.eq', '.ltu', '.num', '.nan', '.lo', '.hs'],
    ['', '.ftz'],
    typed(FLOATS, 3).map((form) => form.replace(/ \w0/, ' p0')),
  ),
  ...product(
    ['setp.gt', 'setp.neu.and', 'setp.gt.ftz.or', 'setp.gt.or.ftz'],
    ['.f16x2 p0|p1, r0, r1', '.bf16x2 p0|p1, r0, r1', '.f32 p0|p1, f0, f1', '.f16 p0, h0, h1'],
    [';', ', p2;'],
  ),
  ...product(
    ['set'],
    ['.lt', '.geu', '.nan', '.hi'],
    ['', '.ftz'],
    ['.u32', '.s32', '.f32', '.f16', '.bf16', '.f64', '.f16x2'],
    ['.f32', '.f16', '.bf16x2'],
  ).map((form) => {
    const [to = '', from = ''] = form.match(/\.[a-z]+\d\w*/g)?.slice(-2) ?? [];
    return `${form} ${bankOf(to)}0, ${bankOf(from)}1, ${bankOf(from)}2;`;
  }),
  'set.lt.and.f32.f32 f0, f1, f2, !p0;',
  'set.lt.and.ftz.u32.f32 r0, f1, f2, p0;',
  'set.eq.f16x2.f16x2 r0, r1, r2;',
  'set.eq.u32.f64 r0, e1, e2;',
];

const INTEGER_TYPES = ['.u8', '.s8', '.u16', '.s32', '.u64', '.s64', '.b32'];
const FLOAT_TYPES = ['.f16', '.bf16', '.f32', '.f64'];
const convert = (prefixes: readonly string[], to: readonly string[], from: readonly string[]): readonly string[] =>
  prefixes.flatMap((prefix) => to.flatMap((d) => from.map((s) => `${prefix}${d}${s} ${bankOf(d)}0, ${bankOf(s)}1;`)));

const CONVERSIONS: readonly string[] = [
  ...convert(['cvt', 'cvt.sat'], INTEGER_TYPES, INTEGER_TYPES),
  ...convert(['cvt.rn', 'cvt.rzi', 'cvt.ftz'], ['.u32', '.s64'], ['.s32', '.u16']),
  ...convert(['cvt', 'cvt.rni', 'cvt.rzi.ftz', 'cvt.rz', 'cvt.rpi.sat'], ['.s32', '.u64', '.u8'], FLOAT_TYPES),
  ...convert(['cvt', 'cvt.rn', 'cvt.rzi', 'cvt.rp.sat', 'cvt.rna'], FLOAT_TYPES, ['.u8', '.s32', '.u64']),
  ...convert(['cvt', 'cvt.rn', 'cvt.rm.ftz', 'cvt.rni', 'cvt.sat', 'cvt.rn.sat'], FLOAT_TYPES, FLOAT_TYPES),
  ...product(
    ['cvt'],
    ['.rn', '.rz', '', '.rn.relu', '.rz.relu', '.rn.sat', '.rn.satfinite', '.rn.relu.satfinite', '.rna', '.rp'],
    ['.f16x2', '.bf16x2'],
    ['.f32 r0, f1, f2;', '.f32 r0, f1;'],
  ),
  ...product(
    ['cvt'],
    ['.rn', '.rz', '.rna', '.rn.relu', '.rna.relu', '.rna.satfinite', '.rn.satfinite', ''],
    ['.tf32.f32 r0, f1;', '.tf32.f16 r0, h1;'],
  ),
  ...product(
    ['cvt'],
    ['.rn.satfinite', '.rn', '.rn.satfinite.relu', '.rz.satfinite', '.satfinite.rn'],
    ['.e4m3x2', '.e5m2x2', '.e4m3'],
    ['.f32 h0, f1, f2;', '.f16x2 h0, r1;', '.bf16x2 h0, r1;', '.f32 h0, f1;'],
  ),
  ...product(
    ['cvt.rn', 'cvt.rn.relu', 'cvt', 'cvt.rn.satfinite'],
    ['.f16x2', '.bf16x2'],
    ['.e4m3x2 r0, h1;', '.e5m2x2 r0, h1;'],
  ),
  'cvt.u32.u32.sat r0, r1;',
  'cvt.u32.u64 r0, r1;',
  'cvt.u64.u32 d0, d1;',
  'cvt.u8.u32 h0, r1;',
  'cvt.u8.u32 d0, r1;',
  'cvt.s16.s8 r0, h1;',
  'cvt.u32.u8 r0, r1;',
  'cvt.u32.u32 r0, 5;',
  'cvt.rn.f32.s32 r0, r1;',
  'cvt.f64.f32 d0, f1;',
  'cvt.sat.rn.f32.s32 f0, r1;',
  'cvt.s32.f32.rzi r0, f1;',
  'cvt.pack.u8.s32 r0, r1, r2;',
  ...product(
    ['cvt.pack', 'cvt.pack.sat'],
    ['.u16', '.s16', '.u8', '.s8', '.u4', '.s4', '.u2', '.s2', '.b8'],
    ['.s32', '.s32.b32', '.u32'],
    [' r0, r1, r2;', ' r0, r1, r2, r3;'],
  ),
];

const NEWER: readonly string[] = [
  ...product(
    ['cvt'],
    ['.rn.satfinite', '.rn.satfinite.relu', '.rn', '.rz.satfinite', '.rp.satfinite', '.rs.satfinite'],
    ['.e2m1x2', '.e2m3x2', '.e3m2x2', '.ue8m0x2', '.e4m3x4', '.e2m1x4'],
    ['.f32 h0, f1, f2;', '.bf16x2 h0, r1;', '.f32 r0, {f1, f2, f3, f4}, r5;', '.f32 h0, {f1, f2, f3, f4}, r5;'],
  ),
  ...product(
    ['cvt.rn', 'cvt.rn.relu', 'cvt'],
    ['.f16x2', '.bf16x2'],
    ['.e2m1x2', '.e2m3x2', '.e3m2x2', '.ue8m0x2'],
    [' r0, h1;'],
  ),
  '.reg .b8 b; cvt.rn.satfinite.e2m1x2.f32 b, f1, f2;',
  '.reg .b8 b; cvt.rn.satfinite.relu.e2m1x2.f32 b, f1, f2;',
  '.reg .b8 b; cvt.rn.f16x2.e2m1x2 r0, b;',
  ...product(['cvt.rs', 'cvt.rs.relu', 'cvt.rs.satfinite', 'cvt.rn'], ['.f16x2', '.bf16x2'], ['.f32 r0, f1, f2, r3;']),
  ...product(['cvt.rn', 'cvt.rz', 'cvt.rna.satfinite'], ['.satfinite', '', '.relu'], ['.tf32.f32 r0, f1;']),
  ...product(
    ['add', 'sub', 'mul', 'fma'],
    ['', '.rn', '.rz', '.rm', '.ftz', '.rn.ftz', '.rn.sat', '.ftz.rn', '.approx'],
    ['.f32x2 d0, d1, d2;', '.f32x2 d0, d1, d2, d3;'],
  ),
  ...product(['min', 'max', 'neg', 'abs', 'div.rn'], ['.f32x2 d0, d1, d2;', '.f32x2 d0, d1;']),
  ...product(
    ['add', 'sub', 'fma'],
    ['', '.rn', '.rn.sat', '.rz', '.ftz'],
    ['.f32'],
    ['.f16', '.bf16', '.f64'],
    [' f0, h1, f2;', ' f0, h1, h2, f3;'],
  ),
  ...product(
    ['min', 'max'],
    ['', '.NaN', '.ftz', '.ftz.NaN.abs', '.abs', '.ftz.NaN', '.xorsign.abs'],
    ['.f32'],
    [' f0, f1, f2, f3;'],
  ),
  ...product(['tanh.approx', 'ex2.approx', 'ex2.approx.ftz'], typed(HALVES, 2)),
];

const OLDER: readonly string[] = [
  ...product(
    ['add', 'fma.rn', 'max', 'max.NaN', 'tanh.approx', 'neg', 'ex2.approx', 'abs'],
    [
      '.f16 h0, h1;',
      '.f16 h0, h1, h2;',
      '.bf16 h0, h1, h2;',
      '.bf16x2 r0, r1;',
      '.f16x2 r0, r1, r2, r3;',
      '.f32 f0, f1, f2;',
      '.f16x2 r0, r1;',
    ],
  ),
  ...product(['min', 'max'], ['.NaN', '.xorsign.abs'], ['.f32 f0, f1, f2;', '.f16 h0, h1, h2;']),
  'cvt.rn.bf16.f32 h0, f1;',
  'cvt.rna.tf32.f32 r0, f1;',
  'cvt.rn.f16x2.f32 r0, f1, f2;',
  'cvt.rn.satfinite.e4m3x2.f32 h0, f1, f2;',
  'cvt.rn.f16.f32 h0, f1;',
  'cvt.pack.sat.s4.s32.b32 r0, r1, r2, r3;',
  'fma.rn.relu.f16 h0, h1, h2, h3;',
];

export const FLOAT_FORMS: readonly FormGroup[] = [
  { family: 'float arithmetic', target: 'sm_90a', forms: ARITHMETIC },
  { family: 'float comparison', target: 'sm_90a', forms: ORDERING },
  { family: 'cvt', target: 'sm_90a', forms: CONVERSIONS },
  { family: 'float on sm_100a', target: 'sm_100a', forms: NEWER },
  { family: 'float on sm_75', target: 'sm_75', forms: OLDER },
];
