import { bankOf, type FormGroup, product, regs } from './form-list.js';

const FLOATS = ['.f16', '.bf16', '.f16x2', '.bf16x2', '.f32', '.f64'];
/** `atom…T d, [a], b` and `red…T [a], b` on these types. */
const scalars = (prefixes: readonly string[], types: readonly string[], address = '[d0]'): readonly string[] =>
  product(prefixes, types).map((form) => {
    const bank = bankOf(form);
    return form.startsWith('atom') ? `${form} ${bank}0, ${address}, ${bank}1;` : `${form} ${address}, ${bank}1;`;
  });
const vectors = (prefixes: readonly string[], types: readonly string[]): readonly string[] =>
  prefixes.flatMap((prefix) =>
    types.flatMap((type) =>
      [2, 4, 8].map((count) => {
        const bank = bankOf(type);
        const source = regs(bank, count, bank === 'f' ? 10 : 0);
        const form = `${prefix}.v${count}${type}`;
        return form.startsWith('atom') ? `${form} ${regs(bank, count)}, [d0], ${source};` : `${form} [d0], ${source};`;
      }),
    ),
  );

const ATOMICS: readonly string[] = [
  ...scalars(
    product(['atom', 'red'], ['', '.global', '.shared'], ['.add', '.add.noftz', '.min', '.max.noftz', '.exch']),
    FLOATS,
  ),
  ...scalars(
    product(
      ['atom', 'red'],
      ['.relaxed', '.acquire', '.release', '.acq_rel', '.sc', '.volatile'],
      ['.gpu', ''],
    ).flatMap((form) => [`${form}.global.add`, `${form}.add.noftz`]),
    ['.f32', '.f16x2'],
  ),
  ...scalars(
    product(
      ['atom', 'red'],
      ['.cta', '.cluster', '.sys', '.relaxed.cluster', '.gpu.relaxed'],
      ['.shared::cta', '.shared::cluster', '.local', '.param', '.const'],
      ['.add'],
    ),
    ['.f32', '.u32', '.f64'],
  ),
  ...scalars(product(['atom.global', 'red.global'], ['.add', '.and', '.min', '.inc', '.sub']), [
    '.f32',
    '.s64',
    '.b16',
    '.u8',
    '.b128',
    '.b32',
    '.u16',
    '.u32',
  ]),
  ...vectors(product(['atom', 'red'], ['.global', '', '.shared'], ['.add', '.add.noftz', '.min.noftz', '.max']), [
    '.f32',
    '.f16',
    '.bf16x2',
    '.f64',
  ]),
  ...vectors(product(['atom.gpu', 'red.release.sys'], ['.global.add', '.global.max.noftz', '.global.exch']), [
    '.f32',
    '.bf16',
    '.f16x2',
    '.u32',
    '.b32',
  ]),
  ...product(
    ['atom', 'red'],
    ['.global', '', '.shared'],
    ['.add'],
    ['.L2::cache_hint', '.L1::evict_last', ''],
    ['.u32 r0, [d0], r1, d2;', '.u32 [d0], r1, d2;', '.f32 f0, [d0], f1;', '.f32 [d0], f1;'],
  ),
  ...product(
    ['atom.global', 'atom.shared', 'atom'],
    ['.cas', '.exch'],
    ['.f32', '.b16', '.b32', '.b64', '.b128', '.u16'],
    [' r0, [d0], r1, r2;', ' h0, [d0], h1, h2;', ' q0, [d0], q1;', ' d0, [d1], d2;'],
  ),
  'atom.global.cas.L2::cache_hint.b32 r0, [d0], r1, r2, d3;',
  'atom.global.L2::cache_hint.cas.b32 r0, [d0], r1, r2, d3;',
  'atom.global.v2.add.f32 {f0, f1}, [d0], {f2, f3};',
  'atom.global.add.v2.f32 {f0, f1}, [d0], f2;',
  'atom.global.add.v2.f32 _, [d0], {f2, f3};',
  'atom.global.v2.f32.add {f0, f1}, [d0], {f2, f3};',
  'red.global.v2.f32.add [d0], {f2, f3};',
  'red.global.add.noftz.L2::cache_hint.v4.f16x2 [d0], {r0, r1, r2, r3}, d1;',
  'red.global.add.L2::cache_hint.v2.f32 [d0], {f0, f1}, d1;',
  'red.global.v2.f32.add.L2::cache_hint [d0], {f0, f1}, d1;',
  'atom.add.f32.global f0, [x], f1;',
  'atom.global.add.noftz.f32 f0, [x], f1;',
  'atom.global.add.f32 f0, [x], 0f3F800000;',
  'atom.global.add.f32 f0, [x], 1.0;',
  'atom.global.add.f32 _, [x], f1;',
  'atom.global.add.f32 r0, [x], r1;',
  'atom.global.add.u32 f0, [x], r1;',
  'red.async.global.add.u32 [x], r1;',
];

