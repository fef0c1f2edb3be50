import { neighbor, OWN, type SmallKernel } from './small-kernel.js';

const CLUSTER = 'grid 2, block 32, cluster 2';
/** Each CTA tells the other one something in the memory of that. */
const TELL_PEER =
  'setp.ne.u32 %p1, %r1, 0; mov.u32 %r9, %cluster_ctarank; xor.b32 %r9, %r9, 1; ' +
  'mapa.shared::cluster.u32 %r10, %r2, %r9; @!%p1 st.shared.u32 [%r2], 0; barrier.cluster.arrive; ' +
  'barrier.cluster.wait; @!%p1 st.relaxed.cluster.shared::cluster.u32 [%r10], 1;';
const TOGETHER = 'barrier.cluster.arrive; barrier.cluster.wait;';
const FENCE_OF_SOME = 'setp.ne.u32 %p1, %r1, 7; @%p1 fence.acq_rel.cluster;';
const RELAXED = 'barrier.cluster.arrive.relaxed; barrier.cluster.wait;';
/** The own word of the other CTA of the cluster, in `%r10`; the place of a word in the results. */
const OTHER =
  'mov.u32 %r8, %cluster_ctarank; xor.b32 %r9, %r8, 1; mad.lo.u32 %r3, %r1, 4, %r2; ' +
  'mapa.shared::cluster.u32 %r10, %r3, %r9; mad.lo.u32 %r11, %r8, 128, 0; cvt.u64.u32 %rd3, %r11; ' +
  'add.s64 %rd2, %rd2, %rd3;';
const READ = 'ld.shared::cluster.u32 %r6, [%r10]; st.global.u32 [%rd2], %r6;';

/** Each CTA has an mbarrier, at which all threads of a CTA arrive; `%r12` is that of the other one. */
const init = (count: number): string =>
  `.shared .align 8 .b64 m; setp.ne.u32 %p3, %r1, 0; @%p3 bra I; mbarrier.init.shared::cta.b64 [m], ${count}; I: ` +
  'mov.u32 %r12, m; mapa.shared::cluster.u32 %r12, %r12, %r9;';
const wait = (label: string, parity: number, how = ''): string =>
  `${label}: mbarrier.try_wait.parity${how}.shared::cta.b64 %p4, [m], ${parity}; @!%p4 bra ${label};`;
const arrive = (how: string): string => `mbarrier.arrive${how}.shared::cluster.b64 _, [%r12];`;
const STORED = 'add.u32 %r6, %r1, 70; st.shared::cluster.u32 [%r10], %r6;';
const LOADED = 'ld.shared.u32 %r7, [%r3]; st.global.u32 [%rd2], %r7;';
const remotely = (first: string, second: string, end = TOGETHER): string =>
  `${OTHER} ${init(32)} ${TOGETHER} ${STORED} ${first} ${second} ${LOADED} ${end}`;

const EXPECT = 'mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 128;';
const alone = (label: string, what: string): string => `@%p3 bra ${label}; ${what} ${label}:`;
/** One thread of the first CTA copies to both. */
const multicast = (label: string, mask: number, guard = 'setp.eq.u32 %p5, %r8, 0;'): string =>
  `${guard} @!%p5 bra ${label}; mov.u16 %rs1, ${mask}; ` +
  'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [%rd1], 128, [m], %rs1; ' +
  `${label}:`;
const MULTICAST = `.reg .b16 %rs<2>; ${OTHER} add.s64 %rd2, %rd2, 256;`;

const COPY_OUT =
  'cp.async.bulk.global.shared::cta.bulk_group [%rd2], [s], 128; cp.async.bulk.commit_group; ' +
  'cp.async.bulk.wait_group 0;';
const FENCED_INIT = 'fence.mbarrier_init.release.cluster;';
const COPY_IN =
  'add.s64 %rd2, %rd1, 256; ' + 'cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [%rd2], 128, [m];';

