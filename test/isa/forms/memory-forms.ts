import { type FormGroup, product, regs } from './form-list.js';

const WORDS = ['.u32 r0, ', '.f32 f0, ', '.f64 e0, ', '.b8 h0, ', '.s64 d0, ', '.f16 h0, '];
const CACHES = ['', '.ca', '.cg', '.cs', '.cv', '.lu', '.wb', '.wt'];
const PRIORITIES = ['.L1::evict_last', '.L1::evict_first', '.L1::no_allocate', '.L1::evict_unchanged'];
const LEVELS = ['.L2::evict_last', '.L2::evict_normal', '.L1::evict_last.L2::evict_last'];
const PREFETCH = ['.L2::64B', '.L2::128B', '.L2::256B', '.L2::32B', '.L1::128B'];

const LOADS: readonly string[] = [
  ...product(
    ['ld'],
    ['', '.weak', '.volatile', '.relaxed.gpu', '.acquire.cta', '.mmio.relaxed.sys', '.nc'],
    ['.const', '.local', '.param', '.param::entry', '.param::func', '.const[0]', '.shared::cta', '.global'],
    ['.u32 r0, '],
    ['[c];', '[l];', '[k_param_0];', '[x];'],
  ),
  ...product(
    ['ld.const.', 'ld.local.', 'ld.param.', 'ld.global.nc.', 'ld.param::entry.'],
    ['v2', 'v4', 'v8'],
    [
      '.f32 {f0, f1}, [d0];',
      `.b8 ${regs('h', 4)}, [d0];`,
      `.u64 ${regs('d', 2)}, [d0];`,
      `.b32 ${regs('r', 4)}, [d0+16];`,
    ],
  ).map((form) => form.replace('..', '.')),
  ...product(['ld.global', 'ld', 'ld.relaxed.sys.global', 'ld.volatile.global', 'ld.shared'], WORDS, ['[d0+8];']),
  ...product(['ld'], ['', '.volatile', '.relaxed.gpu', '.nc'], ['.global', '.shared'], CACHES, ['.u32 r0, [d0];']),
  ...product(
    ['ld.ca.global', 'ld.global.ca.nc', 'ld.global.nc.ca', 'ld.local.cv', 'ld.const.ca', 'ld.param.cg'],
    ['.u32 r0, [d0];'],
  ),
  ...product(
    ['ld.global', 'ld', 'ld.global.nc', 'ld.relaxed.gpu.global', 'ld.shared', 'ld.acquire.gpu', 'ld.volatile.global'],
    [...PRIORITIES, ...PREFETCH, '.L1::evict_last.L2::128B', '.L2::128B.L1::evict_last', ...LEVELS],
    ['.u32 r0, [d0];', '.v4.f32 {f0, f1, f2, f3}, [d0];'],
  ),
  ...product(
    ['ld.global', 'ld', 'ld.global.nc', 'ld.relaxed.gpu.global', 'ld.shared', 'ld.const'],
    ['', '.L1::no_allocate', '.L2::256B'],
    ['.L2::cache_hint', ''],
    ['.u32 r0, [d0], d1;', '.u32 r0, [d0];'],
  ),
  ...['ld.global.L2::cache_hint.u32 r0, [d0], r1;', 'ld.global.L2::cache_hint.L2::128B.u32 r0, [d0], d1;'],
  ...product(
    ['ldu', 'ldu.global', 'ldu.shared', 'ldu.const', 'ldu.global.ca'],
    [
      ...['.u32 r0, [d0];', '.v2.f32 {f0, f1}, [d0];', '.v4.u16 {h0, h1, h2, h3}, [d0];', '.b128 q0, [d0];'],
      ...['.v4.u64 {d0, d1, d2, d3}, [d0];', '.f64 e0, [x+8];'],
    ],
  ),
  ...product(['ld.global', 'ld'], ['.unified', ''], ['.u32 r0, [x];', '.u32 r0, [x].unified;']),
  ...['ld.global.u32 r0, [r1];', 'ld.global.u32 r0, [d0-4];', 'ld.global.u32 r0, x;', 'ld.global.u32 r0, [x+300];'],
  ...['ld.global.u32 r0, [d0+d1];', 'ld.global.u32 r0, [64];', 'ld.global.v3.u32 {r0, r1, r2}, [x];'],
  ...['ld.global.v2.u32 {_, r1}, [x];', 'ld.global.u32 _, [x];', 'ld.global.pred p0, [x];', 'ld.global.u32 {r0}, [x];'],
  ...['ld.global.f16x2 r0, [x];', 'ld.global.bf16 h0, [x];', 'ld.global.b128 q0, [d0];', 'ld.f32.global f0, [x];'],
];

