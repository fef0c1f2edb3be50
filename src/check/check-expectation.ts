import type { Reachability } from '../axiomatic/session/consistent-executions.js';
import type { AxiomaticSession } from '../axiomatic/session/session.js';
import type { Counts } from '../axiomatic/session/tells-of.js';
import type { Model } from '../cat/model.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import type { Allowance } from '../program/allowance.js';
import type { ResolvedExpectation } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import { RACE_FLAG } from '../program/undefined-rules.js';
import { notAccepted } from './accepted-findings.js';
import { expectationResult, type Happening } from './expectation-result.js';
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
): ExpectationResult {
  const happening = findExpected(session, expectation, found, reasons);
  const { execution, events = [] } = happening;
  const advice = execution === undefined || events.length < 2 ? undefined : adviceFor(model, execution, events)?.advice;
  return expectationResult(expectation, { ...happening, advice });
}

function findExpected(
  session: AxiomaticSession,
  { finding, isDenied }: ResolvedExpectation,
  { allowances, undefinedBy, notAccepted: beyond }: FoundBefore,
  reasons: boolean,
): Happening {
  switch (finding) {
    case 'undefined': {
      if (isDenied) {
        const acceptsUndefined = allowances.some((one) => one.finding === 'undefined');
        return findUndefined(session, beyond, reasons && !acceptsUndefined);
      }
      const one = findUndefined(session, undefinedBy, true);
      return one.happens === false ? { ...one, reason: 'no execution is undefined' } : one;
    }
    case 'race':
      return isDenied ? findRace(session, reasons, notAccepted(session, allowances, 'race')) : findRace(session, true);
    case 'deadlock':
      return findDeadlock(session);
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

function findRace(session: AxiomaticSession, reasons: boolean, counts?: Counts): Happening {
  const answer = session.reachFlag(RACE_FLAG, counts);
  if (answer === undefined) return { happens: undefined, undecided: { kind: 'flag', name: RACE_FLAG } };
  switch (answer.kind) {
    case 'unknown':
      return { happens: undefined, undecided: answer.reason };
    case 'unreachable': {
      if (counts !== undefined) return { happens: false, reason: 'no execution has a data race that is not accepted' };
      const inferred = reasons ? session.inferredAgainstFlag(RACE_FLAG) : [];
      return { happens: false, reason: 'no execution has a data race', inferred };
    }
    case 'reachable': {
      const { execution, events } = answer;
      return { happens: true, reason: 'an execution has a data race', execution, events };
    }
  }
}

function findDeadlock(session: AxiomaticSession): Happening {
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
    case 'reachable': {
      const { execution } = answer;
      return { happens: true, reason: 'an execution comes to a trap', execution, shownAt: trapsOf(execution) };
    }
  }
}

/** Where no thread can wait, only one that goes round a loop beyond the bound might never end. */
function withinBound(session: AxiomaticSession): Reachability {
  const bound = session.boundReason();
  return bound === undefined ? { kind: 'unreachable' } : { kind: 'unknown', reason: bound };
}
