import { Claims } from '../axiomatic/confirmation/claims.js';
import type { Reachability } from '../axiomatic/session/consistent-executions.js';
import { inSessions } from '../axiomatic/session/in-sessions.js';
import type { UndefinedBehavior } from '../axiomatic/session/reach-undefined.js';
import type { AxiomaticSession } from '../axiomatic/session/session.js';
import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { holdsOf } from '../execution/run-program.js';
import type { Condition, Program, Proposition } from '../program/program.js';
import { type Deadline, inTime, type Undecided, within } from '../program/undecided.js';
import { describeUndefined } from '../program/undefined-rules.js';
import { acceptedBy, allowancesFor, notAccepted, nothingKnown } from './accepted-findings.js';
import { type Answers, allUndecided, type Clauses } from './all-undecided.js';
import { leftOut, withoutUnknown } from './answer-scope.js';
import { aboutAsked, isSelected } from './asked-threads.js';
import { checkExpectation, type FoundBefore } from './check-expectation.js';
import { checkFamily } from './check-family.js';
import { checkWhole } from './check-whole.js';
import { asksDeadlocksAlone, clausesFor } from './clauses-for.js';
import { confirmAnswers, resting } from './confirm-answers.js';
import { findEndlessAlone, type LoopOptions } from './deadlocks.js';
import { decideCondition, isUniversal, meaningless, undecided } from './decide-condition.js';
import { expectationResult } from './expectation-result.js';
import { flagsOf, knowsOnlyOurFindings } from './flags-of-model.js';
import { ordersOnePlace } from './laws-of-model.js';
import { DEFAULT_LIMITS, DEFAULT_UNROLL, deadlineOf, type Limits } from './limits.js';
import { familyOfProgram } from './load-family.js';
import { wholeTest } from './load-tests.js';
import { executionChoices } from './open-choices.js';
import { adviceFor, raceIn } from './race-hint.js';
import type { ConditionResult, TestResult } from './result.js';
import { conditionsInTurn } from './shown-in-turn.js';
import { providedUnseen } from './unseen-memory.js';
import { keepsNoCta } from './vacuous-synchronization.js';

/** What a check may take, and what it is to find besides the verdicts. */
export interface CheckOptions extends Partial<Limits> {
  /** How often a loop body is executed at most; 3 if not given. */
  readonly unroll?: number;
  /** Also enumerate all final states. */
  readonly states?: boolean;
  /** Also find out which axioms rule out what is not reachable; where that breaks a claim, this is done in any case. */
  readonly reasons?: boolean;
  /** With the reasons: which axioms it takes together. */
  readonly core?: boolean;
  /** Of the executions that show an answer, take the one that is easiest to follow. */
  readonly simplest?: boolean;
  /** What nobody confirms but the search that has found it is undecided. */
  readonly strict?: boolean;
  /**
   * Launches that are about all of their threads are decided by following them, where that is enough; by default. If
   * not, by the engines, which show executions, but of more threads than are decided together.
   */
  readonly follow?: boolean;
  /** How many executions to keep for each condition; 1 if not given. */
  readonly witnesses?: number;
}

const MOST_STATES = 20_000;
const DEFAULTS = { ...DEFAULT_LIMITS, unroll: DEFAULT_UNROLL, states: false, reasons: false, strict: false };

/**
 * Decides every condition and expectation of a test under a model. It takes no longer than its timeout, give or take
 * the step at hand; what is open then is undecided, with the reason.
 *
 * @example
 * ```ts
 * const { conditions } = checkTest(solver, program, model, { timeout: 5000, states: true });
 * for (const { condition, observation } of conditions) console.log(condition.name, observation);
 * ```
 */