const STORES: readonly string[] = [
  ...product(
    ['st'],
    ['', '.weak', '.volatile', '.relaxed.cta', '.release.sys', '.mmio.relaxed.sys', '.acquire.gpu'],
    ['.const', '.local', '.param', '.param::entry', '.param::func', '.shared::cluster', '.global'],
    ['.u32 [d0], r0;', '.u32 [k_param_0], r0;'],
  ),
  ...product(
    ['st', 'st.global', 'st.volatile.shared', 'st.local'],
    ['.f32 [d0], f0;', '.f64 [d0], e0;', '.f16 [d0], h0;', '.v2.f32 [d0], {f0, f1};', '.b8 [d0], r0;', '.u32 [d0], 5;'],
  ),
  ...product(['st'], ['', '.volatile', '.release.gpu'], ['.global', '.shared'], CACHES, ['.u32 [d0], r0;']),
  ...product(
    ['st.global', 'st', 'st.relaxed.gpu.global', 'st.shared', 'st.release.cta'],
    [...PRIORITIES, '.L2::128B', ...LEVELS],
    ['.u32 [d0], r0;', '.v2.b64 [d0], {d1, d2};'],
  ),
  ...product(
    ['st.global', 'st', 'st.relaxed.gpu.global', 'st.shared', 'st.wb.global', 'st.global.wb'],
    ['.L2::cache_hint', '.L1::no_allocate.L2::cache_hint', ''],
    ['.u32 [d0], r0, d1;', '.u32 [d0], r0;'],
  ),
  ...['st.global.u32 [x], 0f3F800000;', 'st.global.f32 [x], 0f3F800000;', 'st.global.v4.f32 [x], {f0, f1, f2, 1};'],
  ...['st.global.nc.u32 [x], r0;', 'st.global.v2.u32 [x], {r0, _};', 'st.global.u32 x, r0;', 'st.global.pred [x], p0;'],
];

const WIDE: readonly string[] = [
  ...product(
    [
      'ld',
      'ld.global',
      'ld.shared',
      'ld.relaxed.gpu.global',
      'ld.global.nc',
      'ld.volatile.global',
      'ld.global.L2::128B',
    ],
    [
      ...[`.v8.b32 ${regs('r', 8)}`, `.v8.f32 ${regs('f', 8)}`, `.v4.b64 ${regs('d', 4)}`, `.v4.f64 ${regs('e', 4)}`],
      ...[`.v8.b16 ${regs('h', 8)}`, `.v8.u32 {r0, r1, r2, _, _, r5, r6, r7}`, `.v8.s64 ${regs('d', 8)}`],
    ],
    [', [d0];'],
  ),
  ...product(
    ['st', 'st.global', 'st.shared', 'st.local', 'st.release.gpu.global', 'st.global.L1::no_allocate'],
    ['.v8.b32 [d0]', '.v8.f32 [d0]', '.v4.u64 [d0]'],
    [`, ${regs('r', 8)};`, `, ${regs('f', 8)};`, `, ${regs('d', 4)};`],
  ),
  ...product(
    ['ld.global'],
    ['', '.nc', '.relaxed.gpu'],
    ['', '.L1::evict_last', '.L1::no_allocate'],
    ['.L2::evict_last', '.L2::evict_first', '.L2::evict_normal'],
    [`.v8.b32 ${regs('r', 8)}, [d0];`, `.v4.u64 ${regs('d', 4)}, [d0];`, '.u32 r0, [d0];'],
  ),
  ...product(
    ['st.bulk'],
    ['', '.weak', '.relaxed.gpu'],
    ['', '.shared::cta', '.shared::cluster', '.global', '.shared'],
    [' [s], 16, 0;', ' [d0], d1, 0;', ' [d0], r1, 0;', ' [s], 16, 1;', ' [s], 16;', ' [s], 12, 0;'],
  ),
];

