import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import { holdsOf } from '../execution/run-program.js';
import type { WholeTest } from '../order/follow-whole.js';
import { TENSOR_RULES } from '../order/tensor-rules.js';
import {
  isAsked,
  isEveryRun,
  isLikeEvery,
  mayHappen,
  type OpenConflict,
  statesOf,
  type WholeRun,
} from '../order/whole-run.js';
import type { Condition, Observable, Program, ResolvedExpectation } from '../program/program.js';
import { termsIn } from '../program/proposition.js';
import { lazily } from '../program/remembered.js';
import { checkDeadline, type Deadline, inTime, type Undecided, within } from '../program/undecided.js';
import { FLAGS } from '../program/undefined-rules.js';
import { allowancesFor, nothingOf } from './accepted-findings.js';
import { type Answers, allUndecided, type Clauses } from './all-undecided.js';
import { leftOut } from './answer-scope.js';
import type { Decide } from './asked-of-model.js';
import { aboutAsked, aboutNamed, isAboutSome } from './asked-threads.js';
import type { CheckOptions } from './check-test.js';
import { clausesFor } from './clauses-for.js';
import { decideCondition, isUniversal } from './decide-condition.js';
import { expectationResult, nothingHappens } from './expectation-result.js';
import { knowsOnlyOurFindings } from './flags-of-model.js';
import {
  acceptedIn,
  isAcceptedRace,
  uninitializedIn,
  whyNotAll,
  withRemarks,
  withWholeRun,
} from './found-by-following.js';
import { allowsTurns } from './laws-of-model.js';
import { DEFAULT_LIMITS, DEFAULT_UNROLL, deadlineOf } from './limits.js';
import { restingOn, tellsRaces } from './order-edges.js';
import { ifActive, ifResident, whyNotPromised } from './promised-waits.js';
import { providedAlso } from './provided.js';
import type { StatesResult, TestResult } from './result.js';
import { endThatShows, hasOpenConditions, withEnds } from './shown-by-runs.js';
import { withThreadsShown } from './shown-by-threads.js';
import { providedStarted } from './started-ctas.js';
import { withoutTraps, withTimeouts } from './traps-of-run.js';
import { withExchanges } from './warp-exchanges.js';

/** What is asked about a test with launches. */
interface WholeQuestion {
  readonly solver: SatSolver;
  readonly program: Program;
  readonly model: Model;
  readonly options: CheckOptions;
  /** How the engines decide about threads. */
  readonly decide: Decide;
}

/** Such a question, with what there is left for it. */
interface TimedQuestion extends WholeQuestion, Clauses {
  readonly deadline: Deadline;
}

/**
 * Decides a test about all threads of its launches: by one run of them, where every execution is like it; else, of few,
 * by the engines, and by what the run does; of more by that alone.
 */
export function checkWhole(given: WholeQuestion, whole: WholeTest): TestResult {
  const { solver, program, model, decide } = given;
  const options = { ...DEFAULT_LIMITS, unroll: DEFAULT_UNROLL, ...given.options };
  const start = options.clock();
  const deadline = deadlineOf(options);
  const question = { ...given, options, deadline, ...clausesFor(program, model) };
  const checkBudget = (): void => checkDeadline(deadline);
  let why: Undecided | undefined;
  const judged = (of: WholeRun): WholeRun => withOwners(ruledBy(model, of), question);
  const exchanging = (): WholeRun | undefined =>
    inTime(() => judged(whole.follow(checkBudget, 'exchanges order memory')));
  const run = within<WholeRun | undefined>(
    () => withExchanges(judged(whole.follow(checkBudget)), () => areExchangesOrdered(question), exchanging),
    (reason) => {
      why = reason;
      return undefined;
    },
  );
  const answers = run === undefined ? undefined : answersByOrder(run, question);
  const result = { model, unroll: options.unroll };
  const done = (found: Omit<TestResult, 'time'>): TestResult => {
    const time = options.clock() - start;
    if (run === undefined) return { ...found, time };
    const told = withTimeouts(withoutTraps(found, run), run);
    const all = { ...providedStarted(withRemarks(told, run), run), time };
    return options.simplest === true ? withThreadsShown(all, run, whole, question) : all;
  };
  if (answers !== undefined) return done({ ...result, ...answers });
  const settled = lazily(() => run && settledBy(run, result, question));
  const told = run === undefined ? undefined : toldBy(run, settled, question);
  if (told !== undefined) return done({ ...told, isByRun: true });
  const building = deadlineOf({ ...options, timeout: BUILDING * options.timeout });
  const selected = whole.withThreads(() => checkDeadline(building));
  const isWhole = selected !== undefined && leftOut(selected) === undefined;
  const byEngines = isWhole
    ? decide(solver, selected, model, { ...options, timeout: deadline.remaining() })
    : undefined;
  // Of more events than the engines take, what the run says is all that is known.
  const isByAll = byEngines !== undefined && (run === undefined || !isTooLarge(byEngines));
  const found = isByAll
    ? aboutAsked(byEngines, program)
    : { ...result, time: 0, ...undecidedWithout(run, why, question) };
  const both = withWholeRun(found, run, (one) => (isTold(one, question) ? 'certainly' : isByAll ? 'never' : undefined));
  if (run === undefined) return done(both);
  return done(withSameValues(shownIn(withSettled(both, run, question), run, question), settled, question));
}

