import { isSymmetric } from '../../src/follow/recheck-symmetry.js';
import { symmetricThreads } from '../../src/follow/symmetric-threads.js';
import { launch, withAllThreads } from './symmetric-launch.js';

export interface SymmetryKernel {
  readonly name: string;
  readonly body: string;
  readonly place: string;
  readonly clauses?: string;
  /** By thread that is left, how many are like it: `0`, or `1+6`; empty: no thread is like another. */
  readonly left?: readonly string[];
  /** Which threads are said to be like which: `1 as 0` leaves thread 1 out. And whether that is taken. */
  readonly pairs?: readonly string[];
  readonly isTaken?: boolean;
}

const OWN = 'st.global.u32 [%rd2], %r1;';
const LEAD = '@%p1 st.shared.u32 [s], 1; bar.sync 0; ld.shared.u32 %r9, [s]; st.global.u32 [%rd2], %r9;';
const PEERS = 'xor.b32 %r5, %r2, 4; st.shared.u32 [%r2], %r1; bar.sync 0; ld.shared.u32 %r9, [%r5];';
const LEAVE = `setp.eq.u32 %p3, %r1, 33; @%p3 exit; bar.sync 0; ${OWN}`;
const SQUARES =
  'mul.lo.u32 %r5, %r1, %r1; and.b32 %r5, %r5, 31; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r4; ' +
  'st.shared.u32 [%r5+512], 1; st.shared.u32 [%r2], 1;';
const OTHER_WORD = '@%p1 st.shared.u32 [s+8], 1; bar.sync 0; ld.shared.u32 %r9, [%r2];';
const TWO_WORDS =
  'setp.ne.u32 %p4, %r1, 0; @%p4 bra B; st.relaxed.gpu.global.u32 [%rd1+800], 0; ' +
  'L: ld.relaxed.gpu.global.u32 %r9, [%rd1+800]; setp.ne.u32 %p3, %r9, 0; @%p3 bra L; ' +
  'st.shared.u32 [s+4], 1; st.shared.u32 [s+8], 1; B: bar.sync 0; ld.shared.u32 %r9, [%r2];';
const OF_CTA = 'mov.u32 %r5, %ctaid.x; mul.wide.u32 %rd5, %r5, 64; add.s64 %rd5, %rd2, %rd5; st.global.u32 [%rd5], 1;';
const OWN_TWO =
  'st.shared.u32 [%r2], 1; st.shared.u32 [%r2+256], 1; and.b32 %r5, %r1, 1; mad.lo.u32 %r5, %r5, 256, %r2; ' +
  'ld.shared.u32 %r9, [%r5];';
const LAST_WORD = 'min.u32 %r5, %r1, 2; mad.lo.u32 %r5, %r5, 4, %r4; st.shared.u32 [%r5], 1;';
const FOUND = '@%p1 st.global.u32 [%rd1], 1; ld.global.u32 %r9, [%rd1]; setp.eq.u32 %p3, %r9, 0;';
const COUNTED = `@%p2 bra E; bar.sync 1, 32; E: ${OWN}`;
const FOUR = 'setp.ge.u32 %p3, %r1, 4; @%p3 bra E;';
const EIGHT = 'grid 1, block 8';
const FORTY = 'grid 1, block 40';

