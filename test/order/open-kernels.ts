import { neighbor, OWN, type SmallKernel } from './small-kernel.js';

/** A value that nobody knows, a condition on it, and an index into the first 64 words of `s`. */
const OPEN = 'mov.u32 %r7, %clock;';
const PERHAPS = `${OPEN} setp.eq.u32 %p1, %r7, 0;`;
const ANYWHERE = 'and.b32 %r8, %r7, 63; mad.lo.u32 %r9, %r8, 4, %r2;';
const COUNT = 'atom.shared.add.u32 %r10, [%r9], 1;';
const INDEXED = `mad.lo.u32 %r9, %r7, 4, %r2; ${COUNT}`;

const kernel = (name: string, body: string, place = 'grid 1, block 64'): SmallKernel => ({ name, place, body });

/** A ticket in `%r7`, from a count behind all words that are observed; the word of a number in `%r8`. */
const TICKET = 'atom.global.add.u32 %r7, [%rd1 + 1020], 1;';
const BY_TWO = 'atom.global.add.u32 %r7, [%rd1 + 1020], 2;';
/** One that the first lane of each warp draws for all, and one that the first thread of a CTA tells the others. */
const ofWarp = (by: number, from = '0'): string =>
  'mov.u32 %r7, 0; and.b32 %r10, %r1, 31; setp.ne.u32 %p3, %r10, 0; ' +
  `@!%p3 atom.global.add.u32 %r7, [%rd1 + 1020], ${by}; shfl.sync.idx.b32 %r7, %r7, ${from}, 31, -1;`;
const ofCta = (between = 'bar.sync 0;', by = 1): string =>
  `setp.ne.u32 %p3, %r1, 0; @%p3 bra H; atom.global.add.u32 %r7, [%rd1 + 1020], ${by}; st.shared.u32 [%r2], %r7; ` +
  `H: ${between} ld.shared.u32 %r7, [%r2];`;
const WORD = 'mul.wide.u32 %rd4, %r8, 4; add.s64 %rd4, %rd1, %rd4;';

/** Three rounds, in each of which the own word is perhaps stored to. */
const ROUNDS =
  `mov.u32 %r9, 0; R: setp.eq.u32 %p3, %r9, 3; @%p3 bra E; add.u32 %r9, %r9, 1; ${PERHAPS} @%p1 bra R; ` +
  'st.shared.u32 [%r3], %r9; bra R; E:';

/** An open word of the column of four that a thread has, which it stores to; and one of a column at a known row. */
const ROWS = [0, 1, 2, 3].map((row) => `st.shared.u32 [%r4 + ${256 * row}], 0;`);
const CLEARED = `mad.lo.u32 %r4, %r1, 4, %r2; ${ROWS.join(' ')} bar.sync 0;`;
const IN_OWN = 'and.b32 %r8, %r7, 3; mad.lo.u32 %r8, %r8, 64, %r1; mad.lo.u32 %r9, %r8, 4, %r2;';
const IN_WORD = 'mad.lo.u32 %r8, %r7, 64, %r1; mad.lo.u32 %r9, %r8, 4, %r2; st.shared.u32 [%r9], 5;';
const COLUMN = `${CLEARED} ${OPEN} ${IN_OWN}`;
const IN_COLUMN = 'st.shared.u32 [%r9], 5;';
const inRow = (row: number, column: string): string =>
  `mad.lo.u32 %r4, ${column}, 4, %r2; ld.shared.u32 %r6, [%r4 + ${256 * row}];`;

