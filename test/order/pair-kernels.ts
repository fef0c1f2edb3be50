import type { SmallKernel } from './small-kernel.js';
import { descriptor } from './tensor-body.js';

/** What the warp of a CTA does: all of its lanes; then the first; then all again. */
interface PairPlace {
  readonly before?: string;
  readonly alone?: string;
  readonly together?: string;
}

const CLUSTER = 'barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;';

/**
 * A kernel of a pair of CTAs of one warp each; what both do in the beginning is before a barrier of their cluster, what
 * they do in the end with one. `%r12` is the mbarrier `m` of the first.
 */
function pairKernel(name: string, leader: PairPlace, peer: PairPlace, end = CLUSTER, begin = ''): SmallKernel {
  const body = [
    '.shared .align 128 .b8 sa[4096]; .shared .align 128 .b8 sb[256]; .shared .b32 slot[2]; .reg .b16 %h;',
    '.shared .align 8 .b64 m; .shared .align 8 .b64 n; mov.u32 %r15, %cluster_ctarank; mov.b16 %h, 3;',
    descriptor('%rd5', 'sa'),
    descriptor('%rd6', 'sb'),
    'mov.b32 %r13, 0; mov.b32 %r7, 0; setp.eq.u32 %p8, 1, 1; setp.ne.u32 %p3, %r1, 0; @%p3 bra I;',
    'mbarrier.init.shared::cta.b64 [m], 1; mbarrier.init.shared::cta.b64 [n], 1; I:',
    `bar.warp.sync -1; ${begin} ${CLUSTER} mov.u32 %r11, m; mapa.shared::cluster.u32 %r12, %r11, 0;`,
    `setp.ne.u32 %p1, %r15, 0; @%p1 bra B; ${codeOf('a', leader)} bra E; B: ${codeOf('b', peer)} E:`,
    `bar.warp.sync -1; ${end}`,
  ].join('\n');
  return { name, place: 'grid 2, block 32, cluster 2', body, target: 'sm_100a' };
}

const codeOf = (label: string, { before = '', alone = '', together = '' }: PairPlace): string =>
  `${before} @%p3 bra ${label}; ${alone} ${label}: bar.warp.sync -1; ${together}`.replaceAll(/\bW/g, `${label}W`);

const MMA = 'tcgen05.mma.cta_group::2.kind::f16 [%r7], %rd5, %rd6, %r13, %p8;';
/** Tells both CTAs, or those of a mask. */
const commitTo = (object: string, mask = 3): string =>
  `mov.b16 %h, ${mask}; tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 ` +
  `[${object}], %h;`;
const waitFor = (object: string, how = 'acquire.cta', again = ''): string =>
  `bar.warp.sync -1; W${object}${again}: mbarrier.try_wait.parity.${how}.shared::cta.b64 %p4, [${object}], 0; ` +
  `@!%p4 bra W${object}${again};`;
const RELAXED = 'relaxed.cluster';
const arrive = (how: string): string => `mbarrier.arrive.${how}.shared::cluster.b64 _, [%r12];`;
const LD = 'tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r9}, [%r7];';
const WAIT_LD = 'tcgen05.wait::ld.sync.aligned;';
const [BEFORE, AFTER] = ['tcgen05.fence::before_thread_sync;', 'tcgen05.fence::after_thread_sync;'];
const alloc = (columns: number): string =>
  `tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], ${columns};`;
const INIT_M = 'mbarrier.init.shared::cta.b64 [m], 1;';
const ARRIVE_RELAXED = 'mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [m];';
const NO_MORE = 'tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;';
const FREE = 'tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r7, 32;';
/** What the product of the leader reads in the memory of the peer, its last word. */
const STORE = 'st.shared.u32 [sa + 4092], 1;';
const COPY =
  'mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 1024; ' +
  'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sa], [%rd1], 1024, [m];';
const DONE = { alone: MMA + commitTo('n'), together: waitFor('n') } as const;
/** The leader multiplies when the peer has told it to; the peer goes on when that is done. */
const behind = (how: string, fence: string): PairPlace => ({ before: waitFor('m', how) + fence, ...DONE });

/** What the peer loads, and the leader overwrites. */
const loaded = (name: string, peer: string, how: string, fence = AFTER): SmallKernel =>
  pairKernel(name, behind(how, fence), {
    before: `${peer} bar.warp.sync -1;`,
    alone: arrive(how),
    together: waitFor('n'),
  });
