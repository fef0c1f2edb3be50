import { type FormGroup, product, regs } from './form-list.js';

const WGMMA_TYPES = [
  ...['.f32.f16.f16', '.f16.f16.f16', '.f32.bf16.bf16', '.f32.tf32.tf32', '.f32.e4m3.e5m2', '.f16.e4m3.e4m3'],
  ...['.s32.s8.u8', '.s32.u8.u8', '.s32.b1.b1.and.popc', '.f32.f16.bf16', '.s32.s4.s4'],
];
const wgmma = (n: number, k: number, d: string, a: string, rest: string, types = WGMMA_TYPES): readonly string[] =>
  types.map((type) => `wgmma.mma_async.sync.aligned.m64n${n}k${k}${type} ${d}, ${a}, d1, ${rest};`);
const F4 = regs('f', 4);
const R4 = regs('r', 4);

const WGMMA: readonly string[] = [
  ...[8, 16, 32, 256].flatMap((k) =>
    ['p0, 1, 1, 0, 0', 'p0, 1, 1', 'p0'].flatMap((rest) => [
      ...wgmma(8, k, k === 32 && rest === 'p0' ? R4 : F4, 'd0', rest),
      ...(rest === 'p0' ? wgmma(8, k, R4, 'd0', rest) : []),
    ]),
  ),
  ...['p0, 1, 1, 0', 'p0, 1, 1, 0, 0', 'p0, 1, 1'].flatMap((rest) => [
    ...wgmma(8, 16, F4, regs('r', 4, 4), rest),
    ...wgmma(8, 16, F4, regs('r', 2, 4), rest, ['.f32.f16.f16', '.f32.bf16.bf16']),
  ]),
  ...wgmma(8, 16, regs('r', 2), 'd0', 'p0, 1, 1, 0, 0'),
  ...wgmma(8, 32, regs('r', 2), 'd0', 'p0, 1, 1'),
  ...[16, 24, 64, 96, 128].flatMap((n) => wgmma(n, 16, regs('f', n / 2), 'd0', 'p0, 1, -1, 0, 1', ['.f32.f16.f16'])),
  ...wgmma(12, 16, regs('f', 6), 'd0', 'p0, 1, 1, 0, 0', ['.f32.f16.f16']),
  ...[
    'p0, 2, 1, 0, 0',
    'p0, 1, 1, 2, 0',
    '1, 1, 1, 0, 0',
    'p0, r1, 1, 0, 0',
    '!p0, 1, 1, 0, 0',
    'p0, 0, 1, 0, 0',
  ].flatMap((rest) => wgmma(8, 16, F4, 'd0', rest, ['.f32.f16.f16', '.f32.bf16.bf16'])),
  ...product(
    ['wgmma.mma_async.sp.sync.aligned.m64n8'],
    ['k32', 'k16', 'k64'],
    ['.f32.f16.f16', '.f32.tf32.tf32', '.f32.e4m3.e4m3', '.s32.s8.s8'],
    [` ${F4}, d0, d1`, ` ${R4}, d0, d1`],
    [', r8, 0, p0, 1, 1, 0, 0;', ', r8, 0, p0, 1, 1;', ', r8, 1, p0;', ', p0, 1, 1, 0, 0;'],
  ),
  ...product(
    ['wgmma.mma_async.sync.aligned.m64n8k32', 'wgmma.mma_async.sync.aligned.satfinite.m64n8k32'],
    ['.satfinite', ''],
    ['.s32.s8.s8', '.f32.e4m3.e4m3'],
    ['.satfinite', ''],
    [` ${R4}, d0, d1, p0;`],
  ),
  ...product(
    ['wgmma.fence', 'wgmma.commit_group', 'wgmma.wait_group'],
    ['.sync.aligned', '.sync', '.aligned', ''],
    [...[';', ' 0;', ' 7;', ' 8;', ' r0;']],
  ),
  `wgmma.mma_async.m64n8k16.f32.f16.f16 ${F4}, d0, d1, p0, 1, 1, 0, 0;`,
  `wgmma.mma_async.aligned.sync.m64n8k16.f32.f16.f16 ${F4}, d0, d1, p0, 1, 1, 0, 0;`,
  `wgmma.mma_async.sync.aligned.f32.m64n8k16.f16.f16 ${F4}, d0, d1, p0, 1, 1, 0, 0;`,
];

