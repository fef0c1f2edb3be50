import type { Model } from '../cat/model.js';
import { type Exploration, explore } from '../operational/explore.js';
import { loopsForEver } from '../operational/looping.js';
import { MachineContext } from '../operational/machine-context.js';
import { isPlain } from '../operational/plain-program.js';
import { type Sought, seek } from '../operational/seek.js';
import type { ExploreOptions } from '../operational/walk-states.js';
import type { Allowance } from '../program/allowance.js';
import { promisesIn } from '../program/forward-progress.js';
import type { Condition, Program, Proposition, ResolvedExpectation } from '../program/program.js';
import { holds } from '../program/proposition.js';
import { pairsMayWait } from '../program/tensor-memory.js';
import { BOUND, type CheckBudget, checkDeadline, type Undecided, within } from '../program/undecided.js';
import { FINDING_WORDS, FLAGS, findingOf, ruleSentence } from '../program/undefined-rules.js';
import { buildEvents } from '../semantics/build-events.js';
import { type AcceptedFinding, allowancesFor, nothingKnown, nothingOf } from './accepted-findings.js';
import { type Answers, allUndecided, type Clauses } from './all-undecided.js';
import { leftOut, withoutUnknown } from './answer-scope.js';
import { aboutAsked } from './asked-threads.js';
import { asksDeadlocksAlone, clausesFor } from './clauses-for.js';
import { decideCondition, meaningless } from './decide-condition.js';
import { expectationResult } from './expectation-result.js';
import { DEFAULT_LIMITS, DEFAULT_UNROLL, deadlineOf, type Limits } from './limits.js';
import { executionChoices, readingsOf } from './open-choices.js';
import type { ConditionResult, ExpectationResult, TestResult } from './result.js';
import { providedUnseen } from './unseen-memory.js';

export interface OperationalOptions extends Partial<Limits> {
  /** How often a loop body is executed at most; 3 if not given. */
  readonly unroll?: number;
  readonly states?: boolean;
  readonly mostStates?: number;
}

export const MOST_STATES = 200_000;

/** A reading of proxy fences that the machine does not have: it would have to know who executed what it knows of. */
const FENCE_OF_THREAD = 'proxy-fence=thread';

/** The machine with a test in it, under the readings of a model; a reason where that cannot be. */
export function machineContextOf(
  program: Program,
  model: Model,
  unroll: number,
  checkBudget: CheckBudget = () => undefined,
  spinRounds = 2,
): MachineContext | Undecided {
  if (program.unknown !== undefined) return program.unknown;
  if (model.variants.has(FENCE_OF_THREAD))
    return { kind: 'machine', what: `the machine does not run under ${FENCE_OF_THREAD}` };
  const structure = buildEvents(program, {
    bound: unroll,
    spinRounds,
    failingCasWrites: executionChoices(model).failingCasWrites,
  });
  return 'kind' in structure ? structure : MachineContext.of(structure, readingsOf(model), checkBudget);
}

/** All that the machine can do with a test, accepted or not; a reason where it cannot say. */
export function exploreProgram(
  program: Program,
  model: Model,
  { unroll = DEFAULT_UNROLL, mostStates = MOST_STATES, ...limits }: Omit<OperationalOptions, 'states'> = {},
): Exploration | Undecided {
  const deadline = deadlineOf({ ...DEFAULT_LIMITS, ...limits });
  const work = (): Exploration | Undecided => {
    const whole = program.allowances.length === 0 ? program : { ...program, allowances: [] };
    const context = machineContextOf(whole, model, unroll, () => checkDeadline(deadline));
    return 'kind' in context ? context : explore(context, { mostStates, deadline });
  };
  return within(work, (reason) => reason);
}

