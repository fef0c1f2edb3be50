import { ASYNC_KERNELS } from './async-kernels.js';
import { CANCEL_KERNELS } from './cancel-kernels.js';
import { CLUSTER_KERNELS } from './cluster-kernels.js';
import { COHERENCE_KERNELS } from './coherence-kernels.js';
import { ELECTION_KERNELS } from './election-kernels.js';
import { LAST_KERNELS } from './last-kernels.js';
import { LOCK_KERNELS } from './lock-kernels.js';
import { MATRIX_KERNELS } from './matrix-kernels.js';
import { MBARRIER_KERNELS } from './mbarrier-kernels.js';
import { OPEN_KERNELS } from './open-kernels.js';
import { PAIR_KERNELS } from './pair-kernels.js';
import { PIPELINE_KERNELS } from './pipeline-kernels.js';
import { POLL_KERNELS } from './poll-kernels.js';
import { QUEUE_KERNELS } from './queue-kernels.js';
import { RETRY_KERNELS } from './retry-kernels.js';
import { SAME_VALUE_KERNELS } from './same-value-kernels.js';
import { SEMAPHORE_KERNELS } from './semaphore-kernels.js';
import { neighbor, OWN, type SmallKernel } from './small-kernel.js';
import { TENSOR_KERNELS } from './tensor-kernels.js';
import { TICKET_LOCK_KERNELS } from './ticket-lock-kernels.js';
import { TOLD_KERNELS } from './told-kernels.js';
import { VOTE_KERNELS } from './vote-kernels.js';
import { WAIT_KERNELS } from './wait-kernels.js';
import { WAY_KERNELS } from './way-kernels.js';
import { WORD_KERNELS } from './word-kernels.js';

/** The mask of the half of a warp that a lane is in. */
const HALVES = 'setp.lt.u32 %p1, %r1, 16; selp.b32 %r7, 0xffff, 0xffff0000, %p1;';

