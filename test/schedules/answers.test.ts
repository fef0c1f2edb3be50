import { describe, expect, it } from 'vitest';
import { generateTests } from '../../src/generate/generate-tests.js';
import { clusters } from '../order/clusters.js';
import { elections } from '../order/elections.js';
import { HALT_KERNELS } from '../order/halt-kernels.js';
import { handshakes } from '../order/handshakes.js';
import { KERNELS } from '../order/kernels.js';
import { pipelines } from '../order/pipelines.js';
import { kernelTest } from '../order/small-kernel.js';
import { halfOf, isOfShare } from '../shares.js';
import { type Held, holdToSchedules } from './hold-to-schedules.js';

const ASKED = process.env['FUZZ_CASES'];
const CASES = Number(ASKED ?? halfOf(40));
const SEED = Number(process.env['FUZZ_SEED'] ?? 20261126);
const SCHEDULES = Number(process.env['SCHEDULES'] ?? 10);

/** What was wrong, and of how many it could be said. */
class Tally {
  readonly wrong: string[] = [];
  readonly skipped = new Map<string, number>();
  like = 0;
  racing = 0;

  add(name: string, { skipped, isLike, isRacing, wrong }: Held): void {
    if (skipped !== undefined) this.skipped.set(skipped, (this.skipped.get(skipped) ?? 0) + 1);
    if (isLike) this.like += 1;
    if (isRacing) this.racing += 1;
    for (const one of wrong) this.wrong.push(`${name}: ${one}`);
  }
}

const options = { schedules: SCHEDULES, seed: SEED };

describe('what a schedule sees', () => {
  it('is in what a run of all threads says of the kernels of the other tests', () => {
    const tally = new Tally();
    const kernels = [...KERNELS, ...HALT_KERNELS].filter(({ name }) => isOfShare(name, 8, 'what a schedule sees'));
    for (const kernel of kernels) tally.add(kernel.name, holdToSchedules(kernelTest(kernel), options));
    expect(tally.wrong).toEqual([]);
    if (ASKED !== undefined) console.log(tally);
    expect(tally.like).toBeGreaterThan(kernels.length / 4);
    expect(tally.racing).toBeGreaterThan(kernels.length / 10);
  });

  it.each([
    ['a pipeline of mbarriers and copies', pipelines],
    ['threads that wait for flags and counts', handshakes],
    ['CTAs of a cluster', clusters],
    ['lanes one of which is elected', elections],
  ] as const)('is in what a run says of %s, mostly with a mistake', (_, generated) => {
    const tally = new Tally();
    let count = 0;
    for (const { name, text, modules } of generated(SEED)) {
      if (count++ >= CASES) break;
      tally.add(`${name}\n${text}\n${modules['k.ptx']?.text}`, holdToSchedules({ text, modules }, options));
    }
    if (ASKED !== undefined) console.log(tally);
    expect(tally.wrong).toEqual([]);
    expect(tally.like).toBeGreaterThan(CASES / 20);
  });

  it('is in what a run says of a generated launch', () => {
    const tally = new Tally();
    let count = 0;
    for (const { name, text, module } of generateTests({ seed: SEED, mostEvents: 6, families: ['launch'] })) {
      if (count++ >= CASES) break;
      const modules = module === undefined ? {} : { [module.path]: module };
      tally.add(`${name}\n${text}\n${module?.text}`, holdToSchedules({ text, modules }, options));
    }
    if (ASKED !== undefined) console.log(tally);
    expect(tally.wrong).toEqual([]);
    expect(tally.like).toBeGreaterThan(CASES / 30);
  });
});
