import type { SmallKernel } from './small-kernel.js';

const PLACE = 'grid 3, block 1, gpu 0';
const PAIRS = 'grid 2, block 2, gpu 0';
/** The word of a CTA. */
const OWN = 'mov.u32 %r9, %ctaid.x; mul.wide.u32 %rd3, %r9, 4; add.s64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], 5;';
const ALL = [0, 4, 8].map((at) => `ld.global.u32 %r6, [%rd1 + ${at}];`).join(' ');
const count = (how: string): string => `atom.${how}.global.add.u32 %r8, [%rd1 + 1020], 1;`;
const COUNT = count('acq_rel.gpu');
const BY_NUMBER = 'atom.acq_rel.gpu.global.add.u32 %r8, [%rd1 + 1020], %r9;';
const FENCE = 'fence.acq_rel.gpu;';
/** What is done only where a number has been found. */
const where = (found: number, what: string, label = 'E', register = '%r8'): string =>
  `setp.ne.u32 %p1, ${register}, ${found}; @%p1 bra ${label}; ${what} ${label}:`;

/** Thread 0 of each CTA counts, and all threads of it go by what they are told of that. */
const told = (between: string, tell: string, hear: string, what: string): string =>
  `setp.ne.u32 %p2, %r1, 0; @%p2 bra T; ${OWN} ${between} ${tell} T: bar.warp.sync 3; ${hear} ${what}`;
/** The same behind a barrier of the CTA. */
const toldAll = (what: string): string =>
  `setp.ne.u32 %p2, %r1, 0; @%p2 bra T; ${OWN} ${COUNT} ${TELL_NUMBER} T: bar.sync 0; ${HEAR} ${what}`;
const STORE = 'mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3 + 64], %r1;';
const NEIGHBOR = 'xor.b32 %r4, %r1, 32; mad.lo.u32 %r5, %r4, 4, %r2; ld.shared.u32 %r6, [%r5 + 64];';
const TELL_NUMBER = 'st.shared.u32 [%r2], %r8;';
const TELL_BYTE = 'setp.eq.u32 %p4, %r8, 1; selp.u32 %r7, 1, 0, %p4; st.shared.u8 [%r2], %r7;';
const HEAR = 'ld.shared.u32 %r8, [%r2];';
const HEAR_BYTE = 'ld.shared.u8 %r8, [%r2];';
const BOTH = 'ld.global.u32 %r6, [%rd1]; ld.global.u32 %r6, [%rd1 + 4];';

const flag = (of: number): string => `[%rd1 + ${1008 + 4 * of}]`;
const poll = (of: number, how: string, label: string): string =>
  `${label}: ld.${how}.global.u32 %r8, ${flag(of)}; setp.eq.u32 %p3, %r8, 0; @%p3 bra ${label};`;
const ACQUIRE = 'acquire.gpu';
/** Words 0 to 2: what each CTA has; 4 to 6: what all up to it have. Flag 1: the first of these, 2: both are there. */
const lookBack = ({
  first = 'st.global.u32 [%rd3], 5;',
  status = 'st.release.gpu.global.u32 [%rd4 + 1008], 1;',
  whole = 'st.global.u32 [%rd3 + 16], 6; st.release.gpu.global.u32 [%rd4 + 1008], 2;',
  how = ACQUIRE,
  behind = '',
  last = '',
  hasWhole = 'ld.global.u32 %r6, [%rd1 + 20];',
  hasOwn = 'ld.global.u32 %r6, [%rd1 + 4];',
  onWay = '',
} = {}): string =>
  'mov.u32 %r9, %ctaid.x; mul.wide.u32 %rd3, %r9, 4; add.s64 %rd3, %rd1, %rd3; mov.u64 %rd4, %rd3; ' +
  `setp.eq.u32 %p4, %r9, 0; @%p4 bra D; ${first} ${status} setp.eq.u32 %p5, %r9, 1; @%p5 bra B; ` +
  `${poll(1, how, 'V')} ${behind} setp.eq.u32 %p6, %r8, 2; @%p6 bra C; ${onWay} ${hasOwn} ` +
  `B: ${poll(0, how, 'W')} ${last === '' ? behind : last} ld.global.u32 %r6, [%rd1 + 16]; bra.uni D; ` +
  `C: ${onWay} ${hasWhole} D: ${whole}`;

