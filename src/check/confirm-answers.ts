import type { Claims } from '../axiomatic/confirmation/claims.js';
import type { Undecided } from '../program/undecided.js';
import { undecided } from './decide-condition.js';
import { type ConditionResult, type ExpectationResult, foundNothing, type TestResult } from './result.js';

/** An answer, and the claims that were made for it alone: from one number up to another. */
export interface Resting<T> {
  readonly answer: T;
  readonly from: number;
  readonly to: number;
}

/** Notes which claims are made while an answer is found. */
export function resting<T>(claims: Claims, find: () => T): Resting<T> {
  const from = claims.count;
  const answer = find();
  return { answer, from, to: claims.count };
}

/** The answers about a test, before it is known who has confirmed what they rest on. */
export interface RestingAnswers {
  /** What all of them rest on: the claims up to this number. */
  readonly shared: number;
  readonly conditions: readonly Resting<ConditionResult>[];
  readonly expectations: readonly Resting<ExpectationResult>[];
  readonly states: Resting<TestResult['states']>;
}

/**
 * The same answers, with why one is not confirmed by anybody but the search; `strict`: such an answer is none. What
 * rests on an execution only has been run again.
 */
export function confirmAnswers(
  claims: Claims,
  { shared, conditions, expectations, states }: RestingAnswers,
  strict: boolean,
): Pick<TestResult, 'conditions' | 'expectations' | 'states'> {
  const always = claims.openIn(0, shared);
  const openIn = ({ from, to }: Resting<unknown>): string | undefined => always ?? claims.openIn(from, to);
  return {
    conditions: conditions.map((one) => {
      const { answer } = one;
      if (answer.reachable === undefined && answer.avoidable === undefined) return answer;
      const found = answer.reachable !== false && answer.avoidable !== false;
      const unconfirmed = found ? always : openIn(one);
      if (unconfirmed === undefined) return answer;
      return strict ? undecided(answer.condition, notConfirmed(unconfirmed)) : { ...answer, unconfirmed };
    }),
    expectations: expectations.map((one) => {
      const { answer } = one;
      const unconfirmed = foundNothing(answer) ? (openIn(one) ?? answer.unconfirmed) : undefined;
      if (unconfirmed === undefined) return answer;
      return strict
        ? { ...answer, outcome: 'undecided', undecided: notConfirmed(unconfirmed), inferred: [] }
        : { ...answer, unconfirmed };
    }),
    states: confirmStates(states.answer, openIn(states), strict),
  };
}

function confirmStates(
  states: TestResult['states'],
  unconfirmed: string | undefined,
  strict: boolean,
): TestResult['states'] {
  if (states === undefined || states.incomplete !== undefined || unconfirmed === undefined) return states;
  return strict ? { ...states, incomplete: notConfirmed(unconfirmed) } : { ...states, unconfirmed };
}

export const notConfirmed = (why: string): Undecided => ({ kind: 'unconfirmed', what: `not confirmed: ${why}` });
