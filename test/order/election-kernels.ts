import type { SmallKernel } from './small-kernel.js';

const WARP = 'grid 1, block 6';
const PAIR = 'grid 2, block 32, gpu 0';
const ELECT = 'elect.sync _|%p1, -1;';
const alone = (what: string, label = 'J'): string => `@!%p1 bra ${label}; ${what} ${label}:`;
const PREPARED = `${ELECT} ${alone('st.shared.u32 [s], 7;')}`;
const TAKEN = 'ld.shared.u32 %r6, [s]; st.global.u32 [%rd2], %r6;';
const BY_FIRST = 'setp.ne.u32 %p3, %r1, 0; @%p3 bra F; st.shared.u32 [s], 7; F:';
const COPIED = 'ld.shared.u32 %r6, [s]; st.global.u32 [%rd1], %r6;';
const NAMED = 'elect.sync %r9|%p1, -1;';
/** The elected lane takes places for its warp, whose lanes take one each as they are told. */
const places = (count: number, told: string): string =>
  `${NAMED} ${alone(`atom.relaxed.gpu.global.add.u32 %r8, [%rd1 + 1020], ${count};`)} ${told} add.u32 %r8, %r8, %r1; ` +
  'mul.wide.u32 %rd3, %r8, 4; add.s64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r1;';
const shuffle = (from: string): string => `shfl.sync.idx.b32 %r8, %r8, ${from}, 31, -1;`;
const MBARRIER = '.shared .align 8 .b64 m;';
const INIT = `${MBARRIER} ${ELECT} ${alone('mbarrier.init.shared::cta.b64 [m], 1;', 'I')} bar.sync 0;`;
const wait = (label: string, parity = '0'): string =>
  `${label}: mbarrier.try_wait.parity.shared::cta.b64 %p4, [m], ${parity}; @!%p4 bra ${label};`;
const BULK =
  'mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 128; ' +
  'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 128, [m];';
const STORE = 'cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 128; cp.async.bulk.commit_group;';

