import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { symmetricThreads } from '../../src/follow/symmetric-threads.js';
import type { Program } from '../../src/program/program.js';
import { halfOf } from '../shares.js';
import { builtInModel, solver } from '../support.js';
import { launch, withAllThreads } from './symmetric-launch.js';
import { symmetricLaunches } from './symmetric-launches.js';
import { leftOf, SYMMETRY_KERNELS } from './symmetry-kernels.js';

/** What is found of a test, and its final states. */
function answersOf(program: Program): { readonly found: readonly string[]; readonly isDecided: boolean } {
  const { expectations, states } = checkTest(solver, program, builtInModel('ptx-9.4'), {
    ...{ follow: false, states: true, timeout: 3_000, clock: () => performance.now() },
  });
  const isDecided = states?.incomplete === undefined && expectations.every(({ outcome }) => outcome !== 'undecided');
  const shown = (states?.list ?? []).map(({ state }) =>
    [...state].map(([name, value]) => `${name}=${value}`).join(' '),
  );
  return {
    found: [...expectations.map(({ expectation: { finding }, outcome }) => `${finding}: ${outcome}`), ...shown.sort()],
    isDecided,
  };
}

describe('threads that others are like', () => {
  const OWN = 'st.global.u32 [%rd2], %r1;';
  const LEAD = '@%p1 st.shared.u32 [s], 1; bar.sync 0; ld.shared.u32 %r9, [s]; st.global.u32 [%rd2], %r9;';

  for (const kernel of SYMMETRY_KERNELS)
    if (kernel.left !== undefined)
      it(`are known of ${kernel.name}`, () => {
        expect(leftOf(kernel)).toEqual(kernel.left);
      });

  it('are left out where more are launched than are decided together', () => {
    const source = launch(LEAD, 'grid 1, block 8');
    const [some] = loadTests({ ...source, mostThreads: 2 }).value ?? [];
    expect(some?.launches[0]).toMatchObject({ choice: 'symmetric', threads: 8 });
    expect(some?.launches[0]?.run.map(({ tid, represents }) => [tid, represents])).toEqual([
      [0, 0],
      [1, 6],
    ]);
    const [none] = loadTests({ ...source, mostThreads: 1 }).value ?? [];
    expect(none?.launches[0]?.choice).toBe('whole');
  });

  it('do not hide that a lane comes to no barrier, or to one more', () => {
    const more = `bar.sync 0; setp.eq.u32 %p3, %r1, 5; @%p3 bar.sync 0; ${OWN}`;
    const [some] = loadTests({ ...launch(more, 'grid 1, block 8', 'expect no-undefined'), mostThreads: 2 }).value ?? [];
    expect(some?.threads.map(({ name }) => name)).toEqual(['P0', 'P5']);
    expect(some && answersOf(some).found).toContain('undefined: broken');
  });

  it('are not sought where a condition names threads by their number', () => {
    const asked = launch(LEAD, 'grid 1, block 8', 'exists (P0:%r1 == 0)');
    expect(loadTests({ ...asked, mostThreads: 2 }).value?.[0]?.launches[0]?.choice).toBe('whole');
  });

  it('change nothing in generated launches', () => {
    const cases = Number(process.env['FUZZ_CASES'] ?? halfOf(36));
    const seed = Number(process.env['FUZZ_SEED'] ?? 20261129);
    let [count, decided] = [0, 0];
    for (const { name, text, modules } of symmetricLaunches(seed)) {
      if (count++ >= cases) break;
      const asked = ['race', 'undefined', 'deadlock', 'trap', 'uninitialized'].map((one) => `expect no-${one}\n`);
      const source = { path: `${name}.litmus`, text: text + asked.join(''), modules };
      const all = withAllThreads(source);
      const like = symmetricThreads(all);
      if (like === undefined) continue;
      const [some] = loadTests({ ...source, mostThreads: like.size }).value ?? [];
      const told = `${name}\n${source.text}\n${modules['k.ptx']?.text}`;
      expect(some?.threads.length, told).toBe(like.size);
      const [ofAll, ofSome] = [answersOf(all), some && answersOf(some)];
      if (!ofAll.isDecided || ofSome?.isDecided !== true) continue;
      decided += 1;
      expect(ofSome.found, told).toEqual(ofAll.found);
    }
    expect(decided).toBeGreaterThan(cases / 3);
  });
});
