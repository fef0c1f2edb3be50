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

/** Threads from some number on give registers away, and the others do something else. */
const counted = (from: number, others: string): string =>
  `setp.lt.u32 %p1, %r1, ${from}; @%p1 bra E; setmaxnreg.dec.sync.aligned.u32 40; bra.uni F; E: ${others} F:`;

/** A warpgroup that multiplies, and a thread of another one that copies 512 bytes, twice; `f` and `e` tell of that. */
const GROUPS = 'grid 1, block 160';
const wait = (label: string, at: 'f' | 'e', parity: number): string =>
  `${label}: mbarrier.try_wait.parity.shared::cta.b64 %p4, [${at}], ${parity}; @!%p4 bra ${label};`;
const LOAD =
  'mbarrier.arrive.expect_tx.shared::cta.b64 _, [f], 512; ' +
  'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 512, [f];';
/** Without swizzle, core matrices one after the other: 64 rows of 8 bytes each way, so that 512 bytes are read. */
const PRODUCT = (a: string): string =>
  'wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, ' +
  `{%r10, %r11, %r12, %r13}, ${a}, 1, 1, 1, 0; wgmma.commit_group.sync.aligned;`;
const FREE = 'setp.ne.u32 %p5, %r1, 0; @!%p5 mbarrier.arrive.shared::cta.b64 _, [e];';
const pipeline = (consumer: (round: number) => string, count = 1): string =>
  '.reg .f32 %f<4>; .reg .b64 %da; .shared .align 8 .b64 f; .shared .align 8 .b64 e; setp.ne.u32 %p3, %r1, 0; ' +
  `@%p3 bra I; mbarrier.init.shared::cta.b64 [f], 1; mbarrier.init.shared::cta.b64 [e], ${count}; I: ` +
  'shr.u32 %r3, %r2, 4; and.b32 %r3, %r3, 16383; cvt.u64.u32 %da, %r3; or.b64 %da, %da, 0x0000001000080000; ' +
  'bar.sync 0; setp.ge.u32 %p1, %r1, 128; @%p1 bra P;\n' +
  `${wait('A', 'f', 0)} ${consumer(0)} ${wait('B', 'f', 1)} ${consumer(1)} bra.uni E;\n` +
  `P: setp.ne.u32 %p1, %r1, 128; @%p1 bra E; ${LOAD} ${wait('W', 'e', 0)} ${LOAD} E:`;
const WAITED = 'wgmma.wait_group.sync.aligned 0;';
/** A matrix in two parts of 128 bytes, 256 bytes apart, and a store there while it may be read. */
const storedBeside = (offset: number): string =>
  pipeline(() => '').replace(
    /A: .* E:/s,
    `or.b64 %da, %da, 0x0000001000100000; ${PRODUCT('%da')} setp.lt.u32 %p6, %r1, 32; ` +
      `mad.lo.u32 %r3, %r1, 4, %r2; @%p6 st.shared.u32 [%r3 + ${offset}], %r1; ${WAITED} P: E:`,
  );
