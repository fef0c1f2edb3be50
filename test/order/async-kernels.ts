import type { SmallKernel } from './small-kernel.js';

const CLUSTER = 'grid 2, block 1, cluster 2';
const TOGETHER = 'barrier.cluster.arrive; barrier.cluster.wait;';
/** Each CTA has an mbarrier that expects so many bytes; `%r10` is the word of the other CTA, `%r12` its mbarrier. */
const between = (bytes: number, given: string, taken: string): string =>
  `.shared .align 8 .b64 m; st.shared.u32 [s], 5; mbarrier.init.shared::cta.b64 [m], 1; ` +
  `mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], ${bytes}; mov.u32 %r8, %cluster_ctarank; xor.b32 %r9, %r8, 1; ` +
  'mapa.shared::cluster.u32 %r10, %r2, %r9; mov.u32 %r12, m; mapa.shared::cluster.u32 %r12, %r12, %r9; ' +
  `mad.lo.u32 %r11, %r8, 4, 0; cvt.u64.u32 %rd3, %r11; add.s64 %rd3, %rd1, %rd3; ${TOGETHER} ` +
  `add.u32 %r13, %r8, 70; ${given} ${taken} st.global.u32 [%rd3], %r7; ${TOGETHER}`;
const WAIT =
  'W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [m], 0; @!%p4 bra W; ld.shared.u32 %r7, [s];';
const STORE = 'st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r10], %r13, [%r12];';
const ADD = 'red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r10], %r13, [%r12];';

/** Two CTAs add what they have to the first words of the results. */
const BULK = 'grid 2, block 1, gpu 0';
const added = (fence: string, then: string): string =>
  `st.shared.v4.u32 [s], {1, 2, 3, 4}; ${fence} ` +
  'cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [s], 16; cp.async.bulk.commit_group; ' +
  `cp.async.bulk.wait_group 0; ${then}`;

/** A thread stores; one executes a fence, and a third one copies what is stored, when each knows of it by a flag. */
const seen = (label: string): string =>
  `${label}: ld.acquire.gpu.global.u32 %r7, [%rd1 + 64]; setp.eq.u32 %p3, %r7, 0; @%p3 bra ${label};`;
const STORED =
  'setp.eq.u32 %p1, %r1, 1; @%p1 bra F; setp.eq.u32 %p1, %r1, 2; @%p1 bra C; ' +
  'st.shared.u32 [s], 5; st.release.gpu.global.u32 [%rd1 + 64], 1; bra E;';
const COPIED =
  'cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16; cp.async.bulk.commit_group; ' +
  'cp.async.bulk.wait_group 0;';

/** Kernels that store and reduce asynchronously, and mistakes there. */
export const ASYNC_KERNELS: readonly SmallKernel[] = [
  {
    name: 'a copy beside a fence that another thread executes',
    place: 'grid 1, block 3',
    body: `${STORED} F: ${seen('V')} fence.proxy.async; bra E; C: ${seen('W')} ${COPIED} E:`,
  },
  { name: 'a word that is stored asynchronously, and waited for', place: CLUSTER, body: between(4, STORE, WAIT) },
  {
    name: 'a word that is stored asynchronously, and read at once',
    place: CLUSTER,
    body: between(4, STORE, 'ld.shared.u32 %r7, [s];'),
  },
  { name: 'a word of more bytes than are stored', place: CLUSTER, body: between(8, STORE, WAIT) },
  {
    name: 'words that are stored asynchronously, one after the other',
    place: CLUSTER,
    body: between(8, `${STORE} ${STORE}`, WAIT),
  },
  { name: 'a word that is added to asynchronously, and waited for', place: CLUSTER, body: between(4, ADD, WAIT) },
  { name: 'a word that is added to twice', place: CLUSTER, body: between(8, `${ADD} ${ADD}`, WAIT) },
  {
    name: 'a word that is added to, and stored by its own CTA',
    place: CLUSTER,
    body: between(4, ADD, `st.shared.u32 [s], 6; ${WAIT}`),
  },
  {
    name: 'a word that another thread waits for without its mbarrier',
    place: CLUSTER,
    body: between(4, ADD, 'W: ld.relaxed.cluster.shared::cta.u32 %r7, [s]; setp.eq.u32 %p4, %r7, 5; @%p4 bra W;'),
  },
  { name: 'words that two CTAs add to by bulk reductions', place: BULK, body: added('fence.proxy.async;', '') },
  { name: 'words that are added to without a fence', place: BULK, body: added('', '') },
  {
    name: 'words that are added to, and read while the other CTA adds',
    place: BULK,
    body: added('fence.proxy.async;', 'ld.global.u32 %r7, [%rd1]; st.global.u32 [%rd1 + 64], %r7;'),
  },
  {
    name: 'words that are added to, and written over in shared memory',
    place: BULK,
    body: added('fence.proxy.async;', 'st.shared.u32 [s], 7;'),
  },
];
