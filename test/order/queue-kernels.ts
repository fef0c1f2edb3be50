import type { SmallKernel } from './small-kernel.js';

/** A queue of 12 tickets, whose word is the last of the first 256; behind these, 64 words for each ticket. */
const DRAW = 'atom.relaxed.gpu.global.add.u32 %r7, [%rd1 + 1020], 1;';
const IS_OVER = 'setp.ge.u32 %p4, %r7, 12; @%p4 bra E;';
const placeOf = (ticket: string, apart = 64): string =>
  `mad.lo.u32 %r8, ${ticket}, ${apart}, %r1; mul.wide.u32 %rd4, %r8, 4; add.s64 %rd4, %rd1, %rd4;`;
const TILE = `${placeOf('%r7')} st.global.u32 [%rd4 + 1024], %r1;`;

const AT_WORD = TILE.slice(TILE.indexOf('mul.wide'));

/** The place in a tile of 8 rows and columns that a thread has, of a matrix of 32 columns. */
const inMatrix = (row: string, column: string, next = 8): string =>
  `${row} ${column} shr.u32 %r14, %r1, 3; and.b32 %r15, %r1, 7; mad.lo.u32 %r12, %r12, 8, %r14; ` +
  `mad.lo.u32 %r13, %r13, ${next}, %r15; mad.lo.u32 %r8, %r12, 32, %r13; ${AT_WORD}`;
const ROW = 'div.u32 %r12, %r7, 4;';
const COLUMN = 'rem.u32 %r13, %r7, 4;';

/** The first thread of a CTA draws, and tells the others; %r9 is how often they did so. */
const told = (draw = DRAW, cell = '%r2 + 1000'): string =>
  `setp.ne.u32 %p3, %r1, 0; @%p3 bra H; ${draw} st.shared.u32 [${cell}], %r7; ` +
  `H: bar.sync 0; ld.shared.u32 %r7, [${cell}]; add.u32 %r9, %r9, 1;`;
const BEGIN = 'mov.u32 %r9, 0; mov.u32 %r10, 0; mad.lo.u32 %r3, %r1, 4, %r2;';
const rounds = (next: string, round: string, behind = ''): string =>
  `${BEGIN} R: ${next} ${IS_OVER} ${round} bra R; E: ${behind}`;
const inCta = (round: string, behind = ''): string => rounds(told(), round, behind);
const byThread = (round: string, behind = ''): string => rounds(DRAW, round, behind);
const byWarp = (round: string): string =>
  rounds(
    'and.b32 %r11, %r1, 31; setp.ne.u32 %p3, %r11, 0; mov.u32 %r7, 0; ' +
      `@!%p3 ${DRAW} shfl.sync.idx.b32 %r7, %r7, 0, 31, -1;`,
    round,
  );
/** The first ticket is the number of the CTA; others are by so much above what is drawn. */
const fromNumber = (by: number): string =>
  `${BEGIN} mov.u32 %r7, %ctaid.x; R: ${IS_OVER} ${TILE} ` +
  `${told(`${DRAW} add.u32 %r7, %r7, ${by};`)} bar.sync 0; bra R; E:`;
/** A word that all CTAs write, from some round on. */
const AFTER_FIVE = 'setp.ne.u32 %p5, %r9, 6; @%p5 bra G; st.global.u32 [%rd1], %r9; G:';
const unless = (condition: string, code: string): string => `${condition} @%p5 bra G; ${code} G:`;
const SUM = 'ld.global.u32 %r5, [%rd4 + 1024]; add.u32 %r10, %r10, %r5;';
const halves = (barrier: string): string =>
  `bar.sync 0; st.shared.u32 [%r3], %r10; bar.sync 0; mov.u32 %r12, 32; T: setp.ge.u32 %p5, %r1, %r12; @%p5 bra U; ` +
  'add.u32 %r13, %r1, %r12; mad.lo.u32 %r13, %r13, 4, %r2; ld.shared.u32 %r14, [%r13]; ld.shared.u32 %r5, [%r3]; ' +
  `add.u32 %r5, %r5, %r14; st.shared.u32 [%r3], %r5; U: ${barrier} ` +
  'shr.u32 %r12, %r12, 1; setp.ne.u32 %p5, %r12, 0; @%p5 bra T;';
const OF_CTA = 'mov.u32 %r15, %ctaid.x; mul.wide.u32 %rd5, %r15, 4; add.s64 %rd5, %rd1, %rd5;';