const areExchangesOrdered = ({ solver, model, options, decide }: TimedQuestion): boolean =>
  restingOn(new Set(['warp-exchange']), solver, model, options, decide) !== undefined;

/** Nothing is known of a test, since it has too many events. */
function isTooLarge({ conditions, expectations }: TestResult): boolean {
  const answers = [...conditions, ...expectations];
  return answers.length > 0 && answers.every(({ undecided }) => undecided?.kind === 'size');
}

const OPEN = 'what is asked for is open: it comes from memory that nobody has written, or from what PTX leaves open';

/** The part of the time in which the threads are written out that the engines are asked about. */
const BUILDING = 0.2;

/** Of more threads than so many no execution is shown, where the run of all answers what is asked. */
const MOST_SHOWN = 8;

/** What the run does, and rules out, if that is all that is asked. */
function toldBy(
  run: WholeRun,
  settledOf: () => TestResult | undefined,
  question: TimedQuestion,
): TestResult | undefined {
  // Who decides all threads together knows which lanes may be active.
  const areShown = run.threads <= MOST_SHOWN && !acceptsSameValues(question);
  if (areShown || run.activeTogether.length > 0 || question.options.states === true) return undefined;
  const settled = settledOf();
  const isOpen =
    settled?.conditions.some(({ expectation }) => expectation === 'undecided') === true ||
    settled?.expectations.some(({ outcome }) => outcome === 'undecided') === true;
  return isOpen ? undefined : settled;
}

/** What one run of all threads says, and what it rules out. */
function settledBy(run: WholeRun, result: Pick<TestResult, 'model' | 'unroll'>, question: TimedQuestion): TestResult {
  const nothing = { ...result, time: 0, ...undecidedWithout(run, undefined, question) };
  const told = withWholeRun(nothing, run, (one) => (isTold(one, question) ? 'certainly' : undefined));
  return shownIn(withSettled(told, run, question), run, question);
}

/** Which stores put the same value there no engine says: whether that is all that races is what the run says of it. */
const acceptsSameValues = ({ program, model }: TimedQuestion): boolean =>
  allowancesFor(program, model).some(({ finding }) => finding === 'same-value-race');

/** What the engines say, but for races where some are accepted that they do not tell apart. */
function withSameValues(
  found: TestResult,
  settledOf: () => TestResult | undefined,
  question: TimedQuestion,
): TestResult {
  if (!acceptsSameValues(question)) return found;
  const { expectations = [] } = settledOf() ?? {};
  const own = found.expectations.map((one, i) => (one.expectation.finding === 'race' ? (expectations[i] ?? one) : one));
  return { ...found, expectations: own };
}

/** Nothing is known but what the run says. */
function undecidedWithout(
  run: WholeRun | undefined,
  why: Undecided | undefined,
  question: TimedQuestion,
): Answers & { program: Program } {
  const { program, options } = question;
  const isKnown = run !== undefined && isEveryRun(run) && rulesOf(run, question) !== undefined;
  const reason: Undecided = isKnown ? { kind: 'coverage', what: OPEN } : whyNotAll(run);
  const undecided = allUndecided(question, options.states === true, why ?? reason);
  return {
    program: { ...program, launches: program.launches.map(asWhole) },
    ...undecided,
  };
}

/** A launch all threads of which are followed: what is said of threads that are chosen is said of none. */
const asWhole = (launch: Program['launches'][number]): Program['launches'][number] =>
  isAboutSome(launch) ? aboutNamed(launch) : { ...launch, choice: 'whole' };

/** What single threads do wrong by the model's rules is wrong where it has these. */
function ruledBy(model: Model, run: WholeRun): WholeRun {
  const { checks } = model;
  const isRule = (rule: string): boolean => checks.some(({ name }) => name === rule);
  const [hasFlights, hasSizes] = [isRule('asynchronous-operation-in-flight'), isRule('mixed-size-race')];
  return {
    ...run,
    findings: run.findings.filter(({ rule }) => !OF_MODELS.includes(rule) || isRule(rule)),
    uninitialized: tellsUninitialized(model) ? run.uninitialized : [],
    conflicts: run.conflicts.map((one) => ({
      ...one,
      isTooEarly: one.isTooEarly && hasFlights,
      isPartial: one.isPartial && hasSizes,
    })),
  };
}

