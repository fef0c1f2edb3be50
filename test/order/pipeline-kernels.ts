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
];
