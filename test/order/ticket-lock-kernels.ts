import type { SmallKernel } from './small-kernel.js';

const NEXT = '[%rd1 + 1020]';
const SERVING = '[%rd1 + 1016]';
const DRAW = `atom.relaxed.gpu.global.add.u32 %r8, ${NEXT}, 1;`;
const wait = (how: string, label = 'W'): string =>
  `${label}: ld.${how}.global.u32 %r9, ${SERVING}; setp.ne.u32 %p4, %r9, %r8; @%p4 bra ${label};`;
const WAIT = wait('acquire.gpu');
const serve = (how: string, more = 1): string => `add.u32 %r10, %r8, ${more}; st.${how}.global.u32 ${SERVING}, %r10;`;
const SERVE = serve('release.gpu');
const FENCE = 'fence.acq_rel.gpu;';
/** Adds one to the first word. */
const COUNT = 'ld.global.u32 %r6, [%rd1]; add.u32 %r11, %r6, 1; st.global.u32 [%rd1], %r11;';
const OWN_COUNT = 'ld.global.u32 %r6, [%rd2]; add.u32 %r6, %r6, 1; st.global.u32 [%rd2], %r6;';
/** Thread 0 of each CTA does it. */
const alone = (what: string): string => `setp.ne.u32 %p3, %r1, 0; @%p3 bra E; ${what} E:`;
const PAIR = 'grid 2, block 32, gpu 0';
const THREE = 'grid 3, block 1, gpu 0';