const kernel = (name: string, body: string, place = 'grid 3, block 64'): SmallKernel => ({
  ...{ name, place, body, isEndAsked: false },
  // As many words as there are tiles.
  memory: '.global .align 16 .u32 x[1024] = 0;',
});

/**
 * Tickets that each lane keeps for five rounds, in registers or in words of its own, before it stores to the word that
 * another one had then; at first all are one that was drawn before.
 */
const LATE = `xor.b32 %r4, %r1, 1; ${placeOf('%r16').replace('%r1;', '%r4;')} st.global.u32 [%rd4 + 1024], 7;`;
const FIRST =
  'and.b32 %r11, %r1, 31; setp.ne.u32 %p3, %r11, 0; mov.u32 %r7, 0; ' +
  `@!%p3 ${DRAW} shfl.sync.idx.b32 %r7, %r7, 0, 31, -1; ${IS_OVER}`;
const kept = [12, 13, 14, 15, 16].map((at) => `mov.u32 %r${at}, %r7;`).join(' ');
const inRegisters = ['%r16, %r15', '%r15, %r14', '%r14, %r13', '%r13, %r12', '%r12, %r7'].map(
  (one) => `mov.u32 ${one};`,
);
const own = (at: number): string => `[%r4 + ${4 * at}]`;
const inWords = [4, 3, 2, 1].map((at) => `ld.shared.u32 %r5, ${own(at - 1)}; st.shared.u32 ${own(at)}, %r5;`);
const WORDS = 'mad.lo.u32 %r4, %r1, 20, %r2;';