const GROUPS = ['.cta_group::1', '.cta_group::2', '', '.cta_group::3'];
const ALLOCATION: readonly string[] = [
  ...product(
    ['tcgen05.alloc'],
    GROUPS,
    ['.sync.aligned', '.sync', ''],
    ['.shared::cta.b32', '.b32', '.shared::cluster.b32', '.shared.b32', ''],
    [' [s], 32;', ' [s], r0;', ' [s], 48;', ' [s], 1024;'],
  ).filter((form, i) => !/sync(?!\.aligned)/.test(form) || i % 3 === 0),
  ...product(
    ['tcgen05.dealloc'],
    GROUPS,
    ['.sync.aligned', ''],
    ['.b32', '.b64', ''],
    [' r0, 64;', ' r0, r1;', ' [r0], 64;'],
  ),
  ...product(['tcgen05.relinquish_alloc_permit'], GROUPS, ['.sync.aligned', '.sync', ''], [';', ' r0;']),
];

const LOADS: readonly string[] = [
  ...product(
    ['tcgen05.ld.sync.aligned'],
    ['.32x32b', '.16x64b', '.16x128b', '.16x256b', '.16x32bx2', '.8x8b'],
    ['.x1', '.x2', '.x4', '.x8', '.x3', ''],
    ['', '.pack::16b', '.unpack::16b'],
    ['.b32'],
    [1, 2, 4, 8, 16, 32].map((count) => ` ${regs('r', count)}, [r39];`),
  ).filter((form, i) => !/pack/.test(form) || i % 3 === 0),
  ...product(
    ['tcgen05.st.sync.aligned'],
    ['.32x32b', '.16x128b', '.16x256b', '.16x32bx2'],
    ['.x1', '.x2', '.x4'],
    ['', '.unpack::16b', '.pack::16b'],
    ['.b32 [r39]', '.b32 [r39], 16', '.b32 [d0]'],
    [1, 2, 4, 8].map((count) => `, ${regs('r', count)};`),
  ).filter((_, i) => i % 2 === 0),
  ...[
    'tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {r0}, [r1], 16;',
    'tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {r0}, [r1], r2;',
  ],
  ...['tcgen05.ld.sync.aligned.32x32b.x1.b32 r0, [r1];', 'tcgen05.ld.sync.aligned.32x32b.x1.b32 {f0}, [r1];'],
  ...['tcgen05.ld.sync.32x32b.x1.b32 {r0}, [r1];', 'tcgen05.ld.32x32b.x1.b32 {r0}, [r1];'],
  ...['tcgen05.ld.sync.aligned.x1.32x32b.b32 {r0}, [r1];', 'tcgen05.ld.sync.aligned.32x32b.x1.f32 {f0}, [r1];'],
  ...['tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [r1+4];', 'tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [d1];'],
  ...[
    'tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {r0, r1}, r2, [r3];',
    'tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, r1;',
  ],
  ...product(['tcgen05.wait'], ['::ld', '::st', '', '.ld', '::mma'], ['.sync.aligned', '.sync', ''], [';', ' 0;']),
  ...product(
    ['tcgen05.fence'],
    ['::before_thread_sync', '::after_thread_sync', '', '.before_thread_sync'],
    ['', '.sync.aligned', '.cta'],
    [';'],
  ),
  ...product(
    ['tcgen05.commit'],
    GROUPS,
    ['.mbarrier::arrive::one', ''],
    ['', '.shared::cluster', '.shared::cta'],
    ['', '.multicast::cluster'],
    ['.b64 [bar];', '.b64 [d0], h0;', '.b64 [d0], r0;'],
  ),
];

