import type { SmallKernel } from './small-kernel.js';

const [COUNT, PHASE, SUM] = ['[%rd1 + 1020]', '[%rd1 + 1016]', '[%rd1 + 256]'];
const FOUR = 'grid 1, block 4';
const OWN = 'st.global.u32 [%rd2], %r1;';
/** Adds up what all have written. */
const ADD_UP =
  `ld.global.u32 %r5, ${SUM}; ld.global.u32 %r6, [%rd1]; add.u32 %r5, %r5, %r6; ` +
  `ld.global.u32 %r6, [%rd1 + 4]; add.u32 %r5, %r5, %r6; ld.global.u32 %r6, [%rd1 + 12]; add.u32 %r5, %r5, %r6; ` +
  `st.global.u32 ${SUM}, %r5;`;
const READ = `ld.global.u32 %r6, ${SUM}; st.global.u32 [%rd2 + 64], %r6;`;
const RESET = `st.relaxed.cta.global.u32 ${COUNT}, 0;`;
const FLIP = `sub.u32 %r9, 1, %r7; st.release.cta.global.u32 ${PHASE}, %r9;`;

interface Meeting {
  readonly how?: string;
  /** What each does behind its atomic; what the last one does; who that is not. */
  readonly each?: string;
  readonly last?: string;
  readonly others?: string;
  readonly wait?: string;
}

/** All arrive at a barrier, whose last one does something and lets all go on. */
const meet = (label: string, of: Meeting = {}): string => {
  const { how = 'acq_rel.cta', each = '', last = ADD_UP + RESET + FLIP, others = 'ne.u32 %p4, %r8, 3' } = of;
  const { wait = 'acquire.cta' } = of;
  return (
    `ld.relaxed.cta.global.u32 %r7, ${PHASE}; atom.${how}.global.add.u32 %r8, ${COUNT}, 1; ${each} ` +
    `setp.${others}; @%p4 bra ${label}; ${last} ${label}: ld.${wait}.global.u32 %r9, ${PHASE}; ` +
    `setp.eq.u32 %p4, %r9, %r7; @%p4 bra ${label};`
  );
};
/** The same, but that the last one does not wait: it does its part in the other branch. */
const meetApart = (
  label: string,
  of: Meeting & { readonly until?: string; readonly isFirst?: boolean } = {},
): string => {
  const { how = 'acq_rel.cta', last = ADD_UP + RESET + FLIP, others = 'ne.u32 %p4, %r8, 3', wait = 'acquire.cta' } = of;
  const { until = `ld.${wait}.global.u32 %r9, ${PHASE}; setp.eq.u32 %p4, %r9, %r7; @%p4 bra W${label};` } = of;
  const waits = `W${label}: ${until}`;
  const ways = of.isFirst
    ? `@!%p4 bra ${label}; ${waits} bra.uni J${label}; ${label}: ${last}`
    : `@%p4 bra W${label}; ${last} bra.uni J${label}; ${waits}`;
  return (
    `ld.relaxed.cta.global.u32 %r7, ${PHASE}; atom.${how}.global.add.u32 %r8, ${COUNT}, 1; setp.${others}; ` +
    `${ways} J${label}: `
  );
};
/** What a barrier counts and whose turn it is are one word, to which the last one adds something. */
const together = (label: string, last: string): string =>
  `atom.acq_rel.cta.global.add.u32 %r8, ${COUNT}, 0x20000000; add.u32 %r9, %r8, 0x20000000; xor.b32 %r9, %r9, %r8; ` +
  `setp.gt.s32 %p4, %r9, -1; @%p4 bra ${label}; ${last} shr.u32 %r9, %r8, 29; ` +
  `red.relaxed.cta.global.add.u32 ${COUNT}, %r9; ${label}: ` +
  `ld.acquire.cta.global.u32 %r9, ${COUNT}; xor.b32 %r9, %r9, %r8; setp.gt.s32 %p4, %r9, -1; @%p4 bra ${label};`;
const NEIGHBOR =
  'xor.b32 %r5, %r1, 3; mul.wide.u32 %rd3, %r5, 4; add.s64 %rd3, %rd1, %rd3; ld.global.u32 %r6, [%rd3]; ' +
  'st.global.u32 [%rd2 + 64], %r6;';