/** Where it makes a difference which CTA accesses count as of, what conflicts under the model. */
function withOwners(run: WholeRun, { solver, model, options, decide }: TimedQuestion): WholeRun {
  const { byOwner, conflicts, edges } = run;
  const edge = 'async-owner';
  if (byOwner.length === 0 || restingOn(new Set([edge]), solver, model, options, decide) !== undefined) return run;
  const areRaces = tellsRaces(edge, solver, model, options, decide);
  const more = byOwner.map((one) => ({ ...one, isCertain: one.isCertain && areRaces }));
  const others = new Set([...edges].filter((one) => one !== edge));
  return { ...run, conflicts: [...conflicts, ...more], edges: others, isSettled: false };
}

/** Rules of what threads do that models have. */
const OF_MODELS: readonly string[] = [
  'shared-memory-of-exited-cta',
  'read-only-path-of-written-bytes',
  ...TENSOR_RULES,
];

/** Whether the run has a race, and the model tells of such. */
function isTold({ isCertain, isOfTensors, forProxies }: OpenConflict, question: TimedQuestion): boolean {
  const { solver, model, options, decide } = question;
  const of = isOfTensors ? 'tensors' : (forProxies ?? 'accesses');
  return isCertain && tellsRaces(of, solver, model, options, decide);
}

/** The inferred rules by which one run speaks for all under the model; undefined where it does not. */
function rulesOf(run: WholeRun, { solver, model, options, decide }: TimedQuestion): readonly string[] | undefined {
  if (!isLikeEvery(run) || !knowsOnlyOurFindings(model)) return undefined;
  if (options.strict === true && run.unconfirmed !== undefined) return undefined;
  return restingOn(run.edges, solver, model, options, decide);
}

/**
 * What is not known from chosen threads, where every execution is like the run but for what is in bytes with conflicts:
 * nothing else happens in any, and what is in other bytes is known.
 */
function withSettled(result: TestResult, run: WholeRun, question: TimedQuestion): TestResult {
  const inferred = rulesOf(run, question);
  // What is undefined by conflicts of the run changes nothing of what else is known.
  if (inferred === undefined || (result.undefinedBy !== undefined && !mayHappen('undefined', run))) return result;
  const isAccepted = acceptedIn(result);
  const asked = run.conflicts.filter(({ threads }) => threads.some(isAsked));
  const others = asked.filter((one) => !isAcceptedRace(isAccepted, one));
  const registerFindings = run.registerFindings.filter(({ thread }) => !isAccepted('undefined', [thread.span]));
  /** Of what the run does all is accepted, or else it is told. */
  const areAccepted = (finding: ResolvedExpectation['finding']): boolean => {
    if (finding === 'race') return others.length < asked.length;
    if (finding === 'undefined') return registerFindings.length < run.registerFindings.length;
    return finding === 'uninitialized' && run.uninitialized.some(isAsked);
  };
  const unconfirmed = run.unconfirmed === undefined ? {} : { unconfirmed: run.unconfirmed };
  const unpromised = whyNotPromised(run, question.program);
  const isRuledOut = ({ expectation: { finding } }: Answers['expectations'][number]): boolean =>
    !(finding === 'deadlock' && unpromised !== undefined) &&
    (finding !== 'uninitialized' || tellsUninitialized(question.model)) &&
    !mayHappen(finding, { ...run, registerFindings, conflicts: finding === 'race' ? others : asked });
  const expectations = result.expectations.map((given) => {
    const isWait = given.outcome === 'undecided' && given.expectation.finding === 'deadlock';
    const one = isWait && unpromised !== undefined ? { ...given, undecided: unpromised } : given;
    return one.outcome === 'undecided' && isRuledOut(one)
      ? provided(
          { ...nothingHappens(one.expectation, inferred, areAccepted(one.expectation.finding)), ...unconfirmed },
          run,
          question.program,
        )
      : one;
  });
  // What may be undefined has no outcomes (docs/decisions/undefined-comes-first.md).
  const isDefined = !mayHappen('undefined', { ...run, registerFindings });
  const conditions = result.conditions.map((one) => {
    const isOpen = isDefined && one.expectation === 'undecided';
    const states = isOpen ? statesOf(run, observablesOf(one.condition)) : undefined;
    return states === undefined ? one : conditionally(one, { ...decided(one.condition, states), ...unconfirmed }, run);
  });
  return { ...result, expectations, conditions };
}

/** Where the model allows what threads do in turns, with what single runs show. */
const shownIn = (result: TestResult, run: WholeRun, { solver, model, options, decide }: TimedQuestion): TestResult =>
  run.findings.length === 0 && hasOpenConditions(result) && allowsTurns(solver, model, options, decide)
    ? withEnds(result, run)
    : result;

