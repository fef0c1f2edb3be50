import { type FormGroup, product, regs } from './form-list.js';

const LDMATRIX: readonly string[] = [
  ...product(
    ['ldmatrix.sync.aligned.m8n8'],
    ['.x1', '.x2', '.x4', '.x8', ''],
    ['', '.trans'],
    ['.shared.b16', '.b16', '.shared::cta.b16', '.global.b16', '.shared.b8', '.shared::cluster.b16'],
    [' {r0}, [s];', ' {r0, r1, r2, r3}, [d0];'],
  ),
  ...['ldmatrix.sync.aligned.x1.m8n8.shared.b16 {r0}, [s];', 'ldmatrix.sync.m8n8.x1.shared.b16 {r0}, [s];'],
  ...['ldmatrix.sync.aligned.m8n8.x1.shared.b16 r0, [s];', 'ldmatrix.aligned.m8n8.x1.shared.b16 {r0}, [s];'],
  ...['ldmatrix.sync.aligned.m8n8.trans.x1.shared.b16 {r0}, [s];', 'ldmatrix.sync.aligned.m8n8.x2.b16 {f0, f1}, [s];'],
  ...['ldmatrix.sync.aligned.m8n8.x1.shared.trans.b16 {r0}, [s];', 'ldmatrix.sync.aligned.m8n8.x2.b16 {h0, h1}, [s];'],
  ...product(
    ['stmatrix.sync.aligned.m8n8'],
    ['.x1', '.x2', '.x4', ''],
    ['', '.trans'],
    ['.shared.b16', '.b16', '.shared::cta.b16', '.global.b16', '.shared.b8'],
    [' [s], {r0};', ' [d0], {r0, r1};', ' [s], {r0, r1, r2, r3};'],
  ),
  ...product(
    ['movmatrix'],
    ['.sync.aligned', '.sync', ''],
    ['.m8n8', '.m16n16', '.x1'],
    ['.trans', ''],
    ['.b16 r0, r1;', '.b16 {r0}, {r1};', '.b32 r0, r1;'],
  ),
];
const NEW_LDMATRIX: readonly string[] = [
  ...product(
    ['ldmatrix.sync.aligned'],
    ['.m16n16', '.m8n16', '.m8n8'],
    ['.x1', '.x2', '.x4'],
    ['', '.trans'],
    ['.shared'],
    ['.b8', '.b8x16.b6x16_p32', '.b8x16.b4x16_p64', '.b16'],
    [' {r0, r1}, [s];', ' {r0}, [s];', ' {r0, r1, r2, r3}, [s];'],
  ),
  ...product(
    ['stmatrix.sync.aligned.m16n8'],
    ['.x1', '.x2', '.x4'],
    ['', '.trans'],
    ['.shared.b8', '.shared.b16'],
    [' [s], {r0};', ' [s], {r0, r1};', ' [s], {r0, r1, r2, r3};'],
  ),
];

/** Shape, types of d, a, b and c, how many registers each has, and their banks. */
type Shape = readonly [shape: string, types: string, counts: readonly number[], banks: string];
const SHAPES: readonly Shape[] = [
  ['m8n8k4', '.f16.f16.f16.f16', [4, 2, 2, 4], 'rrrr'],
  ['m8n8k4', '.f32.f16.f16.f32', [8, 2, 2, 8], 'frrf'],
  ['m8n8k4', '.f64.f64.f64.f64', [2, 1, 1, 2], 'eeee'],
  ['m16n8k4', '.f64.f64.f64.f64', [4, 2, 1, 4], 'eeee'],
  ['m16n8k8', '.f16.f16.f16.f16', [2, 2, 1, 2], 'rrrr'],
  ['m16n8k8', '.f32.bf16.bf16.f32', [4, 2, 1, 4], 'frrf'],
  ['m16n8k8', '.f32.tf32.tf32.f32', [4, 4, 2, 4], 'frrf'],
  ['m16n8k4', '.f32.tf32.tf32.f32', [4, 2, 1, 4], 'frrf'],
  ['m16n8k16', '.f32.f16.f16.f32', [4, 4, 2, 4], 'frrf'],
  ['m16n8k16', '.f16.f16.f16.f16', [2, 4, 2, 2], 'rrrr'],
  ['m16n8k16', '.f32.f16.f16.f16', [4, 4, 2, 2], 'frrr'],
  ['m16n8k16', '.f32.bf16.bf16.f32', [4, 4, 2, 4], 'frrf'],
  ['m16n8k16', '.bf16.bf16.bf16.bf16', [2, 4, 2, 2], 'rrrr'],
  ['m16n8k16', '.f32.f16.bf16.f32', [4, 4, 2, 4], 'frrf'],
  ['m16n8k32', '.f32.f16.f16.f32', [4, 8, 4, 4], 'frrf'],
  ['m16n8k32', '.f32.e4m3.e5m2.f32', [4, 4, 2, 4], 'frrf'],
  ['m16n8k32', '.f16.e5m2.e4m3.f16', [2, 4, 2, 2], 'rrrr'],
  ['m16n8k16', '.f32.e4m3.e4m3.f32', [4, 2, 1, 4], 'frrf'],
  ['m8n8k16', '.s32.u8.s8.s32', [2, 1, 1, 2], 'rrrr'],
  ['m16n8k16', '.s32.s8.s8.s32', [4, 2, 1, 4], 'rrrr'],
  ['m16n8k32', '.s32.u8.u8.s32', [4, 4, 2, 4], 'rrrr'],
  ['m8n8k32', '.s32.s4.u4.s32', [2, 1, 1, 2], 'rrrr'],
  ['m16n8k64', '.s32.u4.s4.s32', [4, 4, 2, 4], 'rrrr'],
  ['m16n8k32', '.s32.s8.s4.s32', [4, 4, 2, 4], 'rrrr'],
  ['m16n8k16', '.f32.e2m1.e2m1.f32', [4, 4, 2, 4], 'frrf'],
  ['m16n8k16', '.s32.f16.f16.s32', [4, 4, 2, 4], 'rrrr'],
];
/** The operands of such a multiplication; with `wrong` twice as many registers for a. */
const operands = ([, , counts, banks]: Shape, wrong = false): string =>
  counts.map((count, i) => regs(banks[i] ?? 'r', i === 1 && wrong ? 2 * count : count)).join(', ');
