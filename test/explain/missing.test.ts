import { describe, expect, it } from 'vitest';
import { type Allowed, explainCondition } from '../../src/explain/explain-condition.js';
import { generateTests } from '../../src/generate/generate-tests.js';
import { builtInModel, checkProgram, litmus, programOf } from '../support.js';

const ptx = builtInModel('ptx-9.4');

async function allowed(text: string): Promise<Allowed> {
  const result = await checkProgram(programOf(text), ptx);
  const [condition] = result.conditions;
  const reason = condition === undefined ? undefined : explainCondition(ptx, condition).reason;
  if (reason?.kind !== 'allowed') throw new Error(`${reason?.kind}`);
  return reason;
}

const kinds = ({ missing }: Allowed): readonly string[] =>
  (missing?.steps ?? []).flatMap((step) => step.map(({ kind }) => kind));

describe('what is said to be missing', () => {
  const MEMORY = '.global .u32 x = 0; .global .u32 flag = 0;';
  const MP = (release: string, acquire: string): string =>
    litmus(
      MEMORY,
      [`st.weak.global.u32 [x], 1; ${release}`, `${acquire} ld.weak.global.u32 r1, [x];`],
      'exists (P1:r0 == 1 /\\ P1:r1 == 0)',
    );
  const RELEASE = 'st.release.gpu.global.u32 [flag], 1;';
  const ACQUIRE = 'ld.acquire.gpu.global.u32 r0, [flag];';

  it('of message passing is the very condition that fails', async () => {
    expect(kinds(await allowed(MP('st.relaxed.gpu.global.u32 [flag], 1;', ACQUIRE)))).toEqual(['no-release']);
    expect(kinds(await allowed(MP(RELEASE, 'ld.relaxed.gpu.global.u32 r0, [flag];')))).toEqual(['no-acquire']);
    expect(kinds(await allowed(MP('st.weak.global.u32 [flag], 1;', ACQUIRE)))).toEqual(['weak', 'no-release']);
    expect(kinds(await allowed(MP('st.release.cta.global.u32 [flag], 1;', ACQUIRE)))).toEqual(['scope']);
    expect(kinds(await allowed(MP(RELEASE, 'ld.relaxed.gpu.global.u32 r0, [flag]; fence.acq_rel.cta;')))).toEqual([
      'scope',
    ]);
    expect(kinds(await allowed(MP(RELEASE, 'atom.relaxed.gpu.global.add.u32 r0, [flag], 0;')))).toEqual(['no-acquire']);
  });

  it('can be said of every weak outcome of generated tests', async () => {
    const unexplained: string[] = [];
    let explained = 0;
    let drawn = 0;
    for (const { name, text } of generateTests({ seed: 5, families: ['ring', 'chain'] })) {
      if (++drawn > 400) break;
      for (const condition of (await checkProgram(programOf(text), ptx)).conditions) {
        const { reason } = explainCondition(ptx, condition);
        if (reason.kind !== 'allowed' || reason.interleaving !== undefined) continue;
        if (reason.missing === undefined) unexplained.push(name);
        else explained += 1;
      }
    }
    expect(unexplained).toEqual([]);
    expect(explained).toBeGreaterThan(150);
  });

  it('of a chain over an atomic operation is the scope of that operation', async () => {
    const chain = litmus(
      MEMORY,
      [
        `st.weak.global.u32 [x], 1; ${RELEASE}`,
        'atom.relaxed.cta.global.add.u32 r0, [flag], 1;',
        'ld.acquire.gpu.global.u32 r1, [flag]; ld.weak.global.u32 r2, [x];',
      ],
      'exists (P1:r0 == 1 /\\ P2:r1 == 2 /\\ P2:r2 == 0)',
    );
    const reason = await allowed(chain);
    expect(kinds(reason)).toEqual(['scope', 'scope']);
    const atomic = reason.execution.universe.events.filter(({ tags }) => tags.has('RMW')).map(({ id }) => id);
    for (const one of reason.missing?.steps.flat() ?? [])
      expect(one.kind === 'scope' && atomic.includes(one.reach.from)).toBe(true);
  });

  it('of store buffering is fence.sc, whatever else is there', async () => {
    const sb = (between: string): string =>
      litmus(
        MEMORY,
        [
          `st.relaxed.gpu.global.u32 [x], 1; ${between} ld.relaxed.gpu.global.u32 r0, [flag];`,
          `st.relaxed.gpu.global.u32 [flag], 1; ${between} ld.relaxed.gpu.global.u32 r1, [x];`,
        ],
        'exists (P0:r0 == 0 /\\ P1:r1 == 0)',
      );
    expect(kinds(await allowed(sb('')))).toEqual(['no-fence-sc', 'no-fence-sc']);
    expect(kinds(await allowed(sb('fence.acq_rel.gpu;')))).toEqual(['no-fence-sc', 'no-fence-sc']);
    expect(kinds(await allowed(sb('fence.sc.cta;')))).toEqual(['scope', 'scope']);
  });
});
