import { neighbor, OWN, type SmallKernel } from './small-kernel.js';

/** An mbarrier of so many arrivals, which thread 0 initializes; what waits for a phase of it, and what arrives. */
const init = (count: number): string =>
  `.shared .align 8 .b64 m; setp.ne.u32 %p3, %r1, 0; @%p3 bra I; mbarrier.init.shared::cta.b64 [m], ${count}; ` +
  'I: bar.sync 0;';
const wait = (label: string, parity: string, how = ''): string =>
  `${label}: mbarrier.try_wait.parity${how}.shared::cta.b64 %p4, [m], ${parity}; @!%p4 bra ${label};`;
const ARRIVE = 'mbarrier.arrive.shared::cta.b64 _, [m];';
/** Warp 0 does the first, warp 1 the second. */
const either = (first: string, second: string): string =>
  `setp.lt.u32 %p1, %r1, 32; @!%p1 bra B; ${first} bra.uni E; B: ${second} E:`;
/** Thread 0 does it. */
const alone = (label: string, what: string): string => `@%p3 bra ${label}; ${what} ${label}:`;
const EXPECT = 'mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 256;';
const LOAD = 'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [m];';
const STORE = 'cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256; cp.async.bulk.commit_group;';
const READ = 'mad.lo.u32 %r3, %r1, 4, %r2; ld.shared.u32 %r6, [%r3]; st.global.u32 [%rd2 + 512], %r6;';

/** A try of a parity, whose result is in `%r9`; and a wait if it has failed. */
const tried = (parity: string, how = ''): string =>
  `mbarrier.try_wait.parity${how}.shared::cta.b64 %p5, [m], ${parity}; selp.b32 %r9, 1, 0, %p5;`;
const unless = (label: string, parity: string): string =>
  `setp.eq.u32 %p6, %r9, 1; @%p6 bra S${label}; ${wait(`W${label}`, parity)} S${label}:`;

