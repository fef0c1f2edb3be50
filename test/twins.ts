import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from '../src/cat/model.js';
import { type CrossCheck, type CrossCheckOptions, crossCheck } from '../src/check/cross-check.js';
import type { Program } from '../src/program/program.js';
import { describeUndecided } from '../src/program/undecided.js';
import { builtInModel, modelOf, ROOT, solver } from './support.js';

/** The axiom that makes the axioms those of a machine that executes synchronizing operations in order. */
export const IN_ORDER = modelOf(readFileSync(join(ROOT, 'models/axioms/in-order.cat'), 'utf8'), 'in-order');

/**
 * The axioms and the operational machine, which were stated independently of each other, on one test. `checked`: what
 * the axioms say of its conditions and expectations within the same bounds, where that is known.
 */
export function compareEngines(
  program: Program,
  { model = builtInModel('ptx-9.4'), ...options }: CrossCheckOptions & { readonly model?: Model } = {},
): CrossCheck {
  return crossCheck(solver, program, model, IN_ORDER, { unroll: 3, timeout: 60_000, ...options });
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