/** Threads that draw tickets of a queue until these run out. */
export const QUEUE_KERNELS: readonly SmallKernel[] = [
  kernel(
    'tickets that threads draw',
    byThread(`${placeOf('%r7', 1)} st.global.u32 [%rd4 + 1024], %r7;`.replace(', %r1;', ', 0;')),
  ),
  kernel('tickets that a lane draws for its warp', byWarp(TILE)),
  kernel('tickets that a thread draws for its CTA', inCta(`${TILE} bar.sync 0;`)),
  kernel('tickets of a CTA that may be drawn before they are read', inCta(TILE)),
  kernel('tickets of which the first is the number of the CTA', fromNumber(3)),
  kernel('tickets that may be the number of a CTA', fromNumber(2)),
  kernel('tiles that overlap', inCta(`${placeOf('%r7', 63)} st.global.u32 [%rd4 + 1024], %r1; bar.sync 0;`)),
  kernel('tiles by bits beside each other', inCta(`shl.b32 %r8, %r7, 6; or.b32 %r8, %r8, %r1; ${AT_WORD} bar.sync 0;`)),
  kernel(
    'tiles by the difference of two products',
    inCta(`mad.lo.u32 %r4, %r7, 256, %r1; mad.lo.s32 %r8, %r7, -192, %r4; ${AT_WORD} bar.sync 0;`),
  ),
  kernel('tiles in rows and columns', inCta(`${inMatrix(ROW, COLUMN)} bar.sync 0;`)),
  kernel(
    'tiles in rows and columns, by bits',
    inCta(`${inMatrix('shr.u32 %r12, %r7, 2;', 'and.b32 %r13, %r7, 3;')} bar.sync 0;`),
  ),
  kernel('tiles in rows and columns that overlap', inCta(`${inMatrix(ROW, COLUMN, 7)} bar.sync 0;`)),
  kernel('tiles in columns of which a row has more', inCta(`${inMatrix(ROW, 'rem.u32 %r13, %r7, 3;')} bar.sync 0;`)),
  kernel('tiles that are rows', inCta(`${inMatrix(ROW, 'mov.u32 %r13, 0;')} bar.sync 0;`)),
  kernel(
    'tiles in rows and columns, of which one is left out',
    inCta(
      `bar.sync 0; ${ROW} ${COLUMN} setp.eq.u32 %p5, %r12, 1; @%p5 setp.eq.u32 %p5, %r13, 2; @%p5 bra R; ` +
        inMatrix('', ''),
    ),
  ),
  kernel(
    'tiles in groups of rows, the last of which has fewer',
    inCta(
      `${inMatrix(
        'shr.u32 %r12, %r7, 3; shl.b32 %r12, %r12, 1; sub.u32 %r16, 3, %r12; min.u32 %r16, %r16, 2; ' +
          'and.b32 %r13, %r7, 7; rem.u32 %r5, %r7, %r16; add.u32 %r12, %r12, %r5;',
        'div.u32 %r13, %r13, %r16;',
      )} bar.sync 0;`,
    ),
  ),
  kernel(
    'tiles whose rows and columns are made by the same instruction',
    inCta(
      `${ROW} ${COLUMN} mov.u32 %r16, 0; Q: min.u32 %r5, %r12, 3; mov.u32 %r12, %r13; mov.u32 %r13, %r5; ` +
        `add.u32 %r16, %r16, 1; setp.lt.u32 %p5, %r16, 2; @%p5 bra Q; ${inMatrix('', '')} bar.sync 0;`,
    ),
  ),
  kernel(
    'tiles from the last on',
    inCta(`sub.u32 %r5, 11, %r7; ${placeOf('%r5')} st.global.u32 [%rd4 + 1024], %r1; bar.sync 0;`),
  ),
  kernel(
    'tiles from one on, and the first one at last',
    inCta(
      'add.u32 %r5, %r7, 1; setp.eq.u32 %p5, %r5, 12; selp.u32 %r5, 0, %r5, %p5; ' +
        `${placeOf('%r5')} st.global.u32 [%rd4 + 1024], %r1; bar.sync 0;`,
    ),
  ),
  kernel(
    'tiles of which the last two are one',
    inCta(`min.u32 %r5, %r7, 10; ${placeOf('%r5')} st.global.u32 [%rd4 + 1024], %r1; bar.sync 0;`),
  ),
  kernel(
    'tiles of half a ticket, which counts by two',
    inCta(`shr.u32 %r5, %r7, 1; ${placeOf('%r5')} st.global.u32 [%rd4 + 1024], %r1; bar.sync 0;`).replace(
      '+ 1020], 1;',
      '+ 1020], 2;',
    ),
  ),
  kernel(
    'tiles of half a ticket',
    inCta(`shr.u32 %r5, %r7, 1; ${placeOf('%r5')} st.global.u32 [%rd4 + 1024], %r1; bar.sync 0;`),
  ),
  kernel(
    'tiles in rows and columns, and the same in columns and rows',
    inCta(`${inMatrix(ROW, COLUMN)} ` + `${inMatrix('rem.u32 %r12, %r7, 3;', 'div.u32 %r13, %r7, 3;')} bar.sync 0;`),
  ),
  kernel('a tile behind the end', inCta(`${TILE} bar.sync 0;`).replace('%r7, 12', '%r7, 29')),
  kernel(
    'sums that are carried from round to round',
    inCta(
      `${placeOf('%r7')} ${SUM} bar.sync 0;`,
      `${halves('bar.sync 0;')} ${OF_CTA} @!%p2 st.global.u32 [%rd5], %r5;`,
    ),
  ),
  kernel(
    'sums that are carried from round to round, and no barriers',
    inCta(`${placeOf('%r7')} ${SUM} bar.sync 0;`, `${halves('')} ${OF_CTA} @!%p2 st.global.u32 [%rd5], %r5;`),
  ),
  kernel(
    'counts in shared memory, which are added to others behind all rounds',
    `mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], 0; bar.sync 0; ${inCta(
      'red.shared.add.u32 [%r2], 1; bar.sync 0;',
      'ld.shared.u32 %r5, [%r2]; red.global.add.u32 [%rd2], %r5;',
    )}`,
  ),
  kernel('something else from the sixth round on', inCta(`${TILE} ${AFTER_FIVE} bar.sync 0;`)),
  kernel(
    'something else from the sixth round on, which shared memory tells',
    `mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], 0; bar.sync 0; ${inCta(
      `${TILE} ld.shared.u32 %r5, [%r3]; add.u32 %r5, %r5, 1; st.shared.u32 [%r3], %r5; ` +
        unless('setp.ne.u32 %p5, %r5, 6;', 'st.global.u32 [%rd1], %r5;') +
        ' bar.sync 0;',
    )}`,
  ),
  kernel(
    'something else from the sixth round on, of those who are told that there is one',
    `${BEGIN} setp.ge.u32 %p6, %r1, 32; @%p6 bra W; R: setp.eq.u32 %p5, %r1, 999; setp.ne.u32 %p3, %r1, 0; ` +
      `@%p3 bra H; ${DRAW} setp.ge.u32 %p5, %r7, 12; @%p5 bra H; st.shared.u32 [%r3], %r7; ` +
      'H: bar.red.or.pred %p4, 0, %p5; @%p4 bra E; bra R; ' +
      'W: setp.eq.u32 %p5, %r1, 999; bar.red.or.pred %p4, 0, %p5; @%p4 bra E; add.u32 %r9, %r9, 1; ' +
      `${AFTER_FIVE} bra W; E:`,
  ),
  kernel(
    'something else behind the sixth round',
    inCta(`${TILE} bar.sync 0;`, unless('setp.ne.u32 %p5, %r9, 7;', 'st.global.u32 [%rd1], %r9;')),
  ),
  kernel(
    'something else from the sixth round on, of those who are told',
    `${BEGIN} setp.ge.u32 %p6, %r1, 32; @%p6 bra W; R: setp.ne.u32 %p3, %r1, 0; @%p3 bra H; ${DRAW} ` +
      'st.shared.u32 [%r2 + 1000], %r7; H: bar.sync 1, 64; ld.shared.u32 %r7, [%r2 + 1000]; bar.sync 2, 64; ' +
      `${IS_OVER} bra R; W: bar.sync 1, 64; ld.shared.u32 %r7, [%r2 + 1000]; bar.sync 2, 64; ${IS_OVER} ` +
      `add.u32 %r9, %r9, 1; ${AFTER_FIVE} bra W; E:`,
  ),
  kernel(
    'tiles that others work at than who draws',
    `${BEGIN} setp.ge.u32 %p6, %r1, 32; @%p6 bra W; R: setp.ne.u32 %p3, %r1, 0; @%p3 bra H; ${DRAW} ` +
      'st.shared.u32 [%r2 + 1000], %r7; H: bar.sync 1, 64; ld.shared.u32 %r7, [%r2 + 1000]; bar.sync 2, 64; ' +
      `${IS_OVER} bra R; W: bar.sync 1, 64; ld.shared.u32 %r7, [%r2 + 1000]; bar.sync 2, 64; ${IS_OVER} ` +
      `${TILE} bra W; E:`,
  ),
  kernel('tickets that threads draw, who meet in each round', byThread('bar.sync 0;')),
  kernel('tickets that threads draw, whose warps meet in each round', byThread('bar.warp.sync -1;')),
  kernel('tickets that warps draw, which meet in each round', byWarp('bar.sync 0;')),
  kernel(
    'what warps that have drawn a tile store, which others read behind all rounds',
    byWarp(TILE).replace('E:', 'E: setp.eq.u32 %p5, %r9, 0; @%p5 bra F; st.shared.u32 [%r3], 1; F: bar.sync 0;') +
      ' xor.b32 %r4, %r1, 32; mad.lo.u32 %r4, %r4, 4, %r2; ld.shared.u32 %r5, [%r4];',
    'grid 1, block 64',
  ),
  kernel(
    'a barrier behind all rounds, of warps that have drawn a tile',
    byWarp(`${TILE} mov.u32 %r9, 1;`).replace('E:', 'E: setp.eq.u32 %p5, %r9, 0; @%p5 bra F; bar.sync 0; F:'),
    'grid 1, block 64',
  ),
  kernel(
    'tiles the last of which is not full',
    inCta(`bar.sync 0; ${TILE.replace('mul', 'setp.ge.u32 %p5, %r8, 700; @%p5 bra R; mul')}`),
  ),
  kernel(
    'the tile of the ticket before',
    inCta(`${placeOf('%r10')} st.global.u32 [%rd4 + 1024], %r1; mov.u32 %r10, %r7; bar.sync 0;`),
  ),
  kernel(
    'tickets in two cells in turns',
    rounds(`and.b32 %r12, %r9, 1; mad.lo.u32 %r12, %r12, 4, %r2; ${told(DRAW, '%r12 + 1000')}`, TILE),
  ),
  kernel(
    'a ticket that is drawn behind the end',
    inCta(`${TILE} bar.sync 0;`, `setp.ne.u32 %p3, %r1, 0; @%p3 bra F; ${DRAW} F:`),
  ),
  kernel('tickets that are not all drawn', inCta(`${TILE} setp.eq.u32 %p5, %r9, 5; @%p5 bra E; bar.sync 0;`)),
  kernel(
    'a round that some may leave',
    inCta(`${TILE} mov.u32 %r5, %clock; setp.eq.u32 %p5, %r5, 1; @%p5 bra E; bar.sync 0;`),
  ),
  kernel('a fence in each round', inCta(`${TILE} fence.acq_rel.gpu; bar.sync 0;`)),
  kernel('a flag in each round', inCta(`${TILE} st.release.gpu.global.u32 [%rd1], 1; bar.sync 0;`)),
  kernel(
    'something else of those who draw no ticket at all',
    `${BEGIN} ${OF_CTA} setp.ne.u32 %p7, %r1, 0; ${told()} setp.lt.u32 %p5, %r7, 12; @%p5 bra R; ` +
      'add.u32 %r15, %r15, 1; rem.u32 %r15, %r15, 3; mul.wide.u32 %rd5, %r15, 4; ' +
      'add.s64 %rd5, %rd1, %rd5; @!%p7 st.global.u32 [%rd5], 1; bra E; ' +
      `R: @!%p7 st.global.u32 [%rd5], 2; bar.sync 0; ${told().replaceAll('H', 'I')} ` +
      'setp.lt.u32 %p4, %r7, 12; @%p4 bra R; E:',
  ),
  kernel(
    'tiles whose numbers wrap around',
    inCta(
      `sub.u32 %r4, %r7, 1; ${placeOf('%r4')} add.s64 %rd4, %rd4, -17179869184; ` +
        'st.global.u32 [%rd4 + 1280], %r1; bar.sync 0;',
    ),
  ),
  {
    ...kernel(
      'tiles by bits of which some are shared',
      inCta(`shl.b32 %r8, %r7, 6; add.u32 %r4, %r1, 32; or.b32 %r8, %r8, %r4; ${AT_WORD} bar.sync 0;`),
    ),
    memory: '.global .align 16 .u32 x[2048] = 0;',
  },
  kernel(
    'tiles by the difference of two products that are too close',
    inCta(`mad.lo.u32 %r4, %r7, 256, %r1; mad.lo.s32 %r8, %r7, -224, %r4; ${AT_WORD} bar.sync 0;`),
  ),
  kernel(
    'a flag of its own that each CTA sets in each round',
    inCta(`${TILE} ${OF_CTA} @!%p3 st.release.gpu.global.u32 [%rd5], 1; bar.sync 0;`),
  ),
  {
    ...kernel(
      'tickets of five rounds before, in registers',
      `${FIRST} ${kept} ${byWarp(`${TILE} ${LATE} ${inRegisters.join(' ')}`)}`,
    ),
    place: 'grid 3, block 32',
    memory: '.global .align 16 .u32 x[2048] = 0;',
  },
  {
    ...kernel(
      'tickets of five rounds before, in shared memory',
      `${FIRST} ${WORDS} ${[0, 1, 2, 3, 4].map((at) => `st.shared.u32 ${own(at)}, %r7;`).join(' ')} ` +
        byWarp(
          `${TILE} ${WORDS} ld.shared.u32 %r16, ${own(4)}; ${inWords.join(' ')} st.shared.u32 ${own(0)}, %r7; ${LATE}`,
        ),
    ),
    place: 'grid 3, block 32',
    memory: '.global .align 16 .u32 x[2048] = 0;',
  },
  kernel(
    'tickets that are drawn twice in a loop',
    rounds(told(), `${TILE} bar.sync 0; ${told().replaceAll('H', 'I')} ${IS_OVER} ${TILE} bar.sync 0;`),
  ),
  kernel(
    'tickets that are drawn twice in a loop, and tiles that overlap the second time',
    rounds(
      told(),
      `${TILE} bar.sync 0; ${told().replaceAll('H', 'I')} ${IS_OVER} ${placeOf('%r7', 63)} ` +
        'st.global.u32 [%rd4 + 1024], %r1; bar.sync 0;',
    ),
  ),
  kernel(
    'tickets that are drawn twice in a loop, and no barrier the second time',
    rounds(told(), `${TILE} bar.sync 0; ${told().replaceAll('H', 'I')} ${IS_OVER} ${TILE}`),
  ),
  kernel(
    'tickets that are drawn twice in a loop, and something else from the sixth round on',
    rounds(told(), `${TILE} bar.sync 0; ${told().replaceAll('H', 'I')} ${IS_OVER} ${TILE} ${AFTER_FIVE} bar.sync 0;`),
  ),
  kernel(
    'tickets that are drawn five times in a loop',
    rounds(
      told(),
      `${TILE} bar.sync 0; ${['I', 'J', 'K', 'L']
        .map((label) => `${told().replaceAll('H', label)} ${IS_OVER} ${TILE} bar.sync 0;`)
        .join(' ')}`,
    ),
  ),
  kernel('a queue of no tickets', inCta(`${TILE} bar.sync 0;`).replace('%r7, 12', '%r7, 0')),
];
