import { neighbor, OWN, type SmallKernel } from './small-kernel.js';

/** Words that nobody knows: the last of `x`. */
const [WORD, OTHER] = ['[%rd1 + 1020]', '[%rd1 + 1016]'];
const MET = 'bar.sync 0;';
const SAME = `${OWN} ${MET} ${neighbor(32)}`;
/** Its own place is written by each, behind what it has read of another one. */
const EXCHANGE = `${OWN} ${MET} ld.shared.u32 %r9, [%r3 + 128]; ${MET} st.shared.u32 [%r3], %r9;`;

const kernel = (name: string, body: string, place = 'grid 1, block 64'): SmallKernel => ({
  ...{ name, place, body, isEndAsked: false },
  memory: '.global .align 16 .u32 x[256] = ?;',
});

const exitIf = (condition: string, word = WORD): string => `ld.global.u32 %r7, ${word}; ${condition} @%p1 exit;`;
const handedOn = (between: string): string =>
  `setp.ne.u32 %p3, %r1, 0; @%p3 bra H; ld.global.u32 %r7, ${WORD}; st.shared.u32 [%r2 + 512], %r7; H: ${between} ` +
  'ld.shared.u32 %r7, [%r2 + 512];';
const rounds = (mask: number, body: string): string =>
  `ld.global.u32 %r7, ${WORD}; and.b32 %r7, %r7, ${mask}; mov.u32 %r8, 0; bra T; ` +
  `R: ${body} add.u32 %r8, %r8, 1; T: setp.lt.u32 %p1, %r8, %r7; @%p1 bra R;`;
const shuffled = (from: string): string =>
  `mov.u32 %r7, 0; and.b32 %r8, %r1, 31; setp.ne.u32 %p3, %r8, 0; @!%p3 ld.global.u32 %r7, ${WORD}; ` +
  `shfl.sync.idx.b32 %r7, %r7, ${from}, 31, -1;`;

/** Launches all of whose threads go by the same word, which nobody knows. */
export const WORD_KERNELS: readonly SmallKernel[] = [
  kernel('an exit of all threads by what is in one word', `${exitIf('setp.eq.u32 %p1, %r7, 7;')} ${SAME}`),
  kernel('such an exit, and no barrier', `${exitIf('setp.eq.u32 %p1, %r7, 7;')} ${SAME.replace(MET, '')}`),
  kernel(
    'such an exit of a condition on a signed number',
    `${exitIf('setp.lt.s32 %p1, %r7, -3;')} ${exitIf('setp.gt.s32 %p1, %r7, 5;')} ${SAME}`,
  ),
  kernel(
    'such an exit of a number that is added to before',
    `${exitIf('add.u32 %r7, %r7, 1000; setp.lt.u32 %p1, %r7, 10;')} ${SAME}`,
  ),
  kernel('an exit of each thread by a word of its own', `${exitIf('setp.eq.u32 %p1, %r7, 7;', '[%rd2]')} ${SAME}`),
  kernel(
    'an exit by two words',
    `${exitIf('setp.eq.u32 %p1, %r7, 7;')} ${exitIf('setp.gt.u32 %p1, %r7, 7;', OTHER)} ${SAME}`,
  ),
  kernel(
    'an exit by a word that another thread writes before',
    `@!%p2 bra E; setp.ne.u32 %p3, %r1, 0; @%p3 bra H; st.global.u32 ${WORD}, 1; H: ${MET} ` +
      `${exitIf('setp.eq.u32 %p1, %r7, 7;')} ${SAME} E:`,
  ),
  kernel(
    'an exit by a word that another thread writes, in no order',
    `setp.ne.u32 %p3, %r1, 40; @%p3 bra H; st.global.u32 ${WORD}, 1; H: ` +
      `${exitIf('setp.eq.u32 %p1, %r7, 7;')} ${SAME}`,
  ),
  kernel(
    'a race where a word is below 10 and its second byte is not 0',
    `${exitIf('setp.gt.u32 %p1, %r7, 9;')} ${MET} ` +
      `ld.global.u8 %r7, [%rd1 + 1021]; setp.eq.u32 %p1, %r7, 0; @%p1 exit; ${MET} st.shared.u32 [%r2], %r1;`,
  ),
  kernel(
    'a race for one value of a byte',
    `ld.global.u8 %r7, ${WORD}; setp.ne.u32 %p1, %r7, 7; @%p1 exit; ${MET} st.shared.u32 [%r2], %r1;`,
  ),
  kernel('a word that is handed on', `${handedOn(MET)} setp.eq.u32 %p1, %r7, 7; @%p1 exit; ${SAME}`),
  kernel('a word that is handed on, and no barrier', `${handedOn('')} setp.eq.u32 %p1, %r7, 7; @%p1 exit; ${SAME}`),
  kernel(
    'a word that is handed on, and that something else is perhaps written over',
    `${handedOn(
      `@%p3 bra G; ld.global.u32 %r8, ${OTHER}; setp.eq.u32 %p4, %r8, 1; @%p4 st.shared.u32 [%r2 + 512], 7; ` +
        `G: ${MET}`,
    )} setp.eq.u32 %p1, %r7, 7; @%p1 exit; ${SAME}`,
  ),
  kernel(
    'a word that is handed on, and that something else is written over',
    `${handedOn(`@%p3 bra G; mov.u32 %r8, %clock; st.shared.u32 [%r2 + 512], %r8; G: ${MET}`)} ` +
      `setp.eq.u32 %p1, %r7, 7; @%p1 exit; ${SAME}`,
  ),
  kernel('a word that lanes take of the first', `${shuffled('0')} setp.gt.u32 %p1, %r7, 3; @%p1 exit; ${SAME}`),
  kernel('a word that lanes take of the next one', `${shuffled('1')} setp.gt.u32 %p1, %r7, 3; @%p1 exit; ${SAME}`),
  kernel(
    'a word that lanes take each of another one',
    `${shuffled('%r8')} setp.gt.u32 %p1, %r7, 3; @%p1 exit; ${SAME}`,
  ),
  kernel('rounds by the low bits of a word', `${rounds(3, EXCHANGE)}`),
  kernel('rounds by the low bits of a word, with a barrier too few', `${rounds(3, EXCHANGE.replace(MET, ''))}`),
  kernel(
    'rounds by the low bits of a word, whose last barrier is missing',
    `${rounds(3, `${OWN} ${MET} ${neighbor(32)}`)}`,
  ),
  kernel('rounds of which there are any number', `${rounds(-1, EXCHANGE)}`),
  kernel(
    'one of two ways with a barrier each, by a word',
    `ld.global.u32 %r7, ${WORD}; setp.ne.u32 %p1, %r7, 2; @%p1 bra L; ${SAME} bra M; L: ${EXCHANGE} M:`,
  ),
  kernel(
    'one of two ways with a barrier each, which two CTAs go by words of their own',
    `mov.u32 %r8, %ctaid.x; mul.wide.u32 %rd3, %r8, 4; add.s64 %rd3, %rd1, %rd3; ld.global.u32 %r7, [%rd3 + 1008]; ` +
      `setp.ne.u32 %p1, %r7, 2; @%p1 bra L; ${OWN} ${MET} ld.shared.u32 %r9, [%r3 + 128]; bra M; L: ${EXCHANGE} M:`,
    'grid 2, block 64',
  ),
];
