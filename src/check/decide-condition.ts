import type { Condition } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import type { ConditionResult, Observation } from './result.js';

/** What follows for a condition from whether an execution satisfies its proposition, and whether one does not. */
export function decideCondition(
  condition: Condition,
  reachable: boolean | undefined,
  avoidable: boolean | undefined,
  open: Undecided | undefined,
): ConditionResult {
  const { quantifier } = condition;
  const holds = claim(quantifier, reachable, avoidable);
  return {
    condition,
    reachable,
    avoidable,
    observation: observationOf(reachable, avoidable),
    holds,
    expectation: quantifier === 'exists' ? 'none' : holds === undefined ? 'undecided' : holds ? 'met' : 'broken',
    undecided: holds === undefined ? open : undefined,
    witnesses: [],
    counterexample: undefined,
    forbiddenBy: undefined,
    race: undefined,
  };
}

/** What a quantifier claims, given whether P and not-P are reachable. */
function claim(
  quantifier: Condition['quantifier'],
  reachable: boolean | undefined,
  avoidable: boolean | undefined,
): boolean | undefined {
  const negated = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value);
  switch (quantifier) {
    case 'exists':
    case 'permit':
      return reachable;
    case '~exists':
    case 'forbid':
      return negated(reachable);
    case 'forall':
    case 'require':
      return negated(avoidable);
  }
}

function observationOf(reachable: boolean | undefined, avoidable: boolean | undefined): Observation | undefined {
  if (reachable === false) return 'Never';
  if (reachable === undefined || avoidable === undefined) return undefined;
  return avoidable ? 'Sometimes' : 'Always';
}

export function undecided(condition: Condition, reason: Undecided): ConditionResult {
  return decideCondition(condition, undefined, undefined, reason);
}

/** Of a test with undefined behavior no outcome can be claimed, so an expectation about outcomes is not met. */
export function meaningless(condition: Condition): ConditionResult {
  return {
    ...decideCondition(condition, undefined, undefined, undefined),
    expectation: condition.quantifier === 'exists' ? 'none' : 'broken',
  };
}

export const isUniversal = (quantifier: Condition['quantifier']): boolean =>
  quantifier === 'forall' || quantifier === 'require';