export function checkTest(solver: SatSolver, program: Program, model: Model, given: CheckOptions = {}): TestResult {
  const family = familyOfProgram(program);
  if (family !== undefined)
    return checkFamily(family, program, model, given, (one, options) => checkTest(solver, one, model, options));
  const isByEngines = given.follow === false && leftOut(program) === undefined && !isSelected(program);
  const whole = isByEngines ? undefined : wholeTest(program);
  return providedUnseen(
    whole === undefined
      ? aboutAsked(checkThreads(solver, program, model, given), program)
      : checkWhole({ solver, program, model, options: given, decide: checkThreads }, whole),
  );
}

/** Decides what a test asks of the threads that it has. */
function checkThreads(solver: SatSolver, program: Program, model: Model, given: CheckOptions): TestResult {
  const options = { ...DEFAULTS, ...given };
  const start = options.clock();
  const deadline = deadlineOf(options);
  const claims = new Claims(solver.secondParty, options.strict);
  const { unroll, simplest = false } = options;
  const engineOptions = { unroll, simplest, deadline, claims, mostStates: MOST_STATES, ...executionChoices(model) };
  const question = {
    ...{ program, model, options, claims, deadline, start, ...clausesFor(program, model) },
    loops: {
      unroll,
      deadline,
      ordersOnePlace: () => ordersOnePlace(solver, model, { timeout: options.timeout }, checkThreads),
    },
  };
  const unknown = (reason: Undecided): Answers => allUndecided(question, options.states, reason);
  const left = leftOut(program);
  if (left !== undefined) return { program, model, unroll, time: options.clock() - start, ...unknown(left) };
  const alone = loopsAlone(question);
  if (alone !== undefined) return { program, model, unroll, time: options.clock() - start, ...alone };
  const inTurn = shownInTurn(question);
  if (inTurn !== undefined) return { program, model, unroll, time: options.clock() - start, ...inTurn };
  const answers = inSessions((open): Answers => {
    const asksEnds = question.conditions.length > 0 || options.states || (options.witnesses ?? 1) > 1;
    const session = open(solver, program, model, {
      ...engineOptions,
      keepsThreads: asksEnds ? false : 'if any waits',
    });
    if ('unknown' in session) return unknown(session.unknown);
    // What is undefined or races may do so where a thread never ends, or in a round of a waiting loop that final states
    // do not depend on.
    const flagging =
      asksEnds && session.leavesWaitingOut
        ? open(solver, program, model, { ...engineOptions, keepsThreads: true })
        : session;
    if ('unknown' in flagging) return unknown(flagging.unknown);
    const found = findUndefined(flagging, question);
    if ('kind' in found) return unknown(found);
    return answersOf(question, session, flagging, found);
  }, unknown);
  return {
    program,
    model,
    unroll,
    time: options.clock() - start,
    ...withoutUnknown(answers, program),
  };
}

/** The answers where nothing is asked but whether loops that write go round for ever, and nothing else can be said. */
function loopsAlone(question: Question): Answers | undefined {
  const { program, model, options, claims, loops, expectations } = question;
  if (!asksDeadlocksAlone(question, program, options.states) || !knowsOnlyOurFindings(model)) return undefined;
  const found = inTime(() => findEndlessAlone(program, model, loops));
  if (found === undefined) return undefined;
  const resting = expectations.map((one) => ({ answer: expectationResult(one, found), from: 0, to: 0 }));
  const rest = { shared: 0, conditions: [], states: { answer: undefined, from: 0, to: 0 } };
  return { undefinedBy: undefined, ...confirmAnswers(claims, { ...rest, expectations: resting }, options.strict) };
}

/** The answers where executions in which the threads run one after the other show all that is asked. */
function shownInTurn({
  program,
  model,
  options,
  claims,
  deadline,
  conditions,
  expectations,
}: Question): Answers | undefined {
  const { states, witnesses = 1, simplest = false, unroll } = options;
  if (expectations.length + program.allowances.length > 0 || conditions.length === 0) return undefined;
  // All final states are known where nothing is asked of them: there is one.
  if ((states && program.observed.length > 0) || simplest || witnesses > 1) return undefined;
  const shown = inTime(() => conditionsInTurn(program, model, conditions, { unroll, deadline }));
  if (shown === undefined) return undefined;
  return {
    undefinedBy: undefined,
    conditions: shown,
    expectations: [],
    confirmation: claims.summary,
    states: states ? { list: onlyState(shown), incomplete: undefined } : undefined,
  };
}

