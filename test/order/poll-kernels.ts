import type { SmallKernel } from './small-kernel.js';

const FLAG = '[%rd1 + 1020]';
/** CTA 0 does the first, CTA 1 the second; `%p3`: it is not thread 0. */
const either = (first: string, second: string): string =>
  'mov.u32 %r7, %ctaid.x; setp.ne.u32 %p1, %r7, 0; setp.ne.u32 %p3, %r1, 0; ' +
  `@%p1 bra B; ${first} bra.uni E; B: ${second} E:`;
/** Thread 0 does it, and the others of its CTA come after it, or before it. */
const first = (label: string, what: string): string => `@%p3 bra ${label}; ${what} ${label}: bar.sync 0;`;
const last = (label: string, what: string): string => `bar.sync 0; @%p3 bra ${label}; ${what} ${label}:`;
const poll = (label: string, load: string, until: string): string =>
  `${label}: ${load}.global.u32 %r8, ${FLAG}; setp.${until}; @!%p4 bra ${label};`;
const ACQUIRE = poll('W', 'ld.acquire.gpu', 'ne.u32 %p4, %r8, 0');
const RELAXED = poll('W', 'ld.relaxed.gpu', 'ne.u32 %p4, %r8, 0');
const RELEASE = `st.release.gpu.global.u32 ${FLAG}, 1;`;
const set = (how: string, value: number): string => `st.${how}.global.u32 ${FLAG}, ${value};`;
const FENCE = 'fence.acq_rel.gpu;';
const ADD = `red.release.gpu.global.add.u32 ${FLAG}, 1;`;
const TICKET = `atom.acq_rel.gpu.global.add.u32 %r11, ${FLAG}, 1;`;
const COUNT = `membar.gl; atom.relaxed.gpu.global.add.u32 %r11, ${FLAG}, 1;`;
const GIVE = 'st.global.u32 [%rd2], %r1;';
const TAKE = 'ld.global.u32 %r6, [%rd2]; st.global.u32 [%rd2 + 256], %r6;';
const PAIR = 'grid 2, block 32, gpu 0';

const TAKEN = 'bar.sync 0; ld.global.u32 %r6, [%rd4]; st.global.u32 [%rd3 + 256], %r6;';
/** Waits for more than what was found in a count. */
const MORE = [
  'atom.relaxed.gpu.global.add.u32 %r11, [%rd1 + 1016], 1;',
  poll('W', 'ld.relaxed.gpu', 'gt.u32 %p4, %r8, %r11'),
].join(' ');
/** Both CTAs give, come together by a count, and take from each other. */
const together = (count: string, until: string, taken = TAKEN): string =>
  'mov.u32 %r7, %ctaid.x; setp.ne.u32 %p3, %r1, 0; mad.lo.u32 %r9, %r7, 32, %r1; mul.wide.u32 %rd3, %r9, 4; ' +
  'add.s64 %rd3, %rd1, %rd3; xor.b32 %r10, %r9, 32; mul.wide.u32 %rd4, %r10, 4; add.s64 %rd4, %rd1, %rd4; ' +
  `st.global.u32 [%rd3], %r9; bar.sync 0; @%p3 bra L; ${count} ${until} L: ${taken}`;

/** CTA 1 copies what CTA 0 has given, and looks at it. */
const copied = (given: string, found: string): string =>
  `.shared .align 8 .b64 m; mov.u32 %r7, %ctaid.x; setp.ne.u32 %p1, %r7, 0; @%p1 bra B; ` +
  `st.global.u32 [%rd1], 7; ${given} ${RELEASE} bra.uni E; ` +
  `B: mbarrier.init.shared::cta.b64 [m], 1; ${ACQUIRE} ${found} ` +
  'mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 16; ' +
  'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 16, [m]; ' +
  'V: mbarrier.try_wait.parity.shared::cta.b64 %p5, [m], 0; @!%p5 bra V; ' +
  'ld.shared.u32 %r6, [s]; st.global.u32 [%rd1 + 256], %r6; E:';
/** A loop of atomics until they find something else than 0. */
const LOOK = (atomic: string, values: string, label = 'W'): string =>
  `${label}: ${atomic} %r8, ${FLAG}, ${values}; setp.ne.u32 %p4, %r8, 0; @!%p4 bra ${label};`;
/** Each CTA but the first puts what it takes into a place of its own. */
const TAKEN_APART =
  'ld.global.u32 %r6, [%rd2]; mad.lo.u32 %r9, %r7, 32, %r1; mul.wide.u32 %rd3, %r9, 4; add.s64 %rd3, %rd1, %rd3; ' +
  'st.global.u32 [%rd3 + 128], %r6;';
