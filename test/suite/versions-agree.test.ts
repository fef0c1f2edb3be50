import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { CORPUS, describeWith } from '../resources.js';
import { builtInModel, checkProgram, everyStep, ROOT, STEP } from '../support.js';

/** 9.4 without the rule that no published model has (docs/decisions/observation-before-causality.md). */
const NEWER = builtInModel('ptx-9.4', new Set(['atomic-observation=write']));

/**
 * Where it and ptx-7.5 may differ on tests that both can judge, by the version history of the ISA: none of what
 * came in between changes a verdict on older features, but that an access to the memory of another CTA that may have
 * exited is now known to be undefined.
 */
const REASONS: Readonly<Record<string, string>> = {
  'dsmem.exit+remote-st': 'distributed shared memory came with 7.8',
};

/** What a result says, without the model's own words. */
function verdicts({ conditions, undefinedBy, expectations }: TestResult): unknown {
  return {
    undefined: undefinedBy !== undefined,
    conditions: conditions.map(({ condition, reachable, avoidable, undecided }) => [
      condition.name ?? condition.quantifier,
      reachable,
      avoidable,
      undecided?.kind,
    ]),
    expectations: expectations.map(({ expectation, outcome }) => [expectation.expectation, outcome]),
  };
}

async function disagreements(
  folder: string,
  pattern: RegExp,
  unroll: number,
): Promise<{ readonly different: readonly string[]; readonly compared: number }> {
  const different: string[] = [];
  let compared = 0;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => pattern.test(file));
  for (const file of everyStep(files.sort())) {
    for (const program of loadTests({ path: file, text: readFileSync(join(folder, file), 'utf8') }).value ?? []) {
      // Clauses for one of the models count for both here.
      const both = {
        ...program,
        conditions: program.conditions
          .filter(({ models }) => models === undefined || models.includes('ptx-7.5'))
          .map((one) => ({ ...one, models: undefined })),
        expectations: program.expectations.map((one) => ({ ...one, models: undefined })),
      };
      const older = await checkProgram(both, 'ptx-7.5', { unroll });
      if ([...older.conditions, ...older.expectations].some(({ undecided }) => undecided?.kind === 'feature')) continue;
      const newer = await checkProgram(both, NEWER, { unroll });
      compared += 1;
      if (JSON.stringify(verdicts(older)) !== JSON.stringify(verdicts(newer)) && REASONS[program.name] === undefined)
        different.push(`${file}: ${program.name}`);
    }
  }
  return { different, compared };
}

describe('ptx-9.4 and ptx-7.5 agree on what both know, of every third file if FUZZ_CASES is not set:', () => {
  it('our litmus tests', async () => {
    const { different, compared } = await disagreements(join(ROOT, 'litmus'), /^(?!.*kernels.launched).*\.litmus$/, 3);
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(180 / STEP);
  });
});

describeWith(CORPUS, 'ptx-9.4 and ptx-7.5 agree on what both know', () => {
  it('of the published corpus, of every third file if FUZZ_CASES is not set', async () => {
    const { different, compared } = await disagreements(CORPUS.path, /\.(litmus|test)$/, 2);
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(400 / STEP);
  });
});
