import type { Model } from '../cat/model.js';
import { speakingOf } from '../cat/names-of-model.js';
import type { Program, Proposition, Term } from '../program/program.js';

/** The conditions and expectations of a test that speak of a model. */
export function clausesFor(program: Program, { names }: Model): Pick<Program, 'conditions' | 'expectations'> {
  return {
    conditions: speakingOf(program.conditions, names, ({ proposition }) => keyOf(proposition)),
    expectations: speakingOf(program.expectations, names, ({ finding }) => finding),
  };
}

/** Whether nothing is asked of a test but whether threads go on for ever. */
export const asksDeadlocksAlone = (
  { conditions, expectations }: Pick<Program, 'conditions' | 'expectations'>,
  { allowances }: Program,
  states: boolean,
): boolean =>
  conditions.length + allowances.length === 0 &&
  !states &&
  expectations.length > 0 &&
  expectations.every(({ finding }) => finding === 'deadlock');

/** Equal propositions have equal keys. */
function keyOf(proposition: Proposition): string {
  const term = (one: Term): string => (one.kind === 'number' ? String(one.value) : one.name);
  switch (proposition.kind) {
    case 'constant':
      return String(proposition.value);
    case 'compare':
      return `${term(proposition.left)} ${proposition.comparison} ${term(proposition.right)}`;
    case 'not':
      return `~(${keyOf(proposition.operand)})`;
    case 'and':
    case 'or':
      return `${proposition.kind}(${proposition.operands.map(keyOf).join(', ')})`;
  }
}
