import type { SmallKernel } from './small-kernel.js';

/** Two lanes; mbarriers that tell of the copies into two stages, and that these are free again. */
const PLACE = 'grid 1, block 2';
const FULL = ['q', 'q + 16'] as const;
const [FREE] = ['q + 8'] as const;
const INIT =
  '.shared .align 8 .b64 q[4]; setp.ne.u32 %p3, %r1, 0; @%p3 bra I; ' +
  `${[...FULL, FREE].map((one) => `mbarrier.init.shared::cta.b64 [${one}], 2;`).join(' ')} I: bar.sync 0; ` +
  'mad.lo.u32 %r3, %r1, 4, %r2; xor.b32 %r4, %r1, 1; mad.lo.u32 %r5, %r4, 4, %r2;';
/** A word into a stage, from the words of the own lane, and what tells of it. */
const copy = (stage: 0 | 1, from = 256 * stage): string =>
  `cp.async.ca.shared.global [%r3 + ${64 * stage}], [%rd2 + ${from}], 4; ` +
  `cp.async.mbarrier.arrive.noinc.shared::cta.b64 [${FULL[stage]}];`;
const wait = (label: string, mbarrier: string, parity: number): string =>
  `${label}: mbarrier.try_wait.parity.shared::cta.b64 %p4, [${mbarrier}], ${parity}; @!%p4 bra ${label};`;
/** The word of the other lane, and where it goes. */
const read = (stage: 0 | 1, to: number): string =>
  `ld.shared.u32 %r6, [%r5 + ${64 * stage}]; st.global.u32 [%rd2 + ${to}], %r6;`;
const LEAVE = `mbarrier.arrive.shared::cta.b64 _, [${FREE}];`;
const COUNT = 'fence.sc.cta; atom.add.acquire.cta.shared.u32 %r7, [s + 1020], -1;';

/** Lane 0 invalidates what tells that a stage is free, behind something. */
const END = `setp.ne.u32 %p5, %r1, 0; @%p5 bra E; mbarrier.inval.shared::cta.b64 [${FREE}]; E:`;
const MATCH = 'match.any.sync.b32 %r9, %r2, 3;';
const ends = (name: string, behind: string, then = END): SmallKernel => ({
  ...{ name: `mbarriers that are invalidated ${name}`, place: PLACE, body: INIT + behind + then },
});
const FLAG = '[s + 1020]';
const told = (store: string, load: string): string =>
  `setp.eq.u32 %p5, %r1, 0; @%p5 bra V; st.${store}.cta.shared.u32 ${FLAG}, 1; ret; ` +
  `V: ld.${load}.cta.shared.u32 %r7, ${FLAG}; setp.ne.u32 %p6, %r7, 1; @%p6 bra V;`;
const ENDS: readonly SmallKernel[] = [
  ends('behind a match', LEAVE + MATCH),
  ends('behind two phases that nobody waits for', `${LEAVE} bar.warp.sync 3; ${LEAVE} bar.warp.sync 3;`),
  ends('behind a barrier of the warp', `${LEAVE} bar.warp.sync 3;`),
  ends(
    'behind a match that takes what the arrival gives',
    `mbarrier.arrive.shared::cta.b64 %rd3, [${FREE}]; ${MATCH.replace('b32 %r9, %r2', 'b64 %r9, %rd3')}`,
  ),
  ends(
    'by one that has waited',
    `${LEAVE} setp.ne.u32 %p5, %r1, 0; @%p5 bra E; ${wait('V', FREE, 0)}`,
    `mbarrier.inval.shared::cta.b64 [${FREE}]; E:`,
  ),
  ends('behind a match of lanes that have waited', LEAVE + wait('V', FREE, 0) + MATCH),
  ends('behind a barrier of lanes that have waited', `${LEAVE} ${wait('V', FREE, 0)} bar.warp.sync 3;`),
  ends(
    'by the last that counts down',
    `setp.ne.u32 %p5, %r1, 0; @%p5 bra C; st.relaxed.cta.shared.u32 ${FLAG}, 2; C: bar.sync 0; ${LEAVE} ` +
      `fence.sc.cta; atom.add.acquire.cta.shared.u32 %r7, ${FLAG}, -1; setp.ne.u32 %p6, %r7, 1; @%p6 bra E; `,
    `mbarrier.inval.shared::cta.b64 [${FREE}]; E:`,
  ),
  ends(
    'by the last that counts down by nothing',
    `setp.ne.u32 %p5, %r1, 0; @%p5 bra C; st.relaxed.cta.shared.u32 ${FLAG}, 2; C: bar.sync 0; ${LEAVE} ` +
      `atom.add.relaxed.cta.shared.u32 %r7, ${FLAG}, -1; setp.ne.u32 %p6, %r7, 1; @%p6 bra E; `,
    `mbarrier.inval.shared::cta.b64 [${FREE}]; E:`,
  ),
  ends('by one that is told', LEAVE + told('release', 'acquire')),
  ends('by one that is told relaxed', LEAVE + told('relaxed', 'relaxed')),
];

/** Kernels that copy into stages, as the pipelines of libraries do, and mistakes there. */
export const PIPELINE_KERNELS: readonly SmallKernel[] = [
  {
    name: 'copies of two stages, each told by its mbarrier',
    place: PLACE,
    body: INIT + copy(0) + copy(1) + wait('W', FULL[0], 0) + read(0, 512) + wait('V', FULL[1], 0) + read(1, 576),
  },
  {
    name: 'a copy of a stage, read when that before is told',
    place: PLACE,
    body: INIT + copy(0) + copy(1) + wait('W', FULL[0], 0) + read(1, 512),
  },
  {
    name: 'a copy of a stage, read when that behind it is told',
    place: PLACE,
    body: INIT + copy(0) + copy(1) + wait('W', FULL[1], 0) + read(0, 512),
  },
  {
    name: 'a stage that is left when it is read',
    place: PLACE,
    body:
      INIT +
      copy(0) +
      copy(1) +
      wait('W', FULL[0], 0) +
      read(0, 512) +
      LEAVE +
      wait('V', FREE, 0) +
      copy(0, 256) +
      wait('U', FULL[0], 1) +
      read(0, 576) +
      COUNT,
  },
  {
    name: 'a stage that is left before it is read',
    place: PLACE,
    body:
      INIT +
      copy(0) +
      copy(1) +
      wait('W', FULL[0], 0) +
      LEAVE +
      read(0, 512) +
      wait('V', FREE, 0) +
      copy(0, 256) +
      wait('U', FULL[0], 1) +
      read(0, 576) +
      COUNT,
  },
  ...ENDS,
];
