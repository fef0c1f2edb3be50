import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CrossCheck, crossCheck } from '../../src/check/cross-check.js';
import type { TestResult } from '../../src/check/result.js';
import type { Program } from '../../src/program/program.js';
import { describeUndecided } from '../../src/program/undecided.js';
import { builtInModel, modelOf, ROOT, solver } from '../support.js';

const inOrder = modelOf(readFileSync(join(ROOT, 'models/axioms/in-order.cat'), 'utf8'), 'in-order');

/**
 * The axioms and the operational machine, which were stated independently of each other, on one test. `checked`: what
 * the axioms say of its conditions and expectations within the same bounds, where that is known.
 */
export async function compareEngines(
  program: Program,
  unroll = 3,
  timeout = 60_000,
  checked?: TestResult,
): Promise<CrossCheck> {
  return crossCheck(solver, program, builtInModel('ptx-9.4'), inOrder, {
    unroll,
    timeout,
    clock: () => performance.now(),
    ...(checked !== undefined && { checked }),
  });
}

/** What went wrong, for the message of a failing test. */
export function complaint({ verdict, undecided, differences }: CrossCheck): string {
  const found = differences.map(
    ({ kind, only, state, rules }) =>
      `${only} only: ${kind} ` +
      `${state === undefined ? JSON.stringify(rules ?? '') : [...state].map((pair) => pair.join('=')).join(' ')}`,
  );
  return [verdict, ...(undecided === undefined ? [] : [describeUndecided(undecided)]), ...found].join('\n');
}