/** The same as a loop, which is left where the whole is there: that is read behind it. */
const lookOn = ({ how = ACQUIRE, left = 2, hasOwn = '[%rd3]', hasWhole = '[%rd3 + 16]', behind = '' } = {}): string =>
  'mov.u32 %r9, %ctaid.x; mul.wide.u32 %rd3, %r9, 4; add.s64 %rd3, %rd1, %rd3; mov.u64 %rd4, %rd3; mov.u32 %r7, 0; ' +
  'setp.eq.u32 %p4, %r9, 0; @%p4 bra D; st.global.u32 [%rd3], 5; st.release.gpu.global.u32 [%rd3 + 1008], 1; ' +
  `V: add.s64 %rd3, %rd3, -4; W: ld.${how}.global.u32 %r8, [%rd3 + 1008]; setp.eq.u32 %p3, %r8, 0; @%p3 bra W; ` +
  `setp.eq.u32 %p6, %r8, ${left}; @%p6 bra C; ld.global.u32 %r6, ${hasOwn}; add.u32 %r7, %r7, %r6; bra.uni V; ` +
  `C: ${behind} ld.global.u32 %r6, ${hasWhole}; add.u32 %r7, %r7, %r6; ` +
  'D: st.global.u32 [%rd4 + 16], %r7; st.release.gpu.global.u32 [%rd4 + 1008], 2;';

/** The same for two lanes at once, each of which looks at one before it: they go on while neither finds a whole. */
const lookTogether = ({
  how = ACQUIRE,
  whole = 2,
  hasOwn = '[%rd4]',
  tell = 'st.global.u32 [%rd3], 5; @%p1 st.release.gpu.global.u32 [%rd3 + 960], 1;',
} = {}): string =>
  'mov.u32 %r9, %ctaid.x; mul.wide.u32 %rd3, %r9, 4; add.s64 %rd3, %rd1, %rd3; setp.eq.u32 %p1, %r1, 0; ' +
  `setp.eq.u32 %p4, %r9, 0; @%p4 bra D; @%p1 ${tell} mul.wide.u32 %rd5, %r1, 4; sub.s64 %rd4, %rd3, %rd5; ` +
  'add.s64 %rd4, %rd4, 4; sub.u32 %r7, %r9, %r1; add.u32 %r7, %r7, 1; ' +
  'V: add.s64 %rd4, %rd4, -8; sub.u32 %r7, %r7, 2; mov.u32 %r8, 2; setp.lt.s32 %p5, %r7, 0; ' +
  `W: @!%p5 ld.${how}.global.u32 %r8, [%rd4 + 960]; setp.eq.u32 %p3, %r8, 0; vote.sync.any.pred %p3, %p3, 3; ` +
  `@%p3 bra W; setp.ne.u32 %p6, %r8, ${whole}; vote.sync.all.pred %p7, %p6, 3; @!%p7 bra C; ` +
  `ld.global.u32 %r6, ${hasOwn}; bra.uni V; ` +
  'C: @%p5 bra J; @!%p6 bra B; ld.global.u32 %r6, [%rd4]; bra.uni J; B: ld.global.u32 %r6, [%rd4 + 16]; ' +
  'J: bar.warp.sync 3; D: @%p1 st.global.u32 [%rd3 + 16], 6; @%p1 st.release.gpu.global.u32 [%rd3 + 960], 2;';
const TILES = 'grid 4, block 2, gpu 0';