/** Decides a test by the machine alone; `explored`: by all that it can do, if that is known and nothing is accepted. */
export function checkOperationally(
  whole: Program,
  model: Model,
  given: OperationalOptions = {},
  explored?: Exploration,
): TestResult {
  const program = { ...whole, allowances: allowancesFor(whole, model) };
  const options = { ...DEFAULT_LIMITS, unroll: DEFAULT_UNROLL, states: false, ...given };
  const start = options.clock();
  const clauses = clausesFor(program, model);
  const questions: readonly Question[] = clauses.conditions.map((condition) => ({
    condition,
    negation: { kind: 'not', operand: condition.proposition },
  }));
  const known = program.allowances.length === 0 ? explored : undefined;
  const hasOnlyConditions = clauses.expectations.length + program.allowances.length === 0 && !options.states;
  // Where conditions alone are asked for, not all that the machine can do need be known.
  const asked = hasOnlyConditions ? questions : [];
  const asksDeadlocks = asksDeadlocksAlone(clauses, program, options.states);
  const answered =
    leftOut(program) ??
    within<Exploration | Sought | Undecided>(
      () => decideByMachine(program, model, options, asked, known, asksDeadlocks),
      (reason) => reason,
    );
  const answers = (): Answers => {
    if ('kind' in answered) return allUndecided(clauses, options.states, answered);
    if (!('reached' in answered)) return answersIn(answered, program, clauses, options.states);
    const conditions = questions.map((question) => sought(answered, question));
    return { undefinedBy: undefined, conditions, expectations: [], states: undefined };
  };
  const result = {
    program,
    // What needs load buffering across synchronization the machine does not show: its verdicts are those of the model
    // with that axiom.
    model: { ...model, name: `${model.name}+in-order` },
    unroll: options.unroll,
    time: options.clock() - start,
    ...withoutUnknown(answers(), program),
  };
  return aboutAsked(providedUnseen(result), program);
}

/** The answers that follow from all that the machine can do. */
function answersIn(
  exploration: Exploration,
  program: Program,
  { conditions, expectations }: Clauses,
  states: boolean,
): Answers {
  const { findings, accepted, outcomes, incomplete } = exploration;
  const isUndefined = (name: string): boolean => findingOf(name) === 'undefined';
  const beyond = [...findings.keys()].find(isUndefined);
  // What a test is undefined by says nothing of outcomes, accepted or not.
  const rule = beyond ?? [...accepted.values()].map((one) => one.rule).find(isUndefined);
  const shown = beyond ?? (conditions.length > 0 ? rule : undefined);
  const list = [...outcomes.values()].map(({ outcome }) => ({ state: outcome, execution: undefined }));
  return {
    undefinedBy:
      shown === undefined
        ? undefined
        : { rule: shown, sentence: ruleSentence(shown), witness: undefined, events: [], advice: undefined },
    conditions: conditions.map((condition) =>
      rule === undefined ? decide(exploration, condition) : meaningless(condition),
    ),
    expectations: expectations.map((expectation) => expect(exploration, expectation, pairsMayWait(program))),
    ...acceptedIn(exploration, program),
    states: states && rule === undefined ? { list, incomplete } : undefined,
  };
}

/** A condition, with its proposition and what denies it. */
interface Question {
  readonly condition: Condition;
  readonly negation: Proposition;
}

/** All that the machine can do; or, where nothing can be undefined, the answers to the questions, if there are any. */
function decideByMachine(
  program: Program,
  model: Model,
  { unroll, mostStates = MOST_STATES, ...limits }: OperationalOptions & Limits & { readonly unroll: number },
  questions: readonly Question[],
  explored: Exploration | undefined,
  asksDeadlocks: boolean,
): Exploration | Sought | Undecided {
  const deadline = deadlineOf(limits);
  const contextOf = (spinRounds?: number): MachineContext | Undecided =>
    machineContextOf(program, model, unroll, () => checkDeadline(deadline), spinRounds);
  const context = contextOf();
  if ('kind' in context) return context;
  const alone = asksDeadlocks && isPlain(context) ? loopsAlone(context, { mostStates, deadline }) : undefined;
  if (alone !== undefined) return alone;
  if (questions.length === 0 || !isPlain(context)) return explored ?? explore(context, { mostStates, deadline });
  // Earlier rounds of a waiting loop make no difference to a final state.
  const waits = context.structure.threads.some(({ spins }) => spins.length > 0);
  const brief = waits ? contextOf(1) : context;
  if ('kind' in brief) return brief;
  const propositions = questions.flatMap(({ condition, negation }) => [condition.proposition, negation]);
  return seek(brief, propositions, { mostStates, deadline });
}

