import { describeValues } from '../ranges/describe-values.js';
import { type Family, valuesAt } from '../ranges/family.js';
import type { ConditionResult, ExpectationResult } from './result.js';

/** Of a test of many sizes: for which of them an answer is so. */
export interface OutcomeForValues {
  readonly outcome: 'broken' | 'undefined' | 'undecided' | 'holds' | 'does not hold' | 'met';
  /** `n = 1, 3..8`. */
  readonly values: string;
  /** How many of them there are. */
  readonly count: number;
  /** The first of them, by name. */
  readonly smallest: Readonly<Record<string, string>>;
}

type Outcome = OutcomeForValues['outcome'];

/** What is told of a test is the first of these that is so for some value. */
const BY_WEIGHT: readonly Outcome[] = ['broken', 'undefined', 'undecided', 'holds', 'does not hold', 'met'];

interface OfOutcome<Answer> {
  /** The answer for the smallest of its values, and which these are. */
  first: Answer;
  least: number;
  readonly indices: number[];
}

/** What was found of one claim for one value after the other. */
export class AnswersByValue<Answer> {
  private readonly found = new Map<Outcome, OfOutcome<Answer>>();

  constructor(private readonly outcomeOf: (answer: Answer) => Outcome) {}

  /** The answer for some of the tests, the smallest first; whether nothing smaller has that outcome. */
  add(answer: Answer, indices: readonly number[]): boolean {
    const outcome = this.outcomeOf(answer);
    const known = this.found.get(outcome);
    const [least = 0] = indices;
    if (known === undefined) this.found.set(outcome, { first: answer, least, indices: [...indices] });
    else {
      for (const one of indices) known.indices.push(one);
      if (least < known.least) [known.first, known.least] = [answer, least];
    }
    return this.found.get(outcome)?.first === answer;
  }

  private get gravestOf(): OfOutcome<Answer> & { readonly weight: number } {
    for (const [weight, outcome] of BY_WEIGHT.entries()) {
      const found = this.found.get(outcome);
      if (found !== undefined) return { ...found, weight };
    }
    throw new Error('a claim about no value');
  }

  /** The gravest answer, for the smallest values that have it. */
  get gravest(): Answer {
    return this.gravestOf.first;
  }

  /** The first of its values. */
  get index(): number {
    return this.gravestOf.least;
  }

  /** The less, the graver. */
  get weight(): number {
    return this.gravestOf.weight;
  }

  inWords(family: Family): readonly OutcomeForValues[] {
    return BY_WEIGHT.flatMap((outcome): readonly OutcomeForValues[] => {
      const found = this.found.get(outcome);
      if (found === undefined) return [];
      const { indices, least } = found;
      const smallest = valuesByName(family, least);
      return [{ outcome, values: describeValues(family, indices), count: indices.length, smallest }];
    });
  }
}

/** The values of one of the tests, by name. */
const valuesByName = (family: Family, index: number): Readonly<Record<string, string>> =>
  Object.fromEntries(valuesAt(family, index).map((value, i) => [family.ranges[i]?.name ?? '', `${value}`]));

export function outcomeOfCondition({ undecided, expectation, holds }: ConditionResult): Outcome {
  if (undecided !== undefined || expectation === 'undecided') return 'undecided';
  if (expectation !== 'none') return expectation;
  return holds === undefined ? 'undefined' : holds ? 'holds' : 'does not hold';
}

export const outcomeOfExpectation = ({ outcome }: ExpectationResult): Outcome => outcome;
