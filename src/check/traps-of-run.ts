import type { WholeRun } from '../order/whole-run.js';
import type { Undecided } from '../program/undecided.js';
import type { Answers } from './all-undecided.js';
import { expectationResult, nothingHappens } from './expectation-result.js';
import { foundNothing, foundSomething } from './result.js';

/** Code without a trap comes to none, whatever else is open. */
export function withoutTraps<Of extends Answers>(result: Of, { hasTraps }: WholeRun): Of {
  const expectations = result.expectations.map((one) =>
    one.outcome === 'undecided' && one.expectation.finding === 'trap' && !hasTraps
      ? nothingHappens(one.expectation, [])
      : one,
  );
  return { ...result, expectations };
}

/** A time-out that ends in a trap is taken not to run out; where something is waited for for ever it does. */
export function withTimeouts<Of extends Answers>(result: Of, { findings, remarks }: WholeRun): Of {
  const isForEver =
    findings.some(({ rule }) => rule === 'deadlock') ||
    result.expectations.some((one) => one.expectation.finding === 'deadlock' && foundSomething(one));
  if (!isForEver || !remarks.some(({ kind }) => kind === 'timeout')) return result;
  const expectations = result.expectations.map((one) =>
    one.expectation.finding === 'trap' && foundNothing(one)
      ? expectationResult(one.expectation, { happens: undefined, undecided: TIMES_OUT })
      : one,
  );
  return { ...result, expectations };
}

const TIMES_OUT: Undecided = {
  kind: 'coverage',
  what: 'a wait without an end may come to its time-out, which is a trap',
};