/** Where only deadlocks are asked, and nothing can be undefined: what the machine knows of loops alone. */
function loopsAlone(context: MachineContext, options: ExploreOptions): Exploration | undefined {
  if (!context.structure.threads.some(({ cuts, spins }) => cuts.length + spins.length > 0)) return undefined;
  const { found, open } = loopsForEver(context, promisesIn(context.structure.program), options);
  if (found === undefined && open !== undefined) return undefined;
  const nothing = { outcomes: new Map(), trap: undefined, findings: new Map(), accepted: new Map(), states: 0 };
  return { context, ...nothing, deadlock: found, openDeadlock: undefined, incomplete: BOUND };
}

function sought({ reached, incomplete }: Sought, { condition, negation }: Question): ConditionResult {
  const found = (one: Proposition): boolean | undefined =>
    reached.has(one) ? true : incomplete === undefined ? false : undefined;
  return decideCondition(condition, found(condition.proposition), found(negation), incomplete);
}

function decide({ outcomes, incomplete }: Exploration, condition: Condition): ConditionResult {
  const satisfied = [...outcomes.values()].map(({ outcome }) =>
    holds(condition.proposition, ({ name }) => outcome.get(name) ?? 0n),
  );
  const found = (wanted: boolean): boolean | undefined =>
    satisfied.includes(wanted) ? true : incomplete === undefined ? false : undefined;
  return decideCondition(condition, found(true), found(false), incomplete);
}

/** What is not there may only not have been reached. */
function expect(
  exploration: Exploration,
  expectation: ResolvedExpectation,
  waits: Undecided | undefined,
): ExpectationResult {
  const { finding } = expectation;
  const { happens, reason } = happening(exploration, expectation);
  const open = finding === 'deadlock' ? (exploration.openDeadlock ?? waits) : exploration.incomplete;
  const undecided = happens ? undefined : open;
  return expectationResult(
    expectation,
    undecided === undefined ? { happens, reason } : { happens: undefined, undecided },
  );
}

function happening(
  { findings, accepted, deadlock, trap }: Exploration,
  { finding, isDenied }: ResolvedExpectation,
): { readonly happens: boolean; readonly reason: string } {
  // What is accepted breaks no claim that there is nothing of the kind.
  const found = [...findings.keys(), ...(isDenied ? [] : [...accepted.values()].map((one) => one.rule))];
  const is = (happens: boolean, yes: string, no: string) => ({ happens, reason: happens ? yes : no });
  switch (finding) {
    case 'undefined': {
      const rule = found.find((name) => findingOf(name) === 'undefined');
      return is(rule !== undefined, ruleSentence(rule ?? ''), 'no run is undefined');
    }
    case 'race':
    case 'uninitialized': {
      const what = FINDING_WORDS[finding];
      return is(found.includes(FLAGS[finding]), `a run has ${what}`, `no run has ${what}`);
    }
    case 'deadlock':
      return is(deadlock !== undefined, 'a thread may wait for ever', 'no run leaves a thread waiting for ever');
    case 'trap':
      return is(trap !== undefined, 'a run comes to a trap', 'no run comes to a trap');
  }
}

/** What the `allow` lines of a test accept, if it has any. */
function acceptedIn({ accepted, incomplete }: Exploration, { allowances }: Program): Pick<TestResult, 'accepted'> {
  if (allowances.length === 0) return {};
  const of = (allowance: Allowance, line: number): AcceptedFinding => {
    const rule = accepted.get(line)?.rule;
    if (rule === undefined && incomplete !== undefined) return nothingKnown(allowance, incomplete);
    if (rule === undefined) return nothingOf(allowance);
    const kind = findingOf(rule);
    const sentence = kind === 'undefined' ? ruleSentence(rule) : FINDING_WORDS[kind];
    return { ...nothingOf(allowance), outcome: 'found', sentence };
  };
  return { accepted: allowances.map(of) };
}
