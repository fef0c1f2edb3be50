import { describe, expect, it } from 'vitest';
import { isOfShare } from '../shares.js';
import { builtInModel, programOf } from '../support.js';
import { compareEngines } from '../twins.js';
import { gridProgram } from './grid-programs.js';

const PROGRAMS = Array.from({ length: 2000 }, (_, seed) => seed + 1);

describe('both engines find the same where grids wait for each other or trigger each other', () => {
  it.each([[[]], [['launch-fence=first']]])('with the variants %j', (variants) => {
    const model = builtInModel('ptx-9.4', new Set(variants));
    const verdicts = new Map<string, number>();
    for (const seed of PROGRAMS.filter((one) => isOfShare(String(one), 50, 'grids'))) {
      const text = gridProgram(seed);
      const { verdict, differences } = compareEngines(programOf(text), { model, timeout: 20_000 });
      if (verdict === 'disagreement') expect.fail(`${differences.map(({ kind, only }) => `${kind} ${only}`)}\n${text}`);
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    }
    const all = [...verdicts.values()].reduce((sum, count) => sum + count, 0);
    expect(verdicts.get('agree') ?? 0).toBeGreaterThan(0.9 * all);
  });
});
