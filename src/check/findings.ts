import { Claims } from '../axiomatic/confirmation/claims.js';
import type { Reachability } from '../axiomatic/session/consistent-executions.js';
import { inSessions } from '../axiomatic/session/in-sessions.js';
import type { UndefinedBehavior } from '../axiomatic/session/reach-undefined.js';
import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import type { CandidateExecution, FinalState } from '../execution/candidate-execution.js';
import { outcomeKey } from '../operational/outcomes.js';
import type { Program } from '../program/program.js';
import { type Deadline, describeUndecided, type Undecided } from '../program/undecided.js';
import { FLAGS } from '../program/undefined-rules.js';
import { lacksThreads, leftOut } from './answer-scope.js';
import { checkTest } from './check-test.js';
import { notConfirmed } from './confirm-answers.js';
import { findDeadlock } from './deadlocks.js';
import { ordersOnePlace } from './laws-of-model.js';
import { executionChoices } from './open-choices.js';

/** Something that could not be decided. */
export interface OpenQuestion {
  readonly of: 'everything' | 'definedness' | 'flags' | 'deadlock' | 'trap' | 'outcomes' | 'confirmation';
  readonly undecided: Undecided;
}

/** An open question in words. */
export function openText({ of, undecided }: OpenQuestion): string {
  const reason = describeUndecided(undecided);
  return of === 'everything' ? reason : `${of}: ${reason}`;
}

/** All that a model says of a test, whatever its conditions ask. */
export interface Findings {
  /** Then there is nothing else. */
  readonly undefinedBy: Extract<UndefinedBehavior, { kind: 'undefined' }> | undefined;
  /** The flags of the model that some execution raises, such as `data-race`. */
  readonly raised: ReadonlyMap<string, CandidateExecution>;
  /** An execution that leaves a thread waiting for ever. */
  readonly deadlock: CandidateExecution | undefined;
  /** An execution that comes to a trap. */
  readonly trap: CandidateExecution | undefined;
  /** Final states by a key that equal ones share. */
  readonly outcomes: ReadonlyMap<string, { readonly state: FinalState; readonly execution: CandidateExecution }>;
  readonly open: readonly OpenQuestion[];
}

export interface FindingsOptions {
  readonly unroll: number;
  readonly deadline: Deadline;
  /** More outcomes than that are not looked for. */
  readonly mostOutcomes: number;
  /** Whether a second party is to confirm what is not found, as it does if this is not given. */
  readonly confirmed?: boolean;
}

const NOTHING: Findings = {
  undefinedBy: undefined,
  raised: new Map(),
  deadlock: undefined,
  trap: undefined,
  outcomes: new Map(),
  open: [],
};

const unknown = (undecided: Undecided): Findings => ({ ...NOTHING, open: [{ of: 'everything', undecided }] });

/** Asks a model for everything that can happen in a test. */
export function findingsOf(solver: SatSolver, program: Program, model: Model, options: FindingsOptions): Findings {
  const left = leftOut(program);
  if (left !== undefined) return unknown(left);
  const { unroll, deadline, mostOutcomes: mostStates } = options;
  const claims = new Claims(options.confirmed === false ? undefined : solver.secondParty);
  const engineOptions = { unroll, deadline, claims, mostStates, ...executionChoices(model) };
  const before = deadline.remaining();
  return inSessions((open) => {
    const stopping = open(solver, program, model, { ...engineOptions, keepsThreads: true });
    if ('unknown' in stopping) return unknown(stopping.unknown);
    const undefinedBy = stopping.reachUndefined();
    if (undefinedBy.kind === 'undefined') return { ...NOTHING, undefinedBy };
    const questions: OpenQuestion[] =
      undefinedBy.kind === 'unknown' ? [{ of: 'definedness', undecided: undefinedBy.reason }] : [];
    const found = (of: OpenQuestion['of'], answer: Reachability | undefined): CandidateExecution | undefined => {
      if (answer?.kind === 'unknown') questions.push({ of, undecided: answer.reason });
      return answer?.kind === 'reachable' ? answer.execution : undefined;
    };
    // Of some threads of a launch it is not known what others have written.
    const isSelection = lacksThreads(program);
    const raised = stopping.checks.flatMap(({ check }) => {
      if (isSelection && check.name === FLAGS.uninitialized) return [];
      const execution = check.role === 'flag' ? found('flags', stopping.reachFlag(check.name)) : undefined;
      return execution === undefined ? [] : [[check.name, execution] as const];
    });
    const { execution: deadlock, undecided } = findDeadlock(stopping, {
      ...{ unroll, deadline },
      ordersOnePlace: () => ordersOnePlace(solver, model, {}, checkTest),
    });
    if (undecided !== undefined) questions.push({ of: 'deadlock', undecided });
    const trap = found('trap', stopping.reachTrap());
    // Where no thread can wait, both are one.
    const ending = stopping.leavesWaitingOut
      ? open(solver, program, model, { ...engineOptions, keepsThreads: false })
      : stopping;
    if ('unknown' in ending) return unknown(ending.unknown);
    const { states, incomplete } = ending.enumerate();
    if (incomplete !== undefined) questions.push({ of: 'outcomes', undecided: incomplete });
    claims.confirm(deadline, before - deadline.remaining());
    const unconfirmed = claims.openIn(0, claims.count);
    if (unconfirmed !== undefined) questions.push({ of: 'confirmation', undecided: notConfirmed(unconfirmed) });
    return {
      undefinedBy: undefined,
      raised: new Map(raised),
      deadlock,
      trap,
      outcomes: new Map(states.map((one) => [outcomeKey(one.state), one])),
      open: questions,
    };
  }, unknown);
}