/** Kernels whose threads go by what they find, and mistakes there. */
export const WAY_KERNELS: readonly SmallKernel[] = [
  { name: 'who counts last reads what all have written', place: PLACE, body: OWN + COUNT + where(2, ALL) },
  {
    name: 'who counts last writes to one place',
    place: PLACE,
    body: OWN + COUNT + where(2, `${ALL} st.global.u32 [%rd1 + 512], 7;`),
  },
  { name: 'who counts last but one reads it', place: PLACE, body: OWN + COUNT + where(1, ALL) },
  {
    name: 'who counts last does not acquire',
    place: PLACE,
    body: OWN + count('release.gpu') + where(2, ALL),
  },
  {
    name: 'who counts last acquires by a fence on its way',
    place: PLACE,
    body: OWN + count('release.gpu') + where(2, FENCE + ALL),
  },
  {
    name: 'who counts last acquires by a fence of a CTA',
    place: PLACE,
    body: OWN + count('release.gpu') + where(2, `fence.acq_rel.cta; ${ALL}`),
  },
  {
    name: 'who counts last acquires by a fence behind its way',
    place: PLACE,
    body: `${OWN + count('release.gpu') + where(2, '')} ${FENCE} ${where(2, ALL, 'F')}`,
  },
  {
    name: 'each writes elsewhere, by its number',
    place: PLACE,
    body:
      COUNT +
      where(0, 'st.global.u32 [%rd1 + 512], 7;') +
      where(1, 'st.global.u32 [%rd1 + 516], 7;', 'F') +
      where(2, 'st.global.u32 [%rd1 + 520], 7;', 'G'),
  },
  {
    name: 'all but the first write to one place',
    place: PLACE,
    body: `${COUNT} setp.eq.u32 %p1, %r8, 0; @%p1 bra E; st.global.u32 [%rd1 + 512], 7; E:`,
  },
  {
    name: 'who counts last acquires on its way, and all read behind it',
    place: PLACE,
    body: OWN + count('release.gpu') + where(2, FENCE) + ALL,
  },
  {
    name: 'two that count by nothing and one find the same',
    place: PLACE,
    body: `${OWN + BY_NUMBER} ${where(0, 'st.global.u32 [%rd1 + 512], 7;')}`,
  },
  {
    name: 'three that count to two find the same',
    place: PLACE,
    body: `atom.acq_rel.gpu.global.inc.u32 %r8, [%rd1 + 1020], 1; ${where(0, 'st.global.u32 [%rd1 + 512], 7;')}`,
  },
  {
    name: 'who may have waited on its way writes over what it has found',
    place: PLACE,
    body:
      `mov.u32 %r9, %ctaid.x; setp.eq.u32 %p4, %r9, 0; @%p4 bra Z; ${count('relaxed.gpu')} ` +
      `setp.ne.u32 %p5, %r9, 1; @%p5 bra Y; ${where(0, poll(0, 'relaxed.gpu', 'W'))} st.global.u32 ${flag(0)}, 7; ` +
      `bra.uni Y; Z: st.relaxed.gpu.global.u32 ${flag(0)}, 1; Y:`,
  },
  {
    name: 'a guarded write of who counts last',
    place: PLACE,
    body: `${OWN + COUNT} setp.eq.u32 %p1, %r8, 2; @%p1 st.global.u32 [%rd1], 7;`,
  },
  {
    name: 'what the last of two has is told to its CTA',
    place: PAIRS,
    body: told(COUNT, TELL_NUMBER, HEAR, where(1, BOTH)),
  },
  {
    name: 'that it is the last of two is told to its CTA',
    place: PAIRS,
    body: told(COUNT, TELL_BYTE, HEAR_BYTE, where(1, BOTH)),
  },
  {
    name: 'what is told to a CTA is acquired by another thread',
    place: PAIRS,
    body: told(count('release.gpu'), TELL_NUMBER, HEAR, where(1, FENCE + BOTH)),
  },
  {
    name: 'what is told to a CTA is acquired behind telling it',
    place: PAIRS,
    body: told(count('release.gpu'), `${TELL_NUMBER} ${FENCE}`, HEAR, where(1, BOTH)),
  },
  {
    name: 'what is told to a CTA is written over',
    place: PAIRS,
    body: told(COUNT, `${TELL_NUMBER} st.shared.u8 [%r2 + 1], 0;`, HEAR, where(1, BOTH)),
  },
  {
    name: 'the last CTA of two meets at a barrier',
    place: 'grid 2, block 64, gpu 0',
    body: toldAll(where(1, `${BOTH + STORE} bar.sync 0; ${NEIGHBOR}`)),
  },
  {
    name: 'the last CTA of two meets at two barriers, and then all do',
    place: 'grid 2, block 64, gpu 0',
    body: `${toldAll(where(1, `${STORE} bar.sync 0; ${NEIGHBOR} bar.sync 0; ${STORE}`))} bar.sync 0; ${NEIGHBOR}`,
  },
  {
    name: 'the last CTA of two meets at no barrier',
    place: 'grid 2, block 64, gpu 0',
    body: toldAll(where(1, `${BOTH + STORE} ${NEIGHBOR}`)),
  },
  {
    name: 'the last CTA of two meets at a barrier too few',
    place: 'grid 2, block 64, gpu 0',
    body: `${toldAll(where(1, `${STORE} bar.sync 0; ${NEIGHBOR}`))} ${STORE}`,
  },
  {
    name: 'one warp of a CTA comes to a barrier if it is the last, the other one if it is not',
    place: 'grid 2, block 64, gpu 0',
    body: toldAll('shr.u32 %r9, %r1, 5; setp.ne.u32 %p1, %r8, %r9; @%p1 bra E; bar.sync 0; E:'),
  },
  {
    name: 'what is told to a CTA is written over by what is found',
    place: PAIRS,
    body: told(COUNT, `${TELL_NUMBER} add.u32 %r8, %r8, 1; st.shared.u8 [%r2 + 1], %r8;`, HEAR, where(1, BOTH)),
  },
  {
    name: 'what is told to a CTA is acquired when it is told',
    place: PAIRS,
    body: told(count('release.gpu'), TELL_NUMBER, `@!%p2 fence.acq_rel.gpu; ${HEAR}`, where(1, BOTH)),
  },
  {
    name: 'who counts last reads what it has waited for',
    place: PLACE,
    body: `${OWN + COUNT} ${where(2, `${poll(0, ACQUIRE, 'W')} ld.global.u32 %r6, [%rd1 + 512];`)} ${where(
      0,
      'st.global.u32 [%rd1 + 512], 1; st.release.gpu.global.u32 [%rd1 + 1008], 1;',
      'F',
    )}`,
  },
  { name: 'who comes later takes what is there', place: PLACE, body: lookBack() },
  {
    name: 'who comes later acquires by a fence',
    place: PLACE,
    body: lookBack({ how: 'relaxed.gpu', behind: FENCE }),
  },
  {
    name: 'who comes later acquires on each way',
    place: PLACE,
    body: lookBack({ how: 'relaxed.gpu', onWay: FENCE, last: FENCE }),
  },
  { name: 'who comes later takes the whole behind a loop', place: PLACE, body: lookOn() },
  {
    name: 'who comes later acquires behind a loop',
    place: PLACE,
    body: lookOn({ how: 'relaxed.gpu', behind: FENCE, hasOwn: '[%rd1 + 1000]' }),
  },
  { name: 'who comes later does not acquire in a loop', place: PLACE, body: lookOn({ how: 'relaxed.gpu' }) },
  {
    name: 'who comes later takes the whole of the next behind a loop',
    place: PLACE,
    body: lookOn({ hasWhole: '[%rd3 + 20]' }),
  },
  {
    name: 'who comes later takes the whole for a part in a loop',
    place: PLACE,
    body: lookOn({ hasOwn: '[%rd3 + 16]' }),
  },
  { name: 'who comes later meets others behind a loop', place: PLACE, body: lookOn({ behind: 'bar.warp.sync 1;' }) },
  {
    name: 'who counts last is told where to write on a way that nobody knows of',
    place: PLACE,
    body:
      `${OWN} ${COUNT} mov.u64 %rd5, %rd3; mov.u32 %r10, %clock; setp.eq.u32 %p5, %r10, 0; @%p5 bra J; ` +
      'setp.ne.u32 %p1, %r8, 2; @%p1 bra E; add.s64 %rd5, %rd1, 64; E: st.global.u32 [%rd5 + 256], 1; J: ' +
      'st.global.u32 [%rd5 + 512], 7;',
  },
  { name: 'lanes look back together', place: TILES, body: lookTogether() },
  { name: 'lanes look back together and do not acquire', place: TILES, body: lookTogether({ how: 'relaxed.gpu' }) },
  {
    name: 'lanes look back together, and take the whole where none is there',
    place: TILES,
    body: lookTogether({ hasOwn: '[%rd4 + 16]' }),
  },
  { name: 'lanes look back together, and take a part for the whole', place: TILES, body: lookTogether({ whole: 1 }) },
  {
    name: 'lanes look back together, and a part is told before it is there',
    place: TILES,
    body: lookTogether({ tell: 'st.release.gpu.global.u32 [%rd3 + 960], 1; @%p1 st.global.u32 [%rd3], 5;' }),
  },
  { name: 'who comes later does not acquire', place: PLACE, body: lookBack({ how: 'relaxed.gpu' }) },
  {
    name: 'who comes later takes the whole where only a part is there',
    place: PLACE,
    body: lookBack({ hasOwn: 'ld.global.u32 %r6, [%rd1 + 20];' }),
  },
  {
    name: 'the whole is told before it is there',
    place: PLACE,
    body: lookBack({ whole: 'st.release.gpu.global.u32 [%rd4 + 1008], 2; st.global.u32 [%rd3 + 16], 6;' }),
  },
  {
    name: 'the part is told before it is there',
    place: PLACE,
    body: lookBack({ first: '', status: 'st.release.gpu.global.u32 [%rd4 + 1008], 1; st.global.u32 [%rd3], 5;' }),
  },
  {
    name: 'the part is told at the scope of a CTA',
    place: PLACE,
    body: lookBack({ status: 'st.release.cta.global.u32 [%rd4 + 1008], 1;' }),
  },
  {
    name: 'the part is told and not released',
    place: PLACE,
    body: lookBack({ status: 'st.relaxed.gpu.global.u32 [%rd4 + 1008], 1;' }),
  },
];
