import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { Random } from '../../src/generate/random.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { enumerate, termsOf } from '../reference/enumerate.js';
import { halfOf } from '../shares.js';
import { builtInModel, solver } from '../support.js';
import { compareEngines, complaint } from '../twins.js';

const CASES = Number(process.env['FUZZ_CASES'] ?? halfOf(400));
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const LIMITS = { unroll: 3, timeout: 20_000, clock: () => performance.now() };

/** What lanes wait at: barriers of the CTA with and without `.aligned` and a count, of a mask, of the cluster. */
const WAITS = [
  ...['bar.sync 0;', 'bar.sync 1;', 'bar.sync 0, 32;', 'bar.sync 0, 64;', 'bar.arrive 0, 32;', 'exit;'],
  ...['barrier.sync 0;', 'barrier.sync 1;', 'barrier.sync 0, 32;', 'barrier.arrive 0, 64;'],
  ...['bar.warp.sync 1;', 'bar.warp.sync 2;', 'bar.warp.sync 3;', 'bar.warp.sync 7;'],
  ...['barrier.cluster.arrive; barrier.cluster.wait;', 'barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;'],
] as const;

/** Two or three lanes of one warp, and mostly no lane of another, each of which waits at up to three places. */
function barrierTest(random: Random): string {
  const lanes = 2 + Number(random.chance(25));
  const thread = (index: number, warp: number): string => {
    const waits = Array.from({ length: 1 + random.below(3) }, () => random.pick(WAITS));
    return `P${index} @ cta 0, cluster 0, warp ${warp}, gpu 0 { ${waits.join(' ')} }\n`;
  };
  const own = Array.from({ length: lanes }, (_, index) => thread(index, 0)).join('');
  return `PTX t\n{ }\n${own}${random.below(3) === 0 ? thread(lanes, 1) : ''}expect no-undefined\nexpect no-deadlock\n`;
}

describe('lanes of a warp at barriers of all kinds, at random', () => {
  it('end, wait for ever or do what is undefined, the same by both engines and by the reference', () => {
    const random = new Random(SEED);
    const seen = { undefined: 0, deadlock: 0, ends: 0 };
    for (let count = 0; count < CASES; count++) {
      const text = barrierTest(random);
      const { value: syntax } = parseLitmus({ path: 't', text });
      const [program] = loadTests({ path: 't', text }).value ?? [];
      if (syntax === undefined || program === undefined) throw new Error(text);
      const checked = checkTest(solver, program, builtInModel('ptx-9.4'), LIMITS);
      const compared = compareEngines(program, { ...LIMITS, checked });
      expect(compared.differences, `${text}\n${complaint(compared)}`).toEqual([]);
      const reference = enumerate(syntax, termsOf(syntax), { work: 400_000 });
      if (reference.kind !== 'answer' || reference.cut) continue;
      const isBroken = (finding: 'undefined' | 'deadlock'): boolean =>
        checked.expectations.some((one) => one.expectation.finding === finding && one.outcome === 'broken');
      expect(isBroken('undefined'), text).toBe(reference.undefined);
      // What is undefined has no deadlock of its own.
      if (!reference.undefined) expect(isBroken('deadlock'), text).toBe(reference.deadlock);
      seen[reference.undefined ? 'undefined' : reference.deadlock ? 'deadlock' : 'ends'] += 1;
    }
    for (const times of Object.values(seen)) expect(times, JSON.stringify(seen)).toBeGreaterThan(CASES / 30);
  });
});
