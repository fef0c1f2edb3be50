import type { SmallKernel } from './small-kernel.js';

const FLAG = '[%rd1 + 1020]';
const LOOK = `ld.acquire.gpu.global.u32 %r8, ${FLAG};`;

interface Wait {
  readonly look?: string;
  /** Who looks; others go by. */
  readonly guard?: string;
  readonly vote?: string;
  /** What all do before, and in a round that goes on. */
  readonly before?: string;
  readonly round?: string;
}

/** All threads of a CTA wait for its turn: one of them looks, and a vote tells the others. */
const turn = ({ look = LOOK, guard = '@%p3', vote = '', before = '', round = '' }: Wait): string =>
  `setp.ne.u32 %p3, %r1, 0; mov.u32 %r7, %ctaid.x; mov.u32 %r8, -1; mov.u32 %r10, 0; ${before} ` +
  `${guard} bra M; ${look} bra.uni M; N: ${round} ${guard} bra M; ${look} ` +
  `M: ${vote === '' ? 'setp.ne.u32 %p4, %r8, %r7; bar.red.and.pred %p5, 0, %p4; @%p5 bra N;' : vote}`;
const ADD = 'ld.global.u32 %r6, [%rd2]; add.u32 %r6, %r6, 1; st.global.u32 [%rd2], %r6;';
const NEXT = `add.u32 %r9, %r7, 1; @%p3 bra E; st.release.gpu.global.u32 ${FLAG}, %r9; E:`;
const WORK = `${ADD} bar.sync 0; ${NEXT}`;
const place = 'grid 3, block 64, gpu 0';

/** Waits in which a vote tells a CTA what one thread has found, as those of split-K in CUTLASS, and mistakes there. */
export const VOTE_KERNELS: readonly SmallKernel[] = [
  { name: 'a turn that one thread looks for, and a vote tells', place, body: turn({}) + WORK },
  {
    name: 'a turn that one thread looks for, by a vote that it has come',
    place,
    body: turn({ vote: 'setp.eq.u32 %p4, %r8, %r7; bar.red.or.pred %p5, 0, %p4; @!%p5 bra N;' }) + WORK,
  },
  {
    name: 'a turn that is given on before all have done their work',
    place,
    body: `${turn({})}${ADD} ${NEXT}`,
  },
  {
    name: 'a turn that one thread looks for relaxed',
    place: place.replace('3', '2'),
    body: turn({ look: LOOK.replace('acquire', 'relaxed') }) + WORK,
  },
  { name: 'a turn that all threads look for, and one may find', place, body: turn({ guard: '@!%p2' }) + WORK },
  {
    name: 'a turn of which another thread says at once that it has come',
    place,
    body: turn({ before: 'setp.eq.u32 %p2, %r1, 40; @%p2 mov.u32 %r8, %r7;' }) + WORK,
  },
  {
    name: 'a turn of which another thread says after a round that it has come',
    place,
    body: turn({ round: '@%p3 mov.u32 %r8, %r7;' }) + WORK,
  },
  {
    name: 'a turn whose rounds the others count',
    place,
    body: `${turn({ round: '@%p3 add.u32 %r10, %r10, 1;' })}${WORK} st.global.u32 [%rd2 + 256], %r10;`,
  },
  {
    name: 'a turn that the others know to have waited for',
    place,
    body: `${turn({ round: '@%p3 mov.u32 %r10, 5;' })}${WORK} st.global.u32 [%rd2 + 256], %r10;`,
  },
  {
    name: 'a turn that nobody gives on',
    place,
    body: `${turn({})}${ADD}`,
  },
  {
    name: 'a turn in a vote that counts its threads',
    place,
    body: turn({ vote: 'setp.ne.u32 %p4, %r8, %r7; bar.red.and.pred %p5, 1, 64, %p4; @%p5 bra N;' }) + WORK,
  },
];
