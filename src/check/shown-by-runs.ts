import type { RunEnd, WholeRun } from '../order/whole-run.js';
import type { Condition } from '../program/program.js';
import { decidingTerms, mayHold } from '../program/proposition.js';
import { within } from '../program/undecided.js';
import { decideCondition } from './decide-condition.js';
import type { ConditionResult, ShownEnd, TestResult } from './result.js';

/** Whether it is open what is asked of the end of a test that is defined, as far as is known. */
export const hasOpenConditions = ({ conditions, undefinedBy }: TestResult): boolean =>
  undefinedBy === undefined && conditions.some(isOpen);

/**
 * What is not known of all executions may be shown by single runs: each has an end that is reached, so that nobody
 * avoids what holds there, and not all have what does not.
 */
export function withEnds<Result extends TestResult>(result: Result, run: WholeRun): Result {
  let { conditions } = result;
  within<void>(
    () => {
      for (const end of run.ends()) {
        conditions = conditions.map((one) => (isOpen(one) ? shownBy(one, end) : one));
        if (!conditions.some(isOpen)) return;
      }
    },
    () => undefined,
  );
  return { ...result, conditions };
}

const isOpen = ({ undecided }: ConditionResult): boolean => undecided !== undefined;

function shownBy(given: ConditionResult, { state, torn }: RunEnd): ConditionResult {
  const { proposition } = given.condition;
  const [isReached, isAvoided] = [!mayHold(proposition, state, true), !mayHold(proposition, state)];
  const shown = decideCondition(given.condition, isReached || undefined, isAvoided || undefined, given.undecided);
  if (shown.holds === undefined) return given;
  return { ...shown, shownBy: endThatShows(given.condition, state, torn) };
}

/** What of the end of a run shows that a condition holds there, or does not. */
export const endThatShows = (
  { proposition }: Condition,
  state: RunEnd['state'],
  torn: RunEnd['torn'] = [],
): ShownEnd => ({
  values: decidingTerms(proposition, state).map((term) => ({ term, value: state(term) ?? 0n })),
  torn,
});