/** Tickets that others than who has drawn them use. */
function told(): readonly SmallKernel[] {
  const [warps, ctas] = ['grid 1, block 128', 'grid 3, block 32'];
  const store = `${WORD} st.global.u32 [%rd4], %r1;`;
  const times = (factor: number): string => `mad.lo.u32 %r8, %r7, ${factor}, %r1; ${store}`;
  const other = 'xor.b32 %r9, %r1, 1; mad.lo.u32 %r8, %r7, 32, %r9;';
  return [
    kernel('places for the lanes of a warp', `${ofWarp(32)} add.u32 %r8, %r7, %r10; ${store}`, warps),
    kernel('places for half the lanes of a warp', `${ofWarp(16)} add.u32 %r8, %r7, %r10; ${store}`, warps),
    kernel('places of which another lane is asked', `${ofWarp(32, '1')} add.u32 %r8, %r7, %r10; ${store}`, warps),
    kernel(
      'places of which it is open which lane is asked',
      `mov.u32 %r11, %clock; and.b32 %r11, %r11, 1; ${ofWarp(32, '%r11')} add.u32 %r8, %r7, %r10; ${store}`,
      warps,
    ),
    kernel(
      'places of which each lane asks another one',
      `${ofWarp(32, '%r10')} add.u32 %r8, %r7, %r10; ${store}`,
      warps,
    ),
    kernel(
      'a place for each warp, which one lane writes',
      `${ofWarp(1)} mov.u32 %r8, %r7; ${store.replace('st', '@!%p3 st')}`,
      warps,
    ),
    kernel('a place for each warp, which all lanes write', `${ofWarp(1)} mov.u32 %r8, %r7; ${store}`, warps),
    kernel(
      'a place for each warp, which all lanes read',
      `${ofWarp(1)} mov.u32 %r8, %r7; ${WORD} ld.global.u32 %r9, [%rd4];`,
      warps,
    ),
    kernel('places for the threads of a CTA', `${ofCta()} ${times(32)}`, ctas),
    kernel('places for the threads of a CTA, and no barrier', `${ofCta('')} ${times(32)}`, ctas),
    kernel('places for half the threads of a CTA', `${ofCta()} ${times(16)}`, ctas),
    kernel('places for the threads of a CTA, two by two', `${ofCta('bar.sync 0;', 2)} ${times(16)}`, ctas),
    kernel(
      'places for the threads of a CTA, which they read of each other',
      `${ofCta()} ${times(32)} bar.sync 0; ${other} ${WORD} ld.global.u32 %r9, [%rd4];`,
      ctas,
    ),
    kernel(
      'places for the threads of a CTA, where the ticket is perhaps written over',
      `${ofCta(`@%p3 bra G; ${PERHAPS} @%p1 st.shared.u32 [%r2], 0; G: bar.sync 0;`)} ${times(32)}`,
      ctas,
    ),
    kernel(
      'places for the threads of a CTA, of whose ticket half is read',
      `${ofCta().replace('ld.shared.u32', 'ld.shared.u16')} ${times(32)}`,
      ctas,
    ),
  ];
}

