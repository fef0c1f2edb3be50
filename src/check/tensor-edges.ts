import type { OrderEdge } from '../order/whole-run.js';

/** Threads of two warps of a quarter that work on the same columns, and two matrices that products read. */
const test = (declared: string, ...bodies: readonly string[]): string => {
  const setUp =
    '.reg .b32 %d, %e, %i, %r; .reg .pred %u, %p; .reg .b64 %da, %db; mov.b64 %da, matA; mov.b64 %db, matB; ' +
    'mov.b32 %d, 0; mov.b32 %e, 32; mov.b32 %i, 0; mov.b32 %r, 1; setp.eq.u32 %u, 1, 1;';
  const threads = bodies.map((body, i) => `P${i} @ cta 0, warp ${4 * i} { ${setUp} ${body} }`);
  return (
    '{ .shared .align 128 .b8 tileA[128]; .shared .align 128 .b8 tileB[128]; matA = tile(tileA, 128); ' +
    `matB = tile(tileB, 128); .shared .b64 m = mbarrier(1); ${declared} }\n${threads.join('\n')}\n`
  );
};
const MMA = 'tcgen05.mma.cta_group::1.kind::f16 [%d], %da, %db, %i, %u;';
const MMA_OF_E = 'tcgen05.mma.cta_group::1.kind::f16 [%d], [%e], %db, %i, %u;';
const copy = (shape: string, to: string): string => `tcgen05.cp.cta_group::1.${shape} [${to}], %da;`;
const SHIFT = 'tcgen05.shift.cta_group::1.down [%e];';
const LD = 'tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r}, [%d];';
const ST = 'tcgen05.st.sync.aligned.32x32b.x1.b32 [%d], {%r};';
const [WAIT_LD, WAIT_ST] = ['tcgen05.wait::ld.sync.aligned;', 'tcgen05.wait::st.sync.aligned;'];
const COMMIT = 'tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [m];';
const [BEFORE, AFTER] = ['tcgen05.fence::before_thread_sync;', 'tcgen05.fence::after_thread_sync;'];
const tensorWait = (how: string): string =>
  `W: mbarrier.try_wait.parity.${how}.shared::cta.b64 %p, [m], 0; @!%p bra W;`;
const RELAXED = tensorWait('relaxed.cluster');
const ARRIVE_RELAXED = 'mbarrier.arrive.relaxed.cluster.shared::cta.b64 _, [m];';

/** The leader and the peer of a pair of CTAs; the leader multiplies for both, and tells both when it is done. */
const ofPair = (declared: string, leader: string, peer: string): string =>
  test(`.shared .b64 n = mbarrier(1); ${declared}`, leader, `.reg .b32 %a; ${LEADER} ${peer}`).replaceAll(
    /@ cta 0, warp (\d)/g,
    (_, warp: string) => `@ cluster 0, cta ${warp === '0' ? 0 : 1}, warp 0`,
  );
const LEADER = 'mov.u32 %a, m; mapa.shared::cluster.u32 %a, %a, 0;';
const MMA_OF_PAIR = `.reg .b16 %h; mov.b16 %h, 3; ${MMA.replace('::1', '::2')}`;
const commitTo = (object: string): string =>
  `tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [${object}], %h;`;
const ARRIVE_AT_LEADER = 'mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%a];';
const RELEASE_TO_LEADER = 'mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%a];';
/** All is over that the other CTA does here. */
const OVER = 'V: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p, [n], 0; @!%p bra V;';
const OF_TENSOR = '.global .align 16 .b8 g[128] = 5; .global .align 64 .b8 map[128] = tensormap(g, 128);';
const EXPECTING = 'mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 128;';
const COPY_FOR_LEADER =
  'cp.async.bulk.tensor.1d.cta_group::2.shared::cluster.global.tile.mbarrier::complete_tx::bytes ' +
  '[tileA], [map, {0}], [%a];';