/** One element in braces, as Triton prints it. */
const BRACES: readonly string[] = [
  ...product(
    [
      'ld',
      'ld.global',
      'ld.global.nc',
      'ld.relaxed.gpu',
      'ld.shared',
      'ld.local',
      'ld.param',
      'ld.const',
      'ldu.global',
    ],
    ['.u32 {r0}, ', '.f32 {f0}, ', '.b16 {h0}, ', '.b64 {d0}, ', '.b32 {_}, ', '.b32 {r0, r1}, ', '.v2.b32 {r0}, '],
    ['[d0];'],
  ),
  ...['ld.param.b64 {d0}, [k_param_0];', 'ld.global.b128 {q0}, [d0];', 'ld.global.L2::cache_hint.b32 {r0}, [d0], d1;'],
  ...product(
    ['st', 'st.global', 'st.release.gpu', 'st.shared', 'st.local', 'st.volatile.global'],
    ['.u32 [d0], {r0}', '.f32 [d0], {f0}', '.b16 [d0], {h0}', '.b128 [d0], {q0}', '.u32 [d0], {5}'],
    [';'],
  ),
  ...['st.global.b32 [d0], {r0, r1};', 'st.global.v2.b32 [d0], {r0};', 'st.global.L2::cache_hint.b32 [d0], {r0}, d1;'],
  ...product(
    ['atom.global', 'atom.shared', 'atom'],
    [
      '.add.u32 {r0}, [d0], r1;',
      '.add.u32 r0, [d0], {r1};',
      '.cas.b32 r0, [d0], {r1}, r2;',
      '.exch.b64 {d1}, [d0], d2;',
    ],
  ),
  ...product(['red.global', 'red'], ['.add.u32 [d0], {r1};', '.add.f32 [d0], {f1};']),
  ...['multimem.ld_reduce.global.add.u32 {r0}, [d0];', 'multimem.st.global.u32 [d0], {r0};'],
  'st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [d0], {r0}, [bar];',
  'red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [d0], {r0}, [bar];',
  ...product(['mov.b32', 'mov.u32'], [' {r0}, r1;', ' r0, {r1};', ' {r0}, {r1};', ' {_}, r1;', ' r0, {1};']),
  ...['mov.b64 d0, {d1};', 'mov.b16 {h0}, h1;', 'mov.b128 q0, {q1};', 'mov.f32 {f0}, f1;', 'add.u32 {r0}, r1, r2;'],
];

