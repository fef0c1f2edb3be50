import type { SmallKernel } from './small-kernel.js';

const WORD = '[%rd1 + 1020]';
const PAIR = 'grid 2, block 2, gpu 0';
const FIRST = `ld.relaxed.gpu.global.u32 %r6, ${WORD};`;

/** A round: what is put there is made of %r6, and %r8 is what has been found. */
interface Round {
  readonly how?: string;
  readonly before?: string;
  readonly compared?: string;
  readonly after?: string;
}
const again = ({ how = 'relaxed.gpu', before = '', compared = '%r6', after = '' }: Round = {}): string =>
  `W: ${before} add.u32 %r9, %r6, 1; atom.${how}.global.cas.b32 %r8, ${WORD}, ${compared}, %r9; ` +
  `setp.ne.u32 %p4, ${compared}, %r8; mov.u32 %r6, %r8; ${after} @%p4 bra W;`;
const OWN = 'mad.lo.u32 %r7, %r10, 2, %r1; mul.wide.u32 %rd3, %r7, 4; add.s64 %rd3, %rd1, %rd3;';
const either = (first: string, second: string): string =>
  `mov.u32 %r10, %ctaid.x; setp.ne.u32 %p1, %r10, 0; @%p1 bra B; ${first} bra.uni E; B: ${second} E:`;

/** Kernels that update a word by a compare-and-swap with what they have found, until that succeeds. */
export const RETRY_KERNELS: readonly SmallKernel[] = [
  { name: 'an update made again until it succeeds', place: PAIR, body: FIRST + again() },
  { name: 'an update made again, from a guess', place: PAIR, body: `mov.u32 %r6, 0; ${again()}` },
  { name: 'an update made again, that looks each time', place: PAIR, body: again({ before: FIRST }) },
  { name: 'an update made again behind fences', place: PAIR, body: FIRST + again({ before: 'fence.sc.gpu;' }) },
  {
    name: 'an update made again as long as there is less',
    place: PAIR,
    body: `${FIRST} ${again({ before: 'setp.ge.u32 %p3, %r6, 3; @%p3 bra E;' })} E:`,
  },
  {
    name: 'an update made again, of which it is kept what was found',
    place: PAIR,
    body: `mov.u32 %r10, %ctaid.x; ${FIRST} ${again()} ${OWN} st.global.u32 [%rd3], %r8;`,
  },
  {
    name: 'an update made again, of which it is kept how often',
    place: PAIR,
    body: `mov.u32 %r10, 0; ${FIRST} ${again({ after: 'add.u32 %r10, %r10, 1;' })} st.global.u32 [%rd2 + 512], %r10;`,
  },
  {
    name: 'an update made again, from a guess, and what goes by what was put there',
    place: 'grid 3, block 1, gpu 0',
    body: `mov.u32 %r6, 0; ${again()} setp.gt.u32 %p5, %r9, 1; @%p5 st.global.u32 [%rd1 + 4], 7;`,
  },
  {
    name: 'an update made again, at the place that was found',
    place: PAIR,
    body: `${FIRST} ${again()} mul.wide.u32 %rd3, %r8, 4; add.s64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], 1;`,
  },
  {
    name: 'an update made again, after a weak look',
    place: PAIR,
    body: FIRST.replace('relaxed.gpu', 'weak') + again(),
  },
  { name: 'an update made again in the scope of a CTA', place: PAIR, body: FIRST + again({ how: 'relaxed.cta' }) },
  {
    name: 'an update made again where another one stores',
    place: 'grid 2, block 1, gpu 0',
    body: either(FIRST + again(), `st.relaxed.gpu.global.u32 ${WORD}, 5;`),
  },
  {
    name: 'an update made again where another one stores weakly',
    place: 'grid 2, block 1, gpu 0',
    body: either(FIRST + again(), `st.weak.global.u32 ${WORD}, 5;`),
  },
  {
    name: 'an update made again once a bit is taken away',
    place: PAIR,
    body: FIRST + again({ before: 'and.b32 %r11, %r6, 0xfffffffe;', compared: '%r11' }),
  },
  {
    name: 'an update made again, with a store each time',
    place: PAIR,
    body: FIRST + again({ before: 'st.global.u32 [%rd2 + 512], %r6;' }),
  },
  {
    name: 'an update made again, elsewhere each time',
    place: PAIR,
    body:
      `mov.u64 %rd3, %rd1; ${FIRST} W: add.u32 %r9, %r6, 1; atom.relaxed.gpu.global.cas.b32 %r8, [%rd3 + 1020], %r6, ` +
      '%r9; setp.ne.u32 %p4, %r6, %r8; mov.u32 %r6, %r8; mul.wide.u32 %rd4, %r8, 0; sub.s64 %rd3, %rd3, %rd4; ' +
      '@%p4 bra W;',
  },
  {
    name: 'an update made again that hands over what was written',
    place: 'grid 2, block 1, gpu 0',
    body: either(
      `st.global.u32 [%rd1], 7; ${FIRST} ${again({ how: 'acq_rel.gpu' })}`,
      `${FIRST.replace('%r6', '%r12')} setp.eq.u32 %p5, %r12, 0; @%p5 bra E; fence.acq_rel.gpu; ` +
        'ld.global.u32 %r13, [%rd1];',
    ),
  },
];
