import type { Confirmation } from '../axiomatic/confirmation/claims.js';
import type { AcceptedFinding } from '../check/accepted-findings.js';
import { type Selection, selectionOf } from '../check/answer-scope.js';
import type { FlagResult } from '../check/flags-of-model.js';
import type { Remark } from '../check/remarks.js';
import {
  type ExpectationResult,
  isBroken,
  isUndecided,
  isVacuous,
  neverEnds,
  type Observation,
  reasonOf,
  type TestResult,
  undecidedReasons,
} from '../check/result.js';
import { lineNumberOf, positionOf, type Span } from '../diagnostics/source.js';
import { describeAllowance } from '../program/allowance.js';
import { describeUndecided } from '../program/undecided.js';
import { type ReportedCrossCheck, reportedCrossCheck } from './cross-check.js';
import { describeCondition } from './describe-proposition.js';
import { describeByValue } from './describe-values.js';
import { describeFlag, placesOfFlag } from './flags.js';
import { type FilePlace, programPlace, spansOf } from './found-places.js';
import { reportHerd } from './herd.js';
import type { ReportedPage } from './html/reported-page.js';
import { type JsonContext, jsonOf } from './json.js';
import { COLORED, reportProblem, reportTest } from './text.js';

/** A condition or an expectation of a test, and what was found of it. */
export interface ReportedClaim {
  /** As the test has it, such as `forbid (P1:r0 == 1)` or `expect no-race`. */
  readonly claim: string;
  /** `accepted`: it is broken, and a project or a baseline of findings accepts that. */
  readonly outcome: 'met' | 'broken' | 'accepted' | 'undecided' | 'none';
  /** Of a condition: whether a final state satisfies it; null where that is not known. */
  readonly reachable?: boolean | null;
  /** Of a condition. */
  readonly observation?: Observation | null;
  /** Of a condition why it is undecided, of an expectation what it is decided by. */
  readonly reason: string | null;
  /** Why nobody but the search confirms it; absent where somebody does. */
  readonly unconfirmed?: string;
  /** A number once marks are placed (`lineNumberOf`). */
  readonly line: number | string;
  readonly column: number;
  /** Of a kernel test: where in the source program of the kernel what was found stands. */
  readonly program?: FilePlace;
  /** Of an expectation that is broken: where what was found stands, as a user reads it. */
  readonly places?: readonly (Omit<FilePlace, 'line'> & Pick<ReportedClaim, 'line'>)[];
}

/** An `allow` line of a test, and whether there is what it accepts. */
export interface ReportedAllowance extends Pick<ReportedClaim, 'line' | 'column' | 'program'> {
  readonly allowance: string;
  readonly because: string;
  /** Told outside of the test, in a project file or a baseline: by which entry. */
  readonly entry?: string;
  readonly outcome: 'found' | 'nothing' | 'undecided';
}

/** What a run of all threads of launches shows that breaks nothing, and where. */
export interface ReportedRemark extends Pick<ReportedClaim, 'line' | 'column' | 'program'> {
  readonly remark: string;
}

/** A flag of the model that is raised, or of which that is not known. */
export interface ReportedFlag extends Pick<ReportedClaim, 'line' | 'column' | 'program'> {
  readonly flag: string;
  /** `raised by (a, d)`, and where these stand. */
  readonly told: string;
  readonly raised: boolean;
}

/**
 * What reports say of one test under one model: plain data, so that it goes from process to process, from machine to
 * machine and into a cache. All reporters print from it.
 */
export interface ReportedTest {
  readonly name: string;
  readonly model: string;
  readonly path: string;
  /** Where it begins. */
  readonly line: number | string;
  /** Absent where times are left out. */
  readonly timeMs?: number;
  readonly claims: readonly ReportedClaim[];
  /** Absent where there are none. */
  readonly accepted?: readonly ReportedAllowance[];
  /** Of a kernel test of which some threads were run only: what is met is so for these. */
  readonly selection?: Selection;
  /** By how many refutations are confirmed that the answers rest on, and by whom. */
  readonly confirmation?: Confirmation;
  /** Absent where there are none. */
  readonly flags?: readonly ReportedFlag[];
  /** Absent where there are none. */
  readonly remarks?: readonly ReportedRemark[];
  /** Something that was expected does not hold. */
  readonly broken: boolean;
  /** Some question is open. */
  readonly undecided: boolean;
  /** Why, each reason once. */
  readonly reasons: readonly string[];
  /** By what the test is undefined. */
  readonly undefined?: string;
  /** No execution runs to its end; `vacuous`: and the test does not say that it means that. */
  readonly neverEnds: boolean;
  readonly vacuous: boolean;
  /** Some verdict depends on a choice that the ISA leaves open. */
  readonly depends: boolean;
  readonly engines?: ReportedCrossCheck;
  /** What a reader of a suite must see, if anything, in colors. */
  readonly problem?: string;
  /** The test in full, in colors, if that was asked. */
  readonly full?: string;
  /** The block of a herd log, if that was asked. */
  readonly herd?: string;
  /** What a page shows of it, if that was asked. */
  readonly page?: ReportedPage;
  /** The object of the JSON reports, if that was asked. */
  readonly json?: object;
}