const DIRECTION = '.global.shared::cta.bulk_group';
const BYTES = '.shared::cluster.shared::cta.mbarrier::complete_tx::bytes';
const BULK: readonly string[] = [
  ...product(
    ['cp.reduce.async.bulk'],
    [DIRECTION, '.global.shared::cta', '.global.shared.bulk_group'],
    ['.add', '.add.noftz', '.min', '.max', '.and', '.min.noftz'],
    FLOATS,
    [' [d0], [s], 16;'],
  ),
  ...product(['cp.reduce.async.bulk'], [BYTES], ['.add', '.add.noftz', '.min'], FLOATS, [' [d0], [s], 16, [bar];']),
  ...product(
    [`cp.reduce.async.bulk${DIRECTION}`],
    ['.L2::cache_hint', ''],
    ['.add.noftz.f16', '.add.u64', '.add.s64'],
    [' [d0], [s], 16, d1;', ' [d0], [s], r0;', ' [d0], [s];'],
  ),
  ...product(
    ['cp.async.bulk.prefetch'],
    ['.L2.global', '.L2', '.L1.global', '.global.L2'],
    ['', '.L2::cache_hint'],
    [' [d0], 16;', ' [d0], r1, d1;', ' [x], 8;', ' [d0];'],
  ),
  ...product(
    ['cp.async.bulk.prefetch.tensor', 'cp.async.bulk.prefetch'],
    ['.1d', '.2d', '.5d', ''],
    ['.L2.global', '.L2'],
    ['', '.tile', '.im2col', '.tile::gather4'],
    [' [d0, {r0}];', ' [d0, {r0, r1}];', ' [d0, {r0, r1, r2, r3, r4}];'],
  ),
  ...product(
    ['cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes'],
    ['', '.L2::cache_hint', '.multicast::cluster', '.multicast::cluster.L2::cache_hint'],
    [' [s], [x], 16, [bar];', ' [s], [x], 16, [bar], d1;', ' [s], [x], 16, [bar], h1;'],
  ),
  'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint.multicast::cluster ' +
    '[s], [x], 16, [bar], h1, d1;',
  'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [x], 16, [bar], h1, d1;',
  ...product(
    ['cp.async.bulk.global.shared::cta.bulk_group'],
    ['', '.L2::cache_hint'],
    [' [x], [s], 16;', ' [x], [s], 16, d1;', ' [x], [s], 16, r1;', ' [x], [s], 16, 0x12F0000000000000;'],
  ),
  ...product(
    ['cp.async.ca.shared.global', 'cp.async.cg.shared::cta.global'],
    ['', '.L2::cache_hint', '.L2::128B', '.L2::256B.L2::cache_hint'],
    [' [s], [x], 16', ' [s], [x], 4'],
    ['', ', r1', ', p1', ', !p1'],
    [';', ', d1;'],
  ),
  ...product(
    ['cp.async.bulk.prefetch.tensor'],
    ['.1d.L2.global', '.3d.L2.global.im2col'],
    ['', '.L2::cache_hint'],
    [' [d0, {r0}];', ' [d0, {r0}], d1;', ' [d0, {r0, r1, r2}], {h1}, d1;'],
  ),
  ...product(
    ['st.async', 'st.async.weak'],
    ['.shared::cluster.mbarrier::complete_tx::bytes', '.mbarrier::complete_tx::bytes', '.shared::cta', ''],
    ['.f32 [d0], f0', '.f64 [d0], e0', '.v2.f32 [d0], {f0, f1}', '.v4.b64 [d0], {d0, d1, d2, d3}', '.f16 [d0], h0'],
    [', [bar];', ';', ', [d1];'],
  ),
  ...product(
    ['red.async', 'red.async.relaxed.cluster'],
    ['.shared::cluster.mbarrier::complete_tx::bytes', '.shared::cluster'],
    ['.add', '.or', '.max', '.inc', '.exch', '.cas'],
    ['.f32 [d0], f0, [d1];', '.u32 [d0], r0, [d1];', '.b64 [d0], d2, [d1];'],
  ),
];