/** Kernels that elect a lane of a warp, and mistakes there. */
export const ELECTION_KERNELS: readonly SmallKernel[] = [
  {
    name: 'what the elected lane has prepared, behind a barrier of the warp',
    place: WARP,
    body: `${PREPARED} bar.warp.sync -1; ${TAKEN}`,
  },
  { name: 'what the elected lane has prepared, at once', place: WARP, body: `${PREPARED} ${TAKEN}` },
  {
    name: 'what a lane has prepared for the elected one, behind a barrier of the warp',
    place: WARP,
    body: `${BY_FIRST} bar.warp.sync -1; ${ELECT} ${alone(COPIED)}`,
  },
  {
    name: 'what a lane has prepared for the elected one, at once',
    place: WARP,
    body: `${BY_FIRST} ${ELECT} ${alone(COPIED)}`,
  },
  {
    name: 'what a lane hands to all others, for the elected one',
    place: 'grid 1, block 4',
    body:
      'setp.ne.u32 %p3, %r1, 0; @%p3 bra F; st.shared.u32 [s], 7; st.release.cta.global.u32 [%rd1 + 600], 1; bra G; ' +
      'F: ld.acquire.cta.global.u32 %r7, [%rd1 + 600]; setp.eq.u32 %p4, %r7, 0; @%p4 bra F; ' +
      `G: ${ELECT} ${alone(COPIED)}`,
  },
  {
    name: 'what a lane hands to all others but one, for the elected one',
    place: 'grid 1, block 4',
    body:
      'setp.ne.u32 %p3, %r1, 0; @%p3 bra F; st.shared.u32 [s], 7; st.release.cta.global.u32 [%rd1 + 600], 1; bra G; ' +
      'F: setp.eq.u32 %p4, %r1, 3; @%p4 bra G; ' +
      'H: ld.acquire.cta.global.u32 %r7, [%rd1 + 600]; setp.eq.u32 %p4, %r7, 0; @%p4 bra H; ' +
      `G: ${ELECT} ${alone(COPIED)}`,
  },
  {
    name: 'the elected lane twice',
    place: WARP,
    body: `${PREPARED} ${ELECT} ${alone(COPIED, 'K')}`,
  },
  {
    name: 'an elected lane of each warp, behind a barrier',
    place: 'grid 1, block 64',
    body:
      'shr.u32 %r7, %r1, 5; mad.lo.u32 %r8, %r7, 4, %r2; shfl.sync.idx.b32 %r8, %r8, 0, 31, -1; ' +
      `${ELECT} ${alone('st.shared.u32 [%r8], 7;')} bar.sync 0; xor.b32 %r7, %r7, 1; mad.lo.u32 %r8, %r7, 4, %r2; ` +
      'ld.shared.u32 %r6, [%r8]; st.global.u32 [%rd2], %r6;',
  },
  { name: 'elected lanes of two warps at one word', place: 'grid 1, block 64', body: `${PREPARED} bar.sync 0;` },
  {
    name: 'one instruction of the elected lane',
    place: WARP,
    body: `${ELECT} @%p1 st.shared.u32 [s], 7; bar.sync 0; ${TAKEN}`,
  },
  {
    name: 'an election that a register tells of',
    place: WARP,
    body:
      `mov.u32 %r7, 0; elect.sync %r8|%p1, -1; @%p1 mov.u32 %r7, 1; mov.u32 %r9, %r8; ` +
      `setp.eq.u32 %p1, %r7, 1; ${alone('st.shared.u32 [s], 7;')} bar.warp.sync -1; ${TAKEN}`,
  },
  {
    name: 'a register of the elected lane',
    place: WARP,
    body:
      `mov.u32 %r7, 3; ${ELECT} @%p1 add.u32 %r7, %r7, 5; bar.warp.sync -1; mul.lo.u32 %r7, %r7, 2; ` +
      '@%p1 st.global.u32 [%rd1], %r7;',
  },
  {
    name: 'a register of the elected lane, and its lanes after it',
    place: WARP,
    body: `mov.u32 %r7, 3; ${ELECT} @%p1 mov.u32 %r7, 5; st.global.u32 [%rd2], %r7;`,
  },
  {
    name: 'a register of the elected lane that all set again',
    place: WARP,
    body: `mov.u32 %r7, 3; ${ELECT} @%p1 mov.u32 %r7, 5; mov.u32 %r7, 1; st.global.u32 [%rd2], %r7;`,
  },
  {
    name: 'a register of the elected lane that some set again',
    place: 'grid 1, block 4',
    body:
      `mov.u32 %r7, 3; ${ELECT} @%p1 mov.u32 %r7, 5; setp.eq.u32 %p3, %r1, 0; @%p3 mov.u32 %r7, 1; ` +
      '@%p1 st.global.u32 [%rd1], %r7;',
  },
  {
    name: 'a register that the other lanes set',
    place: WARP,
    body: `mov.u32 %r7, 3; ${ELECT} @!%p1 mov.u32 %r7, 5; @%p1 st.global.u32 [%rd1], %r7;`,
  },
  {
    name: 'the number of the elected lane',
    place: WARP,
    body: 'elect.sync %r7|%p1, -1; st.global.u32 [%rd2], %r7;',
  },
  {
    name: 'the number of the elected lane, for that lane',
    place: WARP,
    body: 'elect.sync %r7|%p1, -1; mul.wide.u32 %rd3, %r7, 4; add.s64 %rd3, %rd1, %rd3; @%p1 st.global.u32 [%rd3], 1;',
  },
  { name: 'the own element of the elected lane', place: WARP, body: `${ELECT} @%p1 st.global.u32 [%rd2], 1;` },
  { name: 'what all lanes but the elected one store', place: WARP, body: `${ELECT} @!%p1 st.global.u32 [%rd2], 1;` },
  { name: 'the others leave', place: WARP, body: `${ELECT} @!%p1 ret; st.global.u32 [%rd1], 1;` },
  { name: 'the elected lane leaves', place: WARP, body: `${ELECT} @%p1 ret; st.global.u32 [%rd1], 1;` },
  {
    name: 'an election among some lanes',
    place: WARP,
    body: 'setp.gt.u32 %p3, %r1, 1; @%p3 ret; elect.sync _|%p1, 3; @%p1 st.global.u32 [%rd1], 1;',
  },
  {
    name: 'what is not followed, by the elected lane, while the others do something else',
    place: WARP,
    body:
      `.shared .align 8 .b64 m; mov.u32 %r9, %clock; and.b32 %r9, %r9, 16; ${ELECT} @!%p1 bra O; ` +
      'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], %r9, [m]; bra J; ' +
      'O: st.shared.u32 [s + 64], 1; J:',
  },
  { name: 'the elected lane at a barrier', place: WARP, body: `${ELECT} ${alone('barrier.sync 0, 32;')}` },
  {
    name: 'the elected lane arrives',
    place: 'grid 1, block 8',
    body: `${INIT} ${PREPARED} ${ELECT} ${alone('mbarrier.arrive.shared::cta.b64 _, [m];', 'A')} ${wait('W')} ${TAKEN}`,
  },
  {
    name: 'the elected lane waits, and nobody arrives',
    place: 'grid 1, block 8',
    body: `${INIT} ${ELECT} ${alone(wait('W'))}`,
  },
  {
    name: 'the elected lane waits for what another may do',
    place: 'grid 1, block 8',
    body:
      `${INIT} ${ELECT} ${alone(wait('W'))} setp.ne.u32 %p3, %r1, 2; @%p3 bra E; ` +
      'mbarrier.arrive.shared::cta.b64 _, [m]; E:',
  },
  {
    name: 'copies of the elected lane',
    place: 'grid 1, block 8',
    body:
      `${INIT} mov.u32 %r7, 0; L: ${ELECT} ${alone(BULK)} ${wait('W', '%r7')} ` +
      'ld.shared.u32 %r6, [s + 4]; ' +
      'fence.proxy.async.shared::cta; bar.sync 0; add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 2; @%p3 bra L; ' +
      'st.global.u32 [%rd2 + 512], %r6;',
  },
  {
    name: 'copies of the elected lane, which others still read',
    place: 'grid 1, block 8',
    body:
      `${INIT} mov.u32 %r7, 0; L: ${ELECT} ${alone(BULK)} ${wait('W', '%r7')} ` +
      'ld.shared.u32 %r6, [s + 4]; ' +
      'fence.proxy.async.shared::cta; add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 2; @%p3 bra L; ' +
      'st.global.u32 [%rd2 + 512], %r6;',
  },
  {
    name: 'a store of the elected lane, behind a fence of all',
    place: 'grid 1, block 8',
    body: `${PREPARED} fence.proxy.async.shared::cta; ${ELECT} ${alone(STORE, 'S')}`,
  },
  {
    name: 'a store of the elected lane, without a fence',
    place: 'grid 1, block 8',
    body: `${PREPARED} ${ELECT} ${alone(STORE, 'S')}`,
  },
  {
    name: 'a store of the elected lane, for which all wait',
    place: 'grid 1, block 8',
    body:
      `${ELECT} ${alone(STORE)} cp.async.bulk.wait_group.read 0; bar.warp.sync -1; ` +
      'mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], 1;',
  },
  {
    name: 'a store of the elected lane, for which nobody waits',
    place: 'grid 1, block 8',
    body: `${ELECT} ${alone(STORE)} bar.warp.sync -1; mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], 1;`,
  },
  {
    name: 'a word of the elected lane, for all by a shuffle',
    place: WARP,
    body: `mov.u32 %r8, 3; ${NAMED} @%p1 mov.u32 %r8, 5; ${shuffle('%r9')} st.global.u32 [%rd2], %r8;`,
  },
  {
    name: 'a word of the elected lane, for all by a shuffle from another',
    place: WARP,
    body: `mov.u32 %r8, 3; ${NAMED} @%p1 mov.u32 %r8, 5; ${shuffle('0')} st.global.u32 [%rd2], %r8;`,
  },
  {
    name: 'what the elected lane has read, for all by a shuffle',
    place: WARP,
    body: `${NAMED} ${alone('ld.global.u32 %r8, [%rd1 + 512];')} ${shuffle('%r9')} st.global.u32 [%rd2], %r8;`,
  },
  {
    name: 'an open value of each lane, for all by a shuffle from the elected one',
    place: WARP,
    body: `mov.u32 %r8, %clock; ${NAMED} ${shuffle('%r9')} st.global.u32 [%rd2], %r8;`,
  },
  {
    name: 'how many lanes are elected, by a vote',
    place: WARP,
    body: `${ELECT} vote.sync.ballot.b32 %r8, %p1, -1; popc.b32 %r8, %r8; st.global.u32 [%rd2], %r8;`,
  },
  {
    name: 'the place of the elected lane in a vote, for a shuffle',
    place: WARP,
    body:
      `mov.u32 %r8, 3; ${ELECT} @%p1 mov.u32 %r8, 5; vote.sync.ballot.b32 %r9, %p1, -1; bfind.u32 %r9, %r9; ` +
      `${shuffle('%r9')} st.global.u32 [%rd2], %r8;`,
  },
  {
    name: 'a vote that takes the place of what it is of',
    place: WARP,
    body: `${ELECT} vote.sync.any.pred %p1, %p1, -1; selp.u32 %r8, 1, 0, %p1; st.global.u32 [%rd2], %r8;`,
  },
  {
    name: 'a shuffle in the place of an election',
    place: WARP,
    body:
      `mov.u32 %r8, 3; ${NAMED} @%p1 mov.u32 %r8, 5; shfl.sync.down.b32 %r9|%p4, %r9, 1, 31, -1; ` +
      'selp.u32 %r8, 1, 0, %p4; st.global.u32 [%rd2], %r8;',
  },
  {
    name: 'who is elected, by the number of its lane',
    place: WARP,
    body: `${NAMED} setp.eq.u32 %p1, %r9, %r1; ${alone('st.shared.u32 [s], 7;')} bar.warp.sync -1; ${TAKEN}`,
  },
  { name: 'elections with two masks', place: WARP, body: `${PREPARED} elect.sync _|%p1, 63; ${alone(COPIED, 'K')}` },
  { name: 'places that the elected lane takes for its warp', place: PAIR, body: places(32, shuffle('%r9')) },
  { name: 'half the places for the warp', place: PAIR, body: places(16, shuffle('%r9')) },
  { name: 'places for the warp, which nobody is told of', place: PAIR, body: places(32, '') },
  { name: 'places for the warp, of which another lane is asked', place: PAIR, body: places(32, shuffle('0')) },
];
