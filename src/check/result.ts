import type { Confirmation } from '../axiomatic/confirmation/claims.js';
import type { Forbidden } from '../axiomatic/session/explain-forbidden.js';
import type { Model } from '../cat/model.js';
import type { Span } from '../diagnostics/source.js';
import type { CandidateExecution, FinalState } from '../execution/candidate-execution.js';
import type { OrderEdge } from '../order/whole-run.js';
import type { Condition, Observable, Program, ResolvedExpectation } from '../program/program.js';
import { describeUndecided, type Undecided } from '../program/undecided.js';
import type { AcceptedFinding } from './accepted-findings.js';
import type { OutcomeForValues } from './answers-by-value.js';
import type { Unspecified } from './check-variants.js';
import type { CrossCheck } from './cross-check.js';
import type { FlagResult } from './flags-of-model.js';
import type { RaceHint } from './race-hint.js';
import type { Remark } from './remarks.js';

/** How a proposition fares over the final states: in all, some or none of them. */
export type Observation = 'Always' | 'Sometimes' | 'Never';

/** What the check of one condition found. Quantifier, verdict and expectation are three facts and stay apart. */
export interface ConditionResult {
  readonly condition: Condition;
  /** Whether a final state satisfies the proposition; undefined where it could not be decided. */
  readonly reachable: boolean | undefined;
  /** Whether a final state does not satisfy it. */
  readonly avoidable: boolean | undefined;
  readonly observation: Observation | undefined;
  /**
   * What the quantifier claims: `exists` and `permit` that P is reachable, `forall` and `require` that not-P is not,
   * the others that P is not.
   */
  readonly holds: boolean | undefined;
  /** Whether the condition is an expectation, and then whether it is met; an `exists` alone expects nothing. */
  readonly expectation: 'met' | 'broken' | 'undecided' | 'none';
  /** Why it could not be decided. */
  readonly undecided: Undecided | undefined;
  /** Why nobody has confirmed the refutations that it rests on; absent where all are confirmed. */
  readonly unconfirmed?: string;
  /** Executions that satisfy the proposition, with different final states. */
  readonly witnesses: readonly CandidateExecution[];
  /** An execution that does not satisfy it. */
  readonly counterexample: CandidateExecution | undefined;
  /** What rules the proposition out; of a claim about all executions that holds, what rules its contrary out. */
  readonly forbiddenBy: Forbidden | undefined;
  /** Of a broken claim: a data race of the execution that breaks it. */
  readonly race: RaceHint | undefined;
  /** Of launches: the condition under which it is so. */
  readonly provided?: string;
  /** Of launches: how a run of all threads ends that shows it. */
  readonly shownBy?: ShownEnd;
  /** Of a test of many sizes: for which of them it is how; the rest is of the smallest that is told. */
  readonly byValue?: readonly OutcomeForValues[];
}

/** The end of a run of all threads, by what matters of it. */
export interface ShownEnd {
  readonly values: readonly { readonly term: Observable; readonly value: bigint }[];
  /** Loads that find one element of a vector new and another one old there. */
  readonly torn: readonly Span[];
}

/** What the check of one `expect` line found. */
export interface ExpectationResult {
  readonly expectation: ResolvedExpectation;
  readonly outcome: 'met' | 'broken' | 'undecided';
  /** Why it could not be decided. */
  readonly undecided: Undecided | undefined;
  /** Why nobody has confirmed the refutations that it rests on; absent where all are confirmed. */
  readonly unconfirmed?: string;
  /** Of launches: the condition under which it holds, where that is not promised. */
  readonly provided?: string;
  /** What it is decided by, where that needs saying. */
  readonly reason: string | undefined;
  /** Where nothing of the kind happens: the rules, not stated by the ISA, without which it might. */
  readonly inferred: readonly string[];
  readonly witness: CandidateExecution | undefined;
  /** The events that the flag speaks of, such as the two that race. */
  readonly events: readonly number[];
  /** Where a run of the machine shows it, and no execution: what stands there, with its thread. */
  readonly shownAt?: readonly { readonly thread: string; readonly span: Span }[];
  /** What would mend it. */
  readonly advice: string | undefined;
  /** Of a test of many sizes: for which of them it is how; the rest is of the smallest that is told. */
  readonly byValue?: readonly OutcomeForValues[];
}

/** A final state, with an execution that ends in it. */
export interface StateResult {
  readonly state: FinalState;
  /** The axioms' engine gives one; the machine has runs instead. */
  readonly execution: CandidateExecution | undefined;
}

/** The final states. */
export interface StatesResult {
  readonly list: readonly StateResult[];
  /** Why there may be more. */
  readonly incomplete: Undecided | undefined;
  /** Why nobody has confirmed that there are no more; absent where somebody has. */
  readonly unconfirmed?: string;
}

export interface UndefinedBy {
  /** One of PTX (`program/undefined-rules.ts`), or the check of the model that fails. */
  readonly rule: string;
  /** What the rule says, and where it is broken if no execution shows it. */
  readonly sentence: string;
  readonly witness: CandidateExecution | undefined;
  /** The events that break the rule. */
  readonly events: readonly number[];
  /** Of a launch that is followed: the threads that break it, each with its instruction. */
  readonly shownAt?: ExpectationResult['shownAt'];
  /** What would mend it. */
  readonly advice: string | undefined;
}