/** Kernels whose threads wait for what others write, and mistakes there. */
export const POLL_KERNELS: readonly SmallKernel[] = [
  {
    name: 'a flag that is released and acquired',
    place: PAIR,
    body: either(GIVE + last('A', RELEASE), first('C', ACQUIRE) + TAKE),
  },
  {
    name: 'a flag that is looked at by atomics that change nothing',
    place: PAIR,
    body: either(
      GIVE + last('A', RELEASE),
      first('C', LOOK('atom.acquire.gpu.global.add.u32', '0') + LOOK('atom.relaxed.gpu.global.cas.b32', '1, 1', 'V')) +
        TAKE,
    ),
  },
  {
    name: 'a flag that is looked at by atomics that change nothing, relaxed',
    place: PAIR,
    body: either(GIVE + last('A', RELEASE), first('C', LOOK('atom.relaxed.gpu.global.or.b32', '0')) + TAKE),
  },
  {
    name: 'a flag that two CTAs look at by atomics that change nothing',
    place: 'grid 3, block 32, gpu 0',
    body: either(GIVE + last('A', RELEASE), first('C', LOOK('atom.acquire.gpu.global.add.u32', '0')) + TAKEN_APART),
  },
  {
    name: 'a flag that is looked at by atomics in the scope of a CTA',
    place: PAIR,
    body: either(GIVE + last('A', RELEASE), first('C', LOOK('atom.acquire.cta.global.add.u32', '0')) + TAKE),
  },
  {
    name: 'a flag that is set by a weak store, and looked at by atomics',
    place: PAIR,
    body: either(
      GIVE + last('A', `st.global.u32 ${FLAG}, 1;`),
      first('C', LOOK('atom.acquire.gpu.global.add.u32', '0')) + TAKE,
    ),
  },
  {
    name: 'a flag whose setter has read it, and that is looked at by atomics',
    place: PAIR,
    body: either(
      GIVE + last('A', `ld.global.u32 %r9, ${FLAG}; ${RELEASE}`),
      first('C', LOOK('atom.acquire.gpu.global.add.u32', '0')) + TAKE,
    ),
  },
  {
    name: 'a loop of atomics that ends by itself',
    place: 'grid 1, block 1, gpu 0',
    body: `${LOOK('atom.acquire.gpu.global.add.u32', '1')} st.global.u32 [%rd2], 1;`,
  },
  {
    name: 'a flag that is acquired in the CTA before it is acquired in the GPU',
    place: PAIR,
    body: either(
      GIVE + last('A', FENCE + set('relaxed.gpu', 1)),
      first('C', `${RELAXED} fence.acq_rel.cta; ${FENCE}`) + TAKE,
    ),
  },
  {
    name: 'a flag between fences',
    place: PAIR,
    body: either(GIVE + last('A', FENCE + set('relaxed.gpu', 1)), first('C', RELAXED + FENCE) + TAKE),
  },
  {
    name: 'a relaxed write behind the release',
    place: PAIR,
    body: either(
      GIVE + last('A', RELEASE + set('relaxed.gpu', 2)),
      first('C', poll('W', 'ld.acquire.gpu', 'eq.u32 %p4, %r8, 2')) + TAKE,
    ),
  },
  {
    name: 'what is given behind the release',
    place: PAIR,
    body: either(last('A', `${RELEASE} ${GIVE} ${set('relaxed.gpu', 2)}`), first('C', ACQUIRE) + TAKE),
  },
  {
    name: 'a flag that is not released',
    place: PAIR,
    body: either(GIVE + last('A', set('relaxed.gpu', 1)), first('C', ACQUIRE) + TAKE),
  },
  {
    name: 'a flag that is not acquired',
    place: PAIR,
    body: either(GIVE + last('A', RELEASE), first('C', RELAXED) + TAKE),
  },
  {
    name: 'a flag that is released to the CTA',
    place: PAIR,
    body: either(GIVE + last('A', set('release.cta', 1)), first('C', ACQUIRE) + TAKE),
  },
  {
    name: 'a fence of the CTA',
    place: PAIR,
    body: either(GIVE + last('A', `fence.acq_rel.cta; ${set('relaxed.gpu', 1)}`), first('C', ACQUIRE) + TAKE),
  },
  {
    name: 'one of two writes in a scope that is too narrow',
    place: PAIR,
    body: either(
      GIVE + last('A', set('relaxed.cta', 1) + set('release.gpu', 2)),
      first('C', poll('W', 'ld.acquire.gpu', 'eq.u32 %p4, %r8, 2')) + TAKE,
    ),
  },
  { name: 'a flag that nobody sets', place: PAIR, body: either(GIVE, first('C', ACQUIRE) + TAKE) },
  {
    name: 'a flag that is taken back',
    place: PAIR,
    body: either(GIVE + last('A', RELEASE + set('relaxed.gpu', 0)), first('C', ACQUIRE) + TAKE),
  },
  {
    name: 'a flag that another one may take back',
    place: PAIR,
    body: either(
      `${GIVE} bar.sync 0; setp.eq.u32 %p5, %r1, 0; setp.eq.u32 %p6, %r1, 1; ` +
        `@%p5 ${set('relaxed.gpu', 0)} @%p6 ${RELEASE}`,
      first('C', ACQUIRE) + TAKE,
    ),
  },
  {
    name: 'a flag that who has found it writes again',
    place: PAIR,
    body: either(last('A', set('relaxed.gpu', 1)), first('C', `${RELAXED}st.global.u32 ${FLAG}, 7;`)),
  },
  {
    name: 'a flag that goes to and fro',
    place: PAIR,
    body: either(
      `${GIVE + last('A', RELEASE + poll('V', 'ld.acquire.gpu', 'eq.u32 %p4, %r8, 0'))}bar.sync 0; ${GIVE}`,
      first('C', ACQUIRE) + TAKE + last('D', set('release.gpu', 0)),
    ),
  },
  {
    name: 'two that set a flag to one value',
    place: PAIR,
    body: either(`${GIVE}setp.lt.u32 %p5, %r1, 2; bar.sync 0; @%p5 ${RELEASE}`, first('C', ACQUIRE) + TAKE),
  },
  {
    name: 'two that set a flag to two values, one of which is used',
    place: PAIR,
    body: either(
      `setp.lt.u32 %p5, %r1, 2; add.u32 %r8, %r1, 1; @%p5 st.release.gpu.global.u32 ${FLAG}, %r8;`,
      first('C', `${ACQUIRE} st.global.u32 [%rd1], %r8;`),
    ),
  },
  {
    name: 'a writer that goes ahead',
    place: PAIR,
    body: either(
      last('A', `${GIVE} ${RELEASE} st.global.u32 [%rd2 + 4], 7; ${set('release.gpu', 2)}`),
      first('C', `${ACQUIRE} ld.global.u32 %r6, [%rd1]; st.global.u32 [%rd1 + 256], %r6;`),
    ),
  },
  {
    name: 'a reader that goes ahead of the writer',
    place: PAIR,
    body: either(
      last('A', `${GIVE} ${RELEASE} st.global.u32 [%rd2 + 4], 7; ${set('release.gpu', 2)}`),
      first('C', `${ACQUIRE} ld.global.u32 %r6, [%rd1 + 4]; st.global.u32 [%rd1 + 256], %r6;`),
    ),
  },
  {
    name: 'half of a flag',
    place: PAIR,
    body: either(GIVE + last('A', 'st.release.gpu.global.u16 [%rd1 + 1020], 1;'), first('C', ACQUIRE) + TAKE),
  },
  {
    name: 'a flag in shared memory',
    place: 'grid 1, block 64',
    body:
      'setp.ne.u32 %p3, %r1, 0; @%p3 bra I; st.shared.u32 [s], 0; I: bar.sync 0; ' +
      'setp.ge.u32 %p1, %r1, 32; @%p1 bra B; ' +
      `${GIVE} bar.warp.sync -1; @%p3 bra E; st.release.cta.shared.u32 [s], 1; bra.uni E; ` +
      'B: ld.acquire.cta.shared.u32 %r8, [s]; setp.eq.u32 %p4, %r8, 0; @%p4 bra B; ' +
      'ld.global.u32 %r6, [%rd2 - 128]; st.global.u32 [%rd2 + 256], %r6; E:',
  },
  {
    name: 'a weak load in a loop',
    place: PAIR,
    body: either(GIVE + last('A', RELEASE), first('C', poll('W', 'ld.weak', 'ne.u32 %p4, %r8, 0')) + TAKE),
  },
  {
    name: 'a count by all, who go on then',
    place: PAIR,
    body: together(ADD, poll('W', 'ld.acquire.gpu', 'ge.u32 %p4, %r8, 2')),
  },
  {
    name: 'a count between fences, volatile',
    place: PAIR,
    body: together(
      `membar.gl; atom.global.add.u32 %r11, ${FLAG}, 1;`,
      `${poll('W', 'ld.volatile', 'ge.u32 %p4, %r8, 2')} membar.gl;`,
    ),
  },
  {
    name: 'a count that is complete too early',
    place: PAIR,
    body: together(ADD, poll('W', 'ld.acquire.gpu', 'ge.u32 %p4, %r8, 1')),
  },
  {
    name: 'a count that is never complete',
    place: PAIR,
    body: together(ADD, poll('W', 'ld.acquire.gpu', 'ge.u32 %p4, %r8, 3')),
  },
  {
    name: 'a count that goes past what is waited for',
    place: PAIR,
    body: together(ADD + ADD, poll('W', 'ld.acquire.gpu', 'eq.u32 %p4, %r8, 3')),
  },
  {
    name: 'a count that is not released',
    place: PAIR,
    body: together(`red.relaxed.gpu.global.add.u32 ${FLAG}, 1;`, poll('W', 'ld.acquire.gpu', 'ge.u32 %p4, %r8, 2')),
  },
  {
    name: 'a count of the sign, by what was found',
    place: PAIR,
    body: together(
      `setp.eq.u32 %p5, %r7, 0; selp.u32 %r12, 0x7fffffff, 1, %p5; ` +
        `atom.release.gpu.global.add.u32 %r11, ${FLAG}, %r12;`,
      `W: ld.acquire.gpu.global.u32 %r8, ${FLAG}; xor.b32 %r13, %r8, %r11; setp.ge.s32 %p4, %r13, 0; @%p4 bra W;`,
    ),
  },
  {
    name: 'a count with a bound',
    place: PAIR,
    body: together(`red.release.gpu.global.inc.u32 ${FLAG}, 7;`, poll('W', 'ld.acquire.gpu', 'eq.u32 %p4, %r8, 2')),
  },
  {
    name: 'who counts last',
    place: PAIR,
    body: `${either('', '')}@%p3 bra F; ${TICKET} setp.eq.u32 %p5, %r11, 1; @%p5 st.global.u32 [%rd1], 7; F:`,
  },
  {
    name: 'nobody of those who count',
    place: PAIR,
    body: `${either('', '')}@%p3 bra F; ${TICKET} setp.gt.u32 %p5, %r11, 1; @%p5 st.global.u32 [%rd1], 7; F:`,
  },
  {
    name: 'who counts last takes from all',
    place: PAIR,
    body: together(
      `membar.gl; ${TICKET}`,
      'membar.gl; setp.ne.u32 %p5, %r11, 1; @%p5 bra L; ld.global.u32 %r6, [%rd1]; ' +
        'ld.global.u32 %r8, [%rd1 + 128]; add.u32 %r6, %r6, %r8; st.global.u32 [%rd1 + 512], %r6; ret;',
      '',
    ),
  },
  {
    name: 'who counts last takes from all without a fence behind',
    place: PAIR,
    body: together(
      COUNT,
      'setp.ne.u32 %p5, %r11, 1; @%p5 bra L; ld.global.u32 %r6, [%rd1]; ' +
        'ld.global.u32 %r8, [%rd1 + 128]; add.u32 %r6, %r6, %r8; st.global.u32 [%rd1 + 512], %r6; ret;',
      '',
    ),
  },
  {
    name: 'who counts first takes from all',
    place: PAIR,
    body: together(
      `membar.gl; ${TICKET}`,
      'membar.gl; setp.ne.u32 %p5, %r11, 0; @%p5 bra L; ld.global.u32 %r6, [%rd1]; ' +
        'ld.global.u32 %r8, [%rd1 + 128]; add.u32 %r6, %r6, %r8; st.global.u32 [%rd1 + 512], %r6; ret;',
      '',
    ),
  },
  {
    name: 'who counts last writes its number',
    place: PAIR,
    body: together(
      `membar.gl; ${TICKET}`,
      'setp.ne.u32 %p5, %r11, 1; @%p5 bra L; st.global.u32 [%rd1 + 512], %r7; ret;',
      '',
    ),
  },
  ...(
    [
      ['who counts last sets the count back', `membar.gl; ${TICKET}`, 'setp.ne.u32 %p5, %r11, 1;', 'weak'],
      [
        'who counts last sets the count back, relaxed',
        `membar.gl; ${TICKET}`,
        'setp.ne.u32 %p5, %r11, 1;',
        'relaxed.gpu',
      ],
      [
        'who counts last sets the count back, and has only observed the other',
        COUNT,
        'setp.ne.u32 %p5, %r11, 1;',
        'weak',
      ],
      ['who counts first sets the count back', `membar.gl; ${TICKET}`, 'setp.ne.u32 %p5, %r11, 0;', 'weak'],
      ['who counts sets the count back', `membar.gl; ${TICKET}`, 'setp.ne.u32 %p5, %r11, %r11;', 'weak'],
    ] as const
  ).map(
    ([name, count, asked, order]): SmallKernel => ({
      name,
      place: PAIR,
      body: together(
        count,
        `${count === COUNT ? '' : 'membar.gl;'} ${asked} @%p5 bra L; st.${order}.global.u32 ${FLAG}, 0; ret;`,
        '',
      ),
    }),
  ),
  {
    name: 'a wait for more than is there, if the other one counts first',
    place: 'grid 2, block 1, gpu 0',
    body: either(MORE, `red.relaxed.gpu.global.add.u32 [%rd1 + 1016], 1; ${set('relaxed.gpu', 1)}`),
  },
  {
    name: 'a wait for more than is there, if the other one counts by two first',
    place: 'grid 2, block 1, gpu 0',
    body: either(MORE, `red.relaxed.gpu.global.add.u32 [%rd1 + 1016], 2; ${set('relaxed.gpu', 1)}`),
  },
  {
    name: 'a wait that depends on what was counted',
    place: PAIR,
    body: together(
      `membar.gl; ${TICKET}`,
      `W: ld.relaxed.gpu.global.u32 %r8, ${FLAG}; setp.le.u32 %p4, %r8, %r11; @%p4 bra W; membar.gl;`,
    ),
  },
  {
    name: 'counts with two bounds',
    place: PAIR,
    body: `${either('', '')}@%p3 bra F; add.u32 %r8, %r7, 3; red.relaxed.gpu.global.inc.u32 ${FLAG}, %r8; F:`,
  },
  {
    name: 'lanes at two barriers, and one that waits for ever',
    place: 'grid 1, block 32',
    body:
      `setp.ne.u32 %p3, %r1, 0; @%p3 bra B; ${ACQUIRE} bra.uni E; B: setp.lt.u32 %p1, %r1, 16; @%p1 bra C; ` +
      'bar.sync 0; bra.uni E; C: bar.sync 1; E:',
  },
  {
    name: 'a fence that only acquires, before a flag',
    place: PAIR,
    body: either(GIVE + last('A', `fence.acquire.gpu; ${set('relaxed.gpu', 1)}`), first('C', ACQUIRE) + TAKE),
  },
  {
    name: 'a fence that only releases, behind a flag',
    place: PAIR,
    body: either(GIVE + last('A', RELEASE), first('C', `${RELAXED} fence.release.gpu;`) + TAKE),
  },
  {
    name: 'fences that release and acquire',
    place: PAIR,
    body: either(
      GIVE + last('A', `fence.release.gpu; ${set('relaxed.gpu', 1)}`),
      first('C', `${RELAXED} fence.acquire.gpu;`) + TAKE,
    ),
  },
  {
    name: 'a third one that may count in the place of another',
    place: 'grid 3, block 1, gpu 0',
    body:
      'mov.u32 %r7, %ctaid.x; setp.eq.u32 %p1, %r7, 1; setp.eq.u32 %p2, %r7, 2; @%p1 bra B; @%p2 bra C; ' +
      `st.relaxed.gpu.global.u32 [%rd1 + 1016], 1; ${ADD} ${poll('W', 'ld.acquire.gpu', 'ge.u32 %p4, %r8, 2')} ` +
      `ld.global.u32 %r6, [%rd1]; st.global.u32 [%rd1 + 4], %r6; bra.uni E; B: st.global.u32 [%rd1], 7; ${ADD} ` +
      `bra.uni E; C: ld.relaxed.gpu.global.u32 %r8, [%rd1 + 1016]; setp.eq.u32 %p4, %r8, 0; @%p4 bra C; ${ADD} E:`,
  },
  {
    name: 'a count that goes on, and what was found is used',
    place: PAIR,
    body: together(ADD, `${poll('W', 'ld.acquire.gpu', 'ge.u32 %p4, %r8, 2')} ${ADD} st.global.u32 [%rd3 + 512], %r8;`),
  },
  {
    name: 'a count in the scope of the CTA of who waits',
    place: PAIR,
    body: either(
      `setp.eq.u32 %p5, %r1, 1; @%p5 red.release.cta.global.add.u32 ${FLAG}, 1; ` +
        `@%p3 bra E; ${poll('W', 'ld.acquire.gpu', 'ge.u32 %p4, %r8, 2')}`,
      `@%p3 bra E; ${ADD}`,
    ),
  },
  {
    name: 'a wait that may be over before it begins',
    place: PAIR,
    body: either(GIVE + last('A', RELEASE), first('C', poll('W', 'ld.acquire.gpu', 'lt.u32 %p4, %r8, 5')) + TAKE),
  },
  {
    name: 'a fence of the CTA behind a flag',
    place: PAIR,
    body: either(GIVE + last('A', RELEASE), first('C', `${RELAXED} fence.acq_rel.cta;`) + TAKE),
  },
  {
    name: 'a flag that is set up three times',
    place: 'grid 1, block 64',
    body:
      'setp.ne.u32 %p3, %r1, 0; @%p3 bra I; st.shared.u32 [s], 1; st.shared.u32 [s], 2; ' +
      'st.shared.u32 [s], 0; I: bar.sync 0; ' +
      `setp.ge.u32 %p1, %r1, 32; @%p1 bra B; ${GIVE} bar.warp.sync -1; @%p3 bra E; ` +
      'st.release.cta.shared.u32 [s], 1; bra.uni E; ' +
      'B: ld.acquire.cta.shared.u32 %r8, [s]; setp.eq.u32 %p4, %r8, 0; @%p4 bra B; ' +
      'ld.global.u32 %r6, [%rd2 - 128]; st.global.u32 [%rd2 + 256], %r6; E:',
  },
  {
    name: 'a flag that who waits for it takes back first',
    place: PAIR,
    body: either(`@%p3 bra E; ${set('relaxed.gpu', 0)} ${ACQUIRE}`, `@%p3 bra E; ${RELEASE}`),
  },
  {
    name: 'a count with two bounds that is waited for',
    place: 'grid 3, block 1, gpu 0',
    body:
      'mov.u32 %r7, %ctaid.x; setp.eq.u32 %p1, %r7, 0; @%p1 bra A; mul.lo.u32 %r8, %r7, 3; ' +
      `red.release.gpu.global.inc.u32 ${FLAG}, %r8; bra.uni E; ` +
      `A: ${poll('W', 'ld.acquire.gpu', 'ge.u32 %p4, %r8, 2')} E:`,
  },
  {
    name: 'a count that is odd in between',
    place: 'grid 4, block 1, gpu 0',
    body:
      'mov.u32 %r7, %ctaid.x; setp.eq.u32 %p1, %r7, 0; @%p1 bra A; mul.wide.u32 %rd3, %r7, 4; ' +
      `add.s64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r7; ${ADD} bra.uni E; ` +
      `A: ld.acquire.gpu.global.u32 %r8, ${FLAG}; and.b32 %r8, %r8, 1; setp.eq.u32 %p4, %r8, 0; @%p4 bra A; ` +
      'ld.global.u32 %r6, [%rd1 + 4]; st.global.u32 [%rd1 + 256], %r6; E:',
  },
  {
    name: 'a count that goes past what another one waits for',
    place: PAIR,
    body: together(ADD, `${poll('W', 'ld.acquire.gpu', 'eq.u32 %p4, %r8, 2')} ${ADD}`),
  },
  {
    name: 'a copy behind a flag, and a fence of the async proxy in its CTA',
    place: 'grid 2, block 1, gpu 0',
    body: copied('', 'fence.proxy.async;'),
  },
  {
    name: 'a copy behind a flag, and a fence of the async proxy in another CTA',
    place: 'grid 2, block 1, gpu 0',
    body: copied('fence.proxy.async;', ''),
  },
  {
    name: 'what an exchange finds behind a count',
    place: 'grid 1, block 64',
    body:
      'and.b32 %r7, %r1, 31; setp.ne.u32 %p3, %r7, 0; @%p3 bra F; ' +
      `atom.relaxed.cta.global.or.b32 %r11, ${FLAG}, 1; setp.gt.u32 %p5, %r11, 7; @%p5 st.global.u32 [%rd1], 1; ` +
      'F: bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra E; ' +
      `atom.relaxed.cta.global.exch.b32 %r12, ${FLAG}, 4; setp.eq.u32 %p5, %r12, 9; @%p5 st.global.u32 [%rd1], 2; E:`,
  },
];