const mma = (prefix: string, layouts: readonly string[], wrong = false): readonly string[] =>
  SHAPES.flatMap((shape) =>
    layouts.map((layout) => `${prefix}.${shape[0]}${layout}${shape[1]} ${operands(shape, wrong)};`),
  );

const MMA: readonly string[] = [
  ...mma('mma.sync.aligned', ['.row.col', '.col.row', '.row.row', '', '.row.col.satfinite']),
  ...mma('mma.sync.aligned', ['.row.col'], true),
  ...mma('mma.sync', ['.row.col']).slice(0, 6),
  ...mma('mma.aligned.sync', ['.row.col']).slice(8, 11),
  ...product(
    ['mma.sync.aligned'],
    ['.m8n8k128', '.m16n8k128', '.m16n8k256'],
    ['.row.col.s32.b1.b1.s32'],
    ['.xor.popc', '.and.popc', '', '.or.popc'],
    [
      ' {r0, r1}, {r2}, {r3}, {r0, r1};',
      ' {r0, r1, r2, r3}, {r4, r5}, {r6}, {r0, r1, r2, r3};',
      ' {r0, r1, r2, r3}, {r4, r5, r6, r7}, {r8, r9}, {r0, r1, r2, r3};',
    ],
  ),
  ...product(
    ['mma.sp', 'mma.sp::ordered_metadata'],
    ['.sync.aligned.m16n8k32.row.col'],
    ['.f32.f16.f16.f32', '.f32.bf16.bf16.f32', '.f32.tf32.tf32.f32', '.f32.e4m3.e4m3.f32'],
    [` ${regs('f', 4)}, ${regs('r', 4)}, ${regs('r', 4, 4)}, ${regs('f', 4, 4)}`],
    [', r8, 0x0;', ', r8, 0x1;', ', r8, 0x2;', ', r8, r9;', ', r8;', ';'],
  ),
  ...product(
    ['mma.sp.sync.aligned', 'mma.sync.aligned.sp'],
    ['.m16n8k64', '.m16n8k16', '.m16n8k32'],
    ['.row.col.s32.s8.s8.s32', '.row.col.f32.f16.f16.f32', '.row.col.f32.e4m3.e5m2.f32'],
    [` ${regs('f', 4)}, ${regs('r', 2)}`, ` ${regs('r', 4)}, ${regs('r', 4)}`, ` ${regs('f', 4)}, ${regs('r', 4)}`],
    [`, ${regs('r', 2)}, ${regs('f', 4)}, r8, 0x0;`, `, ${regs('r', 4)}, ${regs('r', 4)}, r8, 0x0;`],
  ),
];

