import { describe, expect, it } from 'vitest';
import { generateTests } from '../../src/generate/generate-tests.js';
import { halfOf } from '../shares.js';
import { clusterBarriers } from './cluster-barriers.js';
import { clusters } from './clusters.js';
import { drawnTiles } from './drawn-tiles.js';
import { elections } from './elections.js';
import { foundWays } from './found-ways.js';
import { handshakes } from './handshakes.js';
import { EXPECT, holdToEngines } from './law.js';
import { MATRIX_KERNELS } from './matrix-kernels.js';
import { openLaunches } from './open-launches.js';
import { pipelines } from './pipelines.js';
import { proxies } from './proxies.js';
import { queues } from './queues.js';
import { sharedConditions } from './shared-conditions.js';
import { kernelTest } from './small-kernel.js';
import { tensorLaunches, withOneLaneEach } from './tensor-launches.js';
import { toldWaits } from './told-waits.js';
import { vectors } from './vectors.js';
import { votes } from './votes.js';

const ASKED = process.env['FUZZ_CASES'];
const CASES = Number(ASKED ?? halfOf(120));
/** The engines need a second for one. */
const PIPELINES = Number(ASKED ?? halfOf(24));
/** Here two. */
const OPEN_LAUNCHES = Number(ASKED ?? halfOf(12));
const SLOW = new Set([openLaunches, drawnTiles, queues]);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20261125);

describe('a run of all threads', () => {
  it('of a generated launch is every run where it says so, and does nothing that the engines rule out', () => {
    let [decided, racing, count] = [0, 0, 0];
    for (const { name, text, module } of generateTests({ seed: SEED, mostEvents: 6, families: ['launch'] })) {
      if (count++ >= CASES) break;
      const modules = module === undefined ? {} : { [module.path]: module };
      const asked = text.replace(/^exists .*$/m, (line) => `${line}\n${EXPECT}`);
      const said = holdToEngines(
        { path: `${name}.litmus`, text: asked, modules },
        `${name}\n${asked}\n${module?.text}`,
      );
      if (said?.isDecided === true) decided += 1;
      if (said?.isRacing === true) racing += 1;
    }
    expect(decided).toBeGreaterThan(CASES / 30);
    expect(racing).toBeGreaterThan(CASES / 100);
  });

  it.each([
    ['a pipeline of mbarriers and copies', pipelines],
    ['threads that wait for flags and counts', handshakes],
    ['threads that go by what they find', foundWays],
    ['lanes that vote on what they find', votes],
    ['CTAs that are told by one thread when to go on', toldWaits],
    ['CTAs that go by what they draw', drawnTiles],
    ['threads that draw tickets until these run out', queues],
    ['threads that hand on vectors', vectors],
    ['CTAs of a cluster', clusters],
    ['CTAs that meet at the barrier of their cluster', clusterBarriers],
    ['CTAs that hand on bytes, through two proxies', proxies],
    ['lanes one of which is elected', elections],
    ['threads that go by what nobody knows', openLaunches],
    ['threads that all go by the same, which nobody knows', sharedConditions],
    ['tcgen05 instructions', tensorLaunches],
  ] as const)('of %s, mostly with a mistake, likewise', (_, generated) => {
    const open = new Map<string, number>();
    let [decided, like, racing, count] = [0, 0, 0, 0];
    for (const { name, text, modules } of generated(SEED)) {
      if (count++ >= (SLOW.has(generated) ? OPEN_LAUNCHES : PIPELINES)) break;
      const asked = `${text}${EXPECT}\n`;
      const said = holdToEngines(
        { path: `${name}.litmus`, text: asked, modules },
        `${name}\n${asked}\n${modules['k.ptx']?.text}`,
        // Final states take the engines long where tensor memory holds anything.
        generated === tensorLaunches
          ? { judged: { path: `${name}.litmus`, text: withOneLaneEach(asked), modules }, states: false }
          : {},
      );
      if (said?.isDecided === true) decided += 1;
      if (said?.isRacing === true) racing += 1;
      if (said?.isLike === true) like += 1;
      if (said?.open !== undefined) open.set(said.open, (open.get(said.open) ?? 0) + 1);
    }
    if (ASKED !== undefined) console.log({ decided, like, racing, open: [...open] });
    expect(generated === vectors || generated === queues ? like : decided).toBeGreaterThan(PIPELINES / 20);
    if (generated === pipelines) expect(racing).toBeGreaterThan(PIPELINES / 20);
  });

  /** Those whose values are the same in all executions. */
  const MOVED = ['behind its barrier', 'each lane loads what it has stored', 'read behind a barrier', 'turned over'];
  const moved = MATRIX_KERNELS.filter(
    ({ place, body, name }) =>
      place.endsWith('block 32') && !body.includes('wmma') && MOVED.some((one) => name.endsWith(one)),
  );
  it.each(moved.map((kernel) => [kernel.name, kernel] as const))('of %s, with its values', (name, kernel) => {
    const { text, modules } = kernelTest({ ...kernel, place: `${kernel.place} { run all; }` });
    const words = Array.from({ length: 32 }, (_, i) => `x[${i}];`).join(' ');
    const asked = text.replace('expect no-race', EXPECT).replace(/locations .*/, `locations [${words}]`);
    expect(holdToEngines({ path: 'k.litmus', text: asked, modules }, name)).toBeDefined();
  });
});
