import type { SmallKernel } from './small-kernel.js';
import { DESCRIPTORS, type TensorPlace, tensorKernel } from './tensor-body.js';

/** Warps 0 and 4 reach the same lanes of tensor memory; the first thread of each multiplies. */
const MMA = 'tcgen05.mma.cta_group::1.kind::f16 [%r7], %rd5, %rd6, %r13, %p8;';
const mmaTo = (column: number): string => `mov.b32 %r7, ${column}; ${MMA} mov.b32 %r7, 0;`;
const mmaFrom = (column: number, to: number): string =>
  `mov.b32 %r8, ${column}; mov.b32 %r7, ${to}; ${MMA.replace('%rd5', '[%r8]')} mov.b32 %r7, 0;`;
const cp = (shape: string, column: number): string =>
  `mov.b32 %r8, ${column}; tcgen05.cp.cta_group::1.${shape} [%r8], %rd5;`;
const shift = (column: number): string => `mov.b32 %r8, ${column}; tcgen05.shift.cta_group::1.down [%r8];`;
const commitTo = (object: string): string =>
  `tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [${object}];`;
const arrive = (object: string, how = 'release.cta'): string =>
  `mbarrier.arrive.${how}.shared::cta.b64 _, [${object}];`;
const RELAXED = 'relaxed.cluster';
const waitFor = (object: string, how = 'acquire.cta', parity = 0): string =>
  `W${object}${parity}: mbarrier.try_wait.parity.${how}.shared::cta.b64 %p4, [${object}], ${parity}; ` +
  `@!%p4 bra W${object}${parity};`;
const copyFor = (object: string): string =>
  `mbarrier.arrive.expect_tx.shared::cta.b64 _, [${object}], 1024; ` +
  `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sa], [%rd1], 1024, [${object}];`;
const LD = 'tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r9}, [%r7];';
const LD_HALF = 'tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r9}, [%r7];';
const ST = 'tcgen05.st.sync.aligned.32x32b.x1.b32 [%r7], {%r1};';
const [WAIT_LD, WAIT_ST] = ['tcgen05.wait::ld.sync.aligned;', 'tcgen05.wait::st.sync.aligned;'];
const [BEFORE, AFTER] = ['tcgen05.fence::before_thread_sync;', 'tcgen05.fence::after_thread_sync;'];
const MEET = 'bar.sync 1, 64;';
const OUT = 'st.global.u32 [%rd2], %r9;';
const ALLOC = 'tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;';
const ALLOC_MORE = 'tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 64;';
const FREE = 'tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r7, 32;';
const CLUSTER = 'barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;';
const CLUSTER_RELAXED = 'barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;';
/** The first CTA commits in the second. */
const REMOTE_COMMIT =
  'mov.u32 %r10, %cluster_ctarank; setp.ne.u32 %p5, %r10, 0; @%p5 bra G; mov.u32 %r11, m; ' +
  `mapa.shared::cluster.u32 %r12, %r11, 1; ${commitTo('%r12')} G:`;
/** Of columns 32 on, and from 16 on more than was given out again; of 16 on alone. */
const ALLOC_AT_32 = ALLOC.replace('[slot]', '[slot + 4]');
const LD_WIDE = 'bar.warp.sync -1; mov.b32 %r7, 31; tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r9, %r10}, [%r7];';
const ST_16 = 'mov.b32 %r7, 16; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r7], {%r1};';
const NO_MORE = 'tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;';

/** The lane that is elected does it, whichever it is. */
const elected = (what: string): string => `elect.sync %r10|%p9, -1; @!%p9 bra L; ${what} L: bar.warp.sync -1;`;
const waited = (how: string, fence = ''): string =>
  `${how === '' ? waitFor('m') : waitFor('m', how)} ${fence} ${elected(MMA)}`;

/** The first lane of a warp alone does it. */
const lead = (what: string): string => `setp.ne.u32 %p6, %r14, 0; @%p6 bra L; ${what} L:`;