/** What the peer writes, and the leader reads. */
const written = (name: string, peer: string, leader = '', release = 'release.cluster'): SmallKernel =>
  pairKernel(name, behind('acquire.cluster', leader), { alone: peer + arrive(release), together: waitFor('n') });

/** Kernels whose products are of a pair of CTAs (PTX ISA 9.7.18.5), and mistakes there. */
export const PAIR_KERNELS: readonly SmallKernel[] = [
  pairKernel(
    'a product of a pair, which both load behind its commit',
    { alone: MMA + commitTo('m'), together: waitFor('m') + AFTER + LD + WAIT_LD },
    { together: waitFor('m') + AFTER + LD + WAIT_LD },
  ),
  pairKernel(
    'a product of a pair, which the peer loads behind a relaxed wait and a fence',
    { alone: MMA + commitTo('m'), together: waitFor('m') },
    { together: waitFor('m', RELAXED) + AFTER + LD + WAIT_LD + waitFor('m', 'acquire.cta', 'a') },
  ),
  pairKernel(
    'a product of a pair, of which one is told',
    { alone: MMA + commitTo('m', 1), together: waitFor('m') + AFTER + LD + WAIT_LD },
    { together: AFTER + LD + WAIT_LD },
  ),
  pairKernel(
    'a product of a pair, which the peer loads behind a relaxed wait',
    { alone: MMA + commitTo('m'), together: waitFor('m') },
    { together: waitFor('m', RELAXED) + LD + WAIT_LD + waitFor('m', 'acquire.cta', 'a') },
  ),
  pairKernel(
    'a product of a pair, told by an arrival',
    { alone: MMA + BEFORE + arrive('release.cluster') + commitTo('n'), together: waitFor('m') + waitFor('n') },
    { together: waitFor('n') },
  ),
  loaded('a load of the peer before a product of the pair', LD + WAIT_LD + BEFORE, RELAXED),
  loaded('a load of the peer without a fence before', LD + WAIT_LD, RELAXED),
  loaded('a load of the peer without a fence after', LD + WAIT_LD + BEFORE, RELAXED, ''),
  loaded('a load of the peer that it has not waited for', LD + BEFORE, RELAXED),
  pairKernel(
    'a load of the peer, told at the scope of its CTA and without fences',
    { before: waitFor('m'), ...DONE },
    { before: `${LD + WAIT_LD} bar.warp.sync -1;`, alone: arrive('release.cta'), together: waitFor('n') },
  ),
  written('a matrix that the peer writes, behind its fence', `${STORE} fence.proxy.async.shared::cta;`),
  written('a matrix that the peer writes, behind a fence of the leader', STORE, 'fence.proxy.async;'),
  written(
    'a matrix that the peer writes, behind a fence of the leader for its own memory',
    STORE,
    'fence.proxy.async.shared::cta;',
  ),
  written('a matrix that the peer writes, behind its fence of global memory', `${STORE} fence.proxy.async.global;`),
  written('a matrix that the peer writes, before its fence', `fence.proxy.async; ${STORE}`),
  written('a matrix that the peer writes, without a fence', STORE),
  written(
    'a matrix that the peer writes, told at the scope of its CTA',
    `${STORE} fence.proxy.async;`,
    '',
    'release.cta',
  ),
  written(
    'a matrix of the leader that the peer writes, behind its fence',
    'mov.u32 %r11, sa; mapa.shared::cluster.u32 %r11, %r11, 0; st.shared::cluster.u32 [%r11], 1; ' +
      'fence.proxy.async.shared::cluster;',
  ),
  written(
    'a matrix of the leader that the peer writes, behind its fence for its own memory',
    'mov.u32 %r11, sa; mapa.shared::cluster.u32 %r11, %r11, 0; st.shared::cluster.u32 [%r11], 1; ' +
      'fence.proxy.async.shared::cta;',
  ),
  pairKernel('a matrix of the peer that it copies', behind('acquire.cluster', ''), {
    alone: `${COPY} ${waitFor('m').replace('bar.warp.sync -1;', '')} ${arrive('release.cluster')}`,
    together: waitFor('n'),
  }),
  pairKernel('a matrix of the peer that it copies, and does not wait for', behind('acquire.cluster', ''), {
    alone: COPY + arrive('release.cluster'),
    together: waitFor('n') + waitFor('m'),
  }),
  pairKernel('a matrix of the peer that it overwrites behind the product', DONE, {
    before: waitFor('n'),
    alone: STORE,
  }),
  pairKernel('a matrix of the peer that it copies over behind the product', DONE, {
    before: waitFor('n'),
    alone: COPY,
    together: waitFor('m'),
  }),
  pairKernel('a matrix of the peer that it copies over behind a relaxed wait for the product', DONE, {
    before: waitFor('n', RELAXED),
    alone: COPY,
    together: waitFor('m') + waitFor('n', 'acquire.cta', 'a'),
  }),
  pairKernel('a matrix of the peer that it overwrites beside the product', DONE, {
    alone: STORE,
    together: waitFor('n'),
  }),
  pairKernel(
    'an allocation of a pair',
    { before: AFTER, ...DONE },
    { before: waitFor('n') + AFTER + LD + WAIT_LD },
    `${BEFORE} ${CLUSTER} ${AFTER} ${FREE}`,
    alloc(32) + NO_MORE,
  ),
  pairKernel(
    'an allocation of a pair that both give back too early',
    { before: AFTER, alone: MMA + commitTo('n', 1), together: waitFor('n') },
    {},
    `${BEFORE} ${FREE} ${CLUSTER}`,
    alloc(32) + NO_MORE,
  ),
  pairKernel('an allocation of a pair by one', { before: alloc(32) }, {}),
  pairKernel('an allocation of a pair that one gives back', { before: FREE }, {}, CLUSTER, alloc(32)),
  pairKernel('an allocation of a pair, where one has given up the permit', { before: alloc(32) }, { before: NO_MORE }),
  pairKernel('an allocation of a pair, of two sizes', { before: alloc(32) }, { before: alloc(64) }),
  pairKernel(
    'an allocation of a pair, given back by one that waits for what the other does behind that',
    { before: waitFor('m', 'acquire.cluster') + FREE },
    { before: FREE, alone: arrive('release.cluster') },
    CLUSTER,
    alloc(32),
  ),
  pairKernel(
    'an allocation of a pair, given back by one that waits for what the other does before that',
    { before: waitFor('m', 'acquire.cluster') },
    { alone: arrive('release.cluster') },
    FREE + CLUSTER,
    alloc(32),
  ),
  pairKernel('a product of a pair whose peer may have exited', DONE, {}, ''),
  pairKernel('a product of a pair whose peer waits relaxed for it', DONE, { together: waitFor('n', RELAXED) }, ''),
  pairKernel('a product of a pair whose peer waits for it', DONE, { together: waitFor('n') }, ''),
  pairKernel(
    'a product of a pair of 128 rows',
    { before: 'mov.b32 %r13, 0x8000000;', ...DONE },
    { before: waitFor('n') },
  ),
  {
    ...pairKernel('allocations of a pair by whichever warp', {}, {}),
    body:
      `.shared .b32 slot[2]; setp.lt.u32 %p6, %r1, 32; @%p6 bra H; ${alloc(32)} bra E; H: ` +
      `${alloc(32).replace('[slot]', '[slot + 4]')} E: bar.warp.sync -1; ${CLUSTER}`,
    place: 'grid 2, block 64, cluster 2',
  },
  ...(
    [
      ['behind a barrier', 'bar.sync 1, 64;', 'bar.sync 1, 64;'],
      ['behind a relaxed wait', `bar.warp.sync -1; @%p3 bra J; ${ARRIVE_RELAXED} J:`, waitFor('m', RELAXED)],
    ] as const
  ).map(([how, first, second]): SmallKernel => {
    const begin = `.shared .b32 slot[2]; .shared .align 8 .b64 m; setp.ne.u32 %p3, %r1, 0; @%p3 bra I; ${INIT_M} I:`;
    const other = alloc(32).replace('[slot]', '[slot + 4]');
    return {
      name: `allocations of a pair by two warps, one ${how}`,
      body:
        `${begin} bar.sync 0; setp.ge.u32 %p6, %r1, 32; @%p6 bra H; ${alloc(32)} ${first} bra E; ` +
        `H: ${second} ${other} E: bar.warp.sync -1; ${CLUSTER}`,
      ...{ place: 'grid 2, block 64, cluster 2', target: 'sm_100a' },
    };
  }),
];

/** It has a pair, and the CTA of a launch that is not in one has no peer. */
export const WITHOUT_PEER: SmallKernel = {
  ...pairKernel('a product of a pair in a CTA that has no peer', DONE, {}),
  place: 'grid 1, block 32, cluster 1',
};
