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
  { name: 'what the one before has exchanged', place: 'grid 2, block 1, gpu 0', body: second('acq_rel.gpu') },
  { name: 'the same, acquired by none', place: 'grid 2, block 1, gpu 0', body: second('release.gpu') },
  { name: 'the same, released by none', place: 'grid 2, block 1, gpu 0', body: second('acquire.gpu') },
];
