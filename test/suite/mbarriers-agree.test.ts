import { expect, it } from 'vitest';
import { Random } from '../../src/generate/random.js';
import { compareThree } from '../cross-check/three.js';
import { halfOf } from '../shares.js';
import { builtInModel, solver } from '../support.js';
import { IN_ORDER } from '../twins.js';

const CASES = Number(process.env['FUZZ_CASES'] ?? halfOf(300));
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

/**
 * What threads do with an mbarrier object, used as PTX wants it or not: arrivals of all kinds, transactions, waits by a
 * parity and by the token of an arrival, and data that is handed over by them.
 */
const OPERATIONS: readonly ((object: string, random: Random) => string)[] = [
  (m) => `mbarrier.arrive.shared.b64 _, [${m}];`,
  (m) => `mbarrier.arrive.relaxed.cta.shared.b64 _, [${m}], 2;`,
  (m) => `mbarrier.arrive.shared.b64 rd1, [${m}];`,
  (m) => `mbarrier.arrive.expect_tx.shared.b64 _, [${m}], 16;`,
  (m) => `mbarrier.expect_tx.relaxed.cta.shared.b64 [${m}], 16;`,
  (m) => `mbarrier.complete_tx.relaxed.cta.shared.b64 [${m}], 16;`,
  (m) => `mbarrier.arrive_drop.shared.b64 _, [${m}];`,
  (m) => `mbarrier.test_wait.parity.relaxed.cta.shared.b64 p1, [${m}], 0;`,
  (m, random) => `mbarrier.test_wait.parity.shared.b64 p1, [${m}], ${random.below(2)};`,
  (m) => `mbarrier.test_wait.shared.b64 p1, [${m}], rd1;`,
  (m, random) => untilTrue(`try_wait.parity.shared.b64 p2, [${m}], ${random.below(2)}`, random),
  (m, random) => untilTrue(`try_wait.shared.b64 p2, [${m}], rd1`, random),
  (_, random) => `st.weak.shared.u32 [d], ${1 + random.below(2)};`,
  () => 'ld.weak.shared.u32 r1, [d];',
  () => '@p1 st.weak.shared.u32 [d], 3;',
];

function untilTrue(wait: string, random: Random): string {
  const label = `W${random.below(1_000_000)}`;
  return `${label}: mbarrier.${wait}; @!p2 bra ${label};`;
}

/** Two or three threads of one CTA, each of which does up to three things with one of two objects. */
function mbarrierTest(random: Random): string {
  const thread = (index: number): string => {
    const drawn = Array.from({ length: 1 + random.below(3) }, () =>
      random.pick(OPERATIONS)(random.pick(['m', 'm', 'n']), random),
    );
    const hasToken = (at: number): boolean => drawn.slice(0, at).some((one) => one.includes(' rd1,'));
    const does = drawn.filter((one, at) => !one.includes(', rd1') || hasToken(at));
    return `P${index} @ cta 0, warp ${index} {\n  mov.u32 r1, 7; setp.ne.u32 p1, r1, 7;\n  ${does.join('\n  ')}\n}\n`;
  };
  const threads = Array.from({ length: 2 + Number(random.chance(25)) }, (_, index) => thread(index));
  const objects = `.shared .b64 m = mbarrier(${1 + random.below(2)}); .shared .b64 n = mbarrier(1);`;
  return `PTX t\n{ ${objects} .shared .u32 d; }\n${threads.join('')}exists (P0:r1 == 0 /\\ P1:r1 == 0 /\\ d == 0)\n`;
}

it('operations on mbarrier objects at random do the same by both engines and by the reference', () => {
  const random = new Random(SEED);
  const seen = { isDefined: 0, isUndefined: 0 };
  for (let count = 0; count < CASES; count++) {
    const text = mbarrierTest(random);
    const verdict = compareThree(
      { text },
      { solver, model: builtInModel('ptx-9.4'), inOrder: IN_ORDER, timeout: 20_000 },
    );
    if (verdict.kind !== 'agree') expect.fail(`${JSON.stringify(verdict)}\n${text}`);
    seen[verdict.isUndefined ? 'isUndefined' : 'isDefined'] += 1;
  }
  for (const times of Object.values(seen)) expect(times, JSON.stringify(seen)).toBeGreaterThan(CASES / 5);
});