const observablesOf = ({ proposition }: Condition): readonly Observable[] =>
  termsIn(proposition).flatMap((term) => (term.kind === 'number' ? [] : [term]));

/** The answers of one run, where under the model every execution is like it. */
function answersByOrder(run: WholeRun, question: TimedQuestion): (Answers & { program: Program }) | undefined {
  const { program, model, options, conditions, expectations } = question;
  const inferred = isEveryRun(run) && run.activeTogether.length === 0 ? rulesOf(run, question) : undefined;
  if (inferred === undefined) return undefined;
  const asksDeadlocks = expectations.some(({ finding }) => finding === 'deadlock');
  if (asksDeadlocks && whyNotPromised(run, program) !== undefined) return undefined;
  const areStatesAsked = conditions.length > 0 || options.states === true;
  const states = areStatesAsked ? statesOf(run, program.observed) : [];
  if (states === undefined) return undefined;
  const unconfirmed = run.unconfirmed === undefined ? {} : { unconfirmed: run.unconfirmed };
  const isAccepted = acceptedIn({ program, model });
  const uninitialized = uninitializedIn(run, isAccepted);
  const answer = (one: ResolvedExpectation): Answers['expectations'][number] => {
    if (one.finding !== 'uninitialized') return nothingHappens(one, inferred);
    if (!tellsUninitialized(model)) return expectationResult(one, UNKNOWN_FLAG);
    if (uninitialized !== undefined) return expectationResult(one, uninitialized);
    if (run.mayBeUninitialized) return expectationResult(one, { happens: undefined, undecided: FIRST });
    return nothingHappens(one, inferred, run.uninitialized.some(isAsked));
  };
  const accepted = allowancesFor(program, model).map(nothingOf);
  return {
    program: { ...program, launches: program.launches.map(asWhole) },
    undefinedBy: undefined,
    conditions: conditions.map((one) => ({ ...decided(one, states), ...unconfirmed })),
    expectations: expectations.map((one) => provided({ ...answer(one), ...unconfirmed }, run, program)),
    ...(accepted.length === 0 ? {} : { accepted }),
    states: options.states === true ? { list: states.map(stateOnly), incomplete: undefined } : undefined,
    followed: {
      ...{ threads: run.threads, accesses: run.accesses, orderedBy: [...run.edges].sort() },
      ...(run.rounds === undefined ? {} : { rounds: run.rounds }),
    },
  };
}

/**
 * An answer with the condition under which it holds: that certain lanes are active together; of waits, that CTAs are
 * resident together, where CUDA does not promise as much as was asked.
 */
function provided(
  answer: Answers['expectations'][number],
  run: WholeRun,
  program: Program,
): Answers['expectations'][number] {
  const resident = answer.expectation.finding === 'deadlock' ? ifResident(run, program) : undefined;
  const all = [ifActive(run), resident].filter((one) => one !== undefined);
  return answer.outcome === 'met' ? providedAlso(answer, all) : answer;
}

/** The same of what is asked of the end: what the run has, some execution has, and of the others it says little. */
function conditionally(
  before: Answers['conditions'][number],
  answer: Answers['conditions'][number],
  run: WholeRun,
): Answers['conditions'][number] {
  const condition = ifActive(run);
  const isOfAll = !['exists', 'permit'].includes(answer.condition.quantifier);
  if (condition === undefined || isOfAll === (answer.expectation === 'broken')) return answer;
  return isOfAll ? { ...answer, provided: condition } : before;
}

const FIRST: Undecided = { kind: 'coverage', what: 'which atomic comes first, and finds no value, is open' };

const UNKNOWN_FLAG = { happens: undefined, undecided: { kind: 'flag', name: FLAGS.uninitialized } } as const;

/** Whether a model tells of reads of memory that nothing has written. */
const tellsUninitialized = ({ checks }: Model): boolean =>
  checks.some(({ role, name }) => role === 'flag' && name === FLAGS.uninitialized);

/** What is so of a condition in the final states of all executions. */
function decided(condition: Condition, states: readonly ReadonlyMap<string, bigint>[]): Answers['conditions'][number] {
  const holds = states.map((state) => holdsOf(condition.proposition, state));
  const answer = decideCondition(condition, holds.includes(true), holds.includes(false), undefined);
  const shown = states[holds.indexOf(!isUniversal(condition.quantifier))];
  if (answer.expectation !== 'broken' || shown === undefined) return answer;
  return { ...answer, shownBy: endThatShows(condition, (one) => shown.get(one.name)) };
}

const stateOnly = (state: ReadonlyMap<string, bigint>): StatesResult['list'][number] => ({
  state,
  execution: undefined,
});
