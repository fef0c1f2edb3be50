import type { SmallKernel } from './small-kernel.js';

const FLAG = '[%rd1 + 1020]';
const LOOK = `ld.acquire.gpu.global.u32 %r8, ${FLAG};`;
const LOAD = 'ld.shared.u32 %r9, [%r2];';
const MEET = 'bar.sync 0;';

interface Wait {
  /** Who looks; the others are told. */
  readonly guard?: string;
  readonly look?: string;
  readonly before?: string;
  readonly between?: string;
  readonly store?: string;
  readonly meet?: string;
  readonly load?: string;
  readonly test?: string;
  /** What all do behind that, before they leave or go round again. */
  readonly behind?: string;
}

/**
 * All threads of a CTA wait for its turn: the first of them looks, and tells the others through shared memory, as
 * Triton does where a block waits for an atomic.
 */
const turn = ({
  guard = '@!%p3',
  look = LOOK,
  before = MEET,
  between = '',
  store = 'st.shared.u32 [%r2], %r8;',
  meet = MEET,
  load = LOAD,
  test = 'setp.ne.u32 %p4, %r9, %r7;',
  behind = '',
}: Wait = {}): string =>
  'setp.ne.u32 %p3, %r1, 0; mov.u32 %r7, %ctaid.x; mov.u32 %r8, 77; mov.u32 %r10, 0; ' +
  `N: ${before} ${guard} ${look} ${between} ${store === '' ? '' : `${guard} ${store}`} ${meet} ${load} ` +
  `${behind} ${test} @%p4 bra N; `;

const ADD = 'ld.global.u32 %r6, [%rd2]; add.u32 %r6, %r6, 1; st.global.u32 [%rd2], %r6; ';
const NEXT = `add.u32 %r11, %r7, 1; @!%p3 st.release.gpu.global.u32 ${FLAG}, %r11; `;
const WORK = `${ADD} bar.sync 0; ${NEXT}`;
const place = 'grid 3, block 64, gpu 0';
const two = place.replace('3', '2');
const three = place.replace('64', '96');

/** What a CTA writes nobody else writes. */
const OWN_WORD = 'mul.wide.u32 %rd3, %r7, 256; add.s64 %rd3, %rd2, %rd3; st.global.u32 [%rd3 + 256], ';

/** The first CTA comes to two steps, one after the other; the second waits for the first of them, and may find both. */
const STEPS =
  `mov.u32 %r7, %ctaid.x; setp.ne.u32 %p3, %r1, 0; setp.ne.u32 %p5, %r7, 0; @%p5 bra W; @%p3 bra F; ` +
  `st.global.u32 [%rd1], 3; st.release.gpu.global.u32 ${FLAG}, 1; st.release.gpu.global.u32 ${FLAG}, 2; bra.uni F; ` +
  `W: ${turn({ test: 'setp.lt.u32 %p4, %r9, 1;' })}`;

/** One thread stores where the turn is told, and gives it on. */
const GIVEN = `setp.eq.u32 %p6, %r1, 40; @%p6 st.shared.u32 [%r2], 0; @%p6 st.release.gpu.global.u32 ${FLAG}, 1; `;

/** A lock of a CTA, which its first thread takes; what is found is told. */
const lock = ({ take = `atom.acquire.gpu.global.cas.b32 %r8, ${FLAG}, 0, 1;`, leave = 'bar.sync 0; ' } = {}): string =>
  `${turn({ look: take, test: 'setp.eq.u32 %p4, %r9, 1;' })}${ADD}${leave}` +
  `@!%p3 atom.release.gpu.global.exch.b32 %r8, ${FLAG}, 0;`;

/** All CTAs wait for each other, so many times: each writes a word, and reads that of another behind it. */
const grid = ({ test = 'lt', rounds = 1, add = 'release' } = {}): string =>
  Array.from({ length: rounds }, (_, round) => {
    const wait = (name: string, place: number): string => {
      const look = LOOK.replace('1020', `${place}`);
      return turn({ look, test: `setp.${test}.u32 %p4, %r9, ${3 * (round + 1)};` }).replaceAll('N', `${name}${round}`);
    };
    return (
      `mov.u32 %r7, %ctaid.x; setp.ne.u32 %p3, %r1, 0; mad.lo.u32 %r3, %r7, 64, %r1; mul.wide.u32 %rd3, %r3, 4; ` +
      `add.s64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], ${round}; bar.sync 0; ` +
      `@!%p3 red.${add}.gpu.global.add.u32 ${FLAG}, 1; ${wait('N', 1020)} ` +
      'sub.u32 %r4, 191, %r3; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd4, %rd1, %rd4; ld.global.u32 %r6, [%rd4]; ' +
      // Nobody writes again before all have read.
      `bar.sync 0; @!%p3 red.release.gpu.global.add.u32 [%rd1 + 1016], 1; ${wait('M', 1016)}`
    );
  }).join('');

