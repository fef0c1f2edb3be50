import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import { checkTest } from '../check/check-test.js';
import { type Findings, findingsOf, openText } from '../check/findings.js';
import { deadlineOf, type Limits } from '../check/limits.js';
import type { ConditionResult, TestResult } from '../check/result.js';
import { reasonOf } from '../check/result.js';
import type { Condition, Program } from '../program/program.js';
import { describeUndecided } from '../program/undecided.js';
import { describeUndefined } from '../program/undefined-rules.js';

/**
 * What a model says of a suite of tests, to be compared with what it says later. A text file: every line means
 * something, and nothing in it depends on the machine.
 */
export interface Baseline {
  readonly baseline: typeof BASELINE_VERSION;
  /** Those that were recorded as a whole, from where the baseline lies; absent in baselines of old. */
  readonly folders?: readonly string[];
  readonly model: RecordedModel;
  readonly unroll: number;
  readonly tests: readonly RecordedTest[];
}
export const BASELINE_VERSION = 1;

export interface RecordedModel {
  /** As `--model` named it. */
  readonly name: string;
  readonly sha256: string;
  readonly variants: readonly string[];
}

export interface RecordedTest {
  /** From the baseline's folder, with `/`. */
  readonly path: string;
  readonly name: string;
  readonly sha256: string;
  /** Each condition and expectation with its answer. */
  readonly verdicts: Readonly<Record<string, string>>;
  /** The rule by which the test is undefined. Then it has no flags and outcomes. */
  readonly undefined?: string;
  readonly flags: readonly string[];
  readonly deadlock: boolean;
  /** Sorted. */
  readonly outcomes: readonly string[];
  /** Why more may be the case than is recorded. */
  readonly incomplete?: string;
}

export interface RecordOptions extends Limits {
  readonly unroll: number;
  readonly sha256: (text: string) => string;
  /** How a final state is written. */
  readonly stateText: (program: Program, state: ReadonlyMap<string, bigint>) => string;
  readonly conditionText: (condition: Condition) => string;
}

/** More outcomes than that are not recorded, only that there are more. */
export const MOST_OUTCOMES = 500;

/** What a model says of one test. */
export function recordTest(
  solver: SatSolver,
  program: Program,
  path: string,
  model: Model,
  options: RecordOptions,
): RecordedTest {
  // Counted from here: what the verdicts leave, and as much again.
  const deadline = deadlineOf({ ...options, timeout: 2 * options.timeout });
  const checked = checkTest(solver, program, model, { ...options, states: false, reasons: false });
  const found = findingsOf(solver, program, model, { unroll: options.unroll, deadline, mostOutcomes: MOST_OUTCOMES });
  return recordFindings(checked, path, found, options);
}

/** What was found of one test, as it is recorded. */
export function recordFindings(
  checked: TestResult,
  path: string,
  found: Findings,
  options: Pick<RecordOptions, 'sha256' | 'stateText' | 'conditionText'>,
): RecordedTest {
  const { program } = checked;
  const verdicts = [
    ...checked.conditions.map(
      (one) => [options.conditionText(one.condition), verdictOf(one, checked.undefinedBy !== undefined)] as const,
    ),
    ...checked.expectations.map(
      (one) =>
        [
          `expect ${one.expectation.expectation}`,
          one.outcome === 'undecided' ? `undecided: ${reasonOf(one)}` : one.outcome,
        ] as const,
    ),
  ];
  const outcomes = [...found.outcomes.values()].map(({ state }) => options.stateText(program, state)).sort();
  const reasons = [...new Set(found.open.map(openText))];
  const tooMany = outcomes.length >= MOST_OUTCOMES;
  return {
    path,
    name: program.name,
    sha256: options.sha256(program.source.text),
    verdicts: Object.fromEntries(verdicts),
    ...(found.undefinedBy === undefined ? {} : { undefined: describeUndefined(found.undefinedBy) }),
    flags: [...found.raised.keys()].sort(),
    deadlock: found.deadlock !== undefined,
    // Which ones come first is the solver's choice.
    outcomes: tooMany ? [] : outcomes,
    ...(reasons.length === 0 ? {} : { incomplete: reasons.join('; ') }),
  };
}

function verdictOf({ observation, undecided }: ConditionResult, isUndefined: boolean): string {
  if (isUndefined) return 'undefined';
  return observation ?? (undecided === undefined ? 'undecided' : `undecided: ${describeUndecided(undecided)}`);
}

export function printBaseline(baseline: Baseline): string {
  return `${JSON.stringify(baseline, undefined, 2)}\n`;
}

/** Reads a baseline; a sentence instead, if the text is none. */
export function readBaseline(text: string): Baseline | string {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (cause) {
    return `it is not JSON (${(cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, ' ')})`;
  }
  if (typeof read !== 'object' || read === null || !('baseline' in read))
    return 'it is no baseline: "baseline write" makes one';
  if (read.baseline !== BASELINE_VERSION)
    return `it is a baseline of version ${String(read.baseline)}; this tool reads version ${BASELINE_VERSION}`;
  if (!isBaseline(read)) return 'it is a damaged baseline: model, unroll or tests are missing or of another kind';
  return read;
}

function isBaseline(read: object): read is Baseline {
  const { folders, model, unroll, tests } = read as Partial<Baseline>;
  const texts = (list: unknown): boolean => Array.isArray(list) && list.every((one) => typeof one === 'string');
  const isTest = (test: Partial<RecordedTest>): boolean =>
    [test.path, test.name, test.sha256].every((one) => typeof one === 'string') &&
    typeof test.verdicts === 'object' &&
    test.verdicts !== null &&
    texts(test.flags) &&
    typeof test.deadlock === 'boolean' &&
    texts(test.outcomes);
  return (
    (folders === undefined || texts(folders)) &&
    typeof model?.name === 'string' &&
    texts(model.variants) &&
    typeof unroll === 'number' &&
    Array.isArray(tests) &&
    tests.every(isTest)
  );
}
