import type { Model } from '../cat/model.js';
import { textOf } from '../diagnostics/source.js';
import type { Program } from '../program/program.js';
import { checkDeadline, type Deadline, exceeded, type Undecided, within } from '../program/undecided.js';
import { describeValues } from '../ranges/describe-values.js';
import type { Family } from '../ranges/family.js';
import { type Answers, allUndecided, type Clauses } from './all-undecided.js';
import { AnswersByValue, outcomeOfCondition, outcomeOfExpectation } from './answers-by-value.js';
import type { CheckOptions } from './check-test.js';
import { clausesFor } from './clauses-for.js';
import { decideCondition } from './decide-condition.js';
import { DEFAULT_LIMITS, DEFAULT_UNROLL, deadlineOf } from './limits.js';
import type { LoadedFamily } from './load-family.js';
import { type Findings, mergedFindings } from './merge-answers.js';
import type { CheckedValues, ConditionResult, TestResult } from './result.js';

/** Of the time that is left one size takes at most this part, unless it is one of the last. */
const LARGEST_SHARE = 0.25;

/** Decides a test for one choice of values after the other, the smallest first, and puts the answers together. */
export function checkFamily(
  loaded: LoadedFamily,
  program: Program,
  model: Model,
  given: CheckOptions,
  check: (one: Program, options: CheckOptions) => TestResult,
): TestResult {
  const options = { ...DEFAULT_LIMITS, unroll: DEFAULT_UNROLL, ...given };
  const start = options.clock();
  const deadline = deadlineOf(options);
  const { family } = loaded;
  const clauses = clausesFor(program, model);
  const answers = new FamilyAnswers(family, clauses);
  const left = new Set(Array.from({ length: family.count }, (_, index) => index));
  const isAsked = options.states === true;
  for (const index of left) {
    if (exceeded(deadline) !== undefined) break;
    const timeout = deadline.remaining() * Math.max(LARGEST_SHARE, 1 / left.size);
    const size = sizeAt(loaded, index, deadlineOf({ ...options, timeout }));
    if ('unknown' in size) answers.add(index, [index], allUndecided(clauses, isAsked, size.unknown));
    else {
      const result = check(size.program, { ...options, timeout });
      answers.add(index, [index], result, result.program);
    }
    left.delete(index);
  }
  const unreached = [...left];
  if (unreached.length > 0) answers.leave(unreached, allUndecided(clauses, isAsked, notReached(family, unreached)));
  return { ...answers.result(program), model, unroll: options.unroll, time: options.clock() - start };
}

const notReached = (family: Family, unreached: readonly number[]): Undecided => ({
  kind: 'size',
  what: `there was no time for ${describeValues(family, unreached)}`,
});

/** The test of one choice of values, or why there is none. */
function sizeAt(
  { family, at }: LoadedFamily,
  index: number,
  deadline: Deadline,
): { readonly program: Program } | { readonly unknown: Undecided } {
  return within<{ readonly program: Program } | { readonly unknown: Undecided }>(
    () => {
      const { value, diagnostics } = at(index, () => checkDeadline(deadline));
      if (value !== undefined) return { program: value };
      const why = diagnostics.find(({ severity }) => severity === 'error')?.message ?? 'it cannot be read';
      return { unknown: { kind: 'size', what: `for ${describeValues(family, [index])}: ${why}` } };
    },
    (unknown) => ({ unknown }),
  );
}

/** Answers about one size after the other, put together: met is what is so for all. */
class FamilyAnswers {
  private readonly conditions: readonly AnswersByValue<ConditionResult>[];
  private readonly expectations: readonly AnswersByValue<Answers['expectations'][number]>[];
  /** Of each condition: whether it is so for some size, undefined where that is open for one. */
  private readonly could: { readonly [of in 'reachable' | 'avoidable']: (boolean | undefined)[] }[];
  private readonly programs = new Map<number, Program>();
  private findings: Findings | undefined;
  private checked = 0;
  private readonly alike: number[] = [];
  private unreached: readonly number[] = [];