/** The first two warps of three wait for a turn, and meet at barriers of their own. */
const ofTwo = ({ before = 'bar.sync 1, 64;', meet = 'bar.sync 1, 64;', third = '' } = {}): string =>
  `setp.ge.u32 %p5, %r1, 64; @%p5 bra E; ${turn({ before, meet })}${ADD} ${meet} ${NEXT} bra.uni F; E: ${third} F:`;

/** Waits in which one thread of a CTA looks, and tells the others through shared memory, and mistakes there. */
export const TOLD_KERNELS: readonly SmallKernel[] = [
  { name: 'a turn that one thread looks for, and tells', place, body: turn() + WORK },
  { name: 'a turn that is told, and given on too early', place, body: turn() + ADD + NEXT },
  {
    name: 'a turn that one thread looks for relaxed, and tells',
    place: two,
    body: turn({ look: LOOK.replace('acquire', 'relaxed') }) + WORK,
  },
  { name: 'a turn that is told again before all have been told', place, body: turn({ before: '' }) + WORK },
  { name: 'a turn that is told at once', place, body: turn({ meet: '' }) + WORK },
  { name: 'a turn that is told behind a barrier', place, body: turn({ between: MEET }) + WORK },
  { name: 'a turn that is told between two barriers', place, body: turn({ before: '', between: MEET }) + WORK },
  {
    name: 'a turn that is told, and loaded behind another barrier',
    place,
    body: turn({ before: '', meet: `${MEET} ${MEET}` }) + WORK,
  },
  {
    name: 'a turn that is told, and a barrier behind that',
    place,
    body: turn({ before: '', behind: MEET }) + WORK,
  },
  {
    name: 'a turn that is told as what is made of what is found',
    place,
    body:
      turn({
        between: 'setp.eq.u32 %p5, %r8, %r7; selp.u32 %r10, 5, 9, %p5;',
        store: 'st.shared.u32 [%r2], %r10;',
        test: 'setp.ne.u32 %p4, %r9, 5;',
      }) + WORK,
  },
  {
    name: 'a turn that all threads tell',
    place,
    body: turn({ between: '@%p3 st.shared.u32 [%r2], %r8;' }) + WORK,
  },
  {
    name: 'a turn that all threads look for and one tells',
    place,
    body: turn({ guard: '@%p2', store: '', between: '@!%p3 st.shared.u32 [%r2], %r8;' }) + WORK,
  },
  {
    name: 'a turn that is told to others who do not listen',
    place,
    body: `${turn({ load: `@!%p3 ${LOAD}`, test: 'setp.ne.u32 %p4, %r9, %r7; @%p3 bra M;' })}M: ${WORK}`,
  },
  {
    name: 'a turn whose rounds those who are told count',
    place: two,
    body: `${turn({ behind: '@%p3 add.u32 %r10, %r10, 1;' })}${WORK} ${OWN_WORD}%r10;`,
  },
  {
    name: 'a turn that is told, and a warp that leaves out a barrier of each round but the first',
    place,
    body:
      `setp.ne.u32 %p3, %r1, 0; mov.u32 %r7, %ctaid.x; mov.u32 %r8, 77; setp.ge.u32 %p6, %r1, 32; N: ${MEET} ` +
      `M: @!%p3 ${LOOK} @!%p3 st.shared.u32 [%r2], %r8; ${MEET} ${LOAD} setp.eq.u32 %p4, %r9, %r7; @%p4 bra L; ` +
      `@%p6 bra M; bra.uni N; L: ${WORK}`,
  },
  {
    name: 'a turn that is told, and a thread that leaves by what an atomic has found',
    place,
    body:
      'setp.eq.u32 %p6, %r1, 40; mov.u32 %r12, 7; @%p6 atom.global.add.u32 %r12, [%rd1 + 1016], 1; ' +
      turn({
        test:
          'setp.ne.u32 %p4, %r9, %r7; setp.eq.u32 %p5, %r7, 1; setp.eq.and.u32 %p5, %r12, 0, %p5; ' +
          'not.pred %p5, %p5; and.pred %p4, %p4, %p5;',
      }) +
      WORK,
  },
  {
    name: 'a turn that is told in its own way in each round',
    place,
    body:
      turn({
        between: 'add.u32 %r10, %r10, 2; setp.eq.u32 %p5, %r8, %r7; selp.u32 %r10, 1, %r10, %p5;',
        store: 'st.shared.u32 [%r2], %r10;',
        test: 'setp.ne.u32 %p4, %r9, 1; @!%p3 setp.ne.u32 %p4, %r8, %r7;',
      }) + WORK,
  },
  {
    name: 'a turn of which those who are told keep what they have been told first',
    place: two,
    body: `${turn({ behind: 'setp.eq.u32 %p5, %r10, 0; @%p5 add.u32 %r10, %r9, 1;' })}${WORK} ` + `${OWN_WORD}%r10;`,
  },
  {
    name: 'a turn that is told, and loaded once more where it is told next',
    place,
    body: `${turn()}${WORK} @!%p3 st.shared.u32 [%r2], 5;`,
  },
  {
    name: 'a turn that is told, and another value behind the next barrier',
    place,
    body: `${turn()}${WORK} bar.sync 0; @!%p3 st.shared.u32 [%r2], 5;`,
  },
  {
    name: 'a turn that is told, and stays where it is',
    place: two,
    body: `${turn()}${WORK} ${OWN_WORD}%r9;`,
  },
  {
    name: 'a step that is told, of two, and stays where it is',
    place: two,
    body: `${STEPS}st.global.u32 [%rd2 + 256], %r9; F:`,
  },
  {
    name: 'a step that is told, of two',
    place: two,
    body: `${STEPS}ld.global.u32 %r6, [%rd1]; F:`,
  },
  {
    name: 'a turn that one thread looks for by an atomic, and tells',
    place,
    body: turn({ look: `atom.acquire.gpu.global.add.u32 %r8, ${FLAG}, 0;` }) + WORK,
  },
  {
    name: 'a turn that is told in two words',
    place,
    body:
      turn({
        store: 'st.shared.u32 [%r2], 5; @!%p3 st.shared.u32 [%r2 + 4], %r8;',
        load: 'ld.shared.u32 %r10, [%r2]; ld.shared.u32 %r9, [%r2 + 4];',
        test: 'setp.ne.u32 %p4, %r9, %r7; @%p4 setp.eq.u32 %p4, %r10, 5;',
      }) + WORK,
  },
  {
    name: 'a turn that is told, and one thread more of those who are told leaves',
    place,
    body: turn({ test: 'setp.ne.u32 %p4, %r9, %r7; @%p4 setp.lt.u32 %p4, %r1, 32;' }) + WORK,
  },
  {
    name: 'a turn that is told where another thread has stored, which gives it on',
    place: 'grid 1, block 64, gpu 0',
    body: `${GIVEN}${turn({ before: '', behind: MEET, test: 'setp.ne.u32 %p4, %r9, 1;' })}`,
  },
  {
    name: 'a turn that is told where another thread has stored, behind a barrier',
    place: 'grid 1, block 64, gpu 0',
    body: `${GIVEN}${turn({ test: 'setp.ne.u32 %p4, %r9, 1;' })}`,
  },
  {
    name: 'a turn that nobody gives on, told where another thread has stored',
    place: two,
    body: `setp.eq.u32 %p6, %r1, 33; @%p6 st.shared.u32 [%r2], 4; ${turn({ before: '', behind: MEET })}`,
  },
  { name: 'a turn that nobody gives on, nor tells', place, body: turn() + ADD },
  {
    name: 'a turn that is told by a store that others may look at',
    place,
    body: turn({ store: 'st.relaxed.cta.shared.u32 [%r2], %r8;' }) + WORK,
  },
  { name: 'a turn that is told to two warps of three', place: three, body: ofTwo() },
  {
    name: 'a turn that is told to two warps of three, at barriers of several numbers',
    place: three,
    body: ofTwo({ meet: 'bar.sync 2, 64;' }),
  },
  {
    name: 'a turn that is told to two warps of three, of which the third comes to one of the barriers once',
    place: three,
    body: ofTwo({ before: 'bar.sync 1, 96;', meet: 'bar.sync 2, 64;', third: 'bar.arrive 1, 96;' }),
  },
  {
    name: 'a turn that is told to two warps of three, and the third works as well',
    place: three,
    body: ofTwo({ third: 'ld.global.u32 %r6, [%rd2 + -256];' }),
  },
  { name: 'a lock of a CTA that is told', place, body: lock(), isEndAsked: false },
  { name: 'a lock of a CTA that is told, and left too early', place, body: lock({ leave: '' }), isEndAsked: false },
  {
    name: 'a lock of a CTA that is told, and taken relaxed',
    place,
    body: lock({ take: `atom.relaxed.gpu.global.cas.b32 %r8, ${FLAG}, 0, 1;` }),
    isEndAsked: false,
  },
  {
    name: 'a lock of a CTA that is told, and never left',
    place,
    body: turn({ look: `atom.acquire.gpu.global.cas.b32 %r8, ${FLAG}, 0, 1;`, test: 'setp.eq.u32 %p4, %r9, 1;' }) + ADD,
    isEndAsked: false,
  },
  { name: 'a grid that waits for all, by one thread of each CTA', place, body: grid({ test: 'ne' }) },
  { name: 'a grid that waits for all, relaxed', place, body: grid({ test: 'ne', add: 'relaxed' }) },
  { name: 'a grid that waits for all twice', place, body: grid({ test: 'lt', rounds: 2 }) },
];
