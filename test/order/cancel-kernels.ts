import type { SmallKernel } from './small-kernel.js';

const MULTICAST = '.multicast::cluster::all';
const ask = (how = ''): string =>
  `clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes${how}.b128 [s], [m];`;
const EXPECT = 'mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 16;';
const WAIT = 'P: mbarrier.try_wait.parity.shared::cta.b64 %p3, [m], %r9; @!%p3 bra P;';
const FENCE = 'fence.proxy.async.shared::cta;';
const LEAVE = '@!%p4 bra E;';
const NAMED = 'clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r7, %q;';
const place = 'mad.lo.u32 %r8, %r7, 2, %r1; mul.wide.u32 %rd5, %r8, 4; add.s64 %rd5, %rd1, %rd5;';
const PIECE = `${place} ld.global.u32 %r6, [%rd5]; add.u32 %r6, %r6, 1; st.global.u32 [%rd5], %r6;`;

/** Fences from the generic to the async proxy: of who has read, and of who asks next. */
const RELEASE = 'fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;';
const ACQUIRE = 'fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;';
const acquired = (meet: string): { readonly meet: string; readonly request: string } => ({
  ...{ meet, request: `@%p1 bra W; ${ACQUIRE} ${EXPECT} ${ask()} W:` },
});

/** Each CTA does its piece, then those of CTAs that it has canceled, until a request fails. */
function steal(of: {
  readonly request?: string;
  readonly piece?: string;
  readonly wait?: string;
  readonly leave?: string;
  readonly named?: string;
  readonly fence?: string;
  readonly meet?: string;
  readonly end?: string;
}): string {
  const { request = `@%p1 bra W; ${EXPECT} ${ask()} W:`, piece = PIECE, wait = WAIT, leave = LEAVE } = of;
  const { named = NAMED, fence = FENCE, meet = 'bar.sync 0;', end = '' } = of;
  return (
    '.shared .align 8 .b64 m; .reg .b128 %q; setp.ne.u32 %p1, %r1, 0; mov.u32 %r7, %ctaid.x; mov.u32 %r9, 0; ' +
    `@%p1 bra L; mbarrier.init.shared.b64 [m], 1; L: ${meet} ${request} ${piece} ${wait} ` +
    'ld.shared.v2.u64 {%rd3, %rd4}, [s]; mov.b128 %q, {%rd3, %rd4}; xor.b32 %r9, %r9, 1; ' +
    `clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p4, %q; ${leave} ${named} ${fence} bra.uni L; E: ${end}`
  );
}

const THREE = { place: 'grid 3, block 2', target: 'sm_100a' };
const OF_CLUSTER =
  `${EXPECT.replace('mbarrier', '@!%p1 mbarrier')} mov.u32 %r8, %cluster_ctarank; or.b32 %r8, %r8, %r1; ` +
  `setp.eq.u32 %p5, %r8, 0; @%p5 ${ask(MULTICAST)}`;
const SECOND = 'mov.u32 %r8, %cluster_ctarank; add.u32 %r7, %r7, %r8;';
const CLUSTERS = 'barrier.cluster.arrive; barrier.cluster.wait;';
const FLAG = 'setp.ne.u32 %p5, %r1, 0; @%p5 bra N; mov.u32 %r8, %ctaid.x; setp.ne.u32 %p5, %r8, 0;';

/** Kernels whose CTAs cancel others that have not started, and do their work; and mistakes there. */
export const CANCEL_KERNELS: readonly SmallKernel[] = [
  { ...THREE, name: 'pieces of CTAs that are canceled', body: steal({}) },
  { ...THREE, name: 'the answer to a request, at once', body: steal({ wait: '' }) },
  { ...THREE, name: 'the next request, while others read the answer to the last', body: steal({ meet: '' }) },
  { ...THREE, name: 'the next request, without a fence', body: steal({ fence: '' }) },
  {
    ...THREE,
    name: 'the next request, behind a fence that releases and one that acquires',
    body: steal({ fence: RELEASE, ...acquired('bar.sync 0;') }),
  },
  {
    ...THREE,
    name: 'the next request, behind a fence that acquires what none has released',
    body: steal({ fence: '', ...acquired('bar.sync 0;') }),
  },
  { ...THREE, name: 'the next request, behind a fence that releases alone', body: steal({ fence: RELEASE }) },
  {
    ...THREE,
    name: 'the next request, behind fences of each thread that release and acquire',
    body: steal({ fence: RELEASE, meet: `${ACQUIRE} bar.sync 0;` }),
  },
  {
    ...THREE,
    name: 'the next request, behind a fence that acquires too early',
    body: steal({ fence: RELEASE, meet: `@!%p1 ${ACQUIRE} bar.sync 0;` }),
  },
  {
    ...THREE,
    name: 'the next request, behind a fence that one thread releases by',
    body: steal({ fence: `@!%p1 ${RELEASE}`, ...acquired('bar.sync 0;') }),
  },
  {
    ...THREE,
    name: 'the piece after that of the CTA that is canceled',
    body: steal({ named: `${NAMED} add.u32 %r7, %r7, 1; rem.u32 %r7, %r7, 3;` }),
  },
  { ...THREE, name: 'the own piece again', body: steal({ named: '' }) },
  { ...THREE, name: 'a request behind one that has failed', body: steal({ leave: '' }) },
  { ...THREE, name: 'the CTA that a request has not canceled', body: steal({ leave: `${NAMED} ${LEAVE}`, named: '' }) },
  {
    ...THREE,
    name: 'counts of pieces, by all',
    body: steal({ piece: 'red.relaxed.gpu.global.add.u32 [%rd1 + 512], %r7;' }),
  },
  {
    ...THREE,
    name: 'a flag of a CTA that may be canceled',
    body: steal({
      end:
        `${FLAG} @%p5 bra F; st.release.gpu.global.u32 [%rd1 + 600], 1; ` +
        'F: ld.acquire.gpu.global.u32 %r8, [%rd1 + 600]; setp.eq.u32 %p6, %r8, 0; @%p6 bra F; N:',
    }),
  },
  { ...THREE, name: 'pieces of CTAs of a grid beside another', body: steal({ piece: '' }), more: '' },
  { ...THREE, name: 'pieces of CTAs of a cooperative grid', place: 'grid 3, block 2, cooperative', body: steal({}) },
  { name: 'pieces of more CTAs than there are cases', place: 'grid 8, block 2', target: 'sm_100a', body: steal({}) },
  {
    name: 'pieces of clusters that are canceled',
    place: 'grid 6, block 2, cluster 2',
    target: 'sm_100a',
    body: steal({
      request: `fence.proxy.async; ${OF_CLUSTER}`,
      ...{ named: `${NAMED} ${SECOND}`, meet: CLUSTERS, end: CLUSTERS },
    }),
  },
  {
    name: 'pieces of clusters that are canceled, without a fence where it is asked',
    place: 'grid 6, block 2, cluster 2',
    target: 'sm_100a',
    body: steal({ request: OF_CLUSTER, named: `${NAMED} ${SECOND}`, meet: CLUSTERS, end: CLUSTERS }),
  },
];