/** A word beside the tile: its place, and that of the next warp. */
const BESIDE = 'mad.lo.u32 %r5, %r1, 4, %r2; st.shared.u32 [%r5 + 512], %r1;';
const NEXT = 'xor.b32 %r6, %r1, 32; mad.lo.u32 %r6, %r6, 4, %r2; ld.shared.u32 %r7, [%r6 + 512];';
const OVER = `bar.sync 1, 128; ${OWN} fence.proxy.async; bar.sync 1, 128;`;
const stored = (fence: string): string =>
  pipeline(() => '').replace(/A: .* E:/s, `${OWN} ${fence} bar.sync 1, 128; ${PRODUCT('%da')} P: E:`);

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
  {
    name: 'products of copies, and one thread that frees the tile',
    place: GROUPS,
    body: pipeline(() => `${PRODUCT('%da')} ${WAITED} ${FREE}`),
  },
  {
    name: 'products of copies, and all threads free the tile',
    place: GROUPS,
    body: pipeline(() => `${PRODUCT('%da')} ${WAITED} mbarrier.arrive.shared::cta.b64 _, [e];`, 128),
  },
  {
    name: 'a tile that is freed before its product is waited for',
    place: GROUPS,
    body: pipeline(() => `${PRODUCT('%da')} ${FREE} ${WAITED}`),
  },
  {
    name: 'a tile that is freed while its product may be pending',
    place: GROUPS,
    body: pipeline(() => `${PRODUCT('%da')} wgmma.wait_group.sync.aligned 1; ${FREE}`),
  },
  {
    name: 'a product of what is not there yet',
    place: GROUPS,
    body: pipeline(() => `${PRODUCT('%da')} ${WAITED} ${FREE}`).replace(wait('A', 'f', 0), ''),
  },
  {
    name: 'a product of what only some warps know to be there',
    place: GROUPS,
    body: pipeline(() => `${PRODUCT('%da')} ${WAITED} ${FREE}`).replace(
      wait('A', 'f', 0),
      `setp.ge.u32 %p6, %r1, 96; @%p6 bra X; ${wait('A', 'f', 0)} X:`,
    ),
  },
  {
    name: 'a product of what was stored, behind a fence',
    place: GROUPS,
    body: stored('fence.proxy.async;'),
  },
  {
    name: 'a product of what was stored',
    place: GROUPS,
    body: stored(''),
  },
  {
    name: 'a store over what products have read, once all have waited',
    place: GROUPS,
    body: pipeline((round) => `${PRODUCT('%da')} ${WAITED} ${round === 0 ? OVER : ''} ${FREE}`),
  },
  {
    name: 'what another warp has stored before a product',
    place: GROUPS,
    body: pipeline((round) => (round === 0 ? `${BESIDE} ${PRODUCT('%da')} ${WAITED} ${NEXT} ${FREE}` : '')),
  },
  {
    name: 'a store between the parts of a matrix',
    place: GROUPS,
    body: storedBeside(128).replace('0x0000001000080000', '0'),
  },
  {
    name: 'a store into the second part of a matrix',
    place: GROUPS,
    body: storedBeside(256).replace('0x0000001000080000', '0'),
  },
  {
    name: 'two groups that one wait tells of, one of other bytes',
    place: GROUPS,
    body: pipeline(
      () => `${PRODUCT('%da')} add.u64 %da, %da, 32; ${PRODUCT('%da')} ${WAITED} sub.u64 %da, %da, 32; ${FREE}`,
    ),
  },
  {
    name: 'two groups, of which a wait tells of one',
    place: GROUPS,
    body: pipeline(() => `${PRODUCT('%da')} ${PRODUCT('%da')} ${WAITED.replace('0;', '1;')} ${FREE}`),
  },
  {
    name: 'a warp that does not multiply',
    place: GROUPS,
    body: pipeline(() => `${PRODUCT('%da')} ${WAITED} ${FREE}`).replace(
      'bar.sync 0;',
      'bar.sync 0; setp.lt.u32 %p1, %r1, 32; @%p1 bra E;',
    ),
  },
  {
    name: 'warps that multiply other matrices',
    place: GROUPS,
    body: pipeline(() => `${PRODUCT('%da')} ${WAITED} ${FREE}`).replace(
      'bar.sync 0;',
      'bar.sync 0; setp.lt.u32 %p1, %r1, 32; @%p1 add.u64 %da, %da, 16;',
    ),
  },
  {
    name: 'all warps of a warpgroup count registers alike',
    place: 'grid 1, block 256',
    target: 'sm_90a',
    body: counted(128, 'setmaxnreg.inc.sync.aligned.u32 240;'),
  },
  {
    name: 'a warpgroup asks for fewer registers than it has',
    place: 'grid 1, block 128',
    target: 'sm_90a',
    body: 'setmaxnreg.inc.sync.aligned.u32 160; bar.sync 0; setmaxnreg.inc.sync.aligned.u32 40;',
  },
  {
    name: 'a warpgroup asks for fewer registers than it has, and a race behind that',
    place: 'grid 1, block 128',
    target: 'sm_90a',
    body:
      'setmaxnreg.inc.sync.aligned.u32 160; bar.sync 0; setmaxnreg.inc.sync.aligned.u32 40; ' +
      'st.global.u32 [%rd1], %r1;',
  },
  {
    name: 'one warp of a warpgroup counts its registers',
    place: 'grid 1, block 256',
    target: 'sm_90a',
    body: counted(160, ''),
  },
  {
    name: 'warps of one warpgroup count different numbers',
    place: 'grid 1, block 256',
    target: 'sm_90a',
    body: counted(96, 'setmaxnreg.inc.sync.aligned.u32 240;'),
  },
];