  constructor(
    private readonly family: Family,
    clauses: Clauses,
  ) {
    this.conditions = clauses.conditions.map(() => new AnswersByValue(outcomeOfCondition));
    this.expectations = clauses.expectations.map(() => new AnswersByValue(outcomeOfExpectation));
    this.could = clauses.conditions.map(() => ({ reachable: [], avoidable: [] }));
  }

  /** What was found of one size, and for which others it is so, itself among them. */
  add(index: number, indices: readonly number[], answers: Answers, program?: Program): void {
    this.checked += 1;
    this.alike.push(...indices.filter((one) => one !== index));
    if (program !== undefined) this.keep(index, program, answers);
    this.include(indices, answers);
  }

  /** There is no time for some sizes. */
  leave(indices: readonly number[], answers: Answers): void {
    this.unreached = indices;
    this.include(indices, answers);
  }

  /** Programs that answers may be shown of: the first that has an outcome which none has had. */
  private keep(index: number, program: Program, { conditions, expectations }: Answers): void {
    const isNew =
      this.programs.size === 0 ||
      conditions.some((one, i) => this.conditions[i]?.has(one) === false) ||
      expectations.some((one, i) => this.expectations[i]?.has(one) === false);
    if (isNew) this.programs.set(index, program);
  }

  private include(indices: readonly number[], answers: Answers): void {
    answers.conditions.forEach((one, i) => {
      this.conditions[i]?.add(one, indices);
      this.could[i]?.reachable.push(one.reachable);
      this.could[i]?.avoidable.push(one.avoidable);
    });
    answers.expectations.forEach((one, i) => this.expectations[i]?.add(one, indices));
    this.findings = this.findings === undefined ? answers : mergedFindings(this.findings, answers);
  }

  /** @param whole - Stands for all sizes. */
  result(whole: Program): Omit<TestResult, 'model' | 'unroll' | 'time'> {
    const { family, findings } = this;
    if (findings === undefined) throw new Error('a test of no size');
    const conditions = this.conditions.map((of, i): ConditionResult => {
      const { condition, observation } = decideCondition(of.gravest.condition, ...this.couldBe(i), undefined);
      const [reachable, avoidable] = this.couldBe(i);
      return { ...of.gravest, condition, observation, reachable, avoidable, byValue: of.inWords(family) };
    });
    const expectations = this.expectations.map((of) => ({ ...of.gravest, byValue: of.inWords(family) }));
    const [shown, program] = this.shown() ?? [0, whole];
    const values: CheckedValues = {
      ranges: family.ranges.map(({ name, syntax }) => describeRange(name, textOf(syntax.span))),
      count: family.count,
      checked: this.checked,
      alike: describeValues(family, this.alike),
      unreached: describeValues(family, this.unreached),
      shown: describeValues(family, [shown]),
    };
    return { ...findings, program, conditions, expectations, values };
  }

  /** Whether a condition is so for some size, and whether it is not. */
  private couldBe(condition: number): readonly [boolean | undefined, boolean | undefined] {
    const some = (found: readonly (boolean | undefined)[] = []): boolean | undefined =>
      found.includes(true) || (found.includes(undefined) ? undefined : false);
    const could = this.could[condition];
    return [some(could?.reachable), some(could?.avoidable)];
  }

  /** The test that the launches are shown of: the first one of the gravest outcome of all. */
  private shown(): readonly [number, Program] | undefined {
    const all = [...this.conditions, ...this.expectations].map(({ weight, index }) => ({ weight, index }));
    const [first] = all.sort((a, b) => a.weight - b.weight || a.index - b.index);
    const index = first === undefined ? 0 : first.index;
    const program = this.programs.get(index);
    return program === undefined ? [...this.programs][0] : [index, program];
  }
}

/** `n in 1..1000`, whatever stands in the test. */
const describeRange = (name: string, text: string): string =>
  text.startsWith(`${name} `) ? text.replace(/\s+/g, ' ') : `${name} ${text.replace(/\s+/g, ' ')}`;