const COPIES: readonly string[] = [
  ...product(
    ['tcgen05.cp'],
    GROUPS.slice(0, 3),
    ['.128x256b', '.4x256b', '.128x128b', '.64x128b', '.32x128b', '.64x64b'],
    ['', '.warpx2::02_13', '.warpx2::01_23', '.warpx4'],
    ['', '.b8x16.b6x16_p32', '.b8x16.b4x16_p64', '.b8x16'],
    [' [r0], d0;'],
  ),
  ...product(
    ['tcgen05.cp.cta_group::1.128x256b'],
    [' [r0], [d0];', ' [r0], r1;', ' r0, d0;', ' [d0], d1;', '.b8x16.b8x16 [r0], d0;'],
  ),
  ...product(['tcgen05.shift'], GROUPS, ['.down', '.up', ''], [' [r0];', ' r0;', ' [r0], 1;']),
];

const KINDS = ['.kind::f16', '.kind::tf32', '.kind::f8f6f4', '.kind::i8', '.kind::f64', ''];
const COLLECTORS = ['', '.collector::a::fill', '.collector::a::use', '.collector::a::discard', '.collector::b0::fill'];
const MASK4 = regs('r', 4, 10);
const MASK8 = regs('r', 8, 10);
const MULTIPLY: readonly string[] = [
  ...product(['tcgen05.mma'], GROUPS, KINDS, [
    ...[
      ' [r0], d0, d1, r1, p0;',
      ' [r0], [r2], d1, r1, p0;',
      ' [r0], d0, d1, r1, p0, 3;',
      ` [r0], d0, d1, r1, ${MASK4}, p0;`,
    ],
    ...[` [r0], d0, d1, r1, ${MASK8}, p0;`, ' [r0], d0, d1, r1;', ' [r0], d0, [r2], r1, p0;', ' [r0], d0, d1, r1, r2;'],
  ]),
  ...product(
    ['tcgen05.mma.cta_group::1'],
    ['.kind::f16', '.kind::i8'],
    ['', '.ashift', '.collector::a::lastuse.ashift'],
    COLLECTORS,
    [' [r0], [r2], d1, r1, p0;', ' [r0], d0, d1, r1, p0;'],
  ),
  ...product(
    ['tcgen05.mma.cta_group::1'],
    ['.kind::mxf8f6f4', '.kind::mxf4', '.kind::mxf4nvf4', '.kind::f8f6f4'],
    ['.block_scale', ''],
    ['', '.scale_vec::1X', '.scale_vec::2X', '.scale_vec::4X', '.block16', '.block32'],
    [' [r0], d0, d1, r1, [r2], [r3], p0;', ' [r0], [r4], d1, r1, [r2], [r3], p0;', ' [r0], d0, d1, r1, p0;'],
  ),
  ...product(
    ['tcgen05.mma.sp.cta_group::1', 'tcgen05.mma.sp.cta_group::2', 'tcgen05.mma.cta_group::1.sp'],
    ['.kind::f16', '.kind::mxf4.block_scale', '.kind::i8'],
    [' [r0], d0, d1, [r5], r1, p0;', ' [r0], d0, d1, r1, p0;', ' [r0], d0, d1, [r5], r1, [r2], [r3], p0;'],
  ),
  ...product(
    ['tcgen05.mma.ws', 'tcgen05.mma.ws.sp'],
    ['.cta_group::1', '.cta_group::2'],
    ['.kind::f16', '.kind::i8', '.kind::mxf4'],
    ['', '.collector::b0::fill', '.collector::b3::lastuse', '.collector::b4::use', '.collector::a::use'],
    [' [r0], d0, d1, r1, p0;', ' [r0], [r2], d1, r1, p0, d2;', ' [r0], d0, d1, [r5], r1, p0;'],
  ),
];

export const TENSOR_FORMS: readonly FormGroup[] = [
  { family: 'wgmma', target: 'sm_90a', forms: WGMMA },
  { family: 'tcgen05 allocation', target: 'sm_100a', forms: ALLOCATION },
  { family: 'tcgen05 ld st wait fence commit', target: 'sm_100a', forms: LOADS },
  { family: 'tcgen05 cp shift', target: 'sm_100a', forms: COPIES },
  { family: 'tcgen05 mma', target: 'sm_100a', forms: MULTIPLY },
  {
    family: 'wgmma on sm_100a',
    target: 'sm_100a',
    forms: WGMMA.filter((form) => /fence|f32\.f16/.test(form)).slice(0, 12),
  },
];
