import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from '../src/cat/model.js';
import { type CrossCheck, type CrossCheckOptions, crossCheck } from '../src/check/cross-check.js';
import type { Findings } from '../src/check/findings.js';
import type { Program } from '../src/program/program.js';
import { describeUndecided } from '../src/program/undecided.js';
import { builtInModel, modelOf, ROOT, solver } from './support.js';

/** The axiom that makes the axioms those of a machine that executes synchronizing operations in order. */
export const IN_ORDER = modelOf(readFileSync(join(ROOT, 'models/axioms/in-order.cat'), 'utf8'), 'in-order');

/**
 * The axioms and the operational machine, which were stated independently of each other, on one test. `checked`: what
 * the axioms say of its conditions and expectations within the same bounds, where that is known.
 *
 * @throws if nothing happens in it, and no filter leaves everything out: it neither ends, nor waits for ever, nor is
 * undefined. Both engines would agree that everything is met there, by nothing.
 */
export function compareEngines(
  program: Program,
  { model = builtInModel('ptx-9.4'), ...options }: CrossCheckOptions & { readonly model?: Model } = {},
): CrossCheck {
  const compared = crossCheck(solver, program, model, IN_ORDER, { unroll: 3, timeout: 60_000, ...options });
  if (program.filter === undefined && compared.axioms !== undefined && isNothing(compared.axioms))
    throw new Error(`${program.name} has no execution under ${model.name}`);
  return compared;
}

const isNothing = ({ undefinedBy, deadlock, trap, outcomes, open }: Findings): boolean =>
  [undefinedBy, deadlock, trap].every((found) => found === undefined) && outcomes.size + open.length === 0;

/** What went wrong, for the message of a failing test. */
export function complaint({ verdict, undecided, differences }: CrossCheck): string {
  const found = differences.map(
    ({ kind, only, state, rules }) =>
      `${only} only: ${kind} ` +
      `${state === undefined ? JSON.stringify(rules ?? '') : [...state].map((pair) => pair.join('=')).join(' ')}`,
  );
  return [verdict, ...(undecided === undefined ? [] : [describeUndecided(undecided)]), ...found].join('\n');
}
