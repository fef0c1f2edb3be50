import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { crossCheck } from '../../src/check/cross-check.js';
import { builtInModel, everyStep, modelOf, programOf, ROOT, solver } from '../support.js';
import { barrierProgram } from './barrier-programs.js';

const PROGRAMS = Array.from({ length: 600 }, (_, seed) => seed + 1);
const inOrder = modelOf(readFileSync(join(ROOT, 'models/axioms/in-order.cat'), 'utf8'), 'in-order');

it('both engines find the same where threads may or may not come to barriers', () => {
  const verdicts = new Map<string, number>();
  for (const seed of everyStep(PROGRAMS, process.env['FUZZ_CASES'] === undefined ? 10 : 1)) {
    const text = barrierProgram(seed);
    const program = programOf(text);
    const { verdict, differences } = crossCheck(solver, program, builtInModel('ptx-9.4'), inOrder, {
      unroll: 3,
      timeout: 20_000,
      clock: () => performance.now(),
    });
    // Of several rules that an execution breaks either engine may name another one.
    const isReal = differences.some(({ kind, rules }) => kind !== 'undefined' || rules?.axioms === undefined);
    if (verdict === 'disagreement' && isReal) expect.fail(`${differences.map(({ kind }) => kind).join()}\n${text}`);
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  }
  const all = [...verdicts.values()].reduce((sum, count) => sum + count, 0);
  expect(verdicts.get('agree') ?? 0).toBeGreaterThan(0.9 * all);
});