/** What orders accesses to tensor memory: by kind of edge, tests without a race. */
export const TENSOR_EDGES: Readonly<Record<Extract<OrderEdge, `tensor-${string}` | 'pair-fence'>, readonly string[]>> =
  {
    'tensor-accumulators': [
      test('', MMA + MMA),
      test('', MMA + BEFORE + ARRIVE_RELAXED, RELAXED).replace(
        /P1 @ cta 0, warp 4 (.*) }/,
        `P1 @ cta 0, warp 0 $1 ${AFTER} ${MMA} }`,
      ),
    ],
    'tensor-operands': [
      test('', `mov.b32 %r, 64; ${MMA_OF_E.replace('[%d]', '[%r]').replace('[%e]', '[%d]')} ${MMA_OF_E}`),
      test('', MMA_OF_E + copy('128x256b', '%e') + MMA_OF_E),
      test('', MMA_OF_E + SHIFT + copy('4x256b', '%e') + MMA_OF_E),
      test('', copy('4x256b', '%e+4') + MMA_OF_E),
      test('', SHIFT + MMA_OF_E),
    ],
    'tensor-transfers': [test('', ST + ST + LD + ST)],
    'tensor-wait': [
      test('', LD + WAIT_LD + MMA),
      test('', ST + WAIT_ST + MMA),
      test('', LD + WAIT_LD + BEFORE + ARRIVE_RELAXED, RELAXED + AFTER + MMA),
      test('', `${ST} ${WAIT_ST} ${BEFORE} bar.sync 0;`, `bar.sync 0; ${AFTER} ${MMA}`),
    ],
    'tensor-commit': [
      test('', MMA + COMMIT, RELAXED + AFTER + LD + WAIT_LD),
      test('', `${MMA} ${COMMIT} ${RELAXED} ${AFTER} ${copy('128x256b', '%d')}`),
      test('', `${MMA} ${COMMIT} ${RELAXED} bar.sync 0;`, `bar.sync 0; ${AFTER} ${LD} ${WAIT_LD}`),
      // What it has read in shared memory is written over, by a copy or another thread.
      test(
        '.global .align 16 .b8 g[128]; .shared .b64 n = mbarrier(1);',
        MMA + COMMIT,
        `${tensorWait('acquire.cta')} mbarrier.arrive.expect_tx.shared::cta.b64 _, [n], 128; ` +
          'cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tileA], [g], 128, [n]; ' +
          'st.weak.shared.b32 [tileB], %r;',
      ),
    ],
    'tensor-acquire': [
      test('', MMA + COMMIT, `${tensorWait('acquire.cta')} ${LD} ${WAIT_LD}`),
      test(
        '',
        `${LD} ${WAIT_LD} mbarrier.arrive.release.cta.shared::cta.b64 _, [m];`,
        `${tensorWait('acquire.cta')} ${MMA}`,
      ),
    ],
    'tensor-allocation': [
      test(
        '.shared .b32 slot;',
        'tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32; ' +
          `tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; bar.sync 0; ${RELAXED} ` +
          'tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d, 32;',
        `bar.sync 0; ${LD} ${WAIT_LD} ${ARRIVE_RELAXED}`,
      ),
    ],
    'tensor-pair': [
      ofPair('', RELAXED + AFTER + MMA_OF_PAIR + commitTo('n'), LD + WAIT_LD + BEFORE + ARRIVE_AT_LEADER + OVER),
      ofPair('', MMA_OF_PAIR + commitTo('m'), RELAXED + AFTER + LD + WAIT_LD),
      ofPair('', MMA_OF_PAIR + commitTo('m'), `${tensorWait('acquire.cta')} ${LD} ${WAIT_LD}`),
      // What the peer copies is told to the leader, and what the product has read may be copied over.
      ofPair(
        OF_TENSOR,
        `${EXPECTING} ${tensorWait('acquire.cta')} ${AFTER} ${MMA_OF_PAIR} ${commitTo('n')}`,
        `${COPY_FOR_LEADER} ${OVER} st.weak.shared.b32 [tileA], %r;`,
      ),
    ],
    // In the CTA that has written what an instruction of the other one reads.
    'pair-fence': [
      ofPair(
        '',
        `${tensorWait('acquire.cluster')} ${AFTER} ${MMA_OF_PAIR} ${commitTo('n')}`,
        `st.weak.shared.b32 [tileA], %r; fence.proxy.async.shared::cta; ${RELEASE_TO_LEADER} ${OVER}`,
      ),
    ],
  };

/** Accesses in no order, and two that only the text up to PTX ISA 9.3 has in one. */
export const TENSOR_RACES: readonly string[] = [
  test('', MMA + LD),
  test('', copy('32x128b.warpx4', '%e+4') + MMA_OF_E),
];