const PAIR = 'grid 1, block 64';
/** Kernels that order what they share by mbarriers, bulk copies and fences of the async proxy, and mistakes there. */
export const MBARRIER_KERNELS: readonly SmallKernel[] = [
  {
    name: 'arrivals at an mbarrier',
    place: PAIR,
    body: init(32) + either(OWN + ARRIVE, wait('W', '0') + neighbor(32)),
  },
  {
    name: 'an arrival that is missing',
    place: PAIR,
    body: init(33) + either(OWN + ARRIVE, wait('W', '0') + neighbor(32)),
  },
  {
    name: 'a wait for the other parity',
    place: PAIR,
    body: init(32) + either(OWN + ARRIVE, wait('W', '1') + neighbor(32)),
  },
  { name: 'a wait that may miss its phase', place: PAIR, body: init(32) + either(ARRIVE, wait('W', '1')) },
  {
    name: 'an init that others may not see',
    place: PAIR,
    body: init(32).replace('bar.sync 0;', '') + either(OWN + ARRIVE, wait('W', '0') + neighbor(32)),
  },
  {
    name: 'relaxed arrivals',
    place: PAIR,
    body:
      init(32) + either(`${OWN} mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [m];`, wait('W', '0') + neighbor(32)),
  },
  {
    name: 'relaxed arrivals behind fences',
    place: PAIR,
    body:
      init(32) +
      either(
        `${OWN} fence.acq_rel.cta; mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [m];`,
        wait('W', '0') + neighbor(32),
      ),
  },
  {
    name: 'relaxed arrivals before fences',
    place: PAIR,
    body:
      init(32) +
      either(
        `${OWN} mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [m]; fence.acq_rel.cta;`,
        wait('W', '0') + neighbor(32),
      ),
  },
  {
    name: 'relaxed arrivals behind fences that come too early',
    place: PAIR,
    body:
      init(32) +
      either(
        `fence.acq_rel.cta; ${OWN} mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [m];`,
        wait('W', '0') + neighbor(32),
      ),
  },
  {
    name: 'relaxed arrivals behind fences that acquire',
    place: PAIR,
    body:
      init(32) +
      either(
        `${OWN} fence.acquire.cta; mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [m];`,
        wait('W', '0') + neighbor(32),
      ),
  },
  {
    name: 'relaxed arrivals behind fences of some accesses only',
    place: PAIR,
    body:
      init(32) +
      either(
        `${OWN} fence.mbarrier_init.release.cluster; mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [m];`,
        wait('W', '0') + neighbor(32),
      ),
  },
  {
    name: 'a relaxed wait before a fence',
    place: PAIR,
    body: init(32) + either(OWN + ARRIVE, `${wait('W', '0', '.relaxed.cta')} fence.acq_rel.cta; ${neighbor(32)}`),
  },
  {
    name: 'a relaxed wait before a fence that releases',
    place: PAIR,
    body: init(32) + either(OWN + ARRIVE, `${wait('W', '0', '.relaxed.cta')} fence.release.cta; ${neighbor(32)}`),
  },
  {
    name: 'a relaxed wait',
    place: PAIR,
    body: init(32) + either(OWN + ARRIVE, wait('W', '0', '.relaxed.cta') + neighbor(32)),
  },
  {
    name: 'two rounds of an mbarrier',
    place: PAIR,
    body:
      `${init(64)} mov.u32 %r7, 0; L: add.u32 %r8, %r1, %r7; mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], %r8; ` +
      `${ARRIVE} ${wait('W', '%r7')} ${neighbor(32)} bar.sync 0; ` +
      'add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 2; @%p1 bra L;',
  },
  {
    name: 'two rounds of an mbarrier, and nothing between',
    place: PAIR,
    body:
      `${init(64)} mov.u32 %r7, 0; L: ${ARRIVE} ${wait('W', '%r7')} ` +
      'add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 2; @%p1 bra L;',
  },
  {
    name: 'two rounds, and one waits for the second alone',
    place: PAIR,
    body: `${init(64)} ${ARRIVE} ${either(wait('V', '0'), '')} ${ARRIVE} ${wait('W', '1')}`.replace(/ E:/, ' E: '),
  },
  {
    name: 'two rounds, one parity',
    place: PAIR,
    body: `${init(64)} ${ARRIVE} ${wait('V', '0')} ${OWN} ${ARRIVE} ${wait('W', '0')} ${neighbor(32)}`,
  },
  { name: 'two phases in one instruction', place: 'grid 1, block 32', body: `${init(16)} ${ARRIVE}` },
  {
    name: 'a token',
    place: PAIR,
    body:
      `${init(64)} ${OWN} mbarrier.arrive.shared::cta.b64 %rd5, [m]; ` +
      `W: mbarrier.try_wait.shared::cta.b64 %p4, [m], %rd5; @!%p4 bra W; ${neighbor(32)}`,
  },
  {
    name: 'a try that is not made again',
    place: PAIR,
    body: `${init(64)} ${ARRIVE} mbarrier.test_wait.parity.shared::cta.b64 %p4, [m], 0; @%p4 st.global.u32 [%rd2], 1;`,
  },
  {
    name: 'a try, and a wait if it has failed',
    place: PAIR,
    body: `${init(64)} ${OWN} ${ARRIVE} ${tried('0')} ${unless('1', '0')} ${neighbor(32)}`,
  },
  {
    name: 'a try, and a wait if it has failed, which also tells',
    place: PAIR,
    body:
      `${init(64)} ${OWN} ${ARRIVE} ${tried('0')} st.global.u32 [%rd2 + 512], %r9; ` +
      `${unless('1', '0')} ${neighbor(32)}`,
  },
  {
    name: 'a try, and what needs the phase before the wait',
    place: PAIR,
    body: `${init(64)} ${OWN} ${ARRIVE} ${tried('0')} ${neighbor(32)} ${unless('1', '0')}`,
  },
  {
    name: 'rounds of tries, each for the next',
    place: PAIR,
    body:
      `${init(64)} mov.u32 %r7, 0; ${ARRIVE} ${tried('0')} L: ${unless('1', '%r7')} add.u32 %r7, %r7, 1; ` +
      `setp.ge.u32 %p1, %r7, 2; @%p1 bra X; ${OWN} ${ARRIVE} ${tried('%r7')} bra L; X: ${neighbor(32)}`,
  },
  {
    name: 'a try that has told before, and a wait for the next phase',
    place: PAIR,
    body:
      `${init(64)} ${ARRIVE} ${tried('0')} ${unless('1', '0')} ${OWN} ${ARRIVE} ` +
      `${unless('2', '1')} ${neighbor(32)}`,
  },
  {
    name: 'a try that others may come behind',
    place: PAIR,
    body:
      `${init(64)} mov.u32 %r9, 0; ${either(`${ARRIVE} ${tried('1')}`, ARRIVE)} ${wait('V', '0')} ${OWN} ${ARRIVE} ` +
      `${unless('2', '1')} ${neighbor(32)}`,
  },
  {
    name: 'a try of one order, and a wait of another',
    place: PAIR,
    body: `${init(64)} ${OWN} ${ARRIVE} ${tried('0', '.relaxed.cta')} ${unless('1', '0')} ${neighbor(32)}`,
  },
  {
    name: 'a wait that gives up',
    place: PAIR,
    body:
      `${init(64)} ${ARRIVE} mov.u32 %r7, 0; L: mbarrier.try_wait.parity.shared::cta.b64 %p4, [m], 0; @%p4 bra O; ` +
      'add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 9; @%p1 bra L; O: st.global.u32 [%rd2], %r7;',
  },
  {
    name: 'a wait that gives up at once',
    place: PAIR,
    body:
      `${init(64)} ${ARRIVE} setp.ge.u32 %p1, %r1, 0; L: mbarrier.try_wait.parity.shared::cta.b64 %p4, [m], 0; ` +
      '@%p4 bra O; @%p1 bra G; bra L; G: st.global.u32 [%rd2], 1; O:',
  },
  {
    name: 'an arrival that drops out',
    place: PAIR,
    body:
      init(64) +
      either(
        `mbarrier.arrive_drop.shared::cta.b64 _, [m]; ${OWN}`,
        `${ARRIVE} ${wait('W', '0')} ${OWN} ${ARRIVE} ${wait('V', '1')} xor.b32 %r4, %r1, 1; ` +
          'mad.lo.u32 %r5, %r4, 4, %r2; ld.shared.u32 %r6, [%r5];',
      ),
  },
  {
    name: 'an mbarrier that is invalidated in the end',
    place: PAIR,
    body: `${init(64)} ${ARRIVE} ${wait('W', '0')} bar.sync 0; ${alone('F', 'mbarrier.inval.shared::cta.b64 [m];')}`,
  },
  {
    name: 'an mbarrier that is initialized again',
    place: PAIR,
    body:
      `${init(64)} ${ARRIVE} ${wait('W', '0')} bar.sync 0; ` +
      `${alone('F', 'mbarrier.inval.shared::cta.b64 [m]; mbarrier.init.shared::cta.b64 [m], 64;')} bar.sync 0; ` +
      `${OWN} ${ARRIVE} ${wait('V', '0')} ${neighbor(32)}`,
  },
  {
    name: 'an mbarrier that is initialized again, perhaps too early',
    place: PAIR,
    body:
      `${init(64)} ${ARRIVE} ${wait('W', '0')} setp.ne.u32 %p4, %r1, 32; bar.sync 0; ` +
      `@%p4 bra G; mbarrier.inval.shared::cta.b64 [m]; G: ${alone('F', 'mbarrier.init.shared::cta.b64 [m], 64;')} ` +
      `bar.sync 0; ${ARRIVE} ${wait('V', '0')}`,
  },
  {
    name: 'an mbarrier that is initialized again by another thread',
    place: PAIR,
    body:
      `${init(64)} ${ARRIVE} ${wait('W', '0')} bar.sync 0; ${alone('F', 'mbarrier.inval.shared::cta.b64 [m];')} ` +
      'setp.ne.u32 %p4, %r1, 32; @%p4 bra G; mbarrier.init.shared::cta.b64 [m], 64; G: bar.sync 0; ' +
      `${ARRIVE} ${wait('V', '0')}`,
  },
  {
    name: 'an mbarrier that is invalidated too early',
    place: PAIR,
    body: `${init(64)} ${ARRIVE} ${wait('W', '0')} ${alone('F', 'mbarrier.inval.shared::cta.b64 [m];')}`,
  },
  {
    name: 'an mbarrier that is invalidated before a wait, perhaps',
    place: PAIR,
    body:
      init(64) +
      ARRIVE +
      either(
        wait('W', '0'),
        `setp.ne.u32 %p3, %r1, 32; ${alone('G', `${wait('V', '0')} mbarrier.inval.shared::cta.b64 [m];`)}`,
      ),
  },
  {
    name: 'lanes at a barrier, one of which waits for the other warp',
    place: PAIR,
    body:
      init(32) +
      either(OWN + ARRIVE, `setp.ne.u32 %p3, %r1, 32; ${alone('G', wait('V', '0'))} bar.sync 1, 32; ${neighbor(32)}`),
  },
  {
    name: 'what was written before a copy, behind the copy',
    place: PAIR,
    body:
      init(1) +
      either(
        alone('G', `st.shared.u32 [%r2 + 512], 5; ${LOAD}`),
        `setp.ne.u32 %p3, %r1, 32; ${alone('H', EXPECT)} ${wait('W', '0')} ld.shared.u32 %r6, [%r2 + 512];`,
      ),
  },
  { name: 'a bulk copy', place: PAIR, body: `${init(1)} ${alone('F', EXPECT + LOAD)} ${wait('W', '0')} ${READ}` },
  {
    name: 'a bulk copy that comes before what expects it',
    place: PAIR,
    body: `${init(1)} ${alone('F', LOAD + EXPECT)} ${wait('W', '0')} ${READ}`,
  },
  { name: 'a bulk copy that is not waited for', place: PAIR, body: `${init(1)} ${alone('F', EXPECT + LOAD)} ${READ}` },
  {
    name: 'a bulk copy of other bytes than are expected',
    place: PAIR,
    body: `${init(1)} ${alone('F', EXPECT.replace('256', '512') + LOAD)} ${wait('W', '0')} ${READ}`,
  },
  {
    name: 'two bulk copies, of which the bytes of one are expected',
    place: PAIR,
    body:
      `${init(2)} ${alone('F', `${LOAD} ${EXPECT}`.replaceAll('256', '128'))} setp.ne.u32 %p3, %r1, 32; ` +
      `${alone('G', LOAD.replace('256', '128').replace('[s]', '[s + 128]') + ARRIVE)} ${wait('W', '0')} ${READ}`,
  },
  {
    name: 'a bulk copy over what was written',
    place: PAIR,
    body: `${init(1)} ${OWN} bar.sync 0; ${alone('F', EXPECT + LOAD)} ${wait('W', '0')} ${READ}`,
  },
  {
    name: 'a bulk copy over what was written, behind a fence of each',
    place: PAIR,
    body: `${init(1)} ${OWN} fence.proxy.async; bar.sync 0; ${alone('F', EXPECT + LOAD)} ${wait('W', '0')} ${READ}`,
  },
  {
    name: 'a bulk copy over what was written, behind a fence before that',
    place: PAIR,
    body: `${init(1)} fence.proxy.async; ${OWN} bar.sync 0; ${alone('F', EXPECT + LOAD)} ${wait('W', '0')} ${READ}`,
  },
  {
    name: 'a bulk copy over what was written, behind a fence of its own',
    place: PAIR,
    body:
      `${init(1)} ${OWN} bar.sync 0; ${alone('F', `fence.proxy.async.shared::cta; ${EXPECT} ${LOAD}`)} ` +
      `${wait('W', '0')} ${READ}`,
  },
  {
    name: 'a bulk copy over what was written, behind a fence of other memory',
    place: PAIR,
    body:
      `${init(1)} ${OWN} bar.sync 0; ${alone('F', `fence.proxy.async.global; ${EXPECT} ${LOAD}`)} ` +
      `${wait('W', '0')} ${READ}`,
  },
  {
    name: 'bulk copies one after the other',
    place: PAIR,
    body:
      `${init(64)} ${alone('F', `${EXPECT} ${LOAD} bra.uni H;`)} ${ARRIVE} H: ${wait('V', '0')} ` +
      `${alone('G', `${EXPECT} ${LOAD} bra.uni J;`)} ${ARRIVE} J: ${wait('W', '1')} ${READ}`,
  },
  {
    name: 'bulk copies at once',
    place: PAIR,
    body: `${init(1)} ${alone('F', EXPECT.replace('256', '512') + LOAD + LOAD)} ${wait('W', '0')} ${READ}`,
  },
  {
    name: 'a source that two copies read, one of which is waited for',
    place: 'grid 1, block 32',
    body:
      '.shared .align 8 .b64 q[2]; setp.ne.u32 %p3, %r1, 0; @%p3 bra F; mov.u32 %r7, q; mov.u32 %r8, %r2; ' +
      'mbarrier.init.shared::cta.b64 [q], 1; mbarrier.init.shared::cta.b64 [q + 8], 1; mov.u32 %r9, 0; ' +
      'L: mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 256; ' +
      'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r8], [%rd1], 256, [%r7]; ' +
      'add.u32 %r7, %r7, 8; add.u32 %r8, %r8, 256; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 2; @%p1 bra L; ' +
      'W: mbarrier.try_wait.parity.shared::cta.b64 %p4, [q + 8], 0; @!%p4 bra W; st.global.u32 [%rd1], 1; F:',
  },
  {
    name: 'a bulk copy for the lanes of its warp',
    place: 'grid 1, block 32',
    body: `${init(1)} ${alone('F', EXPECT + LOAD)} ${wait('W', '0')} bar.warp.sync -1; ${READ}`,
  },
  {
    name: 'what is expected apart, in time',
    place: PAIR,
    body:
      init(64) +
      alone('F', `mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [m], 256; ${LOAD}`) +
      `${ARRIVE} ${wait('W', '0')} ${READ}`,
  },
  {
    name: 'what is expected apart, perhaps too late',
    place: PAIR,
    body:
      init(32) +
      either(
        alone('F', `mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [m], 256; ${LOAD}`),
        `${ARRIVE} ${wait('W', '0')} ${READ}`,
      ),
  },
  {
    name: 'what is expected apart, before its own copy alone',
    place: PAIR,
    body:
      init(32) +
      either(
        `${ARRIVE} ${wait('W', '0')} ${READ}`,
        `setp.ne.u32 %p3, %r1, 32; ${alone('F', `mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [m], 256; ${LOAD}`)}`,
      ) +
      wait('V', '0'),
  },
  {
    name: 'copies that arrive besides, in a phase that may not wait for them',
    place: PAIR,
    body:
      init(32) +
      either(ARRIVE, 'cp.async.ca.shared.global [%r2], [%rd2], 4; cp.async.mbarrier.arrive.shared::cta.b64 [m];') +
      wait('V', '0'),
  },
  {
    name: 'a bulk store',
    place: PAIR,
    body:
      `${init(1)} ${OWN} fence.proxy.async; bar.sync 0; ` +
      `${alone('F', `${STORE} cp.async.bulk.wait_group 0;`)} bar.sync 0; ld.global.u32 %r6, [%rd2]; ` +
      'st.global.u32 [%rd2 + 512], %r6;',
  },
  {
    name: 'a bulk store whose source alone is waited for',
    place: PAIR,
    body:
      `${init(1)} ${OWN} fence.proxy.async; bar.sync 0; ` +
      `${alone('F', `${STORE} cp.async.bulk.wait_group.read 0;`)} bar.sync 0; ld.global.u32 %r6, [%rd2];`,
  },
  {
    name: 'a bulk store whose source is written once it is read',
    place: PAIR,
    body:
      `${init(1)} ${OWN} fence.proxy.async; bar.sync 0; ` +
      `${alone('F', `${STORE} cp.async.bulk.wait_group.read 0;`)} bar.sync 0; ${OWN}`,
  },
  {
    name: 'a bulk store without a fence',
    place: PAIR,
    body: `${init(1)} ${OWN} bar.sync 0; ${alone('F', `${STORE} cp.async.bulk.wait_group 0;`)}`,
  },
  {
    name: 'a bulk store, and a grid behind it',
    place: PAIR,
    more: ', after K',
    body: `${init(1)} ${OWN} fence.proxy.async; bar.sync 0; ${alone('F', STORE)} `,
  },
  {
    name: 'bulk stores of two grids',
    place: PAIR,
    more: ', after K',
    body: `setp.ne.u32 %p3, %r1, 0; ${alone('F', STORE)}`,
  },
  {
    name: 'copies of each thread, which arrive',
    place: PAIR,
    body:
      `${init(64)} mul.lo.u32 %r7, %r1, 4; add.u32 %r7, %r2, %r7; cp.async.ca.shared.global [%r7], [%rd2], 4; ` +
      `cp.async.mbarrier.arrive.noinc.shared::cta.b64 [m]; ${wait('W', '0')} xor.b32 %r4, %r1, 32; ` +
      'mad.lo.u32 %r5, %r4, 4, %r2; ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd2 + 512], %r6;',
  },
  {
    name: 'copies of each thread, which arrive besides',
    place: PAIR,
    body:
      `${init(64)} mul.lo.u32 %r7, %r1, 4; add.u32 %r7, %r2, %r7; cp.async.ca.shared.global [%r7], [%rd2], 4; ` +
      `cp.async.mbarrier.arrive.shared::cta.b64 [m]; ${ARRIVE} ${wait('W', '0')} xor.b32 %r4, %r1, 32; ` +
      'mad.lo.u32 %r5, %r4, 4, %r2; ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd2 + 512], %r6;',
  },
  {
    name: 'copies that an arrival does not tell of',
    place: PAIR,
    body:
      `${init(64)} mul.lo.u32 %r7, %r1, 4; add.u32 %r7, %r2, %r7; cp.async.ca.shared.global [%r7], [%rd2], 4; ` +
      `${ARRIVE} ${wait('W', '0')} xor.b32 %r4, %r1, 32; mad.lo.u32 %r5, %r4, 4, %r2; ld.shared.u32 %r6, [%r5];`,
  },
  {
    name: 'a word of an mbarrier that is read',
    place: PAIR,
    body: `${init(64)} ld.shared.u32 %r6, [m];`,
  },
  {
    name: 'lanes at a barrier, one of which waits for ever',
    place: 'grid 1, block 32',
    body: `${init(1)} ${alone('F', wait('W', '0'))} bar.sync 0;`,
  },
];