/** What one thread of a warp does, or all of them. */
const kernel = tensorKernel;
const one = (alone: string, together = ''): TensorPlace => ({ alone, together });
const all = (together: string, alone = ''): TensorPlace => ({ before: together, alone });
const LOADED_BY_ALL = all(`${LD} ${WAIT_LD} ${BEFORE} bar.warp.sync -1;`, arrive('m'));

/** Kernels that hand tensor memory on, and the same with something left out. */
export const TENSOR_KERNELS: readonly SmallKernel[] = [
  kernel('a product of the elected lane over what was loaded', one('', waited('')), LOADED_BY_ALL),
  kernel('such a product behind relaxed waits and fences', one('', waited(RELAXED, AFTER)), LOADED_BY_ALL),
  kernel('such a product behind relaxed waits', one('', waited(RELAXED)), LOADED_BY_ALL),
  kernel(
    'such a product behind a fence of one lane',
    one('', waited(RELAXED, `setp.ne.u32 %p6, %r14, 0; @%p6 bra O; ${AFTER} O:`)),
    LOADED_BY_ALL,
  ),
  kernel('such a product, without a wait', one('', elected(MMA)), LOADED_BY_ALL),
  kernel(
    'such a product, without a wait, beside a strong load',
    one('', `ld.volatile.shared.u32 %r9, [slot]; ${elected(MMA)}`),
    LOADED_BY_ALL,
  ),
  kernel('a product behind its commit', one(MMA + commitTo('m')), all(waitFor('m') + AFTER + LD + WAIT_LD + OUT)),
  kernel('a product behind its commit, without a fence', one(MMA + commitTo('m')), all(waitFor('m') + LD + WAIT_LD)),
  kernel(
    'a product behind its commit, by a relaxed wait and a fence',
    one(MMA + commitTo('m')),
    all(waitFor('m', RELAXED) + AFTER + LD + WAIT_LD),
  ),
  kernel('a product behind a relaxed wait', one(MMA + commitTo('m')), all(waitFor('m', RELAXED) + LD + WAIT_LD)),
  kernel(
    'a product behind a relaxed wait, a fence of memory, and an arrival',
    one(MMA + commitTo('m'), `${waitFor('m', RELAXED)}fence.acq_rel.cta; bar.warp.sync -1;${lead(arrive('n'))}`),
    all(waitFor('n') + LD + WAIT_LD),
  ),
  kernel(
    'a product behind an acquiring wait, and an arrival',
    one(MMA + commitTo('m'), `${waitFor('m')}bar.warp.sync -1;${lead(arrive('n'))}`),
    all(waitFor('n') + LD + WAIT_LD),
  ),
  kernel('a product behind an arrival of its thread', one(MMA + arrive('m')), all(waitFor('m') + AFTER + LD)),
  kernel(
    'a product between two commits',
    one(commitTo('m') + MMA + commitTo('n')),
    all(waitFor('m') + AFTER + LD + WAIT_LD),
  ),
  kernel('a product behind the commit before it', one(commitTo('m') + MMA), all(waitFor('m') + AFTER + LD)),
  kernel(
    'a product behind a later commit',
    one(MMA + commitTo('n') + commitTo('m')),
    all(waitFor('m') + AFTER + LD + WAIT_LD),
  ),
  kernel('products into one accumulator', one(MMA + MMA), all('')),
  kernel('products into accumulators that overlap', one(MMA + mmaTo(4)), all('')),
  kernel('products into accumulators apart', one(MMA + mmaTo(8)), all('')),
  kernel('products of two warps into one accumulator', one(MMA, BEFORE + MEET), { before: MEET + AFTER, alone: MMA }),
  kernel('a matrix that is overwritten behind its product', one(mmaFrom(16, 0) + mmaFrom(24, 16)), all('')),
  kernel('an accumulator that is a matrix next', one(mmaFrom(16, 0) + mmaFrom(0, 16)), all('')),
  kernel('a copy where a product reads', one(cp('128x256b', 16) + mmaFrom(16, 0)), all('')),
  kernel('a copy beside where a product reads', one(cp('128x256b', 12) + mmaFrom(16, 0)), all('')),
  kernel('a copy of few rows beside where a product reads', one(cp('4x256b', 12) + mmaFrom(16, 0)), all('')),
  kernel('a copy over what a product reads', one(mmaFrom(16, 0) + cp('128x256b', 16)), all('')),
  kernel('copies over each other', one(cp('128x256b', 16) + cp('128x256b', 16)), all('')),
  kernel('a shift of what a product reads, and its product', one(mmaFrom(16, 0) + shift(16) + mmaFrom(16, 0)), all('')),
  kernel('a shift, and a copy of few rows', one(shift(16) + cp('4x256b', 16)), all('')),
  kernel('a shift, and a copy', one(shift(16) + cp('128x256b', 16)), all('')),
  kernel('stores and loads of a warp', all(ST + ST + LD + WAIT_LD + OUT + ST), all('')),
  kernel('loads of a warp, one of half of its lanes', all(ST + LD_HALF + WAIT_LD), all('')),
  kernel('a store that another warp loads', all(ST + WAIT_ST + BEFORE + MEET), all(MEET + AFTER + LD + WAIT_LD + OUT)),
  kernel('a store that nobody has waited for', all(ST + BEFORE + MEET), all(MEET + AFTER + LD)),
  kernel(
    'a store of which a wait for loads tells',
    all(`${ST} mov.b32 %r7, 8; ${LD + WAIT_LD + BEFORE} mov.b32 %r7, 0; ${MEET}`),
    all(MEET + AFTER + LD),
  ),
  kernel('a store without a fence before', all(ST + WAIT_ST + MEET), all(MEET + AFTER + LD)),
  kernel('a store without a fence after', all(ST + WAIT_ST + BEFORE + MEET), all(MEET + LD)),
  kernel(
    'a store that is handed on by an arrival',
    all(`${ST + WAIT_ST} bar.warp.sync -1;`, arrive('m')),
    all(waitFor('m') + LD + WAIT_LD),
  ),
  kernel(
    'a store that is handed on by a relaxed arrival',
    all(`${ST + WAIT_ST + BEFORE} bar.warp.sync -1;`, arrive('m', RELAXED)),
    all(waitFor('m', RELAXED) + AFTER + LD + WAIT_LD),
  ),
  kernel(
    'a store that is handed on by a lane that the others have not met',
    all(ST + WAIT_ST + BEFORE, arrive('m', RELAXED)),
    all(waitFor('m', RELAXED) + AFTER + LD),
  ),
  kernel('a load that a product overwrites', all(LD + WAIT_LD + BEFORE + MEET), { before: MEET + AFTER, alone: MMA }),
  kernel(
    'a load that is handed on by a commit alone',
    all(`${LD + WAIT_LD + BEFORE} bar.warp.sync -1;`, commitTo('m')),
    { before: waitFor('m', RELAXED) + AFTER, alone: MMA },
  ),
  kernel(
    'a store that a load of one lane comes behind',
    all(`${ST + BEFORE} bar.warp.sync -1; ${AFTER + LD + WAIT_LD}`, MMA),
    all(''),
  ),
  kernel(
    'a store that a product overwrites, in a value',
    all(`${ST + WAIT_ST + BEFORE} bar.warp.sync -1; ${AFTER}`, MMA + commitTo('m')),
    all(waitFor('m') + AFTER + LD + WAIT_LD + OUT),
  ),
  kernel(
    'a store of several columns, and a load of one',
    all(`tcgen05.st.sync.aligned.32x32b.x2.b32 [%r7], {%r1, %r13}; mov.b32 %r7, 1; ${LD + WAIT_LD + OUT}`),
    all(''),
  ),
  kernel(
    'columns that were stored as others',
    all(`tcgen05.st.sync.aligned.16x64b.x1.b32 [%r7], {%r1}; ${LD + WAIT_LD + OUT}`),
    all(''),
  ),
  kernel(
    'a matrix that is copied, multiplied and copied again',
    { alone: copyFor('n') + waitFor('n') + MMA + commitTo('m') },
    { alone: waitFor('m') + copyFor('m') + waitFor('m', 'acquire.cta', 1) },
  ),
  kernel(
    'a matrix that is copied again before it is multiplied',
    { alone: copyFor('n') + waitFor('n') + commitTo('m') + MMA },
    { alone: waitFor('m') + copyFor('m') + waitFor('m', 'acquire.cta', 1) },
  ),
  kernel(
    'a store behind a barrier and a wait',
    { before: ST + WAIT_ST, alone: arrive('m', RELAXED), together: MEET },
    all(MEET + waitFor('m') + LD + WAIT_LD),
  ),
  kernel(
    'a store behind a barrier and a relaxed wait',
    { before: ST + WAIT_ST, alone: arrive('m', RELAXED), together: MEET },
    all(MEET + waitFor('m', RELAXED) + LD + WAIT_LD),
  ),
  kernel('a load that a product overwrites too early', all(LD + BEFORE + MEET), { before: MEET + AFTER, alone: MMA }),
  kernel('a load before the product of a lane of its warp', all(`${LD + WAIT_LD} bar.warp.sync -1;`, MMA), all('')),
  kernel('columns of another quarter', all(''), all(`mov.b32 %r7, 0x200000; ${LD}`)),
  kernel('columns that nobody has', all(ALLOC + BEFORE + MEET), all(`${MEET + AFTER} mov.b32 %r7, 32; ${LD}`)),
  {
    ...kernel('an allocation by whichever warp', all(''), all('')),
    body: `.shared .b32 slot; ${ALLOC} ld.shared.b32 %r7, [slot];`,
    place: 'grid 1, block 64',
  },
  kernel(
    'an allocation that is given back',
    all(ALLOC + NO_MORE + BEFORE + MEET + MEET + AFTER + FREE),
    all(MEET + AFTER + LD + WAIT_LD + BEFORE + MEET),
  ),
  kernel(
    'an allocation that is given back too early',
    all(ALLOC + BEFORE + MEET + FREE),
    all(MEET + AFTER + LD + WAIT_LD),
  ),
  kernel('a store in flight that is given back', all(ALLOC + ST + FREE), all('')),
  kernel('an allocation that is used behind its end', all(ALLOC + FREE + BEFORE + MEET), all(MEET + AFTER + LD)),
  kernel('an allocation that is given back twice', all(ALLOC + FREE + FREE), all('')),
  kernel('an allocation behind the end of the permit', all(NO_MORE + ALLOC), all('')),
  kernel('an allocation beside the end of the permit', all(NO_MORE), all(ALLOC)),
  kernel('an allocation of another warp before the end of the permit', all(MEET + NO_MORE), all(ALLOC + MEET)),
  kernel('a larger allocation behind another', all(ALLOC + ALLOC_MORE), all('')),
  kernel('a smaller allocation behind another', all(ALLOC_MORE + ALLOC), all('')),
  kernel('a smaller allocation beside another', all(ALLOC_MORE), all(ALLOC)),
  kernel('a matrix that is overwritten when its product is complete', one(DESCRIPTORS.written + MMA + commitTo('m')), {
    before: waitFor('m'),
    alone: DESCRIPTORS.overwritten,
  }),
  kernel('a matrix that is overwritten too early', one(DESCRIPTORS.written + MMA + arrive('m')), {
    before: waitFor('m'),
    alone: DESCRIPTORS.overwritten,
  }),
  kernel('a matrix that is written without a fence', one(DESCRIPTORS.unfenced + MMA), all('')),
  kernel(
    'two lanes that multiply in turn',
    { alone: MMA + BEFORE + arrive('m', RELAXED), second: waitFor('m', RELAXED) + AFTER + MMA },
    all(''),
  ),
  kernel(
    'two lanes that multiply in turn, without a fence after',
    { alone: MMA + BEFORE + arrive('m', RELAXED), second: waitFor('m', RELAXED) + MMA },
    all(''),
  ),
  kernel('a product behind the commit of another thread', one(MMA, BEFORE + MEET), {
    before: MEET + AFTER,
    alone: commitTo('m'),
    together: waitFor('m') + AFTER + LD,
  }),
  kernel('two lanes that multiply', { alone: MMA, second: MMA }, all('')),
  kernel(
    'a product of the elected lane',
    { before: `elect.sync _|%p5, -1; @%p5 ${MMA} @%p5 ${commitTo('m')}` },
    all(waitFor('m') + AFTER + LD + WAIT_LD),
  ),
  kernel(
    'a product behind a wait of one lane, of which another is elected',
    { alone: waitFor('m') + AFTER, together: `elect.sync _|%p5, -1; @!%p5 bra X; ${MMA} X:` },
    one(MMA + commitTo('m')),
  ),
  kernel(
    'a store before the product of the elected lane, behind its own fence',
    { before: `${ST + WAIT_ST + BEFORE} bar.warp.sync -1; elect.sync _|%p5, -1; @!%p5 bra X; ${AFTER + MMA} X:` },
    all(''),
  ),
  kernel(
    'a product behind a wait of one lane, and a fence of another that is elected',
    { alone: waitFor('m', RELAXED), together: `elect.sync _|%p5, -1; @!%p5 bra X; ${AFTER + MMA} X:` },
    one(MMA + commitTo('m')),
  ),
  kernel(
    'a store before the product of the elected lane',
    { before: `${ST + WAIT_ST + BEFORE} bar.warp.sync -1; ${AFTER} elect.sync _|%p5, -1; @!%p5 bra X; ${MMA} X:` },
    all(''),
  ),
  kernel(
    'a store before the product of the elected lane, whom others have not met',
    { before: `${ST + WAIT_ST + BEFORE + AFTER} elect.sync _|%p5, -1; @!%p5 bra X; ${MMA} X:` },
    all(''),
  ),
  // Found by somebody who attacked it.
  kernel('an allocation again, of other columns', all(`${ALLOC} ${FREE} ${ALLOC_AT_32} ${LD_WIDE}`), all('')),
  kernel('an allocation that is given back and used by each lane', all(`${ALLOC} ${FREE} ${LD}`), all('')),
  kernel(
    'an allocation in a loop',
    all(`mov.u32 %r10, 0; A: ${ALLOC} add.u32 %r10, %r10, 1; setp.lt.u32 %p5, %r10, 2; @%p5 bra A;`),
    all(''),
  ),
  kernel(
    'a word that a product reads, read before and written behind it',
    one(`ld.shared.u32 %r9, [sa]; fence.proxy.async; ${MMA} ${commitTo('m')}`),
    { before: waitFor('m'), alone: 'st.shared.u32 [sa], 5;' },
  ),
  kernel(
    'a store that is handed on by a relaxed flag',
    { before: `${ST + WAIT_ST + BEFORE} bar.warp.sync -1;`, alone: 'st.relaxed.cta.global.u32 [%rd1 + 800], 1;' },
    all(`F: ld.relaxed.cta.global.u32 %r10, [%rd1 + 800]; setp.ne.u32 %p5, %r10, 1; @%p5 bra F; ${AFTER + LD}`),
  ),
  kernel(
    'a matrix, an accumulator and an allocation, one behind the other',
    {
      before: `${ALLOC_MORE} ${MEET}`,
      alone: mmaFrom(16, 40) + BEFORE,
      together: `bar.warp.sync -1; ${AFTER} setp.ne.u32 %p7, %r14, 1; @%p7 bra Q; ${mmaTo(0)} ${commitTo('m')} Q:`,
    },
    all(`${MEET} ${waitFor('m', RELAXED)} ${ALLOC.replace('[slot]', '[slot + 4]')} bar.warp.sync -1; ${ST_16}`),
  ),
  {
    ...kernel(
      'a commit in a CTA that exits',
      { before: CLUSTER, alone: REMOTE_COMMIT, together: CLUSTER },
      all(CLUSTER + CLUSTER),
    ),
    place: 'grid 2, block 160, cluster 2',
  },
  {
    ...kernel(
      'a relaxed barrier of the cluster between products',
      { alone: MMA + commitTo('m') + waitFor('m', RELAXED) + BEFORE, together: CLUSTER_RELAXED + AFTER },
      all(CLUSTER_RELAXED + AFTER + LD),
    ),
    place: 'grid 2, block 160, cluster 2',
  },
];
