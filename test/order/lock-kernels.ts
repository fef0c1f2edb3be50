import type { SmallKernel } from './small-kernel.js';

const LOCK = '[%rd1 + 1020]';
const take = (label: string, how: string, of = LOCK): string =>
  `${label}: atom.${how}.global.cas.b32 %r8, ${of}, 0, 1; setp.ne.u32 %p4, %r8, 0; @%p4 bra ${label};`;
const exchange = (label: string): string =>
  `${label}: atom.relaxed.gpu.global.exch.b32 %r8, ${LOCK}, 1; setp.ne.u32 %p4, %r8, 0; @%p4 bra ${label};`;
const leave = (how: string, of = LOCK): string => `st.${how}.global.u32 ${of}, 0;`;
const FENCE = 'fence.acq_rel.gpu;';
/** Adds one to the first word, and leaves what was there in the thread's own. */
const COUNT = 'ld.global.u32 %r6, [%rd1]; add.u32 %r9, %r6, 1; st.global.u32 [%rd1], %r9;';
/** Thread 0 of each CTA does it. */
const alone = (what: string): string => `setp.ne.u32 %p3, %r1, 0; @%p3 bra E; ${what} E:`;
const either = (first: string, second: string): string =>
  `mov.u32 %r7, %ctaid.x; setp.ne.u32 %p1, %r7, 0; @%p1 bra B; ${first} bra.uni E; B: ${second} E:`;
const TAKE = take('W', 'acquire.gpu');
const LEAVE = leave('release.gpu');
const PAIR = 'grid 2, block 32, gpu 0';
const ONE_EACH = 'grid 2, block 1, gpu 0';

const FOUR = 'grid 2, block 4, gpu 0';
const MEET = 'bar.sync 0;';
const SYNC = 'bar.warp.sync -1;';
/** Each thread of a CTA has a word that those of its number in other CTAs have too. */
const OWN_COUNT = 'ld.global.u32 %r6, [%rd2]; add.u32 %r6, %r6, 1; st.global.u32 [%rd2], %r6;';
/** Thread 0 takes a lock, all of its CTA do something, and it gives the lock back. */
const together = (what: string): string =>
  `setp.ne.u32 %p3, %r1, 0; @%p3 bra F; ${TAKE} F: ${what} @%p3 bra E; ${LEAVE} E:`;

/** By the lowest bit: it goes on as long as that is set. */
const setBit = (how = 'relaxed.gpu'): string =>
  `W: atom.${how}.global.or.b32 %r8, ${LOCK}, 1; and.b32 %r9, %r8, 1; setp.ne.u32 %p4, %r9, 0; @%p4 bra W;`;
const takeBit = (mask = '0xfffffffe', how = 'relaxed.gpu'): string =>
  `atom.${how}.global.and.b32 %r10, ${LOCK}, ${mask};`;
/** Looks until the lock is free, and tries to take it then. */
const lookFirst = (how = 'acquire.gpu', given = '1', look = 'relaxed.gpu'): string =>
  `W: ld.${look}.global.u32 %r8, ${LOCK}; setp.ne.u32 %p4, %r8, 0; @%p4 bra W; ` +
  `atom.${how}.global.exch.b32 %r8, ${LOCK}, ${given}; setp.ne.u32 %p4, %r8, 0; @%p4 bra W;`;
/** As libraries write it, and compilers: tries first, then looks. */
const TRY_FIRST =
  `atom.acquire.gpu.global.exch.b32 %r8, ${LOCK}, 1; setp.eq.u32 %p4, %r8, 0; @%p4 bra X; ` +
  `W: ld.relaxed.gpu.global.u32 %r8, ${LOCK}; setp.eq.u32 %p4, %r8, 0; @%p4 bra Y; ` +
  `Z: nanosleep.u32 8; ld.relaxed.gpu.global.u32 %r8, ${LOCK}; setp.ne.u32 %p4, %r8, 0; @%p4 bra Z; ` +
  `Y: atom.acquire.gpu.global.exch.b32 %r8, ${LOCK}, 1; setp.ne.u32 %p4, %r8, 0; @%p4 bra W; X:`;

/** With pauses in between, and with registers of its own for what it puts there, as compilers write it. */
const TRIED_FIRST = (taken: number): string =>
  `mov.u32 %r10, 1; atom.acquire.gpu.global.cas.b32 %r8, ${LOCK}, 0, %r10; setp.eq.u32 %p4, %r8, 0; @%p4 bra V; ` +
  `W: nanosleep.u32 32; mov.u32 %r11, ${taken}; atom.acquire.gpu.global.cas.b32 %r8, ${LOCK}, 0, %r11; ` +
  'setp.ne.u32 %p4, %r8, 0; @%p4 bra W; V:';

