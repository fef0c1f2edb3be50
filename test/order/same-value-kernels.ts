import type { SmallKernel } from './small-kernel.js';

/** In memory whose contents nobody knows: a word that all load, and the own one. */
const memory = '.global .align 16 .u32 x[256] = ?;';
const ALL = 'ld.global.u32 %r7, [%rd1 + 1020];';
const OWN_WORD = 'ld.global.u32 %r7, [%rd2];';
const STORED = 'st.shared.u32 [%r2], %r7;';
const LOADED = 'bar.sync 0; ld.shared.u32 %r8, [%r2]; add.s64 %rd3, %rd2, 512; st.global.u32 [%rd3], %r8;';

/** What each lane has, and others, step by step. */
const reduced = (by: string, last = by): string =>
  [16, 8, 4, 2, 1]
    .map((mask) => `shfl.sync.bfly.b32 %r6, %r7, ${mask}, 31, -1; ${mask === 1 ? last : by} %r7, %r7, %r6;`)
    .join(' ');

const kernel = (name: string, body: string, place = 'grid 1, block 32'): SmallKernel => ({ name, place, body, memory });

/** Stores that race: of what is the same in every execution, or is not. */
export const SAME_VALUE_KERNELS: readonly SmallKernel[] = [
  { name: 'zeros of all lanes in one word', place: 'grid 1, block 64', body: `mov.u32 %r7, 0; ${STORED} ${LOADED}` },
  { name: 'numbers of lanes in one word', place: 'grid 1, block 32', body: `mov.u32 %r7, %r1; ${STORED} ${LOADED}` },
  kernel('a word that all have loaded, in one word', `${ALL} ${STORED} ${LOADED}`, 'grid 1, block 64'),
  kernel('words of their own, in one word', `${OWN_WORD} ${STORED} ${LOADED}`),
  kernel('sums of a warp, in one word', `${OWN_WORD} ${reduced('add.f32')} ${STORED} ${LOADED}`),
  kernel('maxima of a warp, in one word', `${OWN_WORD} ${reduced('max.f32')} ${STORED} ${LOADED}`),
  kernel('sums of all but one step of a warp', `${OWN_WORD} ${reduced('add.f32', 'sub.f32')} ${STORED} ${LOADED}`),
  kernel(
    'whole numbers, and their difference last',
    `${OWN_WORD} ${reduced('add.u32', 'sub.u32')} ${STORED} ${LOADED}`,
  ),
  kernel('sums of two warps, in one word', `${OWN_WORD} ${reduced('add.f32')} ${STORED} ${LOADED}`, 'grid 1, block 64'),
  kernel(
    'sums of .f64, of which one may be a NaN',
    `${OWN_WORD} cvt.u64.u32 %rd4, %r7; ${doubled()} ${STORED} ${LOADED}`,
  ),
  kernel(
    'a sum that lanes have taken from one word',
    `${OWN_WORD} ${reduced('add.u32')} ${STORED} bar.sync 0; ld.shared.u32 %r7, [%r2]; st.shared.u32 [%r2 + 4], %r7; ` +
      LOADED.replace('[%r2]', '[%r2 + 4]'),
  ),
  kernel(
    'a word that is written over in between',
    `${ALL} bar.warp.sync -1; setp.ne.u32 %p1, %r1, 0; @!%p1 red.global.add.u32 [%rd1 + 1020], 1; bar.warp.sync -1; ` +
      `@%p1 ${ALL} ${STORED} ${LOADED}`,
  ),
  kernel(
    'what atomics find in words of their own, in one word',
    `${ALL} atom.global.exch.b32 %r7, [%rd2], 0; ${STORED} ${LOADED}`,
  ),
  kernel('a clock of each lane, in one word', `mov.u32 %r7, %clock; ${STORED} ${LOADED}`),
  ...['eq', 'ne'].map((test) =>
    kernel(
      `a word or the own one, by a branch that lanes may go if they are ${test}`,
      `${OWN_WORD} ld.global.u32 %r8, [%rd2 + 128]; ld.global.u32 %r9, [%rd1 + 1020]; ` +
        `setp.${test}.u32 %p1, %r8, 7; @%p1 bra L; mov.u32 %r7, %r9; L: ${STORED} ${LOADED}`,
    ),
  ),
  kernel(
    'a word that is open only on a way that lanes may go',
    `${ALL} ld.global.u32 %r8, [%rd2]; setp.eq.u32 %p1, %r8, 7; @%p1 mov.u32 %r7, %r8; ${STORED} ${LOADED}`,
  ),
  kernel(
    'a word that is loaded while another one stores to it',
    `${ALL} @!%p2 bra E; ${beside()} ${STORED} E: ${LOADED}`,
  ),
  {
    name: 'a word in which another value was before, which is read in between',
    place: 'grid 1, block 96',
    body:
      'shr.u32 %r4, %r1, 5; and.b32 %r5, %r1, 31; setp.ne.u32 %p1, %r5, 0; @%p1 exit; ' +
      'setp.eq.u32 %p1, %r4, 2; @%p1 bra C; ' +
      'setp.eq.u32 %p1, %r4, 1; @%p1 bra B; st.shared.u32 [%r2], 7; barrier.cta.sync 1, 64; barrier.cta.sync 1, 64; ' +
      'bra C; B: barrier.cta.sync 1, 64; ld.shared.u32 %r6, [%r2]; st.global.u32 [%rd2], %r6; ' +
      'barrier.cta.sync 1, 64; exit; ' +
      'C: st.shared.u32 [%r2], 5;',
  },
  {
    name: 'values of each round, the last of which another thread stores, too',
    place: 'grid 1, block 64',
    body:
      'and.b32 %r5, %r1, 31; setp.ne.u32 %p1, %r5, 0; @%p1 exit; setp.eq.u32 %p1, %r1, 32; ' +
      'mov.u32 %r6, 0; @%p1 bra B; ' +
      'L: st.shared.u32 [%r2], %r6; add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 3; @%p3 bra L; exit; ' +
      'B: st.shared.u32 [%r2], 2;',
  },
  {
    name: 'a word in which another value was before, in order',
    place: 'grid 1, block 64',
    body: `mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], 7; bar.sync 0; mov.u32 %r7, 5; ${STORED} ${LOADED}`,
  },
  {
    name: 'halves of one value, and the whole of it',
    place: 'grid 1, block 64',
    body: `setp.lt.u32 %p1, %r1, 32; @%p1 st.shared.u32 [%r2], 0; @!%p1 st.shared.u16 [%r2], 0; ${LOADED}`,
  },
  {
    name: 'the value of an atomic beside that of a store',
    place: 'grid 1, block 64',
    body: `setp.lt.u32 %p1, %r1, 32; @%p1 st.shared.u32 [%r2], 5; @!%p1 atom.shared.exch.b32 %r6, [%r2], 5; ${LOADED}`,
  },
  kernel(
    'a branch on a word into which all have put the same',
    `${ALL} ${STORED} bar.sync 0; mov.u32 %r9, 0; st.shared.u32 [%r2 + 4], %r9; bar.sync 0; ` +
      'ld.shared.u32 %r9, [%r2 + 4]; ' +
      `setp.eq.u32 %p1, %r9, 0; @!%p1 bra E; st.global.u32 [%rd2], %r9; E:`,
    'grid 1, block 64',
  ),
];

/** A sum of two numbers of 64 bits, which each of two lanes takes the other way round. */
function doubled(): string {
  const other = 'shfl.sync.bfly.b32 %r6, %r7, 1, 31, -1; cvt.u64.u32 %rd5, %r6;';
  return `${other} add.f64 %rd6, %rd4, %rd5; cvt.u32.u64 %r7, %rd6; and.b32 %r9, %r1, 30; mad.lo.u32 %r2, %r9, 4, %r2;`;
}

/** The first lane stores to the word that all load again. */
function beside(): string {
  return `setp.ne.u32 %p1, %r1, 0; mov.u32 %r9, %clock; @!%p1 st.global.u32 [%rd1 + 1020], %r9; ${ALL}`;
}