/** The final state of a test that asks for no value, by an execution that some condition shows. */
function onlyState(shown: readonly ConditionResult[]): NonNullable<TestResult['states']>['list'] {
  const [execution] = shown.flatMap(({ witnesses }) => witnesses);
  return execution === undefined ? [] : [{ state: execution.finalState, execution }];
}

/** What is asked of a test. */
interface Question extends Clauses {
  readonly program: Program;
  readonly model: Model;
  readonly options: CheckOptions & typeof DEFAULTS;
  readonly claims: Claims;
  readonly deadline: Deadline;
  /** When the check began, by the clock of the options. */
  readonly start: number;
  readonly loops: LoopOptions;
}

/** By what the test is undefined; the reason where that is not known, and nothing else can be. */
function findUndefined(flagging: AxiomaticSession, { program, model }: Question): FoundBefore | Undecided {
  // What lies beyond the bound may be undefined; conditions say by themselves where they need more.
  const found = flagging.reachUndefinedWithinBound();
  if (found.kind === 'unknown') return found.reason;
  const allowances = allowancesFor(program, model);
  const undefinedBy = found.kind === 'undefined' ? undefinedOf(model, found) : undefined;
  const counts = notAccepted(flagging, allowances, 'undefined');
  if (counts === undefined || undefinedBy === undefined) return { allowances, undefinedBy, notAccepted: undefinedBy };
  const left = flagging.reachUndefined(counts);
  const beyond =
    left.kind === 'unknown' ? left.reason : left.kind === 'undefined' ? undefinedOf(model, left) : undefined;
  return { allowances, undefinedBy, notAccepted: beyond };
}

/** The answers, in the order in which they are asked for: the states last, so that they cost no verdict. */
function answersOf(
  { model, options, claims, deadline, start, conditions, expectations, loops }: Question,
  session: AxiomaticSession,
  flagging: AxiomaticSession,
  found: FoundBefore,
): Answers {
  const beyond = found.notAccepted === undefined || 'kind' in found.notAccepted ? undefined : found.notAccepted;
  // What a test is undefined by says nothing of outcomes, accepted or not.
  const undefinedBy = beyond ?? (conditions.length > 0 ? found.undefinedBy : undefined);
  const shared = claims.count;
  const decided = conditions.map((condition) =>
    resting(claims, () =>
      undefinedBy === undefined
        ? within(
            () => checkCondition(session, condition, options, model, deadline),
            (reason) => undecided(condition, reason),
          )
        : meaningless(condition),
    ),
  );
  const expected = expectations.map((expectation) =>
    resting(claims, () =>
      within(
        () => checkExpectation(flagging, model, expectation, found, options.reasons, loops),
        (reason) => expectationResult(expectation, { happens: undefined, undecided: reason }),
      ),
    ),
  );
  const flags = flagsOf(flagging, model);
  const accepted = found.allowances.map((allowance) =>
    within(
      () => acceptedBy(flagging, allowance),
      (reason) => nothingKnown(allowance, reason),
    ),
  );
  const isDefined = found.undefinedBy === undefined;
  const wanted = options.witnesses ?? 1;
  const enumerated = resting(claims, () =>
    isDefined && (options.states || wanted > 1) ? statesOf(session) : undefined,
  );
  claims.confirm(deadline, options.clock() - start);
  const answers = { shared, conditions: decided, expectations: expected, states: enumerated };
  const { states, ...confirmed } = confirmAnswers(claims, answers, options.strict);
  const openValues = isDefined ? session.openValues() : [];
  return {
    undefinedBy,
    ...(openValues.length === 0 ? {} : { openValues }),
    conditions: confirmed.conditions.map((one) => withMoreWitnesses(one, states, wanted)),
    expectations: confirmed.expectations,
    confirmation: claims.summary,
    ...(flags.length === 0 ? {} : { flags }),
    ...(accepted.length === 0 ? {} : { accepted }),
    states: options.states ? states : undefined,
  };
}