/** Kernels whose threads take a ticket lock, and mistakes there. */
export const TICKET_LOCK_KERNELS: readonly SmallKernel[] = [
  { name: 'a ticket lock', place: PAIR, body: alone(DRAW + WAIT + COUNT + SERVE) },
  { name: 'a ticket lock of three', place: THREE, body: DRAW + WAIT + COUNT + SERVE },
  {
    name: 'a ticket lock between fences',
    place: PAIR,
    body: alone(DRAW + wait('relaxed.gpu') + FENCE + COUNT + FENCE + serve('relaxed.gpu')),
  },
  {
    name: 'a ticket lock that an addition hands on',
    place: THREE,
    body: `${DRAW + WAIT + COUNT} red.release.gpu.global.add.u32 ${SERVING}, 1;`,
  },
  { name: 'a ticket lock that all lanes take', place: 'grid 1, block 4', body: DRAW + WAIT + COUNT + SERVE },
  {
    name: 'a ticket lock that is taken twice',
    place: PAIR,
    body: alone(
      `mov.u32 %r12, 0; L: ${DRAW + WAIT + COUNT + SERVE} add.u32 %r12, %r12, 1; setp.lt.u32 %p5, %r12, 2; @%p5 bra L;`,
    ),
  },
  {
    name: 'a ticket lock for all threads of a CTA',
    place: 'grid 2, block 4, gpu 0',
    body:
      `setp.ne.u32 %p3, %r1, 0; @%p3 bra F; ${DRAW + WAIT} F: bar.sync 0; ${OWN_COUNT} bar.sync 0; ` +
      `@%p3 bra E; ${SERVE} E:`,
  },
  {
    name: 'a ticket lock whose ticket goes through shared memory',
    place: PAIR,
    body: alone(`${DRAW} st.shared.u32 [%r2], %r8; ${WAIT + COUNT} ld.shared.u32 %r8, [%r2]; ${SERVE}`),
  },
  { name: 'a ticket lock that is not acquired', place: PAIR, body: alone(DRAW + wait('relaxed.gpu') + COUNT + SERVE) },
  {
    name: 'a ticket lock that is not released',
    place: PAIR,
    body: alone(DRAW + WAIT + COUNT + serve('relaxed.gpu')),
  },
  { name: 'a ticket lock that is handed on too early', place: PAIR, body: alone(DRAW + WAIT + SERVE + COUNT) },
  {
    name: 'a ticket lock that is handed on to nobody',
    place: PAIR,
    body: alone(DRAW + WAIT + COUNT + serve('release.gpu', 2)),
  },
  { name: 'a ticket lock that is kept', place: PAIR, body: alone(DRAW + WAIT + COUNT + serve('release.gpu', 0)) },
  {
    name: 'a ticket lock in the scope of a CTA',
    place: PAIR,
    body: alone(DRAW + WAIT + COUNT + serve('release.cta')),
  },
  {
    name: 'a ticket lock with a ticket that nobody waits for',
    place: PAIR,
    body: alone(`mov.u32 %r7, %ctaid.x; ${DRAW} setp.ne.u32 %p1, %r7, 0; @%p1 bra E; ${WAIT + COUNT + SERVE}`),
  },
  {
    name: 'a ticket lock whose first one waits for less',
    place: PAIR,
    body: alone(
      `mov.u32 %r7, %ctaid.x; ${DRAW} setp.ne.u32 %p1, %r7, 0; @%p1 bra B; or.b32 %r13, %r8, 1; ` +
        `V: ld.acquire.gpu.global.u32 %r9, ${SERVING}; or.b32 %r9, %r9, 1; setp.ne.u32 %p4, %r9, %r13; @%p4 bra V; ` +
        `bra.uni C; B: ${WAIT} C: ${COUNT + SERVE}`,
    ),
  },
  {
    name: 'a ticket lock whose first one serves by a number',
    place: PAIR,
    body: alone(
      `mov.u32 %r7, %ctaid.x; ${DRAW + WAIT + COUNT} setp.ne.u32 %p1, %r7, 0; add.u32 %r10, %r8, 1; ` +
        `@%p1 bra B; mov.u32 %r10, 1; B: st.release.gpu.global.u32 ${SERVING}, %r10;`,
    ),
  },
  {
    name: 'a ticket lock before whose turn one waits for a flag',
    place: PAIR,
    body: alone(
      `mov.u32 %r7, %ctaid.x; ${DRAW} setp.eq.u32 %p1, %r7, 0; @%p1 bra G; ` +
        'V: ld.acquire.gpu.global.u32 %r9, [%rd1 + 1012]; setp.eq.u32 %p5, %r9, 0; @%p5 bra V; ' +
        `G: ${WAIT + COUNT} @!%p1 bra H; st.release.gpu.global.u32 [%rd1 + 1012], 1; H: ${SERVE}`,
    ),
  },
  { name: 'a ticket lock without waiting', place: PAIR, body: alone(DRAW + COUNT + SERVE) },
  {
    name: 'a ticket lock for one thread of two',
    place: PAIR,
    body: alone(
      `mov.u32 %r7, %ctaid.x; setp.ne.u32 %p1, %r7, 0; @%p1 bra B; ${DRAW + WAIT} B: ${COUNT} @%p1 bra E; ${SERVE}`,
    ),
  },
  {
    name: 'a ticket lock that waits for any ticket up to its own',
    place: PAIR,
    body: alone(
      `${DRAW} W: ld.acquire.gpu.global.u32 %r9, ${SERVING}; setp.gt.u32 %p4, %r9, %r8; @%p4 bra W; ${COUNT + SERVE}`,
    ),
  },
  {
    name: 'a ticket lock in which one waits for a flag',
    place: PAIR,
    body: alone(
      `mov.u32 %r7, %ctaid.x; ${DRAW + WAIT} setp.eq.u32 %p1, %r7, 0; @%p1 bra G; ` +
        'V: ld.acquire.gpu.global.u32 %r9, [%rd1 + 1012]; setp.eq.u32 %p5, %r9, 0; @%p5 bra V; ' +
        `G: ${COUNT} @!%p1 bra H; st.release.gpu.global.u32 [%rd1 + 1012], 1; H: ${SERVE}`,
    ),
  },
];