const OF_CTA = 'mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;';
const OF_ALL =
  'mov.u32 %r11, %ctaid.x; mad.lo.u32 %r1, %r11, 2, %r1; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;';
const RELAXED = `sub.u32 %r9, 1, %r7; FENCE st.relaxed.cta.global.u32 ${PHASE}, %r9;`;
const CTAS = 'grid 4, block 1, gpu 0';
const [OF_OWN, OF_GPU] = ['fence.acq_rel.cta;', 'fence.acq_rel.gpu;'];
const gpu = (text: string): string => text.replaceAll('.cta', '.gpu');
const cluster = (text: string): string => text.replaceAll('.cta', '.cluster');
const TWO = 'grid 1, block 2';
const SECOND = 'ne.u32 %p4, %r8, 1';

/** Kernels in which whoever comes last does something for all, and mistakes there. */
export const LAST_KERNELS: readonly SmallKernel[] = [
  { name: 'the last one of a barrier adds up', place: FOUR, body: OWN + meet('A') + READ },
  { name: 'the last one of two barriers adds up', place: FOUR, body: OWN + meet('A') + READ + meet('B') },
  {
    name: 'the last one of a barrier that is used again adds up',
    place: FOUR,
    body:
      `mov.u32 %r10, 0; L: ${OWN} ${meet('A')} ${READ} ${meet('B', { last: RESET + FLIP })} add.u32 %r10, %r10, 1; ` +
      'setp.lt.u32 %p5, %r10, 3; @%p5 bra L;',
  },
  {
    name: 'the last one adds up, and nobody acquires',
    place: FOUR,
    body: OWN + meet('A', { wait: 'relaxed.cta' }) + READ,
  },
  { name: 'the last one does not acquire', place: FOUR, body: OWN + meet('A', { how: 'release.cta' }) + READ },
  {
    name: 'the last one acquires by a fence',
    place: FOUR,
    body: OWN + meet('A', { how: 'release.cta', last: `fence.acq_rel.cta; ${ADD_UP} ${RESET} ${FLIP}` }) + READ,
  },
  {
    name: 'the last one adds up what is not released',
    place: FOUR,
    body: OWN + meet('A', { how: 'acquire.cta' }) + READ,
  },
  { name: 'the last one adds up what is written behind the barrier', place: FOUR, body: meet('A') + OWN + READ },
  {
    name: 'the last one lets all go on too early',
    place: FOUR,
    body: OWN + meet('A', { last: RESET + FLIP + ADD_UP }) + READ,
  },
  {
    name: 'the last one forgets to count from 0',
    place: FOUR,
    body: OWN + meet('A', { last: ADD_UP + FLIP }) + meet('B'),
  },
  { name: 'the last two add up', place: FOUR, body: OWN + meet('A', { others: 'lt.u32 %p4, %r8, 2' }) + READ },
  {
    name: 'all but the last one add up',
    place: FOUR,
    body: OWN + meet('A', { others: 'eq.u32 %p4, %r8, 3', last: ADD_UP + FLIP }),
  },
  { name: 'the first one adds up', place: FOUR, body: OWN + meet('A', { others: 'ne.u32 %p4, %r8, 0' }) + READ },
  {
    name: 'the last one says who it is',
    place: FOUR,
    body: OWN + meet('A', { last: `st.global.u32 ${SUM}, %r1; ${RESET} ${FLIP}` }),
  },
  {
    name: 'the last one writes to a place of its own',
    place: FOUR,
    body: OWN + meet('A', { last: `st.global.u32 [%rd2 + 128], 1; ${RESET} ${FLIP}` }),
  },
  {
    name: 'the last one leaves something in a register',
    place: FOUR,
    body:
      `mov.u32 %r10, 0; ${OWN} ${meet('A', { last: `mov.u32 %r10, 1; ${RESET} ${FLIP}` })} ` +
      'st.global.u32 [%rd2 + 64], %r10;',
  },
  {
    name: 'each looks at what one of two has written before',
    place: TWO,
    body:
      `setp.ne.u32 %p5, %r1, 1; @%p5 bra S; st.global.u32 [%rd1 + 512], 7; S: ` +
      meet('A', {
        each: 'ld.global.u32 %r10, [%rd1 + 512];',
        others: SECOND,
        last: `st.global.u32 ${SUM}, %r10; ${FLIP}`,
      }),
  },
  { name: 'what is counted and whose turn it is are one word', place: FOUR, body: OWN + together('A', '') + NEIGHBOR },
  { name: 'the last one adds up when all go on already', place: FOUR, body: OWN + together('A', ADD_UP) + READ },
  { name: 'the last one of several CTAs adds up', place: CTAS, body: OF_CTA + OWN + gpu(meet('A')) + READ },
  {
    name: 'the last one of several CTAs adds up, whose barrier is used again',
    place: CTAS,
    body:
      `mov.u32 %r10, 0; L: ${OF_CTA} ${OWN} ${gpu(meet('A'))} ${READ} ${gpu(meet('B', { last: RESET + FLIP }))} ` +
      'add.u32 %r10, %r10, 1; setp.lt.u32 %p5, %r10, 3; @%p5 bra L;',
  },
  {
    name: 'the last one of several CTAs, each of which has several threads, adds up',
    place: 'grid 2, block 2, gpu 0',
    body: OF_ALL + OWN + gpu(meet('A')) + READ,
  },
  {
    name: 'the last one of the CTAs of a cluster adds up, in the scope of that',
    place: 'grid 4, block 1, cluster 4, gpu 0',
    body: OF_CTA + OWN + cluster(meet('A')) + READ,
  },
  {
    name: 'the last one of the CTAs of two clusters adds up, in the scope of one',
    place: 'grid 4, block 1, cluster 2, gpu 0',
    body: OF_CTA + OWN + cluster(meet('A')) + READ,
  },
  {
    name: 'the last one of the CTAs of a cluster lets them go on in the scope of one',
    place: 'grid 4, block 1, cluster 4, gpu 0',
    body: OF_CTA + OWN + cluster(meet('A', { last: ADD_UP + RESET + RELAXED })).replace('FENCE', OF_OWN) + READ,
  },
  {
    name: 'the last one of several CTAs lets all of its own go on',
    place: CTAS,
    body: OF_CTA + OWN + gpu(meet('A', { last: ADD_UP + RESET })).replace(' A:', `${FLIP} A:`) + READ,
  },
  {
    name: 'what the last one of several CTAs is handed in the scope of one of these',
    place: 'grid 2, block 2, gpu 0',
    body:
      OF_ALL +
      gpu(meet('A', { how: 'relaxed.gpu', last: `${OF_GPU} ${ADD_UP} ${RESET} ${FLIP}` })).replace(
        'atom.',
        `${OF_GPU} ${OWN} setp.eq.u32 %p5, %r11, 1; @%p5 bra H; ${OF_GPU} H: ${OF_OWN} atom.`,
      ) +
      READ,
  },
  {
    name: 'what the last one of several CTAs hands on in the scope of one of these',
    place: 'grid 2, block 2, gpu 0',
    body:
      OF_ALL +
      OWN +
      gpu(meet('A', { last: ADD_UP + RESET + RELAXED })).replace('FENCE', OF_OWN) +
      `setp.eq.u32 %p5, %r11, 0; @%p5 bra H; ${READ} H:`,
  },
  {
    name: 'the last one of several CTAs says which it is',
    place: CTAS,
    body:
      OF_CTA +
      OWN +
      gpu(meet('A', { last: `mov.u32 %r5, %ctaid.x; st.global.u32 ${SUM}, %r5; ${RESET + FLIP}` })) +
      READ,
  },
  {
    name: 'the last one of several CTAs uses the shared memory of its own',
    place: CTAS,
    body:
      OF_CTA +
      OWN +
      'st.shared.u32 [%r2], %r1;' +
      gpu(meet('A', { last: `ld.shared.u32 %r5, [%r2]; ${ADD_UP + RESET + FLIP}` })) +
      READ,
  },
  { name: 'all but the last one wait, which adds up', place: FOUR, body: OWN + meetApart('A') + READ },
  {
    name: 'all but the last one wait, which adds up at the end of the code',
    place: FOUR,
    body: OWN + meetApart('A', { isFirst: true }) + READ,
  },
  {
    name: 'all but the last one of a barrier wait that is used again',
    place: FOUR,
    body:
      `mov.u32 %r10, 0; L: ${OWN} ${meetApart('A')} ${READ} ${meetApart('B', { last: RESET + FLIP })} ` +
      'add.u32 %r10, %r10, 1; setp.lt.u32 %p5, %r10, 3; @%p5 bra L;',
  },
  {
    name: 'all but the last one of several CTAs wait',
    place: 'grid 2, block 2, gpu 0',
    body: OF_ALL + OWN + gpu(meetApart('A') + READ + meetApart('B', { last: RESET + FLIP })) + OWN,
  },
  {
    name: 'all but the last one wait, and do not acquire',
    place: FOUR,
    body: OWN + meetApart('A', { wait: 'relaxed.cta' }) + READ,
  },
  {
    name: 'all but the last one wait, which does not acquire',
    place: FOUR,
    body: OWN + meetApart('A', { how: 'release.cta' }) + READ,
  },
  {
    name: 'all but the last one wait, which forgets to let them go on',
    place: FOUR,
    body: OWN + meetApart('A', { last: ADD_UP + RESET }) + READ,
  },
  {
    name: 'all but the last one wait for ever, which goes on to read what is not released',
    place: FOUR,
    body: OWN + meetApart('A', { how: 'relaxed.cta', last: RESET }) + NEIGHBOR,
  },
  {
    name: 'all but the last one wait, and for another thread',
    place: 'grid 1, block 5',
    body:
      `setp.ne.u32 %p5, %r1, 4; @%p5 bra S; ${OWN} st.release.cta.global.u32 [%rd1 + 1000], 1; ret; S: ` +
      meetApart('A', {
        last: RESET + FLIP,
        until: 'ld.acquire.cta.global.u32 %r9, [%rd1 + 1000]; setp.eq.u32 %p4, %r9, 0; @%p4 bra WA;',
      }) +
      'ld.global.u32 %r6, [%rd1 + 16];',
  },
  {
    name: 'all but the last one wait, and then for another thread',
    place: 'grid 1, block 5',
    body:
      `setp.ne.u32 %p5, %r1, 4; @%p5 bra S; ${OWN} st.release.cta.global.u32 [%rd1 + 1000], 1; ret; S: ` +
      meetApart('A', {
        last: RESET + FLIP,
        until:
          `ld.acquire.cta.global.u32 %r9, ${PHASE}; setp.eq.u32 %p4, %r9, %r7; @%p4 bra WA; ` +
          'V: ld.acquire.cta.global.u32 %r9, [%rd1 + 1000]; setp.eq.u32 %p4, %r9, 0; @%p4 bra V;',
      }) +
      'ld.global.u32 %r6, [%rd1 + 16];',
  },
  {
    name: 'all but the last one wait, and acquire by a fence behind that',
    place: FOUR,
    body:
      OWN +
      meetApart('A', {
        until: `ld.relaxed.cta.global.u32 %r9, ${PHASE}; setp.eq.u32 %p4, %r9, %r7; @%p4 bra WA; fence.acq_rel.cta;`,
      }) +
      READ,
  },
  {
    name: 'all but the last one wait for more than they have found',
    place: FOUR,
    body:
      OWN +
      meetApart('A', {
        last: `${ADD_UP} st.release.cta.global.u32 ${PHASE}, 4;`,
        until: `ld.acquire.cta.global.u32 %r9, ${PHASE}; setp.le.u32 %p4, %r9, %r8; @%p4 bra WA;`,
      }) +
      READ,
  },
  {
    name: 'all but the last one wait for as much as they have found',
    place: FOUR,
    body:
      OWN +
      meetApart('A', {
        last: `${ADD_UP} st.release.cta.global.u32 ${PHASE}, 4;`,
        until: `ld.acquire.cta.global.u32 %r9, ${PHASE}; setp.lt.u32 %p4, %r9, %r8; @%p4 bra WA;`,
      }) +
      READ,
  },
  {
    name: 'all but the last one wait, and then say so',
    place: FOUR,
    body:
      OWN +
      meetApart('A', {
        until:
          `ld.acquire.cta.global.u32 %r9, ${PHASE}; setp.eq.u32 %p4, %r9, %r7; @%p4 bra WA; ` +
          'st.global.u32 [%rd2 + 128], 1;',
      }),
  },
  {
    name: 'the last one of two launches adds up',
    place: 'grid 2, block 1, gpu 0',
    more: '',
    body: `${gpu(meet('A', { last: `st.global.u32 ${SUM}, 7; ${RESET} ${FLIP}` }))} ld.global.u32 %r6, ${SUM};`,
  },
];
