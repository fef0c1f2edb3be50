import type { Reachability } from '../axiomatic/session/consistent-executions.js';
import type { ExpectedFinding, ResolvedExpectation } from '../program/program.js';
import { FINDING_WORDS } from '../program/undefined-rules.js';
import type { ExpectationResult } from './result.js';

/** Whether what an expectation speaks of happens, by either engine; `happens` is undefined if nobody knows. */
export interface Happening
  extends Partial<
    Pick<
      ExpectationResult,
      'undecided' | 'unconfirmed' | 'provided' | 'reason' | 'events' | 'shownAt' | 'inferred' | 'advice'
    >
  > {
  readonly happens: boolean | undefined;
  readonly execution?: ExpectationResult['witness'];
}

/** What follows from that for the expectation. */
export function expectationResult(
  expectation: ResolvedExpectation,
  {
    happens,
    undecided,
    reason,
    execution,
    events = [],
    inferred = [],
    shownAt,
    advice,
    unconfirmed,
    provided,
  }: Happening,
): ExpectationResult {
  return {
    expectation,
    outcome: happens === undefined ? 'undecided' : happens === expectation.isDenied ? 'broken' : 'met',
    undecided,
    ...(unconfirmed === undefined ? {} : { unconfirmed }),
    ...(provided === undefined ? {} : { provided }),
    reason,
    inferred,
    witness: execution,
    events,
    ...(shownAt === undefined ? {} : { shownAt }),
    advice,
  };
}

/** What an answer means, with a sentence for yes and one for no. */
export function happeningOf(answer: Reachability, yes: string, no: string): Happening {
  switch (answer.kind) {
    case 'unknown':
      return { happens: undefined, undecided: answer.reason };
    case 'unreachable':
      return { happens: false, reason: no };
    case 'reachable':
      return { happens: true, reason: yes, execution: answer.execution };
  }
}

const NONE_FOUND = {
  race: `no execution has ${FINDING_WORDS.race}`,
  uninitialized: `no execution has ${FINDING_WORDS.uninitialized}`,
  undefined: 'no execution is undefined',
  deadlock: 'no execution leaves a thread waiting for ever',
  trap: 'no execution comes to a trap',
} as const satisfies Readonly<Record<ExpectedFinding, string>>;

/** That nothing of the kind happens; `isAccepted`: or only what the test accepts. */
export function noneFound(finding: ExpectedFinding, isAccepted = false): string {
  const accepted = finding === 'undefined' ? ' but for what is accepted' : ' that is not accepted';
  return `${NONE_FOUND[finding]}${isAccepted ? accepted : ''}`;
}

/** That what an expectation speaks of happens in no execution, by the inferred rules that this rests on. */
export const nothingHappens = (
  expectation: ResolvedExpectation,
  inferred: readonly string[],
  isAccepted = false,
): ExpectationResult => {
  const reason = noneFound(expectation.finding, isAccepted);
  // Where a thread waits for ever there are fewer accesses, and no others.
  const resting = expectation.finding === 'deadlock' ? inferred : inferred.filter((one) => one !== 'progress');
  return expectationResult(expectation, { happens: false, reason, inferred: resting });
};
