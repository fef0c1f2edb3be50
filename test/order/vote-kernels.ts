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
const WARPS = 'grid 2, block 32, gpu 0';

/**
 * CTA 0 says twice how far it is. The lanes of CTA 1 look at a word each, of which all but one are written by nobody;
 * if a vote says so they write where CTA 0 does. The lane that has found something reads what was written before.
 */
const lookedAtByAll = ({ vote = 'vote.sync.all.pred %p6, %p5, -1; @!%p6 bra F;', early = '4' } = {}): string =>
  'mov.u32 %r7, %ctaid.x; add.s64 %rd3, %rd1, 256; setp.ne.u32 %p3, %r7, 0; @%p3 bra B; setp.ne.u32 %p3, %r1, 0; ' +
  '@%p3 bra G; st.global.u32 [%rd1 + 4], 5; st.release.gpu.global.u32 [%rd3], 1; st.global.u32 [%rd1 + 8], 5; ' +
  'st.release.gpu.global.u32 [%rd3], 2; bra.uni G; B: setp.eq.u32 %p3, %r1, 0; selp.u32 %r9, 0, 9, %p3; ' +
  'selp.u32 %r10, 2, 0, %p3; add.s64 %rd4, %rd2, 256; N: ld.acquire.gpu.global.u32 %r8, [%rd4]; ' +
  'setp.eq.u32 %p4, %r8, %r9; vote.sync.any.pred %p5, %p4, -1; @%p5 bra N; setp.ne.u32 %p5, %r8, %r10; ' +
  `${vote} st.global.u32 [%rd1 + 4], 7; F: @%p3 ld.global.u32 %r6, [%rd1 + ${early}]; ` +
  'setp.eq.u32 %p7, %r8, 2; @!%p7 bra G; ld.global.u32 %r6, [%rd1 + 8]; G:';

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
  { name: 'words that all lanes look at, one of which has found enough', place: WARPS, body: lookedAtByAll() },
  {
    name: 'words that all lanes look at, and something is read too early',
    place: WARPS,
    body: lookedAtByAll({ early: '8' }),
  },
  {
    name: 'words that all lanes look at, and the vote asks whether any has found less',
    place: WARPS,
    body: lookedAtByAll({ vote: 'vote.sync.any.pred %p6, %p5, -1; @!%p6 bra F;' }),
  },
  {
    name: 'words that all lanes look at, and a ballot says that some have found enough',
    place: WARPS,
    body: lookedAtByAll({
      vote: 'vote.sync.ballot.b32 %r11, !%p5, -1; setp.eq.u32 %p6, %r11, 0; @!%p6 bra F;',
    }),
  },
  {
    name: 'words that all lanes look at, and a ballot says whether all have found enough',
    place: WARPS,
    body: lookedAtByAll({
      vote: 'vote.sync.ballot.b32 %r11, !%p5, -1; setp.eq.u32 %p6, %r11, 0xffffffff; @!%p6 bra F;',
    }),
  },
  {
    name: 'words that all lanes look at, and the vote asks whether none has found less',
    place: WARPS,
    body: lookedAtByAll({ vote: 'vote.sync.all.pred %p6, !%p5, -1; @!%p6 bra F;' }),
  },
  {
    name: 'words that all lanes look at, and the vote asks whether any has not found less',
    place: WARPS,
    body: lookedAtByAll({ vote: 'vote.sync.any.pred %p6, !%p5, -1; @%p6 bra F;' }),
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