/** Kernels that order what they share in one way each, and the same with that left out. */
export const KERNELS: readonly SmallKernel[] = [
  { name: 'own elements', place: 'grid 2, block 48', body: 'st.global.u32 [%rd2], %r1;' },
  { name: 'warps behind a barrier', place: 'grid 2, block 64', body: `${OWN} bar.sync 0; ${neighbor(32)}` },
  { name: 'warps without one', place: 'grid 1, block 64', body: `${OWN} ${neighbor(32)}` },
  {
    name: 'lanes behind a barrier of the warp',
    place: 'grid 1, block 32',
    body: `${OWN} bar.warp.sync -1; ${neighbor(1)}`,
  },
  { name: 'lanes without one', place: 'grid 1, block 32', body: `${OWN} ${neighbor(1)}` },
  {
    name: 'lanes behind a vote, which orders nothing',
    place: 'grid 1, block 32',
    body: `${OWN} vote.sync.all.pred %p1, %p2, -1; ${neighbor(1)}`,
  },
  {
    name: 'two rounds, two barriers',
    place: 'grid 1, block 64',
    body:
      'mov.u32 %r7, 0; L: add.u32 %r8, %r1, %r7; mad.lo.u32 %r3, %r1, 4, %r2; ' +
      'st.shared.u32 [%r3], %r8; bar.sync 0; ' +
      `${neighbor(32)} bar.sync 0; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 2; @%p1 bra L;`,
  },
  {
    name: 'two rounds, one barrier',
    place: 'grid 1, block 64',
    body:
      'mov.u32 %r7, 0; L: add.u32 %r8, %r1, %r7; mad.lo.u32 %r3, %r1, 4, %r2; ' +
      'st.shared.u32 [%r3], %r8; bar.sync 0; ' +
      `${neighbor(32)} add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 2; @%p1 bra L;`,
  },
  {
    name: 'named barriers of pairs of warps',
    place: 'grid 1, block 128',
    body: `shr.u32 %r7, %r1, 6; add.u32 %r7, %r7, 1; ${OWN} barrier.sync %r7, 64; ${neighbor(32)}`,
  },
  {
    name: 'pairs of warps at one barrier',
    place: 'grid 1, block 128',
    body: `${OWN} barrier.sync 1, 64; ${neighbor(32)}`,
  },
  {
    name: 'arrivals and a wait',
    place: 'grid 1, block 64',
    body:
      `setp.lt.u32 %p1, %r1, 32; @%p1 bra W; ${OWN} bar.arrive 2, 64; bra.uni E; W: bar.sync 2, 64; ` +
      `${neighbor(32)} E:`,
  },
  {
    name: 'the one that arrives reads',
    place: 'grid 1, block 64',
    body:
      `setp.lt.u32 %p1, %r1, 32; @%p1 bra W; bar.arrive 2, 64; ${neighbor(32)} bra.uni E; ` +
      `W: ${OWN} bar.sync 2, 64; E:`,
  },
  {
    name: 'an arrival before what the warp waits for',
    place: 'grid 1, block 96',
    body:
      'shr.u32 %r7, %r1, 5; setp.eq.u32 %p1, %r7, 1; @%p1 bra B; setp.eq.u32 %p1, %r7, 2; @%p1 bra C; ' +
      `${OWN} bar.sync 1, 64; bra.uni E; B: bar.arrive 2, 64; bar.sync 1, 64; bra.uni E; C: bar.sync 2, 64; ` +
      `${neighbor(64)} E:`,
  },
  {
    name: 'an arrival behind what the warp waits for',
    place: 'grid 1, block 96',
    body:
      'shr.u32 %r7, %r1, 5; setp.eq.u32 %p1, %r7, 1; @%p1 bra B; setp.eq.u32 %p1, %r7, 2; @%p1 bra C; ' +
      `${OWN} bar.sync 1, 64; bra.uni E; B: bar.sync 1, 64; bar.arrive 2, 64; bra.uni E; C: bar.sync 2, 64; ` +
      `${neighbor(64)} E:`,
  },
  {
    name: 'strong halves of a word',
    place: 'grid 1, block 2',
    body:
      'setp.eq.u32 %p1, %r1, 0; @%p1 st.relaxed.gpu.global.u32 [%rd1], 7; ' +
      '@!%p1 st.relaxed.gpu.global.u16 [%rd1+2], 1;',
  },
  {
    name: 'one arrival too many',
    place: 'grid 1, block 96',
    body: 'setp.ge.u32 %p1, %r1, 64; @%p1 bra A; bar.sync 1, 64; bra.uni E; A: bar.arrive 1, 64; E:',
  },
  {
    name: 'lanes that others wait for have left',
    place: 'grid 1, block 32',
    body: 'setp.ge.u32 %p1, %r1, 16; @%p1 ret; bar.warp.sync -1; st.global.u32 [%rd2], 1;',
  },
  {
    name: 'warps that have left',
    place: 'grid 1, block 96',
    body: `setp.ge.u32 %p1, %r1, 64; @%p1 ret; ${OWN} bar.sync 0; ${neighbor(32)}`,
  },
  {
    name: 'a count by all',
    place: 'grid 2, block 64',
    body: 'red.relaxed.gpu.global.add.u32 [%rd1], 1;',
  },
  {
    name: 'a count whose result is used',
    place: 'grid 2, block 32',
    body: 'atom.relaxed.gpu.global.add.u32 %r7, [%rd1], 1; st.global.u32 [%rd2+256], %r7;',
  },
  {
    name: 'a count in the scope of a CTA',
    place: 'grid 2, block 32',
    body: 'red.relaxed.cta.global.add.u32 [%rd1], 1;',
  },
  { name: 'the same in one CTA', place: 'grid 1, block 64', body: 'red.relaxed.cta.global.add.u32 [%rd1], 1;' },
  {
    name: 'two operations',
    place: 'grid 1, block 2',
    body:
      'setp.eq.u32 %p1, %r1, 0; @%p1 red.relaxed.gpu.global.add.u32 [%rd1], 2; ' +
      '@!%p1 red.relaxed.gpu.global.max.u32 [%rd1], 5;',
  },
  {
    name: 'the least of both signs',
    place: 'grid 1, block 2',
    body:
      'setp.eq.u32 %p1, %r1, 0; @%p1 red.relaxed.gpu.global.min.s32 [%rd1], -1; ' +
      '@!%p1 red.relaxed.gpu.global.min.u32 [%rd1], 5;',
  },
  { name: 'an exchange', place: 'grid 1, block 2', body: 'atom.relaxed.gpu.global.exch.b32 %r7, [%rd1], %r1;' },
  {
    name: 'a count, read behind a barrier',
    place: 'grid 1, block 64',
    body:
      'red.relaxed.gpu.global.add.u32 [%rd1+256], 1; bar.sync 0; ld.global.u32 %r7, [%rd1+256]; ' +
      'st.global.u32 [%rd2], %r7;',
  },
  {
    name: 'a count, read at once',
    place: 'grid 1, block 2',
    body: 'red.relaxed.gpu.global.add.u32 [%rd1+256], 1; ld.global.u32 %r7, [%rd1+256]; st.global.u32 [%rd2], %r7;',
  },
  {
    name: 'halves of a word',
    place: 'grid 1, block 2',
    body: 'setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd1], 7; @!%p1 st.global.u16 [%rd1+2], 1;',
  },
  {
    name: 'a copy, waited for',
    place: 'grid 1, block 64',
    body:
      'mad.lo.u32 %r3, %r1, 4, %r2; cp.async.ca.shared.global [%r3], [%rd2], 4; cp.async.commit_group; ' +
      `cp.async.wait_group 0; bar.sync 0; ${neighbor(32)}`,
  },
  {
    name: 'a copy that a barrier does not wait for',
    place: 'grid 1, block 64',
    body:
      'mad.lo.u32 %r3, %r1, 4, %r2; cp.async.ca.shared.global [%r3], [%rd2], 4; cp.async.commit_group; ' +
      `bar.sync 0; ${neighbor(32)} cp.async.wait_all;`,
  },
  {
    name: 'a copy, and a group too many in flight',
    place: 'grid 1, block 64',
    body:
      'mad.lo.u32 %r3, %r1, 4, %r2; cp.async.ca.shared.global [%r3], [%rd2], 4; cp.async.commit_group; ' +
      'mad.lo.u32 %r3, %r1, 4, %r2; cp.async.ca.shared.global [%r3+512], [%rd2], 4; ' +
      'cp.async.commit_group; cp.async.wait_group 1; bar.sync 0; ld.shared.u32 %r6, [%r3]; ' +
      'st.global.u32 [%rd2+512], %r6;',
  },
  {
    name: 'a copy of the second group, read too early',
    place: 'grid 1, block 64',
    body:
      'mad.lo.u32 %r3, %r1, 4, %r2; cp.async.ca.shared.global [%r3], [%rd2], 4; cp.async.commit_group; ' +
      'mad.lo.u32 %r3, %r1, 4, %r2; cp.async.ca.shared.global [%r3+512], [%rd2], 4; ' +
      'cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r6, [%r3+512]; ' +
      'st.global.u32 [%rd2+512], %r6;',
  },
  {
    name: 'a copy whose source is written before the wait',
    place: 'grid 1, block 64',
    body:
      'mad.lo.u32 %r3, %r1, 4, %r2; cp.async.ca.shared.global [%r3], [%rd2], 4; cp.async.commit_group; ' +
      'st.global.u32 [%rd2], 1; cp.async.wait_group 0;',
  },
  {
    name: 'a copy whose source is written behind the wait',
    place: 'grid 1, block 64',
    body:
      'mad.lo.u32 %r3, %r1, 4, %r2; cp.async.ca.shared.global [%r3], [%rd2], 4; cp.async.commit_group; ' +
      'cp.async.wait_group 0; st.global.u32 [%rd2], 1;',
  },
  {
    name: 'a copy that nobody waits for, whose source is written',
    place: 'grid 1, block 64',
    body:
      'mad.lo.u32 %r3, %r1, 4, %r2; cp.async.ca.shared.global [%r3], [%rd2], 4; cp.async.commit_group; ' +
      'st.global.u32 [%rd2], 1;',
  },
  {
    name: 'one after the other',
    place: 'grid 2, block 32',
    body: 'ld.global.u32 %r7, [%rd2]; add.u32 %r7, %r7, 1; st.global.u32 [%rd2], %r7;',
    more: ', after K',
  },
  {
    name: 'a dependent grid that waits',
    place: 'grid 2, block 32',
    body:
      'mov.u32 %r8, %ctaid.x; setp.ne.u32 %p1, %r8, 0; @%p1 ret; griddepcontrol.launch_dependents; ' +
      'griddepcontrol.wait; ld.global.u32 %r7, [%rd2]; add.u32 %r7, %r7, 1; st.global.u32 [%rd2], %r7;',
    more: ', dependent on K',
  },
  {
    name: 'a dependent grid, one warp of which waits for the other',
    place: 'grid 1, block 64',
    body:
      'setp.lt.u32 %p1, %r1, 32; @%p1 griddepcontrol.wait; bar.sync 0; ' +
      'ld.global.u32 %r7, [%rd2]; add.u32 %r7, %r7, 1; st.global.u32 [%rd2], %r7;',
    more: ', dependent on K',
  },
  {
    name: 'a dependent grid that does not wait',
    place: 'grid 1, block 32',
    body: 'ld.global.u32 %r7, [%rd2]; add.u32 %r7, %r7, 1; st.global.u32 [%rd2], %r7; griddepcontrol.wait;',
    more: ', dependent on K',
  },
  {
    name: 'a dependent grid that does not wait, behind a fence and a trigger',
    place: 'grid 1, block 32',
    body:
      'ld.global.u32 %r7, [%rd2]; add.u32 %r7, %r7, 1; st.global.u32 [%rd2], %r7; fence.acq_rel.gpu; ' +
      'griddepcontrol.launch_dependents;',
    more: ', dependent on K',
  },
  {
    name: 'a dependent grid that does not wait, behind a fence, a barrier of the warp and a trigger',
    place: 'grid 1, block 32',
    body:
      'ld.global.u32 %r7, [%rd2]; add.u32 %r7, %r7, 1; st.global.u32 [%rd2], %r7; fence.acq_rel.gpu; ' +
      'bar.warp.sync -1; griddepcontrol.launch_dependents;',
    more: ', dependent on K',
  },
  {
    name: 'a dependent grid that does not wait, behind fences of CTAs, a barrier of the warp and a trigger',
    place: 'grid 1, block 32',
    body:
      'ld.global.u32 %r7, [%rd2]; add.u32 %r7, %r7, 1; st.global.u32 [%rd2], %r7; fence.acq_rel.cta; ' +
      'bar.warp.sync -1; griddepcontrol.launch_dependents;',
    more: ', dependent on K',
  },
  {
    name: 'a dependent grid that does not wait, behind a trigger and a fence',
    place: 'grid 1, block 32',
    body:
      'ld.global.u32 %r7, [%rd2]; add.u32 %r7, %r7, 1; st.global.u32 [%rd2], %r7; ' +
      'griddepcontrol.launch_dependents; fence.acq_rel.gpu;',
    more: ', dependent on K',
  },
  {
    name: 'at once',
    place: 'grid 1, block 32',
    body: 'ld.global.u32 %r7, [%rd2]; add.u32 %r7, %r7, 1; st.global.u32 [%rd2], %r7;',
    more: '',
  },
  {
    name: 'a cluster behind its barrier',
    place: 'grid 2, block 32, cluster 2',
    body:
      'mov.u32 %r7, %ctaid.x; setp.eq.u32 %p1, %r7, 0; @%p1 st.global.u32 [%rd2], 5; ' +
      'barrier.cluster.arrive; barrier.cluster.wait; @!%p1 ld.global.u32 %r8, [%rd2]; ' +
      '@!%p1 st.global.u32 [%rd2+256], %r8;',
  },
  {
    name: 'a cluster that arrives relaxed',
    place: 'grid 2, block 32, cluster 2',
    body:
      'mov.u32 %r7, %ctaid.x; setp.eq.u32 %p1, %r7, 0; @%p1 st.global.u32 [%rd2], 5; ' +
      'barrier.cluster.arrive.relaxed; barrier.cluster.wait; @!%p1 ld.global.u32 %r8, [%rd2]; ' +
      '@!%p1 st.global.u32 [%rd2+256], %r8;',
  },
  {
    name: 'CTAs behind a barrier of each',
    place: 'grid 2, block 32',
    body:
      'mov.u32 %r7, %ctaid.x; setp.eq.u32 %p1, %r7, 0; @%p1 st.global.u32 [%rd2], 5; bar.sync 0; ' +
      '@!%p1 ld.global.u32 %r8, [%rd2]; @!%p1 st.global.u32 [%rd2+256], %r8;',
  },
  {
    name: 'outside, by the last thread',
    place: 'grid 1, block 40',
    body: 'setp.eq.u32 %p1, %r1, 39; @%p1 st.global.u32 [%rd2+4096], 1;',
  },
  {
    name: 'a vector that is not aligned',
    place: 'grid 1, block 32',
    body: 'setp.eq.u32 %p1, %r1, 31; @%p1 ld.global.v2.u32 {%r7, %r8}, [%rd2];',
  },
  {
    name: 'lanes go round a barrier',
    place: 'grid 1, block 32',
    body: 'setp.eq.u32 %p1, %r1, 7; @%p1 bra E; bar.sync 0; E: st.global.u32 [%rd2], 1;',
  },
  {
    name: 'lanes that a guard keeps from what others wait at',
    place: 'grid 1, block 2',
    body: 'setp.eq.u32 %p1, %r1, 0; @%p1 bra M; @%p1 bar.warp.sync 1; M: bar.sync 0;',
  },
  {
    name: 'lanes that wait for themselves each',
    place: 'grid 1, block 3',
    body: 'mov.u32 %r7, %lanemask_eq; setp.eq.u32 %p1, %r1, 0; @%p1 bra M; bar.warp.sync %r7; M: bar.sync 0;',
  },
  {
    name: 'lanes go past by a guard',
    place: 'grid 1, block 2',
    body: 'setp.eq.u32 %p1, %r1, 1; @%p1 st.global.u32 [%rd2], 1; @%p1 ret; bar.sync 0;',
  },
  {
    name: 'lanes go past after they have joined the others again',
    place: 'grid 1, block 2',
    body: 'setp.eq.u32 %p1, %r1, 1; @!%p1 bra J; st.global.u32 [%rd2], 1; J: mov.u32 %r7, 1; @%p1 ret; bar.sync 0;',
  },
  {
    name: 'lanes that come back to where the others wait',
    place: 'grid 1, block 32',
    body:
      `${OWN} setp.lt.u32 %p1, %r1, 16; @%p1 bra F; B: bar.sync 0; ${neighbor(1)} bra.uni E; ` +
      'F: add.u32 %r7, %r1, 1; bra.uni B; E:',
  },
  {
    name: 'a vote of lanes that have left',
    place: 'grid 1, block 32',
    body: 'setp.lt.u32 %p1, %r1, 16; @%p1 bra E; vote.sync.any.pred %p2, %p1, -1; E:',
  },
  {
    name: 'a vote of lanes that vote elsewhere',
    place: 'grid 1, block 32',
    body:
      'setp.lt.u32 %p1, %r1, 16; @%p1 bra F; vote.sync.any.pred %p2, %p1, -1; bra.uni E; ' +
      'F: vote.sync.any.pred %p2, %p1, -1; E:',
  },
  {
    name: 'lanes that meet at two statements',
    place: 'grid 1, block 32',
    body:
      `${OWN} setp.lt.u32 %p1, %r1, 16; @%p1 bra F; bar.warp.sync -1; bra.uni B; F: bar.warp.sync -1; ` +
      `B: ${neighbor(16)}`,
  },
  {
    name: 'lanes that meet others of another mask',
    place: 'grid 1, block 32',
    body:
      `${OWN} setp.lt.u32 %p1, %r1, 16; @%p1 bra F; bar.warp.sync 0xffff0000; bra.uni B; F: bar.warp.sync 0xffff; ` +
      `B: ${neighbor(16)}`,
  },
  {
    name: 'lanes that met the others before they leave',
    place: 'grid 1, block 2',
    body: 'setp.eq.u32 %p1, %r1, 1; @%p1 st.global.u32 [%rd2], 1; bar.warp.sync 3; @%p1 ret; bar.sync 0;',
  },
  {
    name: 'a lane waits for one that comes by another way, and one passes',
    place: 'grid 1, block 3',
    body:
      'setp.eq.u32 %p1, %r1, 2; @%p1 bra X; setp.eq.u32 %p1, %r1, 0; M: @%p1 bar.warp.sync 5; bra.uni E; ' +
      'X: bra.uni M; E: red.relaxed.gpu.global.add.u32 [%rd1], 1;',
  },
  {
    name: 'a lane that goes a loop round once more, and leaves',
    place: 'grid 1, block 2',
    body:
      'mov.u32 %r7, 0; L: red.relaxed.gpu.global.add.u32 [%rd1], 1; add.u32 %r7, %r7, 1; ' +
      'setp.le.u32 %p1, %r7, %r1; @%p1 bra L; setp.eq.u32 %p1, %r1, 1; @%p1 ret; bar.sync 0;',
  },
  {
    name: 'lanes leave',
    place: 'grid 1, block 32',
    body: 'setp.eq.u32 %p1, %r1, 7; @%p1 ret; bar.sync 0; st.global.u32 [%rd2], 1;',
  },
  { name: 'a lane out of the mask', place: 'grid 1, block 32', body: 'bar.warp.sync 0x7fffffff;' },
  {
    name: 'counts that differ',
    place: 'grid 1, block 64',
    body: 'setp.lt.u32 %p1, %r1, 32; @%p1 barrier.sync 1, 64; @!%p1 barrier.sync 1, 96;',
  },
  {
    name: 'a warp that does not come',
    place: 'grid 1, block 64',
    body: 'setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1, 64;',
  },
  {
    name: 'a thread count that is no multiple of a warp',
    place: 'grid 1, block 64',
    body: 'mov.u32 %r7, 48; bar.sync 1, %r7;',
  },
  { name: 'a thread count of none', place: 'grid 1, block 64', body: 'mov.u32 %r7, 0; bar.arrive 1, %r7;' },
  { name: 'a barrier that no CTA has', place: 'grid 1, block 32', body: 'mov.u32 %r7, 16; bar.sync %r7;' },
  {
    name: 'a copy whose source is not as aligned as it is large',
    place: 'grid 1, block 4',
    body:
      'mad.lo.u32 %r3, %r1, 16, %r2; mul.wide.u32 %rd3, %r1, 16; add.s64 %rd3, %rd1, %rd3; ' +
      'cp.async.cg.shared.global [%r3], [%rd3 + 8], 16; cp.async.wait_all;',
  },
  {
    name: 'a copy whose destination is not as aligned as it is large',
    place: 'grid 1, block 4',
    body:
      'mad.lo.u32 %r3, %r1, 8, %r2; mul.wide.u32 %rd3, %r1, 8; add.s64 %rd3, %rd1, %rd3; ' +
      'add.u32 %r3, %r3, 4; cp.async.ca.shared.global [%r3], [%rd3], 8; cp.async.wait_all;',
  },
  {
    name: 'halves of a warp, each behind a barrier of its lanes',
    place: 'grid 1, block 32',
    body: `${OWN} ${HALVES} bar.warp.sync %r7; ${neighbor(8)}`,
  },
  {
    name: 'halves of a warp, each behind a barrier of its lanes, that read each other',
    place: 'grid 1, block 32',
    body: `${OWN} ${HALVES} bar.warp.sync %r7; ${neighbor(16)}`,
  },
  {
    name: 'sums of halves of a warp',
    place: 'grid 1, block 32',
    body: `${HALVES} redux.sync.add.u32 %r8, %r1, %r7; st.global.u32 [%rd2], %r8;`,
  },
  {
    name: 'halves of a warp that give each other their words',
    place: 'grid 1, block 32',
    body: `${HALVES} shfl.sync.bfly.b32 %r8, %r1, 8, 31, %r7; st.global.u32 [%rd2], %r8;`,
  },
  {
    name: 'a half of a warp that is asked for with the other',
    place: 'grid 1, block 32',
    body: `${HALVES} xor.b32 %r7, %r7, -1; redux.sync.add.u32 %r8, %r1, %r7; st.global.u32 [%rd2], %r8;`,
  },
  {
    name: 'an address of shared memory for others',
    place: 'grid 2, block 1',
    body: 'mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; st.global.u64 [%rd2], %rd3;',
  },
  {
    name: 'an address of local memory for lanes of the CTA',
    place: 'grid 1, block 2',
    body:
      '.local .align 4 .b32 l; mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3; mov.u64 %rd4, s; ' +
      'mul.wide.u32 %rd5, %r1, 8; ' +
      'add.s64 %rd4, %rd4, %rd5; st.shared.u64 [%rd4], %rd3;',
  },
  {
    name: 'an address of shared memory for lanes of the CTA',
    place: 'grid 1, block 2',
    body:
      'mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; mov.u64 %rd4, s; mul.wide.u32 %rd5, %r1, 8; ' +
      'add.s64 %rd4, %rd4, %rd5; st.shared.u64 [%rd4], %rd3;',
  },
  {
    name: 'a strong access to local memory',
    place: 'grid 1, block 2',
    body:
      '.local .align 4 .b32 l; mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3; st.relaxed.gpu.u32 [%rd3], %r1; ' +
      'ld.u32 %r7, [%rd3]; st.global.u32 [%rd2], %r7;',
  },
  {
    name: 'a volatile access to local memory',
    place: 'grid 1, block 2',
    body:
      '.local .align 4 .b32 l; mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3; st.volatile.u32 [%rd3], %r1; ' +
      'ld.u32 %r7, [%rd3]; st.global.u32 [%rd2], %r7;',
  },
  { name: 'a trap of one', place: 'grid 1, block 32', body: 'setp.eq.u32 %p1, %r1, 3; @%p1 trap;' },
  {
    name: 'reductions of a barrier',
    place: 'grid 1, block 64',
    body: 'setp.gt.u32 %p1, %r1, 40; bar.red.popc.u32 %r7, 0, %p1; st.global.u32 [%rd2], %r7;',
  },
  {
    name: 'shuffles',
    place: 'grid 1, block 32',
    body: 'shfl.sync.down.b32 %r7|%p1, %r1, 3, 31, -1; @%p1 add.u32 %r7, %r7, 100; st.global.u32 [%rd2], %r7;',
  },
  {
    name: 'a shuffle of half a warp',
    place: 'grid 1, block 32',
    body:
      'setp.lt.u32 %p1, %r1, 16; @!%p1 bra E; shfl.sync.idx.b32 %r7, %r1, 5, 31, 0xffff; ' +
      'st.global.u32 [%rd2], %r7; E:',
  },
  {
    name: 'ways that join',
    place: 'grid 1, block 32',
    body:
      'and.b32 %r7, %r1, 3; setp.eq.u32 %p1, %r7, 0; mov.u32 %r8, 1; @%p1 bra E; mov.u32 %r8, 2; ' +
      'E: shfl.sync.idx.b32 %r9, %r8, 4, 31, -1; st.global.u32 [%rd2], %r9;',
  },
  { name: 'an open value', place: 'grid 1, block 32', body: 'mov.u32 %r7, %clock; st.global.u32 [%rd2], %r7;' },
  {
    name: 'an open branch',
    place: 'grid 1, block 32',
    body: 'mov.u32 %r7, %clock; setp.eq.u32 %p1, %r7, 0; @%p1 st.global.u32 [%rd2], 1;',
  },
  { name: 'a fence before a race', place: 'grid 2, block 32', body: 'fence.acq_rel.gpu; st.global.u32 [%rd1], 1;' },
  ...MBARRIER_KERNELS,
  ...POLL_KERNELS,
  ...VOTE_KERNELS,
  ...TOLD_KERNELS,
  ...WAIT_KERNELS,
  ...LOCK_KERNELS,
  ...MATRIX_KERNELS,
  ...TENSOR_KERNELS,
  ...PAIR_KERNELS,
  ...WAY_KERNELS,
  ...COHERENCE_KERNELS,
  ...RETRY_KERNELS,
  ...SAME_VALUE_KERNELS,
  ...SEMAPHORE_KERNELS,
  ...LAST_KERNELS,
  ...TICKET_LOCK_KERNELS,
  ...CLUSTER_KERNELS,
  ...ASYNC_KERNELS,
  ...PIPELINE_KERNELS,
  ...ELECTION_KERNELS,
  ...CANCEL_KERNELS,
  ...OPEN_KERNELS,
  ...WORD_KERNELS,
  ...QUEUE_KERNELS,
];