/** Kernels whose CTAs use the shared memory of the others of their cluster, and mistakes there. */
export const CLUSTER_KERNELS: readonly SmallKernel[] = [
  {
    name: 'what another CTA has written, between barriers of the cluster',
    place: CLUSTER,
    body: `${OWN} ${OTHER} ${TOGETHER} ${READ} ${TOGETHER}`,
  },
  ...[
    ['a fence', 'fence.acq_rel.cluster;', RELAXED],
    ['a fence that only releases', 'fence.release.cluster;', RELAXED],
    ['a fence of the GPU', 'fence.sc.gpu;', RELAXED],
    ['a fence of the CTA', 'fence.acq_rel.cta;', RELAXED],
    ['a fence that only acquires', 'fence.acquire.cluster;', RELAXED],
    ['no fence', '', RELAXED],
    [
      'a fence too late',
      '',
      RELAXED.replace('; barrier.cluster.wait', '; fence.acq_rel.cluster; barrier.cluster.wait'),
    ],
  ].map(([what, fence, barrier]) => ({
    ...{ name: `what another CTA has written, with ${what} at a relaxed arrival`, place: CLUSTER },
    body: `${TOGETHER} ${OWN} ${OTHER} ${fence} ${barrier} ${READ} ${TOGETHER}`,
  })),
  {
    name: 'what another CTA has written behind its fence, at a relaxed arrival',
    place: CLUSTER,
    body: `${TOGETHER} ${OTHER} fence.acq_rel.cluster; ${OWN} ${RELAXED} ${READ} ${TOGETHER}`,
  },
  {
    name: 'what another CTA has written, with a fence of some of its threads at a relaxed arrival',
    place: CLUSTER,
    body: `${TOGETHER} ${OWN} ${OTHER} ${FENCE_OF_SOME} ${RELAXED} ${READ} ${TOGETHER}`,
  },
  {
    name: 'what another CTA has read before it ends, with a fence at a relaxed arrival',
    place: CLUSTER,
    body: `${OWN} ${OTHER} ${TOGETHER} ${READ} fence.acq_rel.cluster; ${RELAXED}`,
  },
  {
    name: 'what another CTA has written in two rounds, with a fence at relaxed arrivals',
    place: CLUSTER,
    body:
      `${TOGETHER} ${OTHER} ${OWN} fence.acq_rel.cluster; ${RELAXED} ${READ} fence.acq_rel.cluster; ${RELAXED} ` +
      `st.shared.u32 [%r3], 9; fence.acq_rel.cluster; ${RELAXED} ${READ} ${TOGETHER}`,
  },
  {
    name: 'CTAs end when they have seen the last of what each does in the other',
    place: CLUSTER,
    body: `${TELL_PEER} P: ld.relaxed.cluster.shared.u32 %r8, [%r2]; setp.eq.u32 %p3, %r8, 0; @%p3 bra P;`,
  },
  {
    name: 'a CTA ends when it has seen one of two stores by another one',
    place: CLUSTER,
    body:
      'setp.ne.u32 %p1, %r1, 0; setp.gt.u32 %p5, %r1, 1; mov.u32 %r9, %cluster_ctarank; setp.eq.u32 %p4, %r9, 0; ' +
      'mapa.shared::cluster.u32 %r10, %r2, 0; @!%p1 st.shared.u32 [%r2], 0; barrier.cluster.arrive; ' +
      'barrier.cluster.wait; @%p4 bra P; @!%p5 st.relaxed.cluster.shared::cluster.u32 [%r10], 1; bra.uni E; ' +
      'P: ld.relaxed.cluster.shared.u32 %r8, [%r2]; setp.eq.u32 %p3, %r8, 0; @%p3 bra P; E:',
  },
  {
    name: 'CTAs end when they may not have seen the last of what each does in the other',
    place: CLUSTER,
    body: `${TELL_PEER} ld.relaxed.cluster.shared.u32 %r8, [%r2];`,
  },
  {
    name: 'what a CTA has written that may have exited',
    place: CLUSTER,
    body: `${OWN} ${OTHER} ${TOGETHER} ${READ}`,
  },
  {
    name: 'what another CTA writes at that time',
    place: CLUSTER,
    body: `${OWN} ${OTHER} ${READ} ${TOGETHER}`,
  },
  {
    name: 'words for another CTA, which arrives',
    place: CLUSTER,
    body: remotely(arrive('.release.cluster'), wait('W', 0, '.acquire.cluster')),
  },
  {
    name: 'words for another CTA, which arrives at the scope of a CTA',
    place: CLUSTER,
    body: remotely(arrive(''), wait('W', 0, '.acquire.cluster')),
  },
  {
    name: 'words from another CTA, waited for at the scope of a CTA',
    place: CLUSTER,
    body: remotely(arrive('.release.cluster'), wait('W', 0)),
  },
  {
    name: 'words for another CTA, behind a fence',
    place: CLUSTER,
    body: remotely(`fence.acq_rel.cluster; ${arrive('')}`, `${wait('W', 0)} fence.acq_rel.cluster;`),
  },
  {
    name: 'words for another CTA, behind a fence of the CTA',
    place: CLUSTER,
    body: remotely(`fence.acq_rel.cta; ${arrive('')}`, `${wait('W', 0)} fence.acq_rel.cluster;`),
  },
  {
    name: 'words for another CTA, before a fence of the CTA',
    place: CLUSTER,
    body: remotely(`fence.acq_rel.cluster; ${arrive('')}`, `${wait('W', 0)} fence.acq_rel.cta;`),
  },
  {
    name: 'words for another CTA, which arrives and does not wait for its end',
    place: CLUSTER,
    body: remotely(arrive('.release.cluster'), wait('W', 0, '.acquire.cluster'), ''),
  },
  {
    name: 'an arrival at a CTA that may have exited',
    place: CLUSTER,
    body: `${OTHER} ${init(32)} ${TOGETHER} ${arrive('.release.cluster')}`,
  },
  {
    name: 'a copy for both CTAs',
    place: CLUSTER,
    body: `${MULTICAST} ${init(1)} ${TOGETHER} ${alone('A', EXPECT + multicast('B', 3))} ${wait('W', 0)} ${LOADED}`,
  },
  {
    name: 'a copy for both CTAs, that one does not expect',
    place: CLUSTER,
    body:
      `${MULTICAST} ${init(1)} ${TOGETHER} ` +
      `${alone('A', `${multicast('B', 3)} @%p5 bra A; ${EXPECT}`)} @%p5 bra E; ${wait('W', 0)} E: ${TOGETHER}`,
  },
  {
    name: 'a copy for both CTAs, that comes before the mbarrier of one',
    place: CLUSTER,
    body: `${MULTICAST} ${init(1)} ${alone('A', EXPECT + multicast('B', 3))} ${wait('W', 0)} ${LOADED} ${TOGETHER}`,
  },
  {
    name: 'a copy for the other CTA alone',
    place: CLUSTER,
    body:
      `${MULTICAST} ${init(1)} ${TOGETHER} ` +
      `${alone('A', `setp.eq.u32 %p6, %r8, 0; @%p6 bra C; ${EXPECT} C: ${multicast('B', 2)}`)} ` +
      `setp.eq.u32 %p6, %r8, 0; @%p6 bra E; ${wait('W', 0)} ${LOADED} E: ${TOGETHER}`,
  },
  {
    name: 'a copy over what was read in another CTA, behind a fence',
    place: CLUSTER,
    body: overRemote('fence.proxy.async.shared::cluster;'),
  },
  {
    name: 'a copy over what was read in another CTA, behind a fence of the own memory',
    place: CLUSTER,
    body: overRemote('fence.proxy.async.shared::cta;'),
  },
  {
    name: 'a copy for both CTAs over what they have read, behind a fence in the CTA of the copy',
    place: CLUSTER,
    body: again('', 'fence.proxy.async;'),
  },
  {
    name: 'a copy for both CTAs over what they have read, behind fences that come too early',
    place: CLUSTER,
    body: again('fence.proxy.async;', ''),
  },
  {
    name: 'a copy for both CTAs, copied out by each, and copied over',
    place: CLUSTER,
    body: copiedOut(`${TOGETHER} `),
  },
  {
    name: 'a copy for both CTAs, copied out by each, and copied over at once',
    place: CLUSTER,
    body: copiedOut(''),
  },
  ...(
    [
      ['by its thread', '', FENCED_INIT],
      ['by its thread, before it is initialized', FENCED_INIT, ''],
      ['by another thread', '', `setp.ne.u32 %p6, %r1, 1; @%p6 bra F; ${FENCED_INIT} F:`],
      ['by all', '', `bar.warp.sync -1; ${FENCED_INIT}`],
    ] as const
  ).flatMap(([how, before, behind]) => {
    const own = 'mbarrier.arrive.shared::cta.b64 _, [m];';
    // Another warp of the CTA, and the other CTA, use it.
    return [
      {
        name: `an mbarrier that is fenced ${how}, for warps behind a relaxed barrier`,
        place: 'grid 1, block 64, cluster 1',
        body: `${OTHER} ${initFenced(64, before, behind)} ${own} ${wait('W', 0)}`,
      },
      {
        name: `an mbarrier that is fenced ${how}, for CTAs behind a relaxed barrier`,
        place: CLUSTER,
        body: `${OTHER} ${initFenced(32, before, behind)} ${arrive('.release.cluster')} ${wait('W', 0)} ${TOGETHER}`,
      },
    ];
  }),
  {
    name: 'words that are written before a fence of what is initialized',
    place: 'grid 1, block 64, cluster 1',
    body: `${OTHER} ${OWN} ${initFenced(64, '', FENCED_INIT)} ${neighbor(32)}`,
  },
  {
    name: 'bytes that one CTA copies out, and the other one in',
    place: CLUSTER,
    body:
      `${MULTICAST} ${init(1)} ${TOGETHER} setp.ne.u32 %p5, %r8, 0; ` +
      `${alone('A', `@%p5 bra A; ${COPY_OUT}`)} ${TOGETHER} ` +
      `${alone('B', `@!%p5 bra B; ${EXPECT} ${COPY_IN} ${wait('W', 0)}`)} ${TOGETHER}`,
  },
];

