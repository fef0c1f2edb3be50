import type { AxiomaticSession } from '../axiomatic/session/session.js';
import type { Counts } from '../axiomatic/session/tells-of.js';
import type { Model } from '../cat/model.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { type Allowance, accepts } from '../program/allowance.js';
import type { Program } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import { describeUndefined, FINDING_WORDS, FLAGS } from '../program/undefined-rules.js';
import type { Finding } from '../syntax/condition-ast.js';

/** An `allow` line of a test, and what it accepts. */
export interface AcceptedFinding {
  readonly allowance: Allowance;
  /** Whether something in the test is as it says. */
  readonly outcome: 'found' | 'nothing' | 'undecided';
  readonly undecided: Undecided | undefined;
  /** What was found. */
  readonly sentence: string | undefined;
  readonly witness: CandidateExecution | undefined;
  readonly events: readonly number[];
}

/** Those of a test that speak of a model. */
export function allowancesFor(program: Program, model: Model): readonly Allowance[] {
  return program.allowances.filter(
    ({ models }) => models === undefined || models.some((name) => model.names.includes(name)),
  );
}

/** What is not accepted; undefined if nothing of that kind is. */
export function notAccepted(
  session: AxiomaticSession,
  allowances: readonly Allowance[],
  finding: Finding,
): Counts | undefined {
  const of = allowances.filter((one) => one.finding === finding).map((one) => isAccepted(session, one));
  return of.length === 0 ? undefined : (events) => !of.some((accepted) => accepted(events));
}

function isAccepted(session: AxiomaticSession, allowance: Allowance): Counts {
  const { events } = session.encoding.universe;
  return (ids) =>
    accepts(
      allowance,
      ids.flatMap((id) => events[id]?.span ?? []),
    );
}

const OF_LAUNCHES = 'whether stores put the same value there is told of launches, all threads of which are followed';

/** Whether there is what an `allow` line accepts. */
export function acceptedBy(session: AxiomaticSession, allowance: Allowance): AcceptedFinding {
  const of = (found: Partial<AcceptedFinding>): AcceptedFinding => ({ ...nothingOf(allowance), ...found });
  const counts = isAccepted(session, allowance);
  const { finding } = allowance;
  // Hand-overs by relaxed accesses are a remark of the followed run.
  if (finding === 'relaxed') return of({});
  if (finding === 'same-value-race') {
    const isRacing = session.reachFlag(FLAGS.race, counts)?.kind === 'reachable';
    return isRacing ? nothingKnown(allowance, { kind: 'coverage', what: OF_LAUNCHES }) : of({});
  }
  const answer = finding === 'undefined' ? session.reachUndefined(counts) : session.reachFlag(FLAGS[finding], counts);
  switch (answer?.kind) {
    case 'reachable':
      return of({
        outcome: 'found',
        sentence: finding === 'undefined' ? undefined : FINDING_WORDS[finding],
        witness: answer.execution,
        events: answer.events,
      });
    case 'undefined':
      return of({
        outcome: 'found',
        sentence: describeUndefined(answer),
        witness: answer.execution,
        events: answer.events,
      });
    case 'unknown':
      return of({ outcome: 'undecided', undecided: answer.reason });
    default:
      return of({});
  }
}

/** Of an `allow` line for which there is no time or memory. */
export function nothingKnown(allowance: Allowance, undecided: Undecided): AcceptedFinding {
  return { ...nothingOf(allowance), outcome: 'undecided', undecided };
}

/** Of an `allow` line that accepts nothing that there is. */
export const nothingOf = (allowance: Allowance): AcceptedFinding => ({
  ...{ allowance, outcome: 'nothing', undecided: undefined, sentence: undefined, witness: undefined, events: [] },
});