/** Kernels whose threads take a lock each, and mistakes there. */
const KERNELS: readonly SmallKernel[] = [
  { name: 'a lock whose first try a compiler has set apart', place: PAIR, body: alone(TRIED_FIRST(1) + COUNT + LEAVE) },
  { name: 'the same, that puts another number there', place: PAIR, body: alone(TRIED_FIRST(2) + COUNT + LEAVE) },
  { name: 'a lock that is acquired and released', place: PAIR, body: alone(TAKE + COUNT + LEAVE) },
  {
    name: 'a lock by an exchange, between fences',
    place: PAIR,
    body: alone(`${exchange('W')} ${FENCE} ${COUNT} ${FENCE} atom.relaxed.gpu.global.exch.b32 %r10, ${LOCK}, 0;`),
  },
  { name: 'a lock that all lanes take', place: 'grid 1, block 4', body: TAKE + COUNT + LEAVE },
  {
    name: 'a lock that is taken twice',
    place: PAIR,
    body: alone(
      `mov.u32 %r10, 0; L: ${TAKE} ${COUNT} ${LEAVE} add.u32 %r10, %r10, 1; setp.lt.u32 %p5, %r10, 2; @%p5 bra L;`,
    ),
  },
  { name: 'a lock that is not acquired', place: PAIR, body: alone(take('W', 'relaxed.gpu') + COUNT + LEAVE) },
  { name: 'a lock that is not released', place: PAIR, body: alone(TAKE + COUNT + leave('relaxed.gpu')) },
  {
    name: 'a lock that one does not acquire',
    place: ONE_EACH,
    body: either(take('W', 'relaxed.gpu') + COUNT + LEAVE, take('V', 'acquire.gpu') + COUNT + LEAVE),
  },
  {
    name: 'a fence that comes too late in a lock',
    place: PAIR,
    body: alone(`${exchange('W')} ${COUNT} ${FENCE} ${FENCE} ${leave('relaxed.gpu')}`),
  },
  {
    name: 'a fence that comes too early in a lock',
    place: PAIR,
    body: alone(`${exchange('W')} ${FENCE} ${FENCE} ${COUNT} ${leave('relaxed.gpu')}`),
  },
  {
    name: 'a lock in the scope of a CTA',
    place: PAIR,
    body: alone(take('W', 'acquire.cta') + COUNT + leave('release.cta')),
  },
  {
    name: 'a lock with fences of the CTA',
    place: PAIR,
    body: alone(`${exchange('W')} fence.acq_rel.cta; ${COUNT} fence.acq_rel.cta; ${leave('relaxed.gpu')}`),
  },
  { name: 'a lock that a weak store gives back', place: PAIR, body: alone(TAKE + COUNT + FENCE + leave('weak')) },
  {
    name: 'what is done behind a lock',
    place: PAIR,
    body: alone(`${TAKE} ${LEAVE} ${COUNT}`),
  },
  {
    name: 'what one does without the lock',
    place: ONE_EACH,
    body: either(TAKE + COUNT + LEAVE, COUNT),
  },
  {
    name: 'two locks',
    place: ONE_EACH,
    body: either(
      TAKE + COUNT + LEAVE,
      take('V', 'acquire.gpu', '[%rd1 + 1016]') + COUNT + leave('release.gpu', '[%rd1 + 1016]'),
    ),
  },
  {
    name: 'a lock that another one gives back',
    place: ONE_EACH,
    body: either(TAKE + COUNT, take('V', 'acquire.gpu') + COUNT + LEAVE) + LEAVE,
  },
  { name: 'a lock that is not given back', place: PAIR, body: alone(TAKE + COUNT) },
  {
    name: 'a lock in which others are waited for',
    place: 'grid 1, block 64',
    body:
      `setp.ge.u32 %p1, %r1, 32; @%p1 bra B; setp.ne.u32 %p3, %r1, 0; @%p3 bra C; ${TAKE} C: bar.sync 0; @%p3 bra E; ` +
      `${COUNT} ${LEAVE} bra.uni E; B: bar.sync 0; setp.ne.u32 %p3, %r1, 32; @%p3 bra E; ` +
      `${take('V', 'acquire.gpu')} ${COUNT} ${LEAVE} E:`,
  },
  { name: 'a lock that one takes for its CTA', place: FOUR, body: together(`${MEET} ${OWN_COUNT} ${MEET}`) },
  { name: 'a lock that one takes for its warp', place: FOUR, body: together(`${SYNC} ${OWN_COUNT} ${SYNC}`) },
  { name: 'a lock that one takes for others that do not wait', place: FOUR, body: together(`${OWN_COUNT} ${MEET}`) },
  { name: 'a lock that is given back before others are done', place: FOUR, body: together(`${MEET} ${OWN_COUNT}`) },
  {
    name: 'a lock in which threads of the CTA are in no order',
    place: FOUR,
    body: together(`${MEET} ${OWN_COUNT} xor.b32 %r9, %r1, 1; mul.wide.u32 %rd3, %r9, 4; add.s64 %rd3, %rd1, %rd3;
      ld.global.u32 %r6, [%rd3]; ${MEET}`),
  },
  {
    name: 'a lock that two of a CTA take for all',
    place: FOUR,
    body:
      `setp.ne.u32 %p3, %r1, 0; @%p3 bra F; ${TAKE} F: ${MEET} ${OWN_COUNT} ${MEET} @%p3 bra G; ${LEAVE} G: ` +
      `setp.ne.u32 %p3, %r1, 1; @%p3 bra H; ${take('V', 'acquire.gpu')} ${COUNT} ${LEAVE} H:`,
  },
  {
    name: 'a lock whose word another one reads',
    place: ONE_EACH,
    body: either(
      TAKE + COUNT + LEAVE,
      `ld.relaxed.gpu.global.u32 %r6, ${LOCK}; ${take('V', 'acquire.gpu')} ${COUNT} ${LEAVE}`,
    ),
  },
  {
    name: 'a lock that another one resets',
    place: ONE_EACH,
    body: either(TAKE + COUNT + LEAVE, `${leave('relaxed.gpu')} ${take('V', 'acquire.gpu')} ${COUNT} ${LEAVE}`),
  },
  {
    name: 'a lock in shared memory that is set up first',
    place: 'grid 1, block 64',
    body:
      'setp.ne.u32 %p3, %r1, 0; @%p3 bra I; st.shared.u32 [s], 0; I: bar.sync 0; and.b32 %r7, %r1, 31; ' +
      'setp.ne.u32 %p3, %r7, 0; @%p3 bra E; W: atom.acquire.cta.shared.cas.b32 %r8, [s], 0, 1; ' +
      `setp.ne.u32 %p4, %r8, 0; @%p4 bra W; ${COUNT} st.release.cta.shared.u32 [s], 0; E:`,
  },
  {
    name: 'a lock in shared memory that is set up too late',
    place: 'grid 1, block 64',
    body:
      'and.b32 %r7, %r1, 31; setp.ne.u32 %p3, %r7, 0; @%p3 bra E; setp.ne.u32 %p2, %r1, 0; @%p2 bra W; ' +
      'st.shared.u32 [s], 0; W: atom.acquire.cta.shared.cas.b32 %r8, [s], 0, 1; ' +
      `setp.ne.u32 %p4, %r8, 0; @%p4 bra W; ${COUNT} st.release.cta.shared.u32 [s], 0; E:`,
  },
  {
    name: 'a result of what a lock protects decides',
    place: PAIR,
    body: alone(`${TAKE} ${COUNT} ${LEAVE} setp.eq.u32 %p5, %r9, 2; @%p5 st.global.u32 [%rd1 + 4], 7;`),
  },
  {
    name: 'a lock that is taken from who has it',
    place: ONE_EACH,
    body: either(
      `${TAKE} ${COUNT}`,
      `V: atom.acquire.gpu.global.cas.b32 %r8, ${LOCK}, 1, 2; setp.ne.u32 %p4, %r8, 1; @%p4 bra V; ${COUNT} ${LEAVE}`,
    ),
  },
  {
    name: 'a lock of which it is used what was found',
    place: PAIR,
    body: alone(`${exchange('W')} ${FENCE} ${COUNT} ${FENCE} ${leave('relaxed.gpu')} st.global.u32 [%rd2 + 512], %r8;`),
  },
  {
    name: 'a lock that the last one does not give back',
    place: ONE_EACH,
    body: either(TAKE + COUNT + LEAVE, take('V', 'acquire.gpu') + COUNT),
  },
  {
    name: 'a lock that one takes for nothing, without patterns',
    place: 'grid 3, block 1, gpu 0',
    body:
      'mov.u32 %r7, %ctaid.x; setp.eq.u32 %p1, %r7, 1; @%p1 bra B; ' +
      `${TAKE} ${COUNT} ${LEAVE} bra.uni E; B: ${take('V', 'relaxed.gpu')} ${leave('relaxed.gpu')} E:`,
  },
  {
    name: 'a lock by a bit',
    place: PAIR,
    body: alone(`${setBit()} ${FENCE} ${COUNT} ${FENCE} ${takeBit()}`),
  },
  { name: 'a lock by a bit that is not acquired', place: PAIR, body: alone(setBit() + COUNT + FENCE + takeBit()) },
  { name: 'a lock by a bit that is not released', place: PAIR, body: alone(setBit() + FENCE + COUNT + takeBit()) },
  {
    name: 'a lock by a bit that is given back with another one set',
    place: PAIR,
    body: alone(`${setBit('acquire.gpu')} ${COUNT} atom.release.gpu.global.add.u32 %r10, ${LOCK}, 1;`),
  },
  {
    name: 'a lock by a bit of which another bit is taken away',
    place: PAIR,
    body: alone(`${setBit('acquire.gpu')} ${COUNT} ${takeBit('0xfffffffd', 'release.gpu')}`),
  },
  {
    name: 'a lock by a bit where another bit is set the while',
    place: ONE_EACH,
    body: either(
      `${setBit('acquire.gpu')} ${COUNT} ${takeBit('0xfffffffe', 'release.gpu')}`,
      `atom.relaxed.gpu.global.or.b32 %r8, ${LOCK}, 4;`,
    ),
  },
  {
    name: 'a lock by an exchange that a subtraction gives back',
    place: PAIR,
    body: alone(`${exchange('W')} ${FENCE} ${COUNT} atom.release.gpu.global.add.u32 %r10, ${LOCK}, -1;`),
  },
  { name: 'a lock that is looked at first', place: PAIR, body: alone(lookFirst() + COUNT + LEAVE) },
  {
    name: 'a lock that is looked at first, at the scope of the system',
    place: PAIR,
    body: alone(lookFirst('acquire.gpu', '1', 'volatile') + COUNT + LEAVE),
  },
  {
    name: 'a lock that is looked at first, in the scope of a CTA',
    place: PAIR,
    body: alone(lookFirst('acquire.gpu', '1', 'relaxed.cta') + COUNT + LEAVE),
  },
  { name: 'a lock that is tried, then looked at', place: PAIR, body: alone(TRY_FIRST + COUNT + LEAVE) },
  { name: 'a lock that is looked at first by all lanes', place: 'grid 1, block 4', body: lookFirst() + COUNT + LEAVE },
  {
    name: 'a lock that is looked at first, and not acquired',
    place: PAIR,
    body: alone(lookFirst('relaxed.gpu') + COUNT + LEAVE),
  },
  {
    name: 'a lock that is looked at first, with numbers of CTAs',
    place: PAIR,
    body: alone(`mov.u32 %r7, %ctaid.x; add.u32 %r7, %r7, 1; ${lookFirst('acquire.gpu', '%r7')} ${COUNT} ${LEAVE}`),
  },
  {
    name: 'a lock that is looked at first, and not given back',
    place: PAIR,
    body: alone(lookFirst() + COUNT),
  },
  {
    name: 'a lock that is looked at first, given back with what is not free',
    place: PAIR,
    body: alone(`${lookFirst()} ${COUNT} st.release.gpu.global.u32 ${LOCK}, 2;`),
  },
  {
    name: 'a lock by an exchange of numbers of CTAs',
    place: PAIR,
    body: alone(
      `mov.u32 %r7, %ctaid.x; add.u32 %r7, %r7, 1; W: atom.acquire.gpu.global.exch.b32 %r8, ${LOCK}, %r7; ` +
        `setp.ne.u32 %p4, %r8, 0; @%p4 bra W; ${COUNT} ${LEAVE}`,
    ),
  },
];

const THREE = 'grid 3, block 1, gpu 0';
/** What is there at the end is asked for. */
const WITH_VALUES: readonly SmallKernel[] = [
  { name: 'what three count under a lock', place: THREE, body: TAKE + COUNT + LEAVE },
  { name: 'what three count under a lock that they give back before', place: THREE, body: TAKE + LEAVE + COUNT },
  { name: 'what two of three count under a lock', place: THREE, body: either(COUNT, TAKE + COUNT + LEAVE) },
  {
    name: 'what three count under a lock, at which one looks besides',
    place: THREE,
    body: `${TAKE} ${COUNT} ${LEAVE} mov.u32 %r7, %ctaid.x; setp.eq.u32 %p1, %r7, 0; @%p1 ld.global.u32 %r6, ${LOCK};`,
  },
];

export const LOCK_KERNELS: readonly SmallKernel[] = [
  ...KERNELS.map((one): SmallKernel => ({ ...one, isEndAsked: false })),
  ...WITH_VALUES,
];