/** The first thread initializes the mbarrier of its CTA; then all come relaxed to a barrier of the cluster. */
function initFenced(count: number, before: string, behind: string): string {
  const made = `${before} ${behind}`.includes('F:') || behind.startsWith('bar.warp') ? ['', behind] : [behind, ''];
  return (
    '.shared .align 8 .b64 m; setp.ne.u32 %p3, %r1, 0; @%p3 bra I; ' +
    `${before} mbarrier.init.shared::cta.b64 [m], ${count}; ${made[0]} I: ${made[1]} ` +
    'mov.u32 %r12, m; mapa.shared::cluster.u32 %r12, %r12, %r9; barrier.cluster.arrive.relaxed; barrier.cluster.wait;'
  );
}

/** Both copy out what one has copied to both, which copies over that. */
function copiedOut(between: string): string {
  return (
    `${MULTICAST} ${init(1)} ${TOGETHER} ${alone('A', EXPECT + multicast('B', 3))} ${wait('W', 0)} ` +
    `${alone('F', `add.s64 %rd2, %rd1, %rd3; add.s64 %rd2, %rd2, 256; ${COPY_OUT}`)} ${between}` +
    `${alone('C', EXPECT + multicast('D', 3))} ${wait('V', 1)} ${LOADED} ${TOGETHER}`
  );
}

/** Two copies for both, of which the second comes over the first once all have read that. */
function again(before: string, behind: string): string {
  return (
    `${MULTICAST} ${init(1)} ${TOGETHER} ${alone('A', EXPECT + multicast('B', 3))} ${wait('W', 0)} ${LOADED} ` +
    `${before} ${TOGETHER} ${behind} ${alone('C', EXPECT + multicast('D', 3))} ${wait('V', 1)} ${LOADED}`
  );
}

/** A thread reads a word of the other CTA, and copies over it. */
function overRemote(fence: string): string {
  const copy =
    'mapa.shared::cluster.u32 %r13, %r2, 1; setp.eq.u32 %p5, %r8, 0; @!%p5 bra C; ' +
    `ld.shared::cluster.u32 %r6, [%r13]; st.global.u32 [%rd2], %r6; ${fence} ` +
    'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r13], [%rd1], 128, [%r12]; bra.uni D; ' +
    `C: ${EXPECT} D:`;
  return (
    `${MULTICAST} ${init(1)} ${TOGETHER} ${alone('A', copy)} setp.eq.u32 %p6, %r8, 0; @%p6 bra E; ` +
    `${wait('W', 0)} ${LOADED} E: ${TOGETHER}`
  );
}
