import type { Reachability } from '../axiomatic/session/consistent-executions.js';
import type { AxiomaticSession } from '../axiomatic/session/session.js';
import type { Model } from '../cat/model.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import type { ResolvedExpectation } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import { RACE_FLAG } from '../program/undefined-rules.js';
import { adviceFor } from './race-hint.js';
import type { ExpectationResult, TestResult } from './result.js';

/** Whether some execution races, is undefined or leaves a thread waiting; `happens` is undefined if nobody knows. */
interface Finding {
  readonly happens: boolean | undefined;
  readonly undecided?: Undecided;
  readonly reason?: string;
  readonly execution?: CandidateExecution | undefined;
  readonly events?: readonly number[];
  readonly inferred?: readonly string[];
}

/**
 * Decides an `expect` line of a test; with reasons also which inferred rules it takes that nothing of the kind happens.
 * Where that breaks the expectation, they are found in any case.
 */
export function checkExpectation(
  session: AxiomaticSession,
  model: Model,
  expectation: ResolvedExpectation,
  undefinedBy: TestResult['undefinedBy'],
  reasons: boolean,
): ExpectationResult {
  const result = ({ happens, undecided, reason, execution, events = [], inferred = [] }: Finding, wanted: boolean) => ({
    expectation,
    outcome:
      happens === undefined ? ('undecided' as const) : happens === wanted ? ('met' as const) : ('broken' as const),
    undecided,
    reason,
    inferred,
    witness: execution,
    events,
    advice: execution === undefined || events.length < 2 ? undefined : adviceFor(model, execution, events)?.advice,
  });
  switch (expectation.expectation) {
    case 'undefined': {
      const found = findUndefined(session, undefinedBy, true);
      return result(found.happens === false ? { ...found, reason: 'no execution is undefined' } : found, true);
    }
    case 'no-undefined':
      return result(findUndefined(session, undefinedBy, reasons), false);
    case 'race':
      return result(findRace(session, true), true);
    case 'no-race':
      return result(findRace(session, reasons), false);
    case 'deadlock':
      return result(findDeadlock(session), true);
    case 'no-deadlock':
      return result(findDeadlock(session), false);
    case 'trap':
      return result(findTrap(session), true);
    case 'no-trap':
      return result(findTrap(session), false);
  }
}

function findUndefined(session: AxiomaticSession, undefinedBy: TestResult['undefinedBy'], reasons: boolean): Finding {
  if (undefinedBy !== undefined) return { happens: true, reason: undefinedBy.sentence };
  // What lies beyond the unrolling bound may still be undefined.
  const bound = session.boundReason();
  if (bound !== undefined) return { happens: undefined, undecided: bound };
  const inferred = reasons ? session.inferredAgainstUndefined() : [];
  return { happens: false, inferred };
}

function findRace(session: AxiomaticSession, reasons: boolean): Finding {
  const answer = session.reachFlag(RACE_FLAG);
  if (answer === undefined) return { happens: undefined, undecided: { kind: 'flag', name: RACE_FLAG } };
  switch (answer.kind) {
    case 'unknown':
      return { happens: undefined, undecided: answer.reason };
    case 'unreachable': {
      const inferred = reasons ? session.inferredAgainstFlag(RACE_FLAG) : [];
      return { happens: false, reason: 'no execution has a data race', inferred };
    }
    case 'reachable': {
      const events = answer.verdict.checks.find(({ check }) => check.name === RACE_FLAG)?.witness ?? [];
      return { happens: true, reason: 'an execution has a data race', execution: answer.execution, events };
    }
  }
}

function findDeadlock(session: AxiomaticSession): Finding {
  const answer = session.reachDeadlock() ?? withinBound(session);
  switch (answer.kind) {
    case 'unknown':
      return { happens: undefined, undecided: answer.reason };
    case 'unreachable': {
      const inferred = session.needsProgress ? ['progress'] : [];
      return { happens: false, reason: 'no execution leaves a thread waiting for ever', inferred };
    }
    case 'reachable':
      return { happens: true, reason: 'a thread may wait for ever', execution: answer.execution };
  }
}

function findTrap(session: AxiomaticSession): Finding {
  const answer = session.reachTrap() ?? withinBound(session);
  switch (answer.kind) {
    case 'unknown':
      return { happens: undefined, undecided: answer.reason };
    case 'unreachable': {
      const bound = session.boundReason();
      return bound === undefined
        ? { happens: false, reason: 'no execution comes to a trap' }
        : { happens: undefined, undecided: bound };
    }
    case 'reachable':
      return { happens: true, reason: 'an execution comes to a trap', execution: answer.execution };
  }
}

/** Where no thread can wait, only one that goes round a loop beyond the bound might never end. */
function withinBound(session: AxiomaticSession): Reachability {
  const bound = session.boundReason();
  return bound === undefined ? { kind: 'unreachable' } : { kind: 'unknown', reason: bound };
}
