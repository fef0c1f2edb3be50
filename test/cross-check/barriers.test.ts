import { expect, it } from 'vitest';
import { isOfShare } from '../shares.js';
import { programOf } from '../support.js';
import { compareEngines } from '../twins.js';
import { barrierProgram } from './barrier-programs.js';

const PROGRAMS = Array.from({ length: 600 }, (_, seed) => seed + 1);

it('both engines find the same where threads may or may not come to barriers', () => {
  const verdicts = new Map<string, number>();
  for (const seed of PROGRAMS.filter((one) => isOfShare(String(one), 15, 'barriers'))) {
    const text = barrierProgram(seed);
    const program = programOf(text);
    const { verdict, differences } = compareEngines(program, { timeout: 20_000 });
    // Of several rules that an execution breaks either engine may name another one.
    const isReal = differences.some(({ kind, rules }) => kind !== 'undefined' || rules?.axioms === undefined);
    if (verdict === 'disagreement' && isReal) expect.fail(`${differences.map(({ kind }) => kind).join()}\n${text}`);
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  }
  const all = [...verdicts.values()].reduce((sum, count) => sum + count, 0);
  expect(verdicts.get('agree') ?? 0).toBeGreaterThan(0.9 * all);
});
