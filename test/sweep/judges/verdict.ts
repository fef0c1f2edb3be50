import { basename } from 'node:path';
import { expect } from 'vitest';
import type { TestResult } from '../../../src/check/result.js';
import { renderDiagnostics } from '../../../src/diagnostics/render.js';
import { type Count, fewerOfLarge, type Judge, WHOLE } from '../judge.js';

/** Tests that draw a warning on purpose, with its code. */
const WARNED: Readonly<Record<string, readonly string[]>> = { 'async/griddepcontrol+MP.litmus': ['L0109'] };

export const readsWell: Judge = {
  name: 'it reads well, and says why it is as it is',
  every: 1,
  judge(test, count) {
    const { diagnostics } = test.loaded;
    expect(
      diagnostics.map(({ code }) => code),
      renderDiagnostics(diagnostics),
    ).toEqual(WARNED[test.file] ?? []);
    expect(test.program.name).toBe(basename(test.file, '.litmus'));
    expect(test.program.descriptions.join(' ').length, 'a reason in a sentence').toBeGreaterThan(30);
    count('read');
  },
};

export const verdict: Judge = {
  name: 'it meets what it expects',
  // Before the tests, .ci/run has them all decided by the command.
  every: fewerOfLarge(1),
  share: WHOLE,
  judge: (test, count) => void expectMet(test.result(), count),
};

export const otherModels: Judge = {
  name: 'it meets what it expects of other models',
  every: 3,
  judge(test, count) {
    let decided = expectMet(test.result(), () => undefined);
    for (const model of ['ptx-7.5', 'ptx-6.0', 'sc'])
      decided += expectMet(test.result(model), (what) => count(`${model}: ${what}`));
    expect(decided, 'what some model decides').toBeGreaterThan(0);
  },
};

/** None of what a test says may be broken; how much is decided. */
function expectMet({ conditions, expectations, model }: TestResult, count: Count): number {
  let decided = 0;
  for (const { condition, expectation, undecided } of conditions) {
    const where = `${model.name}: ${condition.quantifier} ${condition.name ?? ''} (${undecided?.kind ?? 'decided'})`;
    // Only a test that says so is limited by the bound; some need a feature that this model does not have.
    if (expectation === 'undecided' && model.name !== 'ptx-9.4') expect(undecided?.kind, where).toBe('feature');
    else {
      expect(expectation, where).not.toBe('broken');
      decided += 1;
      count('conditions');
    }
  }
  for (const { expectation, outcome, undecided } of expectations) {
    const where = `${model.name}: expect ${expectation.expectation} (${undecided?.kind ?? ''})`;
    if (outcome === 'undecided' && model.name !== 'ptx-9.4')
      expect(['feature', 'flag'], where).toContain(undecided?.kind);
    else {
      expect(outcome, where).toBe('met');
      decided += 1;
      count('expectations');
    }
  }
  return decided;
}
