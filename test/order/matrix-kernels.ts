import { OWN, type SmallKernel } from './small-kernel.js';

/** The own word of a row of 16 bytes: 8 rows, of a matrix each lane of the first 8 names. */
const ROW = 'and.b32 %r9, %r1, 31; mad.lo.u32 %r9, %r9, 16, %r2;';
const ALL = 'and.b32 %r9, %r1, 7; mad.lo.u32 %r9, %r9, 16, %r2;';
const EIGHT = `{${Array.from({ length: 8 }, () => '%r1').join(', ')}}`;
/** All words of the block, as a fragment. */
const FRAGMENT =
  'wmma.load.c.sync.aligned.row.m16n16k16.shared.s32 {%r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14}, [%r2], 16; ' +
  'st.global.u32 [%rd2], %r7;';
const STORED = 'st.global.u32 [%rd2], %r7;';

const WARP = 'grid 1, block 32';
/** Kernels whose warps load, store and multiply matrices together, and mistakes there. */
export const MATRIX_KERNELS: readonly SmallKernel[] = [
  {
    name: 'a matrix that a warp loads, behind its barrier',
    place: WARP,
    body: `${OWN} bar.warp.sync -1; ${ALL} ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r9]; ${STORED}`,
  },
  {
    name: 'a matrix that a warp loads at once',
    place: WARP,
    body: `${OWN} ${ALL} ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r7}, [%r9]; ${STORED}`,
  },
  {
    name: 'a matrix of which each lane loads what it has stored',
    place: WARP,
    body: `${OWN} ${ALL} ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r9]; ${STORED}`,
  },
  {
    name: 'four matrices, transposed',
    place: 'grid 1, block 128',
    body:
      `${OWN} bar.sync 0; ${ROW} ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r7, %r10, %r11, %r12}, [%r9]; ` +
      `xor.b32 %r7, %r7, %r11; ${STORED}`,
  },
  {
    name: 'four matrices, of which another warp has stored one',
    place: 'grid 1, block 128',
    body: `${OWN} ${ROW} ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r7, %r10, %r11, %r12}, [%r9]; ${STORED}`,
  },
  {
    name: 'a matrix that a warp stores, read behind a barrier',
    place: WARP,
    body:
      `${ALL} stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r9], {%r1}; bar.warp.sync -1; ` +
      `mad.lo.u32 %r3, %r1, 4, %r2; ld.shared.u32 %r7, [%r3]; ${STORED}`,
  },
  {
    name: 'a matrix that a warp stores, read at once',
    place: WARP,
    body:
      `${ALL} stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r9], {%r1}; ` +
      `mad.lo.u32 %r3, %r1, 4, %r2; ld.shared.u32 %r7, [%r3]; ${STORED}`,
  },
  {
    name: 'a matrix turned over',
    place: WARP,
    body: `mad.lo.u32 %r8, %r1, 65537, 3; movmatrix.sync.aligned.m8n8.trans.b16 %r7, %r8; ${STORED}`,
  },
  {
    name: 'a matrix that is not aligned',
    place: WARP,
    body: `${ALL} add.u32 %r9, %r9, 4; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r9]; ${STORED}`,
  },
  {
    name: 'lanes load a matrix without the others',
    place: WARP,
    body:
      'setp.lt.u32 %p1, %r1, 16; @!%p1 bra E; ' +
      `${ALL} ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r9]; E: ${STORED}`,
  },
  {
    name: 'a product, stored',
    place: WARP,
    body:
      'mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r7, %r8}, {%r1}, {%r1}, {%r1, %r1}; ' +
      `st.global.u32 [%rd2], %r7; bar.warp.sync -1; ld.global.u32 %r9, [%rd1];`,
  },
  {
    name: 'a branch on a product',
    place: WARP,
    body:
      'mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r7, %r8}, {%r1}, {%r1}, {%r1, %r1}; ' +
      'setp.eq.u32 %p1, %r7, 0; @%p1 st.global.u32 [%rd2], 1;',
  },
  {
    name: 'a fragment that a warp loads, behind a barrier',
    place: 'grid 1, block 256',
    body: `${OWN} bar.sync 0; ${FRAGMENT}`,
  },
  { name: 'a fragment that a warp loads at once', place: 'grid 1, block 256', body: `${OWN} ${FRAGMENT}` },
  {
    name: 'a fragment that a warp stores, and its lanes read at once',
    place: WARP,
    body:
      `wmma.store.d.sync.aligned.row.m16n16k16.shared.s32 [%r2], ${EIGHT}, 16; ` +
      `mad.lo.u32 %r3, %r1, 4, %r2; ld.shared.u32 %r7, [%r3]; ${STORED}`,
  },
  {
    name: 'a fragment that a warp stores, and its lanes read behind a barrier',
    place: WARP,
    body:
      `wmma.store.d.sync.aligned.row.m16n16k16.shared.s32 [%r2], ${EIGHT}, 16; bar.warp.sync -1; ` +
      `mad.lo.u32 %r3, %r1, 4, %r2; ld.shared.u32 %r7, [%r3]; ${STORED}`,
  },
];
