import type { SmallKernel } from './small-kernel.js';

const PLACE = 'grid 2, block 2, gpu 0';
const draw = (places: number, how = 'relaxed.gpu'): string =>
  `atom.${how}.global.add.u32 %r8, [%rd1 + 1020], ${places};`;
const PUT = 'mul.wide.u32 %rd3, %r8, 4; add.s64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r1;';
/** Thread 0 of each CTA draws, and tells the others behind a barrier. */
const told = (drawn: string): string =>
  `setp.ne.u32 %p2, %r1, 0; @%p2 bra T; ${drawn} st.shared.u32 [%r2], %r8; ` +
  `T: bar.sync 0; ld.shared.u32 %r8, [%r2]; add.u32 %r8, %r8, %r1; ${PUT}`;
/** Lane 0 of each warp draws, and the others are told by a shuffle. */
const shuffled = (places: number): string =>
  `setp.ne.u32 %p2, %r1, 0; @%p2 bra T; ${draw(places)} T: shfl.sync.idx.b32 %r8, %r8, 0, 31, 0xffffffff; ` +
  `add.u32 %r8, %r8, %r1; ${PUT}`;
const untilNone = (what: string): string => `L: ${draw(1)} setp.ge.u32 %p1, %r8, 3; @%p1 bra D; ${what} bra.uni L; D:`;
const OWN = 'mov.u32 %r9, %ctaid.x; mul.wide.u32 %rd4, %r9, 4; add.s64 %rd4, %rd1, %rd4; st.global.u32 [%rd4], 5;';
/** Who comes second looks at the place of the first, which that has told in the word that both draw from. */
const second = (how: string): string =>
  `${OWN} add.u32 %r9, %r9, 1; atom.${how}.global.exch.b32 %r8, [%rd1 + 1020], %r9; ` +
  'setp.eq.u32 %p1, %r8, 0; @%p1 bra D; sub.u32 %r8, %r8, 1; mul.wide.u32 %rd3, %r8, 4; add.s64 %rd3, %rd1, %rd3; ' +
  'ld.global.u32 %r6, [%rd3]; st.global.u32 [%rd4 + 64], %r6; D:';
/** Each CTA draws a tile, and looks back from that for the sum of all before: one word each for it, and two behind. */
const drawnTile = ({
  how = 'relaxed.gpu',
  status = 'st.release.gpu.global.u32 [%rd4 + 128], 1;',
  hasWhole = '[%rd3 + 64]',
  asks = '',
} = {}): string =>
  `${asks} ${draw(1, how)} mul.wide.u32 %rd3, %r8, 4; add.s64 %rd3, %rd1, %rd3; mov.u64 %rd4, %rd3; mov.u32 %r7, 0; ` +
  `setp.eq.u32 %p4, %r8, 0; @%p4 bra D; st.global.u32 [%rd3], 5; ${status} V: add.s64 %rd3, %rd3, -4; ` +
  'W: ld.acquire.gpu.global.u32 %r9, [%rd3 + 128]; setp.eq.u32 %p3, %r9, 0; @%p3 bra W; ' +
  'setp.eq.u32 %p6, %r9, 2; @%p6 bra C; ld.global.u32 %r6, [%rd3]; add.u32 %r7, %r7, %r6; bra.uni V; ' +
  `C: ld.global.u32 %r6, ${hasWhole}; add.u32 %r7, %r7, %r6; ` +
  'D: st.global.u32 [%rd4 + 64], %r7; st.release.gpu.global.u32 [%rd4 + 128], 2;';
const EIGHT = 'grid 8, block 1, gpu 0';

/** Kernels that go by the coherence order of atomics, each case of which is followed, and mistakes there. */
export const COHERENCE_KERNELS: readonly SmallKernel[] = [
  { name: 'places that one thread takes for its CTA', place: PLACE, body: told(draw(2)) },
  { name: 'one place too few for its CTA', place: PLACE, body: told(draw(1)) },
  { name: 'places that are taken in the scope of a CTA', place: PLACE, body: told(draw(2, 'relaxed.cta')) },
  {
    name: 'places for the CTA, and one starts again',
    place: PLACE,
    body: `${told(draw(2))} st.relaxed.gpu.global.u32 [%rd1 + 1020], 0;`,
  },
  { name: 'places that one lane takes for its warp', place: 'grid 2, block 32, gpu 0', body: shuffled(32) },
  { name: 'half the places for its warp', place: 'grid 2, block 32, gpu 0', body: shuffled(16) },
  { name: 'work until none is left', place: 'grid 2, block 1, gpu 0', body: untilNone(PUT) },
  {
    name: 'work that two take',
    place: 'grid 2, block 1, gpu 0',
    body: untilNone(`shr.u32 %r8, %r8, 1; ${PUT}`),
  },
  { name: 'places of more CTAs than there are cases', place: 'grid 8, block 2, gpu 0', body: told(draw(2)) },
  { name: 'tiles that are drawn, and looked back from', place: EIGHT, body: drawnTile() },
  {
    name: 'the same, told by none',
    place: EIGHT,
    body: drawnTile({ status: 'st.relaxed.gpu.global.u32 [%rd4 + 128], 1;' }),
  },
  { name: 'the same, of a tile behind', place: EIGHT, body: drawnTile({ hasWhole: '[%rd3 + 68]' }) },
  { name: 'the same, drawn in the scope of a CTA', place: EIGHT, body: drawnTile({ how: 'relaxed.cta' }) },
  {
    name: 'the same, and each asks which CTA it is',
    place: EIGHT,
    body: drawnTile({ asks: 'mov.u32 %r9, %ctaid.x;' }),
  },
  {
    name: 'the same, and each asks where its CTA is along an axis on which all are alike',
    place: 'grid (1, 8), block 1, gpu 0',
    body: drawnTile({ asks: 'mov.u32 %r9, %ctaid.x;' }),
  },
  {
    name: 'the same, and a CTA is first of all that knows it',
    place: EIGHT,
    body: drawnTile({
      asks: 'mov.u32 %r9, %ctaid.x; setp.eq.u32 %p2, %r9, 3; @!%p2 bra A; st.global.u32 [%rd1 + 64], 9; A:',
    }),
  },
  { name: 'what the one before has exchanged', place: 'grid 2, block 1, gpu 0', body: second('acq_rel.gpu') },
  { name: 'the same, acquired by none', place: 'grid 2, block 1, gpu 0', body: second('release.gpu') },
  { name: 'the same, released by none', place: 'grid 2, block 1, gpu 0', body: second('acquire.gpu') },
];
