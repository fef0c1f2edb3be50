import type { AxiomaticSession } from '../axiomatic/session/session.js';
import type { CheckVerdict } from '../cat/check-execution.js';
import type { Model } from '../cat/model.js';
import { ofModel } from '../cat/of-model.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { type Undecided, within } from '../program/undecided.js';
import { findingOf, RACE_FLAG, UNDEFINED_RULES } from '../program/undefined-rules.js';

/** A flag of the model, and whether some execution raises it. */
export interface FlagResult {
  readonly name: string;
  readonly raised: boolean | undefined;
  /** Why that could not be decided. */
  readonly undecided: Undecided | undefined;
  readonly witness: CandidateExecution | undefined;
  /** What the flag tells of in that execution: events, pairs of them, or a cycle. */
  readonly members: readonly (readonly number[])[];
}

/** What the flags of a model say of a test, but those of which tests ask by `expect`. */
export function flagsOf(session: AxiomaticSession, { checks }: Model): readonly FlagResult[] {
  const names = checks.flatMap(({ role, name }) => (role === 'flag' && findingOf(name) === 'undefined' ? [name] : []));
  return [...new Set(names)].map((name) => flagOf(session, name));
}

function flagOf(session: AxiomaticSession, name: string): FlagResult {
  const result = (found: Partial<FlagResult>): FlagResult => ({
    ...{ name, raised: undefined, undecided: undefined, witness: undefined, members: [] },
    ...found,
  });
  const open = (undecided: Undecided): FlagResult => result({ undecided });
  return within(() => {
    const answer = session.reachFlag(name);
    if (answer?.kind === 'unknown') return open(answer.reason);
    if (answer?.kind !== 'reachable') return result({ raised: false });
    const raised = answer.verdict.checks.filter(
      ({ check, holds }) => check.role === 'flag' && check.name === name && holds,
    );
    return result({ raised: true, witness: answer.execution, members: raised.flatMap(membersOf) });
  }, open);
}

/** All that is in what should be empty; of a cycle its events. */
function membersOf({ check, witness, members }: CheckVerdict): readonly (readonly number[])[] {
  // A flag that something is empty tells of nothing that is there.
  if (!check.negated || witness.length === 0) return [];
  const all = members();
  return all.length === 0 ? [witness] : all;
}

/** Whether a model tells of races, and of nothing else that is not of PTX: of that one run says nothing. */
export const knowsOnlyOurFindings = ofModel(({ checks }): boolean => {
  const isOurs = ({ role, name }: Model['checks'][number]): boolean =>
    role === 'axiom' || (role === 'flag' ? findingOf(name) !== 'undefined' : Object.hasOwn(UNDEFINED_RULES, name));
  return checks.every(isOurs) && checks.some(({ role, name }) => role === 'flag' && name === RACE_FLAG);
});