/** What is to be said of a test. */
export interface ReportOptions extends JsonContext {
  /** MD5 in hexadecimal, for herd logs. */
  readonly md5: (text: string) => string;
  readonly full: boolean;
  /** Say of each instruction of a kernel in which functions it stands. */
  readonly callers: boolean;
  readonly herd: boolean;
  readonly json: boolean;
  readonly times: boolean;
}

/** What reports say of a result. */
export function reportedTest(result: TestResult, options: ReportOptions): ReportedTest {
  const { program, model, crossCheck, undefinedBy, accepted } = result;
  const problem = reportProblem(result, COLORED);
  const selection = selectionOf(program);
  const flags = (result.flags ?? []).filter(({ raised }) => raised !== false).map((one) => reportedFlag(one, program));
  return {
    name: program.name,
    model: model.name,
    path: program.source.path,
    line: lineNumberOf({ source: program.source, start: 0, end: 0 }),
    ...(options.times && { timeMs: Math.round(result.time * 100) / 100 }),
    claims: claimsOf(result),
    ...(accepted !== undefined && { accepted: accepted.map(reportedAllowance) }),
    ...(selection !== undefined && { selection }),
    ...(result.confirmation !== undefined && { confirmation: result.confirmation }),
    ...(flags.length > 0 && { flags }),
    ...(result.remarks !== undefined && { remarks: result.remarks.map((one) => reportedRemark(one, program)) }),
    broken: isBroken(result),
    undecided: isUndecided(result),
    reasons: undecidedReasons(result),
    ...(undefinedBy !== undefined && { undefined: undefinedBy.sentence }),
    neverEnds: neverEnds(result),
    vacuous: isVacuous(result),
    depends: (result.unspecified ?? []).length > 0,
    ...(crossCheck !== undefined && { engines: reportedCrossCheck(crossCheck) }),
    ...(problem !== undefined && { problem }),
    ...(options.full && { full: reportTest(result, COLORED, options.witnesses, options.times, options.callers) }),
    ...(options.herd && { herd: reportHerd(result, options.md5, options.times) }),
    ...(options.json && { json: jsonOf(result, options) }),
  };
}

function claimsOf({ conditions, expectations }: TestResult): readonly ReportedClaim[] {
  return [
    ...conditions.map(
      ({ condition, expectation, reachable, observation, undecided, unconfirmed, byValue }): ReportedClaim => ({
        claim: describeCondition(condition),
        outcome: expectation,
        reachable: reachable ?? null,
        observation: observation ?? null,
        reason: withValues(undecided === undefined ? undefined : describeUndecided(undecided), byValue),
        ...(unconfirmed !== undefined && { unconfirmed }),
        ...placeOf(condition.span),
      }),
    ),
    ...expectations.map(
      (one): ReportedClaim => ({
        claim: `expect ${one.expectation.expectation}`,
        outcome: one.outcome,
        reason: withValues(reasonOf(one), one.byValue),
        ...(one.unconfirmed !== undefined && { unconfirmed: one.unconfirmed }),
        ...placeOf(one.expectation.span),
        ...programOf(spansOf(one.witness, one.events, one.shownAt)),
        ...(one.outcome === 'broken' && { places: spansOf(one.witness, one.events, one.shownAt).map(readAt) }),
      }),
    ),
  ];
}

/** A reason, with the values for which it is so. */
const withValues = (reason: string | undefined, byValue: ExpectationResult['byValue']): string | null =>
  [reason, describeByValue(byValue)].filter((one) => one !== undefined).join('; ') || null;

const reportedAllowance = ({ allowance, outcome, witness, events }: AcceptedFinding): ReportedAllowance => ({
  allowance: describeAllowance(allowance),
  because: allowance.reason,
  ...(allowance.entry !== undefined && { entry: allowance.entry }),
  outcome,
  ...placeOf(allowance.span),
  ...programOf(spansOf(witness, events)),
});

function reportedFlag(flag: FlagResult, { source }: TestResult['program']): ReportedFlag {
  const spans = spansOf(flag.witness, flag.members.flat());
  return {
    flag: flag.name,
    told: [describeFlag(flag), ...placesOfFlag(flag)].join('\n'),
    raised: flag.raised === true,
    ...placeOf(spans.find((span) => span.source === source) ?? { source, start: 0, end: 0 }),
    ...programOf(spans),
  };
}

const reportedRemark = ({ what, places }: Remark, { source }: TestResult['program']): ReportedRemark => ({
  remark: what,
  ...placeOf({ source, start: 0, end: 0 }),
  ...programOf(places),
});

const placeOf = (span: Span): Pick<ReportedClaim, 'line' | 'column'> => ({
  line: lineNumberOf(span),
  column: positionOf(span.source, span.start).column,
});

const readAt = (span: Span): NonNullable<ReportedClaim['places']>[number] =>
  programPlace(span) ?? { path: span.source.path, ...placeOf(span) };

/** The first of some spans that has a line in a source program. */
function programOf(spans: readonly Span[]): { readonly program?: FilePlace } {
  const [program] = spans.flatMap((span) => programPlace(span) ?? []);
  return program === undefined ? {} : { program };
}