function statesOf(session: AxiomaticSession): TestResult['states'] {
  return within<NonNullable<TestResult['states']>>(
    () => {
      const { states, incomplete } = session.enumerate();
      return { list: states, incomplete };
    },
    (incomplete) => ({ list: [], incomplete }),
  );
}

function checkCondition(
  session: AxiomaticSession,
  condition: Condition,
  { reasons = false, core = false }: CheckOptions,
  model: Model,
  deadline: Deadline,
): ConditionResult {
  const { proposition, quantifier } = condition;
  const does = session.reach(proposition);
  const doesNot = session.reach({ kind: 'not', operand: proposition });
  const reachable = known(does);
  const avoidable = known(doesNot);
  // Where nothing is reachable there is nothing that an axiom would have to rule out.
  const universal = isUniversal(quantifier);
  const ruledOut: Proposition | undefined =
    reachable === false && avoidable !== false
      ? proposition
      : universal && avoidable === false && reachable !== false
        ? { kind: 'not', operand: proposition }
        : undefined;
  const [reason] = [does, doesNot].flatMap((answer) => (answer.kind === 'unknown' ? [answer.reason] : []));
  const decided = decideCondition(condition, reachable, avoidable, reason);
  const wanted = reasons || decided.expectation === 'broken';
  const counterexample = doesNot.kind === 'reachable' ? doesNot.execution : undefined;
  const breaking =
    decided.holds !== false || quantifier === 'exists' || quantifier === 'permit'
      ? undefined
      : does.kind === 'reachable' && !universal
        ? does.execution
        : counterexample;
  // The verdict stands also where there is no time for its reason.
  return {
    ...decided,
    race: wanted && breaking !== undefined ? inTime(() => raceIn(model, breaking, deadline)) : undefined,
    witnesses: does.kind === 'reachable' ? [does.execution] : [],
    counterexample,
    forbiddenBy:
      wanted && ruledOut !== undefined ? inTime(() => session.explainUnreachable(ruledOut, core)) : undefined,
  };
}

/** Up to as many executions as wanted, each with another final state. */
function withMoreWitnesses(result: ConditionResult, states: TestResult['states'], wanted: number): ConditionResult {
  if (states === undefined || wanted <= 1 || result.reachable !== true) return result;
  const satisfying = states.list.filter(({ state }) => holdsOf(result.condition.proposition, state));
  return satisfying.length === 0
    ? result
    : { ...result, witnesses: satisfying.slice(0, wanted).flatMap(({ execution }) => execution ?? []) };
}

function known(answer: Reachability): boolean | undefined {
  return answer.kind === 'unknown' ? undefined : answer.kind === 'reachable';
}

function undefinedOf(
  model: Model,
  undefinedBy: Extract<UndefinedBehavior, { kind: 'undefined' }>,
): NonNullable<TestResult['undefinedBy']> {
  const { rule, execution, events } = undefinedBy;
  const advice = execution === undefined ? undefined : adviceAtUndefined(model, execution, rule, events);
  return { rule, sentence: describeUndefined(undefinedBy), witness: execution, events, advice };
}

/** What would keep an execution from breaking a rule, where something can be said of it. */
function adviceAtUndefined(
  model: Model,
  execution: CandidateExecution,
  rule: string,
  events: readonly number[],
): string | undefined {
  const [event] = events;
  switch (rule) {
    case 'asynchronous-operation-in-flight':
      return adviceFor(model, execution, events)?.advice;
    case 'shared-memory-of-exited-cta':
      return event === undefined ? undefined : keepsNoCta(execution, event);
    default:
      return undefined;
  }
}
