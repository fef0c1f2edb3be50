import { askedOnce, type DecideArguments, decided, rulesUnder } from './asked-of-model.js';

/** What accesses to one place that are morally strong never do, if they come in one order with program order. */
const ONE_PLACE =
  '{ .global .u32 x = 0; }\n' +
  'P0 @ cta 0 { st.relaxed.gpu.global.u32 [x], 1; ld.relaxed.gpu.global.u32 r0, [x]; }\n' +
  'P1 @ cta 1 { ld.relaxed.gpu.global.u32 r0, [x]; ld.relaxed.gpu.global.u32 r1, [x]; }\n' +
  'P2 @ cta 2 { ld.relaxed.gpu.global.u32 r0, [x]; st.relaxed.gpu.global.u32 [x], 2; ' +
  'ld.relaxed.gpu.global.u32 r1, [x]; }\n' +
  'P3 @ cta 3 { ld.relaxed.gpu.global.u32 r0, [x]; ld.relaxed.gpu.global.u32 r1, [x]; }\n' +
  'forbid (P1:r0 == 1 /\\ P1:r1 == 0)\nforbid (P1:r0 == 1 /\\ P1:r1 == 2 /\\ P3:r0 == 2 /\\ P3:r1 == 1)\n' +
  'forbid (P0:r0 == 0)\nforbid (P2:r0 == 2)\nforbid (P0:r0 == 2 /\\ x == 1)\n' +
  'forbid (P2:r0 == 1 /\\ x == 1)\nforbid (P2:r0 == 1 /\\ P2:r1 == 1)\n';
const EXCHANGES =
  '{ .global .u32 x = 0; }\n' +
  'P0 @ cta 0 { atom.relaxed.gpu.global.exch.b32 r0, [x], 1; atom.relaxed.gpu.global.exch.b32 r1, [x], 1; }\n' +
  'P1 @ cta 1 { atom.relaxed.gpu.global.exch.b32 r0, [x], 2; st.relaxed.gpu.global.u32 [x], 3; }\n' +
  'forbid (P0:r0 == 0 /\\ P1:r0 == 0)\nforbid (P0:r1 == 0)\nforbid (P0:r0 == 3 /\\ P1:r0 == 1)\n' +
  'forbid (P0:r0 == 2 /\\ P1:r0 == 1 /\\ P0:r1 == 3)\n';

/** What threads find, and leave, that make one access after the other. */
const IN_TURNS =
  '{ .global .u32 x = 0; .global .u32 y = 0; }\n' +
  'P0 @ cta 0 { st.relaxed.gpu.global.u32 [x], 1; ld.relaxed.gpu.global.u32 r0, [y]; }\n' +
  'P1 @ cta 1 { st.relaxed.gpu.global.u32 [y], 1; ld.relaxed.gpu.global.u32 r0, [x]; ' +
  'st.relaxed.gpu.global.u32 [x], 2; }\n' +
  'permit (P0:r0 == 0 /\\ P1:r0 == 1 /\\ x == 2)\npermit (P0:r0 == 1 /\\ P1:r0 == 0 /\\ x == 1)\n' +
  'permit (P0:r0 == 1 /\\ P1:r0 == 0 /\\ x == 2)\npermit (P0:r0 == 1 /\\ P1:r0 == 1 /\\ x == 2)\n';

/** Whether under a model accesses to one place that are morally strong come in one order with program order. */
export const ordersOnePlace = (...how: DecideArguments): boolean =>
  rulesUnder([ONE_PLACE, EXCHANGES], ...how) !== undefined;

/** Whether a model allows what threads do that make one access after the other. */
export function allowsTurns(...how: DecideArguments): boolean {
  const ask = (): readonly string[] | undefined | 'unknown' => {
    // Of races, which not every model tells, nothing is asked.
    const outcomes = decided(IN_TURNS, '', ...how).conditions.map(({ expectation }) => expectation);
    return outcomes.includes('undecided') ? 'unknown' : outcomes.includes('broken') ? undefined : [];
  };
  return askedOnce(how[1], IN_TURNS, ask) !== undefined;
}
