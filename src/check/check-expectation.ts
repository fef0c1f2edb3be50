import type { AxiomaticSession } from '../axiomatic/session/session.js';
import type { Counts } from '../axiomatic/session/tells-of.js';
import type { Model } from '../cat/model.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import type { Allowance } from '../program/allowance.js';
import type { ResolvedExpectation } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import { FINDING_WORDS, FLAGS } from '../program/undefined-rules.js';
import { notAccepted } from './accepted-findings.js';
import { findDeadlock, type LoopOptions, withinBound } from './deadlocks.js';
import { expectationResult, type Happening, happeningOf, noneFound } from './expectation-result.js';
import { adviceFor } from './race-hint.js';
import type { ExpectationResult, UndefinedBy } from './result.js';

/** What is known of a test when its `expect` lines are decided. */
export interface FoundBefore {
  readonly allowances: readonly Allowance[];
  readonly undefinedBy: UndefinedBy | undefined;
  /** By what it is undefined that no `allow` line accepts; the reason where that is not known. */
  readonly notAccepted: UndefinedBy | Undecided | undefined;
}

/**
 * Decides an `expect` line of a test; with reasons also which inferred rules it takes that nothing of the kind happens.
 * Where that breaks the expectation, they are found in any case.
 */
export function checkExpectation(
  session: AxiomaticSession,
  model: Model,
  expectation: ResolvedExpectation,
  found: FoundBefore,
  reasons: boolean,
  loops: LoopOptions,
): ExpectationResult {
  const happening =
    expectation.finding === 'deadlock'
      ? findDeadlock(session, loops)
      : findExpected(session, expectation.finding, expectation.isDenied, found, reasons);
  const { execution, events = [] } = happening;
  // Of memory that nothing has written there is nothing to be ordered.
  const isPair = events.length === 2 && expectation.finding !== 'uninitialized';
  const advice = execution === undefined || !isPair ? undefined : adviceFor(model, execution, events)?.advice;
  return expectationResult(expectation, { ...happening, advice });
}

function findExpected(
  session: AxiomaticSession,
  finding: Exclude<ResolvedExpectation['finding'], 'deadlock'>,
  isDenied: boolean,
  { allowances, undefinedBy, notAccepted: beyond }: FoundBefore,
  reasons: boolean,
): Happening {
  switch (finding) {
    case 'undefined': {
      const accepts = isDenied && allowances.some((one) => one.finding === 'undefined');
      const one = findUndefined(session, isDenied ? beyond : undefinedBy, !accepts && (reasons || !isDenied));
      if (one.happens !== false) return one;
      return { ...one, reason: noneFound('undefined', accepts) };
    }
    case 'race':
    case 'uninitialized':
      return isDenied
        ? findFlag(session, finding, reasons, notAccepted(session, allowances, finding))
        : findFlag(session, finding, true);
    case 'trap':
      return findTrap(session);
  }
}

function findUndefined(
  session: AxiomaticSession,
  by: UndefinedBy | Undecided | undefined,
  reasons: boolean,
): Happening {
  if (by !== undefined)
    return 'kind' in by ? { happens: undefined, undecided: by } : { happens: true, reason: by.sentence };
  // What lies beyond the unrolling bound may still be undefined.
  const bound = session.boundReason();
  if (bound !== undefined) return { happens: undefined, undecided: bound };
  const inferred = reasons ? session.inferredAgainstUndefined() : [];
  return { happens: false, inferred };
}

function findFlag(
  session: AxiomaticSession,
  finding: keyof typeof FLAGS,
  reasons: boolean,
  counts?: Counts,
): Happening {
  const [name, what] = [FLAGS[finding], FINDING_WORDS[finding]];
  const answer = session.reachFlag(name, counts);
  if (answer === undefined) return { happens: undefined, undecided: { kind: 'flag', name } };
  const isRefuted = answer.kind === 'unreachable' && counts === undefined;
  const inferred = isRefuted && reasons ? session.inferredAgainstFlag(name) : [];
  return {
    ...happeningOf(answer, `an execution has ${what}`, noneFound(finding, counts !== undefined)),
    events: answer.events,
    inferred,
  };
}

/** The traps of the threads that come to one; which of them, where there are several, is not told. */
function trapsOf({ ends, universe }: CandidateExecution): NonNullable<ExpectationResult['shownAt']> {
  return ends.flatMap(({ kind }, index) => {
    const thread = universe.structure.program.threads[index];
    if (kind !== 'trapped' || thread === undefined) return [];
    const traps = thread.statements.filter(({ operation }) => operation.kind === 'trap');
    return [...new Map(traps.map(({ span }) => [span.start, { thread: thread.name, span }])).values()];
  });
}

function findTrap(session: AxiomaticSession): Happening {
  const answer = session.reachTrap();
  const beyond = answer === undefined || answer.kind === 'unreachable' ? withinBound(session) : answer;
  const found = happeningOf(beyond, 'an execution comes to a trap', noneFound('trap'));
  return found.execution === undefined ? found : { ...found, shownAt: trapsOf(found.execution) };
}