const MULTIMEM: readonly string[] = [
  ...product(
    ['multimem.ld_reduce'],
    ['', '.weak', '.relaxed.gpu', '.acquire.sys', '.release.gpu', '.relaxed'],
    ['.global', '', '.shared'],
    ['.add', '.min', '.and'],
    ['.f32 f0, [d0];', '.u32 r0, [d0];', '.b64 d0, [d1];', '.bf16x2 r0, [d0];'],
  ),
  ...product(
    ['multimem.ld_reduce.relaxed.sys.global', 'multimem.ld_reduce.global'],
    ['.add', '.max', '.add.acc::f32', '.min.acc::f16', '.or'],
    [
      ...['.v4.f32 {f0, f1, f2, f3}', '.v2.f16x2 {r0, r1}', '.v4.bf16x2 {r0, r1, r2, r3}', '.f64 e0', '.f16x2 r0'],
      ...['.v8.f16 {h0, h1, h2, h3, h4, h5, h6, h7}', '.v4.f16 {h0, h1, h2, h3}', '.f16 h0', '.v2.u32 {r0, r1}'],
    ],
    [', [d0];'],
  ),
  ...product(
    ['multimem.st'],
    ['', '.weak', '.relaxed.gpu', '.release.sys', '.acquire.gpu', '.volatile'],
    ['.global', ''],
    ['.f32 [d0], f0;', '.u32 [d0], r0;', '.v4.f32 [d0], {f0, f1, f2, f3};', '.f64 [d0], e0;', '.b16 [d0], h0;'],
  ),
  ...product(
    ['multimem.red'],
    ['', '.relaxed.gpu', '.release.cta', '.acq_rel.sys', '.weak'],
    ['.global'],
    ['.add', '.max', '.xor', '.exch', '.inc'],
    ['.f32 [d0], f0;', '.u64 [d0], d1;', '.v2.bf16x2 [d0], {r0, r1};', '.b32 [d0], r0;'],
  ),
];

export const ATOMIC_FORMS: readonly FormGroup[] = [
  { family: 'atom red', target: 'sm_90a', forms: ATOMICS },
  { family: 'bulk and asynchronous', target: 'sm_90a', forms: BULK },
  { family: 'multimem', target: 'sm_90a', forms: MULTIMEM },
  {
    family: 'atom red on sm_75',
    target: 'sm_75',
    forms: [
      ...scalars(product(['atom', 'red'], ['.global', ''], ['.add', '.add.noftz']), FLOATS),
      ...vectors(['red.global.add'], ['.f32']),
      ...['atom.global.cas.b16 h0, [d0], h1, h2;', 'atom.global.cas.b128 q0, [d0], q1, q2;'],
      ...['atom.cluster.global.add.u32 r0, [d0], r1;', 'atom.relaxed.gpu.global.add.u32 r0, [d0], r1;'],
    ],
  },
  {
    family: 'multimem on sm_100a',
    target: 'sm_100a',
    forms: product(
      ['multimem.ld_reduce.weak.global', 'multimem.ld_reduce.relaxed.gpu.global'],
      ['.add', '.min', '.add.acc::f16'],
      [
        ...['.e4m3x4 r0, [d0];', '.e5m2x4 r0, [d0];', '.v4.e4m3x4 {r0, r1, r2, r3}, [d0];', '.e4m3 h0, [d0];'],
        ...['.v8.e5m2 {h0, h1, h2, h3, h4, h5, h6, h7}, [d0];', '.e4m3x2 h0, [d0];'],
      ],
    ),
  },
];