/** Kernels of which it is known which threads are like others (docs/decisions/symmetric-threads.md). */
export const SYMMETRY_KERNELS: readonly SymmetryKernel[] = [
  { name: 'words of their own', body: OWN, place: EIGHT, left: ['0+7'] },
  { name: 'what one has left', body: LEAD, place: EIGHT, left: ['0', '1+6'] },
  { name: 'pairs that share words', body: PEERS, place: EIGHT, left: ['0+3', '1+3'] },
  { name: 'each CTA', body: LEAD, place: 'grid 2, block 8', left: ['0', '1+6', '8', '9+6'] },
  { name: 'a warp all of which comes to a barrier', body: `bar.sync 0; ${OWN}`, place: FORTY, left: ['0+39'] },
  { name: 'a warp not all of which does', body: LEAVE, place: FORTY, left: ['0+31', '32+6', '33'] },
  { name: 'a word that is asked for', body: OWN, place: EIGHT, clauses: 'locations [x[5];]', left: ['0+6', '5'] },
  {
    ...{ name: 'a register that is asked for', body: LEAD, place: EIGHT, left: ['0', '1+5', '5'] },
    clauses: 'exists (K[cta 0, tid 5]:%r9 == 5)',
  },
  {
    ...{ name: 'what many read', place: EIGHT, left: ['0+6', '2'] },
    body: 'bar.sync 0; ld.shared.u32 %r9, [s+8]; st.shared.u32 [%r2], 1;',
  },
  { name: 'words elsewhere beside each other', body: SQUARES, place: 'grid 1, block 4', left: ['0+1', '2', '3'] },
  { name: 'another word that one writes', body: OTHER_WORD, place: 'grid 1, block 4', left: ['0', '1+1', '2'] },
  { name: 'two words that one writes', body: TWO_WORDS, place: EIGHT, left: ['0', '1', '2', '3+4'] },
  { name: 'a fence of its own proxy', body: `${OWN} fence.proxy.async; ${OWN}`, place: EIGHT, left: ['0+7'] },
  {
    ...{ name: 'a loop that waits', place: EIGHT, left: [] },
    body: `L: ld.relaxed.gpu.global.u32 %r9, [%rd1+800]; setp.eq.u32 %p3, %r9, 0; @%p3 bra L; ${OWN}`,
  },
  { name: 'a guard by what is found', body: `${FOUND} @%p3 st.global.u32 [%rd2+4], 1;`, place: EIGHT, left: [] },
  { name: 'a barrier by what is found', body: `${FOUND} @%p3 bar.sync 0;`, place: EIGHT, left: [] },
  {
    ...{ name: 'an address by what is found', place: EIGHT, left: [] },
    body: 'ld.shared.u32 %r9, [s]; add.u32 %r9, %r9, %r4; st.shared.u32 [%r9], 1;',
  },
  { name: 'a barrier that counts', body: `bar.sync 1, 32; ${OWN}`, place: 'grid 1, block 32', left: [] },
  {
    ...{ name: 'a barrier that reduces', place: EIGHT, left: [] },
    body: `setp.eq.u32 %p3, %r1, 1; bar.red.popc.u32 %r9, 0, %p3; ${OWN}`,
  },
  { name: 'others in a CTA where some are counted', body: COUNTED, place: 'grid 1, block 64', left: [] },
  { name: 'others in a warp where some meet', body: `${FOUR} bar.warp.sync 0xf; E: ${OWN}`, place: EIGHT, left: [] },
  { name: 'lanes that meet', body: `bar.warp.sync 0xff; ${OWN}`, place: EIGHT, left: [] },
  { name: 'one word for all', body: 'st.global.u32 [%rd1], 1;', place: EIGHT, left: [] },
  { name: 'words outside of memory', body: 'st.global.u32 [%rd2+4096], 1;', place: EIGHT, left: [] },
  { name: 'words that are not aligned', body: 'st.global.u32 [%rd2+129], 1;', place: EIGHT, left: [] },
  { name: 'all as one', body: OWN, place: 'grid 1, block 4', pairs: ['1 as 0', '2 as 0', '3 as 0'], isTaken: true },
  { name: 'others as one', body: LEAD, place: 'grid 1, block 4', pairs: ['2 as 1', '3 as 1'], isTaken: true },
  { name: 'a pair as a pair', body: PEERS, place: 'grid 1, block 4', pairs: ['2 as 0', '3 as 1'], isTaken: true },
  { name: 'one of another warp', body: `bar.sync 0; ${OWN}`, place: FORTY, pairs: ['39 as 0'], isTaken: true },
  { name: 'one that does more', body: LEAD, place: EIGHT, pairs: ['0 as 1'], isTaken: false },
  { name: 'one as one that is left out', body: OWN, place: EIGHT, pairs: ['1 as 0', '2 as 1'], isTaken: false },
  { name: 'one of a pair', body: PEERS, place: EIGHT, pairs: ['2 as 0'], isTaken: false },
  { name: 'both of a pair as the same', body: PEERS, place: EIGHT, pairs: ['2 as 0', '3 as 0'], isTaken: false },
  { name: 'one of another CTA', body: OF_CTA, place: 'grid 2, block 4', pairs: ['5 as 1'], isTaken: false },
  { name: 'one that reads its other word', body: OWN_TWO, place: EIGHT, pairs: ['1 as 0'], isTaken: false },
  {
    name: 'two that race as one',
    body: LAST_WORD,
    place: 'grid 1, block 4',
    pairs: ['2 as 0', '3 as 0'],
    isTaken: false,
  },
  {
    ...{ name: 'one whose word is asked for', body: OWN, place: EIGHT, clauses: 'locations [x[1];]' },
    ...{ pairs: ['1 as 0'], isTaken: false },
  },
  {
    ...{ name: 'one whose register is asked for', body: LEAD, place: EIGHT, pairs: ['5 as 1'], isTaken: false },
    clauses: 'exists (K[cta 0, tid 5]:%r9 == 5)',
  },
  {
    ...{ name: 'one that writes what others do', body: 'st.global.u32 [%rd1], 1;', place: EIGHT },
    ...{ pairs: ['1 as 0'], isTaken: false },
  },
  { name: 'one that reads another word', body: OTHER_WORD, place: EIGHT, pairs: ['2 as 1'], isTaken: false },
  { name: 'one of a warp with other barriers', body: LEAVE, place: FORTY, pairs: ['34 as 0'], isTaken: false },
  {
    ...{ name: 'one that goes by what it finds', body: `${FOUND} @%p3 bar.sync 0;`, place: EIGHT },
    ...{ pairs: ['2 as 1'], isTaken: false },
  },
  {
    ...{ name: 'one that meets lanes', body: `bar.warp.sync 0xff; ${OWN}`, place: EIGHT },
    ...{ pairs: ['2 as 1'], isTaken: false },
  },
  {
    ...{ name: 'one of a barrier that counts', body: `bar.sync 0, 32; ${OWN}`, place: 'grid 1, block 32' },
    ...{ pairs: ['2 as 1'], isTaken: false },
  },
];

/** Which threads of a kernel are left, each with how many are like it; none where no thread is like another. */
export function leftOf({ body, place, clauses }: SymmetryKernel): readonly string[] {
  const like = symmetricThreads(withAllThreads(launch(body, place, clauses)));
  return [...(like ?? [])].map(([index, { length }]) => (length === 0 ? `${index}` : `${index}+${length}`));
}

/** Whether threads of a kernel are taken to be like those that it says. */
export function isTakenIn({ body, place, clauses, pairs = [] }: SymmetryKernel): boolean {
  const all = withAllThreads(launch(body, place, clauses));
  const images = new Map(pairs.map((pair) => pair.split(' as ').map(Number) as [number, number]));
  const kept = all.threads.map(({ index }) => index).filter((index) => !images.has(index));
  return isSymmetric(all, new Map(kept.map((one) => [one, [...images.keys()].filter((i) => images.get(i) === one)])));
}