/** Launches whose threads do some things perhaps, or somewhere. */
export const OPEN_KERNELS: readonly SmallKernel[] = [
  kernel(
    'a word of the own column, if its number has no high bits',
    `${OPEN} ${['and.b32 %r4, %r7, -4;', 'shr.u32 %r4, %r7, 2;']
      .map((high, i) => `${high} setp.ne.u32 %p1, %r4, 0; @%p1 bra L${i}; ${IN_WORD} L${i}:`)
      .join(' ')}`,
  ),
  kernel(
    'a word of another column, if its number has no higher bits',
    `${OPEN} and.b32 %r4, %r7, -8; setp.ne.u32 %p1, %r4, 0; @%p1 bra L; ${IN_WORD} L:`,
  ),
  kernel(
    'a word of another column, by its high bits',
    `${OPEN} and.b32 %r4, %r7, -4; setp.ne.u32 %p1, %r4, 4; @%p1 bra L; ${IN_WORD} L:`,
  ),
  kernel(
    'a word of the own column, on the second of two ways',
    `${OPEN} setp.lt.u32 %p1, %r7, 4; @%p1 bra L; bra M; L: ${IN_WORD} M:`,
  ),
  kernel('a word of the own column', `${COLUMN} ${IN_COLUMN}`),
  kernel('a word of the own column, and the first of it', `${COLUMN} ${IN_COLUMN} ${inRow(0, '%r1')}`),
  kernel(
    'a word of the own column, and the last of another',
    `${COLUMN} ${IN_COLUMN} xor.b32 %r10, %r1, 32; ${inRow(3, '%r10')}`,
  ),
  kernel(
    'a store that is perhaps made, and a barrier',
    `${OWN} ${PERHAPS} @%p1 st.shared.u32 [%r3], 5; bar.sync 0; ${neighbor(32)}`,
  ),
  kernel(
    'a store that is perhaps made, and no barrier',
    `${OWN} bar.sync 0; ${PERHAPS} @%p1 st.shared.u32 [%r3], 5; ${neighbor(32)}`,
  ),
  kernel(
    'a store that is made, one that is perhaps, and no barrier',
    `${OWN} ${PERHAPS} @%p1 st.shared.u32 [%r3], 5; ${neighbor(32)}`,
  ),
  kernel(
    'a store that is made, one that is perhaps, and a read of the next warp',
    `${OWN} ${PERHAPS} @%p1 st.shared.u32 [%r3], 5; setp.lt.u32 %p3, %r1, 32; @%p3 bra E; ${neighbor(32)} E:`,
  ),
  kernel(
    'rounds whose rest is perhaps left out, and a barrier',
    `${OWN} bar.sync 0; ${ROUNDS} bar.sync 0; ${neighbor(32)}`,
  ),
  kernel('rounds whose rest is perhaps left out, and no barrier', `${OWN} bar.sync 0; ${ROUNDS} ${neighbor(32)}`),
  kernel('a barrier that is perhaps met', `${PERHAPS} @%p1 bra L; bar.sync 0; L:`),
  kernel(
    'two ways that store to the own word',
    `${OWN} ${PERHAPS} @%p1 bra L; st.shared.u32 [%r3], 1; bra M; L: st.shared.u32 [%r3], 2; M: bar.sync 0; ` +
      neighbor(1),
  ),
  kernel(
    'two ways that store to words of two threads',
    `${OWN} bar.sync 0; xor.b32 %r4, %r3, 4; ` +
      `${PERHAPS} @%p1 bra L; st.shared.u32 [%r3], 1; bra M; L: st.shared.u32 [%r4], 2; M: bar.sync 0; ${neighbor(1)}`,
  ),
  kernel(
    'ways within ways',
    `${OWN} ${PERHAPS} setp.lt.u32 %p3, %r7, 9; mov.u32 %r9, 1; @%p1 bra M; mov.u32 %r9, 2; @%p3 bra L; ` +
      'st.shared.u32 [%r3], %r9; mov.u32 %r10, 4; L: mov.u32 %r10, 4; M: mov.u32 %r11, 6; ' +
      `st.global.u32 [%rd2], %r10; bar.sync 0; st.global.u32 [%rd2], %r11; ${neighbor(32)}`,
  ),
  kernel(
    'ways in the rounds of a loop',
    `${OWN} mov.u32 %r9, 0; N: ${PERHAPS} @%p1 bra L; st.shared.u32 [%r3], %r9; L: bar.sync 0; ` +
      `${neighbor(32)} bar.sync 0; add.u32 %r9, %r9, 1; setp.lt.u32 %p4, %r9, 3; @%p4 bra N;`,
  ),
  kernel('a loop of which nobody knows when it ends', `L: ${PERHAPS} @%p1 bra L; st.global.u32 [%rd2], 1;`),
  kernel('lanes that perhaps exit', `${PERHAPS} @%p1 exit; st.global.u32 [%rd2], 1;`),
  kernel('lanes that perhaps exit before a barrier', `${OWN} ${PERHAPS} @%p1 exit; bar.sync 0; ${neighbor(32)}`),
  kernel(
    'one value on both ways',
    `${PERHAPS} mov.u32 %r9, 3; @%p1 bra L; mov.u32 %r9, 2; add.u32 %r9, %r9, 1; L: st.global.u32 [%rd2], %r9;`,
  ),
  kernel(
    'two values on two ways, of which one decides',
    `${OWN} ${PERHAPS} mov.u32 %r9, 3; @%p1 bra L; mov.u32 %r9, 2; L: setp.eq.u32 %p3, %r9, 3; @%p3 bar.sync 0;`,
  ),
  kernel(
    'a count for any of some words',
    `${OWN} bar.sync 0; ${OPEN} ${ANYWHERE} ${COUNT} bar.sync 0; ${neighbor(32)}`,
  ),
  kernel(
    'a count for any of some words, and no barrier',
    `${OWN} bar.sync 0; ${OPEN} ${ANYWHERE} ${COUNT} ${neighbor(32)}`,
  ),
  kernel(
    'counts for any of some words, and for the own one',
    `${OWN} bar.sync 0; ${OPEN} ${ANYWHERE} ${COUNT} red.shared.add.u32 [%r3], 1; bar.sync 0; ${neighbor(32)}`,
  ),
  kernel(
    'counts for any of some words, of another size',
    `${OWN} bar.sync 0; ${OPEN} ${ANYWHERE} ${COUNT} and.b32 %r3, %r3, -8; red.shared.add.u64 [%r3], 1; bar.sync 0;`,
  ),
  kernel(
    'counts of two sizes for any of some bytes',
    `${OPEN} and.b32 %r8, %r7, 28; cvt.u64.u32 %rd4, %r8; add.s64 %rd4, %rd4, %rd1; and.b32 %r9, %r7, 24; ` +
      'cvt.u64.u32 %rd5, %r9; add.s64 %rd5, %rd5, %rd1; setp.ne.u32 %p3, %r1, 0; @%p3 bra L; ' +
      'red.relaxed.gpu.global.add.u32 [%rd4], 1; bra M; L: red.relaxed.gpu.global.add.u64 [%rd5], 1; M:',
    'grid 1, block 2',
  ),
  kernel(
    'a vector at any of some places, and a scalar as wide',
    `${OPEN} and.b32 %r8, %r7, 28; cvt.u64.u32 %rd4, %r8; add.s64 %rd4, %rd4, %rd1; cvt.u16.u32 %rs1, %r1; ` +
      'setp.ne.u32 %p3, %r1, 0; @%p3 bra L; st.relaxed.gpu.global.v2.u16 [%rd4], {%rs1, %rs1}; bra M; ' +
      'L: st.relaxed.gpu.global.u32 [%rd1], 1; M:',
    'grid 1, block 2',
  ),
  kernel(
    'an elected lane that stores to any of its own words',
    `.local .align 16 .u32 l[8]; mov.u32 %r3, l; st.local.u32 [%r3], 3; elect.sync _|%p1, -1; @!%p1 bra L; ` +
      `${OPEN} and.b32 %r8, %r7, 12; add.u32 %r9, %r8, %r3; st.local.u32 [%r9], 5; ` +
      'L: ld.local.u32 %r5, [%r3]; st.global.u32 [%rd2], %r5;',
    'grid 1, block 32',
  ),
  kernel(
    'a barrier of some behind what each has perhaps done',
    `${PERHAPS} @%p1 st.global.u32 [%rd2], 1; setp.eq.u32 %p3, %r1, 0; @%p3 exit; bar.sync 0;`,
    'grid 1, block 2',
  ),
  kernel('a store to any of some words', `${OWN} bar.sync 0; ${OPEN} ${ANYWHERE} st.shared.u32 [%r9], 1;`),
  kernel(
    'a store to any of the own words',
    `shl.b32 %r3, %r1, 4; add.u32 %r3, %r3, %r2; ${OPEN} and.b32 %r8, %r7, 12; add.u32 %r9, %r8, %r3; ` +
      'st.shared.u32 [%r9], 1;',
    'grid 1, block 32',
  ),
  kernel(
    'a store to any of the own words, and the next',
    `shl.b32 %r3, %r1, 4; add.u32 %r3, %r3, %r2; ${OPEN} and.b32 %r8, %r7, 28; add.u32 %r9, %r8, %r3; ` +
      'st.shared.u32 [%r9], 1;',
    'grid 1, block 32',
  ),
  kernel(
    'a load of any of the own words, perhaps not aligned',
    `shl.b32 %r3, %r1, 4; add.u32 %r3, %r3, %r2; ${OPEN} and.b32 %r8, %r7, 14; add.u32 %r9, %r8, %r3; ` +
      'st.shared.u32 [%r9], 1;',
    'grid 1, block 32',
  ),
  kernel(
    'an index that a branch bounds',
    `${OWN} bar.sync 0; ${OPEN} setp.gt.u32 %p1, %r7, 63; @%p1 bra L; ${INDEXED} L: bar.sync 0; ${neighbor(32)}`,
  ),
  kernel(
    'an index that a branch bounds for the others',
    `${OWN} bar.sync 0; ${OPEN} setp.le.u32 %p1, %r7, 63; @%p1 bra L; ${INDEXED} L: bar.sync 0; ${neighbor(32)}`,
  ),
  kernel(
    'an index that two conditions bound',
    `${OWN} bar.sync 0; ${OPEN} setp.ge.s32 %p1, %r7, 0; setp.lt.s32 %p3, %r7, 64; and.pred %p1, %p1, %p3; ` +
      `@!%p1 bra L; ${INDEXED} L: bar.sync 0; ${neighbor(32)}`,
  ),
  kernel(
    'an index that one of two conditions bounds',
    `${OWN} bar.sync 0; ${OPEN} setp.ge.s32 %p1, %r7, 0; setp.lt.s32 %p3, %r7, 64; or.pred %p1, %p1, %p3; ` +
      `@!%p1 bra L; ${INDEXED} L: bar.sync 0; ${neighbor(32)}`,
  ),
  kernel(
    'an index that is changed behind its bound',
    `${OWN} bar.sync 0; ${OPEN} setp.gt.u32 %p1, %r7, 63; add.u32 %r7, %r7, 4096; @%p1 bra L; ` +
      `${INDEXED} L: bar.sync 0;`,
  ),
  kernel(
    'an index that is bounded by what was computed on the other way',
    `${OWN} bar.sync 0; ${PERHAPS} setp.gt.u32 %p3, %r7, 4096; @%p1 bra M; mov.u32 %r11, %clock; ` +
      `setp.gt.u32 %p3, %r7, 63; M: @%p3 bra L; ${INDEXED} L: bar.sync 0;`,
  ),
  kernel(
    'an index that is clamped',
    `${OWN} bar.sync 0; ${OPEN} min.s32 %r7, %r7, 63; max.s32 %r7, %r7, 0; ${INDEXED} bar.sync 0; ${neighbor(32)}`,
  ),
  kernel(
    'an index that is a remainder',
    `${OWN} bar.sync 0; ${OPEN} rem.u32 %r7, %r7, 64; ${INDEXED} bar.sync 0; ${neighbor(32)}`,
  ),
  kernel(
    'an index of low bits, beside those of the thread',
    `${OPEN} and.b32 %r8, %r7, 3; shl.b32 %r9, %r1, 2; or.b32 %r8, %r8, %r9; mad.lo.u32 %r9, %r8, 4, %r2; ` +
      'st.shared.u32 [%r9], %r1;',
  ),
  kernel(
    'an index of low bits, some of which the thread has too',
    `${OPEN} and.b32 %r8, %r7, 7; shl.b32 %r9, %r1, 2; or.b32 %r8, %r8, %r9; mad.lo.u32 %r9, %r8, 4, %r2; ` +
      'st.shared.u32 [%r9], %r1;',
  ),
  kernel('an index that is too large', `${OWN} bar.sync 0; ${OPEN} and.b32 %r7, %r7, 511; ${INDEXED}`),
  kernel(
    'words that tickets give',
    `${TICKET} mov.u32 %r8, %r7; ${WORD} st.global.u32 [%rd4], %r1;`,
    'grid 2, block 64',
  ),
  kernel(
    'words that tickets give, where they are drawn',
    `${PERHAPS} @%p1 bra L; ${TICKET} mov.u32 %r8, %r7; ${WORD} st.global.u32 [%rd4], %r1; L:`,
  ),
  kernel(
    'words that are read and written by tickets',
    `${TICKET} mov.u32 %r8, %r7; ${WORD} ld.global.u32 %r9, [%rd4]; add.u32 %r9, %r9, 1; st.global.u32 [%rd4], %r9;`,
  ),
  kernel(
    'words that tickets give, from the last on',
    `${TICKET} sub.u32 %r8, 99, %r7; ${WORD} st.global.u32 [%rd4], %r1;`,
  ),
  kernel(
    'words of two tickets of each',
    `${TICKET} mov.u32 %r8, %r7; ${WORD} st.global.u32 [%rd4], %r1; ${TICKET} mov.u32 %r8, %r7; ${WORD} ` +
      'st.global.u32 [%rd4], %r1;',
  ),
  kernel(
    'the word of a ticket, and the next',
    `${TICKET} mov.u32 %r8, %r7; ${WORD} st.global.u32 [%rd4], %r1; st.global.u32 [%rd4 + 4], %r1;`,
  ),
  kernel(
    'words that tickets of two counts give',
    `setp.lt.u32 %p1, %r1, 32; @%p1 bra L; ${TICKET} bra M; L: ${TICKET.replace('1020', '1016')} M: ` +
      `mov.u32 %r8, %r7; ${WORD} @%p1 st.global.u32 [%rd4], 1; @!%p1 st.global.u32 [%rd4], 2;`,
  ),
  kernel(
    'words that tickets give below a number',
    `${TICKET} setp.ge.u32 %p1, %r7, 16; @%p1 bra E; mov.u32 %r8, %r7; ${WORD} st.global.u32 [%rd4], %r1; E:`,
  ),
  kernel(
    'words that tickets give from a number on, and the next ones',
    `${TICKET} mov.u32 %r8, %r7; ${WORD} setp.lt.u32 %p1, %r7, 1; @!%p1 st.global.u32 [%rd4], %r1; ` +
      '@%p1 st.global.u32 [%rd4 + 4], %r1;',
  ),
  kernel(
    'two words of tickets that count by two',
    `${BY_TWO} mov.u32 %r8, %r7; ${WORD} st.global.u32 [%rd4], %r1; st.global.u32 [%rd4 + 4], 2;`,
  ),
  kernel(
    'three words of tickets that count by two',
    `${BY_TWO} mov.u32 %r8, %r7; ${WORD} st.global.u32 [%rd4], %r1; st.global.u32 [%rd4 + 8], 2;`,
  ),
  kernel(
    'two words of tickets that count by two, but for one',
    `setp.eq.u32 %p1, %r1, 3; selp.u32 %r9, 1, 2, %p1; atom.global.add.u32 %r7, [%rd1 + 1020], %r9; ` +
      `mov.u32 %r8, %r7; ${WORD} st.global.u32 [%rd4], %r1; st.global.u32 [%rd4 + 4], 2;`,
  ),
  kernel(
    'words in rows and columns that tickets give',
    `${TICKET} div.u32 %r8, %r7, 8; rem.u32 %r9, %r7, 8; mad.lo.u32 %r8, %r8, 9, %r9; ${WORD} ` +
      'st.global.u32 [%rd4], %r1;',
  ),
  kernel(
    'words in rows that are too short for what tickets give',
    `${TICKET} div.u32 %r8, %r7, 8; rem.u32 %r9, %r7, 8; mad.lo.u32 %r8, %r8, 7, %r9; ${WORD} ` +
      'st.global.u32 [%rd4], %r1;',
  ),
  kernel(
    'words of the lesser of two tickets',
    `${TICKET} atom.global.add.u32 %r9, [%rd1 + 1016], 1; min.u32 %r8, %r7, %r9; ${WORD} st.global.u32 [%rd4], %r1;`,
  ),
  kernel(
    'words of tickets in pairs, and one of them by its number',
    `${TICKET} xor.b32 %r8, %r7, 1; ${WORD} st.global.u32 [%rd4], %r1; ` +
      'setp.ne.u32 %p3, %r1, 0; @!%p3 st.global.u32 [%rd1 + 164], %r1;',
  ),
  kernel('words of tickets in pairs', `${TICKET} xor.b32 %r8, %r7, 1; ${WORD} st.global.u32 [%rd4], %r1;`),
  kernel(
    'words that tickets give from the middle on, and then from the first',
    `${TICKET} add.u32 %r8, %r7, 32; setp.ge.u32 %p1, %r8, 64; sub.u32 %r9, %r8, 64; ` +
      `selp.u32 %r8, %r9, %r8, %p1; ${WORD} st.global.u32 [%rd4], %r1;`,
  ),
  kernel('words that two of the tickets share', `${TICKET} min.u32 %r8, %r7, 62; ${WORD} st.global.u32 [%rd4], %r1;`),
  kernel('words that tickets share', `${TICKET} and.b32 %r8, %r7, 31; ${WORD} st.global.u32 [%rd4], %r1;`),
  kernel('words of half a ticket', `${TICKET} shr.u32 %r8, %r7, 1; ${WORD} st.global.u32 [%rd4], %r1;`),
  kernel(
    'tickets that somebody sets back',
    `setp.ne.u32 %p3, %r1, 0; @!%p3 st.relaxed.gpu.global.u32 [%rd1 + 1020], 0; ${TICKET} mov.u32 %r8, %r7; ` +
      `${WORD} st.global.u32 [%rd4], %r1;`,
  ),
  kernel(
    'tickets that are drawn in too narrow a scope',
    `${TICKET.replace('global', 'cta.global')} mov.u32 %r8, %r7; ${WORD} st.global.u32 [%rd4], %r1;`,
    'grid 2, block 64',
  ),
  kernel(
    'tickets of which one counts nothing',
    `setp.ne.u32 %p3, %r1, 0; selp.u32 %r9, 1, 0, %p3; atom.global.add.u32 %r7, [%rd1 + 1020], %r9; ` +
      `mov.u32 %r8, %r7; ${WORD} st.global.u32 [%rd4], %r1;`,
  ),
  kernel(
    'tickets that another atomic sets back',
    `setp.ne.u32 %p3, %r1, 0; @!%p3 red.global.min.u32 [%rd1 + 1020], 1; ${PERHAPS} @%p1 bra L; ${TICKET} ` +
      `mov.u32 %r8, %r7; ${WORD} st.global.u32 [%rd4], %r1; L:`,
  ),
  kernel(
    'tickets times nothing',
    `${PERHAPS} @%p1 bra L; ${TICKET} mul.lo.u32 %r8, %r7, 0; ${WORD} st.global.u32 [%rd4], %r1; L:`,
  ),
  kernel(
    'a ticket that is handed on',
    `${TICKET} shfl.sync.idx.b32 %r8, %r7, 0, 31, -1; ${WORD} st.global.u32 [%rd4], %r1;`,
  ),
  ...told(),
  kernel(
    'a condition that holds for all values',
    `${OWN} ${OPEN} and.b32 %r8, %r7, 63; setp.lt.u32 %p1, %r8, 64; @%p1 bar.sync 0; ${neighbor(32)}`,
  ),
  kernel(
    'a read of what is perhaps written',
    `mad.lo.u32 %r3, %r1, 4, %r2; ${PERHAPS} @%p1 st.shared.u32 [%r3], 5; ld.shared.u32 %r4, [%r3];`,
  ),
  kernel(
    'a read of what is written somewhere',
    `mad.lo.u32 %r3, %r1, 4, %r2; ${OPEN} and.b32 %r8, %r7, 12; add.u32 %r9, %r8, %r2; ` +
      'st.shared.u32 [%r9], 5; ld.shared.u32 %r4, [%r2];',
    'grid 1, block 1',
  ),
  kernel('a read that is perhaps made, of no value', `${PERHAPS} @%p1 ld.shared.u32 %r4, [%r2];`),
  kernel(
    'a flag that is perhaps set',
    'setp.ne.u32 %p4, %r1, 0; @%p4 bra W; ' +
      `${PERHAPS} @%p1 st.relaxed.gpu.global.u32 [%rd1 + 64], 1; st.relaxed.gpu.global.u32 [%rd1 + 64], 1; bra E; ` +
      'W: ld.acquire.gpu.global.u32 %r8, [%rd1 + 64]; setp.eq.u32 %p5, %r8, 0; @%p5 bra W; E:',
    'grid 1, block 2',
  ),
  kernel('a release that is perhaps made', `${PERHAPS} @%p1 st.release.gpu.global.u32 [%rd2], 1;`),
  kernel('a trap that is perhaps reached', `${PERHAPS} @%p1 trap;`),
  kernel('a store outside that is perhaps made', `${PERHAPS} @%p1 st.shared.u32 [%r2 + 4096], 1;`),
  kernel(
    'exits past a barrier of those who perhaps did something',
    `${OWN} setp.lt.u32 %p3, %r1, 8; ${PERHAPS} @%p3 bra L; bra M; ` +
      'L: @%p1 st.shared.u32 [%r3], 5; exit; M: bar.sync 0;',
    'grid 1, block 32',
  ),
];
