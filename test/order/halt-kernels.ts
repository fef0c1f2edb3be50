import type { SmallKernel } from './small-kernel.js';

/** The first lane of the warps of a CTA does something else each. */
const each = (...bodies: readonly string[]): string => {
  const ways = bodies.map((_, i) => `setp.eq.u32 %p1, %r1, ${32 * i}; @%p1 bra B${i};`);
  return `${ways.join(' ')} ret; ${bodies.map((body, i) => `B${i}: ${body} ret;`).join(' ')}`;
};
/** The same, behind an mbarrier that is initialized for so many arrivals. */
const at = (count: number, ...bodies: readonly string[]): string =>
  '.shared .align 8 .b64 m; setp.ne.u32 %p1, %r1, 0; @%p1 bra I; ' +
  `mbarrier.init.shared.b64 [m], ${count}; I: bar.sync 0; ${each(...bodies)}`;
const ARRIVE = 'mbarrier.arrive.shared.b64 _, [m];';
const EXPECT_BYTES = 'mbarrier.expect_tx.relaxed.cta.shared.b64 [m], 16;';
const HAVE_BYTES = 'mbarrier.complete_tx.relaxed.cta.shared.b64 [m], 16;';
const wait = (parity: number, label = 'W'): string =>
  `${label}: mbarrier.try_wait.parity.shared.b64 %p2, [m], ${parity}; @!%p2 bra ${label};`;
const spin = (test: string, label = 'W'): string =>
  `${label}: ld.acquire.gpu.global.u32 %r8, [%rd1 + 1020]; setp.${test}; @%p4 bra ${label};`;
const ADD = 'red.release.gpu.global.add.u32 [%rd1 + 1020], 1;';
const set = (value: number): string => `st.release.gpu.global.u32 [%rd1 + 1020], ${value};`;

/** Launches in which somebody waits for ever: in each execution, or in some. */
export const HALT_KERNELS: readonly (SmallKernel & { readonly holds: string })[] = [
  {
    name: 'a barrier for more than there are',
    place: 'grid 1, block 64',
    body: each('bar.sync 1, 96;', 'bar.sync 1, 96;'),
    holds: 'deadlock',
  },
  {
    name: 'three at a barrier for two',
    place: 'grid 1, block 96',
    body: each('bar.sync 1, 64;', 'bar.sync 1, 64;', 'bar.sync 1, 64;'),
    holds: 'deadlock, other arrivals may complete this barrier',
  },
  {
    name: 'three at a barrier for two, the last behind it',
    place: 'grid 1, block 96',
    body: each('bar.sync 1, 64;', 'bar.sync 1, 64; bar.sync 2, 64;', 'bar.sync 2, 64; bar.sync 1, 64;'),
    holds: 'deadlock',
  },
  {
    name: 'an arrival that is missing',
    place: 'grid 1, block 64',
    body: at(2, wait(0), ARRIVE),
    holds: 'deadlock',
  },
  {
    name: 'bytes that are missing',
    place: 'grid 1, block 64',
    body: at(1, wait(0), EXPECT_BYTES + ARRIVE),
    holds: 'deadlock',
  },
  {
    name: 'bytes that are missing, and expected when all may have arrived',
    place: 'grid 1, block 96',
    body: at(1, wait(0), ARRIVE, EXPECT_BYTES),
    holds: 'deadlock, the phase may be complete in another execution',
  },
  {
    name: 'bytes that are there before they are expected',
    place: 'grid 1, block 96',
    body: at(1, HAVE_BYTES + set(1), spin('ne.u32 %p4, %r8, 1') + ARRIVE, wait(1, 'V')),
    holds: 'the phase may be complete in another execution',
  },
  {
    name: 'a wait for a phase that is over when it comes, or not',
    place: 'grid 1, block 64',
    body: at(1, wait(1), ARRIVE),
    holds: 'deadlock, threads that wait for ever',
  },
  {
    name: 'a flag of another value',
    place: 'grid 1, block 64',
    body: each(spin('ne.u32 %p4, %r8, 2'), set(1)),
    holds: 'deadlock',
  },
  {
    name: 'a flag that has the value for a while',
    place: 'grid 1, block 64',
    body: each(spin('ne.u32 %p4, %r8, 1'), set(1) + set(2)),
    holds: 'deadlock, threads that wait for ever',
  },
  {
    name: 'a flag of another value, in memory that nobody knows before',
    place: 'grid 1, block 64',
    body: each(
      'W: ld.acquire.cta.shared.u32 %r8, [%r2]; setp.ne.u32 %p4, %r8, 2; @%p4 bra W;',
      'st.release.cta.shared.u32 [%r2], 1;',
    ),
    holds: 'deadlock, threads that wait for ever',
  },
  {
    name: 'a count of more than there are',
    place: 'grid 1, block 96',
    body: each(spin('lt.u32 %p4, %r8, 3'), ADD, ADD),
    holds: 'deadlock',
  },
  {
    name: 'a CTA whose memory is used stays, since its threads wait',
    place: 'grid 2, block 1, cluster 2',
    body:
      'mov.u32 %r3, %cluster_ctarank; barrier.cluster.arrive; barrier.cluster.wait; setp.eq.u32 %p1, %r3, 0; ' +
      `@!%p1 bra R; ${spin('ne.u32 %p4, %r8, 2')} R: mapa.shared::cluster.u32 %r4, %r2, 0; ` +
      'ld.shared::cluster.u32 %r5, [%r4];',
    holds: 'deadlock',
  },
];