const TRAFFIC: readonly string[] = [
  ...product(
    ['prefetch', 'prefetchu'],
    ['', '.global', '.local', '.shared', '.const', '.param'],
    ['.L1', '.L2', '.L3', '.L2::evict_last', '.L2::evict_normal', '.L1::evict_last', '.tensormap', ''],
    [' [d0];'],
  ),
  ...product(
    ['applypriority', 'discard'],
    ['', '.global', '.shared', '.local'],
    ['.L2::evict_normal', '.L2::evict_last', '.L2', '.L1', ''],
    [' [d0], 128;', ' [d0], 64;', ' [d0];'],
  ),
  ...product(
    ['createpolicy.fractional', 'createpolicy'],
    ['.L2::evict_last', '.L2::evict_normal', '.L2::evict_first', '.L2::evict_unchanged', '.L1::evict_last'],
    ['', '.L2::evict_unchanged', '.L2::evict_first', '.L2::evict_normal'],
    ['.b64 d0, 1.0;', '.b64 d0;'],
  ),
  ...['createpolicy.fractional.L2::evict_last.b64 d0, f0;', 'createpolicy.fractional.L2::evict_last.b32 r0, 0.5;'],
  ...['createpolicy.fractional.L2::evict_last.b64 d0, 1;', 'createpolicy.fractional.L2::evict_last.b64 d0, 2.0;'],
  ...product(
    ['createpolicy.range'],
    ['', '.global', '.shared'],
    ['.L2::evict_last', '.L2::evict_first'],
    ['', '.L2::evict_unchanged', '.L2::evict_normal'],
    ['.b64 d0, [d1], r0, r1;', '.b64 d0, [x], 0x1000, 0x2000;', '.b64 d0, [d1], r0;'],
  ),
  ...product(['createpolicy.cvt.L2'], ['', '.evict_last'], ['.b64 d0, d1;', '.b64 d0, 1;', '.b64 d0, 1, 2;']),
  ...product(
    ['isspacep'],
    [
      ...['', '.global', '.shared', '.shared::cta', '.shared::cluster', '.local', '.const', '.param'],
      ...['.param::entry', '.param::func', '.generic'],
    ],
    [' p0, d0;', ' p0, r0;', ' r0, d0;', '.u64 p0, d0;'],
  ),
  ...product(
    ['cvta', 'cvta.to'],
    ['.const', '.global', '.local', '.shared', '.shared::cta', '.shared::cluster', '.param', '.param::entry'],
    ['.u64 d0, d1;', '.u32 r0, r1;', '.s64 d0, d1;', ' d0, d1;', '.u64 r0, d1;'],
  ),
  ...['x', 'x+4', 's', 'l', 'c', 'k_param_0'].flatMap((name) =>
    product(['cvta'], ['.global', '.shared', '.local', '.const', '.param'], [`.u64 d0, ${name};`]),
  ),
  ...['cvta.param::func.u64 d0, d1;', 'cvta.u64 d0, d1;', 'cvta.global.to.u64 d0, d1;', 'cvta.to.global.u64 d0, x;'],
  ...product(
    ['alloca', 'stacksave', 'stackrestore'],
    ['.u64', '.u32', '.b64', ''],
    [' d0;', ' d0, d1;', ' d0, d1, 16;', ' d0, 32;', ' r0;'],
  ),
];

export const MEMORY_FORMS: readonly FormGroup[] = [
  { family: 'ld', target: 'sm_90a', forms: LOADS },
  { family: 'st', target: 'sm_90a', forms: STORES },
  { family: 'ld st of 32 bytes, st.bulk', target: 'sm_100a', forms: WIDE },
  { family: 'one element in braces', target: 'sm_90a', forms: BRACES },
  { family: 'cache control, addresses, stack', target: 'sm_90a', forms: TRAFFIC },
  {
    family: 'memory on sm_75',
    target: 'sm_75',
    forms: [
      ...product(
        ['ld', 'st'],
        ['.global', '.param', '.const'],
        ['.L1::evict_last', '.L2::128B', '.cg', '.nc'],
        ['.u32 r0, [d0];', '.u32 [d0], r0;'],
      ),
      ...[
        'isspacep.const p0, d0;',
        'isspacep.param p0, d0;',
        'isspacep.shared::cluster p0, d0;',
        'cvta.param.u64 d0, d1;',
      ],
      ...['discard.global.L2 [d0], 128;', 'prefetch.global.L2::evict_last [d0];', 'prefetch.global.L2 [d0];'],
      ...[
        'alloca.u64 d0, d1;',
        'ld.shared::cluster.u32 r0, [d0];',
        'ld.global.b128 q0, [d0];',
        'ld.mmio.relaxed.sys.u32 r0, [d0];',
      ],
    ],
  },
];
