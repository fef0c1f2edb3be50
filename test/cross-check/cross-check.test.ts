import { describe, expect, it } from 'vitest';
import { PROGRAM_FAMILIES, type ProgramFamily } from '../../src/generate/families.js';
import { generateTests } from '../../src/generate/generate-tests.js';
import { Random } from '../../src/generate/random.js';
import { SWEEP_ALL } from '../shares.js';
import { builtInModel, solver } from '../support.js';
import { IN_ORDER } from '../twins.js';
import { checkRarestLaw } from './check-law.js';
import { LAWS } from './laws.js';
import { type Comparison, compareThree } from './three.js';

/** A little of what `npm run cross-check` does at any length: how many tests of each family, more with SWEEP=all. */
const TESTS: Readonly<Record<ProgramFamily, number>> = SWEEP_ALL
  ? { program: 170, grid: 50, poll: 25, launch: 15 }
  : { program: 60, grid: 20, poll: 10, launch: 15 };
const PAIRS = SWEEP_ALL ? 180 : 90;

describe('the axioms, the machine and the reference', () => {
  it.each(PROGRAM_FAMILIES)('find the same in generated tests of the family %s', (family) => {
    const comparison: Comparison = {
      solver,
      model: builtInModel('ptx-9.4'),
      inOrder: IN_ORDER,
      timeout: 60_000,
      mostStates: 10_000,
      budget: { work: 1_000_000 },
    };
    const wrong: string[] = [];
    const kinds = new Map<string, number>();
    let number = 0;
    for (const test of generateTests({ seed: 20261122, mostEvents: 6, families: [family] })) {
      if (number++ === TESTS[family]) break;
      const verdict = compareThree(test, comparison);
      kinds.set(verdict.kind, (kinds.get(verdict.kind) ?? 0) + 1);
      if (verdict.kind === 'disagreement') wrong.push(`${verdict.what}\n${test.text}\n${test.module?.text ?? ''}`);
    }
    expect(wrong).toEqual([]);
    // Most are compared: a test that is refused, or beyond the bound, proves nothing.
    expect(kinds.get('agree') ?? 0).toBeGreaterThan(TESTS[family] * 0.75);
  });
});

describe('the laws', () => {
  it(`hold on ${PAIRS} generated programs`, async () => {
    const settings = { solver, model: builtInModel('ptx-9.4'), timeout: 60_000 };
    const wrong: string[] = [];
    const checked = new Map<string, number>();
    let number = 0;
    for (const { text } of generateTests({ seed: 20261123, mostEvents: 6, families: ['program'] })) {
      if (number++ === PAIRS) break;
      const { law, verdict } = checkRarestLaw(checked, text, new Random(number), settings);
      if (verdict.kind === 'broken') wrong.push(`${law.name}: ${verdict.what}\n${text}\n${verdict.changed}`);
    }
    expect(wrong).toEqual([]);
    for (const { name } of LAWS) expect(checked.get(name) ?? 0, name).toBeGreaterThan(3);
  });
});
