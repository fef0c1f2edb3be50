import type { Model } from '../cat/model.js';
import { textOf } from '../diagnostics/source.js';
import type { Watch } from '../follow/watch.js';
import type { Program } from '../program/program.js';
import { checkDeadline, type Deadline, exceeded, type Undecided, within } from '../program/undecided.js';
import { describeValues } from '../ranges/describe-values.js';
import type { Family } from '../ranges/family.js';
import { AlikeSizes } from './alike-sizes.js';
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
/** At first it takes so many times as much as each of them would have, and is asked again if that is too little. */
const FAIR_SHARES = 4;
/** In milliseconds: less is not worth it, if there is as much. */
const LEAST_TIME = 1000;

/** Whether more time might tell more: the engines give up for many reasons where there is little. */
const isLate = ({ conditions, expectations, program }: Found): boolean =>
  program !== undefined &&
  [...conditions, ...expectations].some((one) => one.undecided !== undefined || one.unconfirmed !== undefined);

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
  const alike = isAsked || options.follow === false ? undefined : new AlikeSizes(family);
  const found = (index: number, timeout: number): Found => {
    const size = sizeAt(loaded, index, deadlineOf({ ...options, timeout }), alike?.watch(index));
    return 'unknown' in size
      ? allUndecided(clauses, isAsked, size.unknown)
      : check(size.program, { ...options, timeout });
  };
  const tell = (index: number, one: Found): void => {
    const others = (alike?.to(index, one) ?? []).filter((other) => left.has(other));
    answers.add(index, [index, ...others], one);
    for (const other of others) left.delete(other);
  };
  const late = new Map<number, Found>();
  for (const index of left) {
    if (exceeded(deadline) !== undefined) break;
    const [all, most] = [deadline.remaining(), Math.max(LARGEST_SHARE, 1 / left.size)];
    const one = found(index, Math.min(all * most, Math.max(LEAST_TIME, (all * FAIR_SHARES) / left.size)));
    left.delete(index);
    if (isLate(one)) late.set(index, one);
    else tell(index, one);
  }
  for (const [index, one] of late) {
    const isOver = exceeded(deadline) !== undefined;
    tell(index, isOver ? one : found(index, deadline.remaining() * Math.max(LARGEST_SHARE, 1 / late.size)));
    late.delete(index);
  }
  if (left.size > 0) answers.leave([...left], allUndecided(clauses, isAsked, notReached(family, [...left])));
  return { ...answers.result(program), model, unroll: options.unroll, time: options.clock() - start };
}

/** What is known of one size; of one that cannot be read there is no program. */
type Found = Answers & Partial<Pick<TestResult, 'program'>>;

const notReached = (family: Family, unreached: readonly number[]): Undecided => ({
  kind: 'size',
  what: `there was no time for ${describeValues(family, unreached)}`,
});

/** The test of one choice of values, or why there is none. */
function sizeAt(
  { family, at }: LoadedFamily,
  index: number,
  deadline: Deadline,
  watch: Watch | undefined,
): { readonly program: Program } | { readonly unknown: Undecided } {
  return within<{ readonly program: Program } | { readonly unknown: Undecided }>(
    () => {
      const { value, diagnostics } = at(index, () => checkDeadline(deadline), watch);
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
  add(index: number, indices: readonly number[], answers: Found): void {
    const { program } = answers;
    this.checked += 1;
    this.alike.push(...indices.filter((one) => one !== index));
    // What may be shown: the first of its outcome.
    if (this.include(indices, answers) && program !== undefined) this.programs.set(index, program);
  }

  /** There is no time for some sizes. */
  leave(indices: readonly number[], answers: Answers): void {
    this.unreached = indices;
    this.include(indices, answers);
  }

  private include(indices: readonly number[], answers: Answers): boolean {
    const conditions = answers.conditions.map((one, i) => {
      this.could[i]?.reachable.push(one.reachable);
      this.could[i]?.avoidable.push(one.avoidable);
      return this.conditions[i]?.add(one, indices) === true;
    });
    const expectations = answers.expectations.map((one, i) => this.expectations[i]?.add(one, indices) === true);
    const found = { ...answers, undefinedBy: this.undefinedAt(indices, answers) };
    this.findings = this.findings === undefined ? found : mergedFindings(this.findings, found);
    return [...conditions, ...expectations].includes(true);
  }

  /** What is undefined, with the first size that is. */
  private undefinedAt(indices: readonly number[], { undefinedBy }: Answers): Answers['undefinedBy'] {
    const sentence = `for ${describeValues(this.family, indices.slice(0, 1))}: ${undefinedBy?.sentence}`;
    return undefinedBy && { ...undefinedBy, sentence };
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