const WMMA: readonly string[] = [
  ...product(
    ['wmma.load'],
    ['.a', '.b', '.c', '.d'],
    ['.sync.aligned'],
    ['.row.m16n16k16', '.col.m32n8k16', '.row.m16n16k8'],
    ['.shared', '', '.const'],
    ['.f16', '.f32', '.s8', '.bf16', '.tf32'],
    [` ${regs('r', 8)}, [d0], r9;`, ` ${regs('r', 4)}, [d0];`],
  ),
  ...product(
    ['wmma.load.c.sync.aligned.row.m16n16k16.global'],
    ['.f32', '.f16', '.s32'],
    [...[` ${regs('f', 8)}, [d0];`, ` ${regs('r', 8)}, [d0], 16;`, ` ${regs('r', 2)}, [d0], d1;`]],
  ),
  ...product(
    ['wmma.store'],
    ['.d', '.a'],
    ['.sync.aligned', '.sync'],
    ['.row.m16n16k16', '.m16n16k16.row', '.col.m8n32k16'],
    ['.global', '.shared::cta', '.local'],
    ['.f16', '.f32', '.s32', '.s8'],
    [` [d0], ${regs('r', 4)}, r9;`, ` [d0], ${regs('r', 8)};`],
  ),
  ...product(
    ['wmma.mma.sync.aligned'],
    ['.row.col', '.col.col', '.row', ''],
    ['.m16n16k16', '.m32n8k16', '.m16n16k8'],
    ['.f32.f32', '.f16.f16', '.f32.f16.f16.f32', '.f32.f16', '.f32.bf16.bf16.f32', '.f32.tf32.tf32.f32'],
    ['', '.satfinite'],
    [
      ` ${regs('f', 8)}, ${regs('r', 8)}, ${regs('r', 8)}, ${regs('f', 8)};`,
      ` ${regs('f', 8)}, ${regs('r', 4)}, ${regs('r', 4)}, ${regs('f', 8)};`,
    ],
  ),
  ...product(
    ['wmma.mma'],
    ['.sync.aligned.row.col.m16n16k16.s32', '.and.popc.sync.aligned.row.col.m8n8k128.s32'],
    ['.s8.s8.s32', '.u8.u8.s32.satfinite', '.u8.s8.s32', '.b1.b1.s32'],
    [` ${regs('r', 8)}, {r8, r9}, {r10, r11}, ${regs('r', 8)};`, ' {r0, r1}, {r2}, {r3}, {r4, r5};'],
  ),
  ...product(
    ['wmma.load.a.sync.aligned.row', 'wmma.load.b.sync.aligned.col'],
    ['.m8n8k4', '.m8n8k32', '.m8n8k128'],
    [...['.f64 {e0}, [d0];', '.s4 {r0}, [d0];', '.b1 {r0}, [d0], 128;', '.u4 {r0, r1}, [d0];']],
  ),
];

const BLOCK_SCALED: readonly string[] = product(
  ['mma.sync.aligned.m16n8k'],
  ['32', '64'],
  ['.row.col'],
  ['.kind::mxf8f6f4.block_scale', '.kind::mxf4.block_scale', '.kind::f8f6f4'],
  ['.scale_vec::1X', '.scale_vec::2X', ''],
  ['.f32.e4m3.e2m1.f32'],
  ['.ue8m0', ''],
  [` ${regs('f', 4)}, ${regs('r', 4)}, ${regs('r', 2)}, ${regs('f', 4)}`],
  [', r8, {h0, h1}, r9, {h2, h3};', ';'],
);

const ROUNDED: readonly string[] = [
  ...product(
    ['mma.sync.aligned.m8n8k4.row.col.', 'wmma.mma.sync.aligned.row.col.m8n8k4.'],
    ['rn.f64', 'rz.f64', 'f64'],
    ['.f64.f64.f64 {e0, e1}, {e2}, {e3}, {e0, e1};', '.f64.f64.f64.rn {e0, e1}, {e2}, {e3}, {e0, e1};'],
  ),
  'mma.sync.aligned.m16n8k8.row.col.rn.f32.f16.f16.f32 {f0, f1, f2, f3}, {r0, r1}, {r2}, {f0, f1, f2, f3};',
];

export const MATRIX_FORMS: readonly FormGroup[] = [
  { family: 'ldmatrix stmatrix movmatrix', target: 'sm_90a', forms: LDMATRIX },
  { family: 'ldmatrix stmatrix on sm_100a', target: 'sm_100a', forms: NEW_LDMATRIX },
  { family: 'mma', target: 'sm_90a', forms: MMA },
  { family: 'mma on sm_75', target: 'sm_75', forms: mma('mma.sync.aligned', ['.row.col', '.col.row']) },
  { family: 'mma on sm_100a', target: 'sm_100a', forms: [...mma('mma.sync.aligned', ['.row.col']), ...BLOCK_SCALED] },
  { family: 'wmma', target: 'sm_90a', forms: WMMA },
  { family: 'products with a rounding', target: 'sm_90a', forms: ROUNDED },
  {
    family: 'ldmatrix on sm_75',
    target: 'sm_75',
    forms: [...LDMATRIX.slice(0, 24), ...LDMATRIX.filter((form) => form.startsWith('movmatrix')).slice(0, 6)],
  },
];
