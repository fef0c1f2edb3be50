import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Model } from '../../src/cat/model.js';
import { readModel } from '../../src/cat/resolve-model.js';
import { crossCheck } from '../../src/check/cross-check.js';
import { BASE_KINDS } from '../../src/execution/base-relations.js';
import { everyStep, modelOf, programOf, ROOT, solver } from '../support.js';
import { gridProgram } from './grid-programs.js';

const PROGRAMS = Array.from({ length: 2000 }, (_, seed) => seed + 1);
const inOrder = modelOf(readFileSync(join(ROOT, 'models/axioms/in-order.cat'), 'utf8'), 'in-order');

function variantOf(variants: readonly string[]): Model {
  const text = readFileSync(join(ROOT, 'models/ptx-9.4.cat'), 'utf8');
  const { value } = readModel('ptx-9.4', { path: 'ptx-9.4.cat', text }, BASE_KINDS, undefined, new Set(variants));
  if (value === undefined) throw new Error('the model cannot be read');
  return value;
}

describe('both engines find the same where grids wait for each other or trigger each other', () => {
  it.each([[[]], [['launch-fence=first']]])('with the variants %j', (variants) => {
    const model = variantOf(variants);
    const verdicts = new Map<string, number>();
    for (const seed of everyStep(PROGRAMS, process.env['FUZZ_CASES'] === undefined ? 50 : 1)) {
      const text = gridProgram(seed);
      const { verdict, differences } = crossCheck(solver, programOf(text), model, inOrder, {
        unroll: 3,
        timeout: 20_000,
        clock: () => performance.now(),
      });
      if (verdict === 'disagreement') expect.fail(`${differences.map(({ kind, only }) => `${kind} ${only}`)}\n${text}`);
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    }
    const all = [...verdicts.values()].reduce((sum, count) => sum + count, 0);
    expect(verdicts.get('agree') ?? 0).toBeGreaterThan(0.9 * all);
  });
});