/** The values of a test of many sizes, and of how many of them there are answers. */
export interface CheckedValues {
  /** As the test has them, such as `n in 1..1000`. */
  readonly ranges: readonly string[];
  /** All choices of values. */
  readonly count: number;
  /** So many were checked. */
  readonly checked: number;
  /** Those that are proved to be alike to one that was checked; empty if none. */
  readonly alike: string;
  /** Those that there was no time for; empty if none. */
  readonly unreached: string;
  /** The values that what is shown of the launches is about. */
  readonly shown: string;
}

/** Everything that checking one test under one model found. */
export interface TestResult {
  readonly program: Program;
  readonly model: Model;
  /** The rule by which some execution of the test is undefined; then its outcomes mean nothing. */
  readonly undefinedBy: UndefinedBy | undefined;
  readonly conditions: readonly ConditionResult[];
  readonly expectations: readonly ExpectationResult[];
  /** What the model flags besides races; absent where it has no such flag. */
  readonly flags?: readonly FlagResult[];
  /** The `allow` lines, and what they accept. */
  readonly accepted?: readonly AcceptedFinding[];
  /** What gives values that PTX leaves open, if the answers may depend on them; they hold whatever these values are. */
  readonly openValues?: readonly Span[];
  readonly states: StatesResult | undefined;
  /** Who has confirmed the refutations that the answers rest on; absent where an engine has none. */
  readonly confirmation?: Confirmation;
  /** Of launches all threads of which were followed, where that decides: of one run, which every execution is like. */
  readonly followed?: {
    readonly threads: number;
    readonly accesses: number;
    /** The kinds of edges that order what conflicts. */
    readonly orderedBy: readonly OrderEdge[];
    /** Of threads that draw from a queue until it ends: so many rounds they make at most in what was followed. */
    readonly rounds?: number;
  };
  /**
   * It follows from one run of all threads, and nothing else was asked.
   *
   * @internal
   */
  readonly isByRun?: true;
  /** What the run of all threads of launches shows that breaks nothing; absent if nothing. */
  readonly remarks?: readonly Remark[];
  /** Verdicts that depend on a choice which the ISA leaves open; undefined if that was not asked. */
  readonly unspecified?: readonly Unspecified[];
  /** The comparison with the operational machine, if that was asked. */
  readonly crossCheck?: CrossCheck;
  /** Of a test of many sizes. */
  readonly values?: CheckedValues;
  readonly unroll: number;
  /** In milliseconds, by the clock that was given. */
  readonly time: number;
}

/** An expectation is decided by there being nothing of the kind. */
export const foundNothing = ({ expectation: { isDenied }, outcome }: ExpectationResult): boolean =>
  outcome === (isDenied ? 'met' : 'broken');

/** Or by there being something. */
export const foundSomething = ({ expectation: { isDenied }, outcome }: ExpectationResult): boolean =>
  outcome === (isDenied ? 'broken' : 'met');

/**
 * Whether some question of the test is open.
 *
 * @example
 * ```ts
 * if (isUndecided(checkTest(solver, program, model))) process.exitCode = 1;
 * ```
 */
export function isUndecided(result: TestResult): boolean {
  return (
    result.conditions.some(({ undecided }) => undecided !== undefined) ||
    result.expectations.some(({ outcome }) => outcome === 'undecided') ||
    result.states?.incomplete !== undefined
  );
}

/**
 * Whether something that the test expects does not hold.
 *
 * @example
 * ```ts
 * if (isBroken(checkTest(solver, program, model))) process.exitCode = 1;
 * ```
 */
export function isBroken(result: TestResult): boolean {
  return (
    result.conditions.some(({ expectation }) => expectation === 'broken') ||
    result.expectations.some(({ outcome }) => outcome === 'broken')
  );
}

/** The reasons for which a test could not be decided, each once. */
export function undecidedReasons(result: TestResult): readonly string[] {
  return [
    ...new Set(
      [
        ...result.conditions.map(({ undecided }) => undecided),
        ...result.expectations.map(({ undecided }) => undecided),
        result.states?.incomplete,
      ].flatMap((undecided) => (undecided === undefined ? [] : [describeUndecided(undecided)])),
    ),
  ];
}

/** No execution runs to its end, by what the conditions found: every forbid, require and forall holds of nothing. */
export function neverEnds(result: TestResult): boolean {
  return result.conditions.some(({ reachable, avoidable }) => reachable === false && avoidable === false);
}

/** Claims about final states hold of nothing, and the test does not say that it means to deadlock. */
export function isVacuous(result: TestResult): boolean {
  const meant = result.expectations.some(({ expectation: { expectation } }) => expectation === 'deadlock');
  return neverEnds(result) && !meant;
}

/** Some execution leaves a thread waiting for ever, by what was asked of the test. */
export function mayDeadlock(result: TestResult): boolean {
  return (
    neverEnds(result) ||
    result.expectations.some((one) => one.expectation.finding === 'deadlock' && foundSomething(one))
  );
}

/** What an expectation is decided by, or why it is not; undefined where there is nothing to say. */
export function reasonOf({ undecided, reason }: ExpectationResult): string | undefined {
  return undecided === undefined ? reason : describeUndecided(undecided);
}

/** Something would take more rounds of a loop than were unrolled. */
export function isCut({ conditions, states }: TestResult): boolean {
  return conditions.some(({ undecided }) => undecided?.kind === 'bound') || states?.incomplete?.kind === 'bound';
}
