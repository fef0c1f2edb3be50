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

/** What was found of one claim for one value after the other. */
export class AnswersByValue<Answer> {
  private readonly found = new Map<Outcome, { readonly first: Answer; readonly indices: number[] }>();

  constructor(private readonly outcomeOf: (answer: Answer) => Outcome) {}

  /** The answer for some of the tests, the smallest first. */
  add(answer: Answer, indices: readonly number[]): void {
    const outcome = this.outcomeOf(answer);
    const known = this.found.get(outcome);
    if (known === undefined) this.found.set(outcome, { first: answer, indices: [...indices] });
    else for (const index of indices) known.indices.push(index);
  }

  /** Whether an answer with the outcome of this one was found. */
  has(answer: Answer): boolean {
    return this.found.has(this.outcomeOf(answer));
  }

  private get gravestOf(): { readonly first: Answer; readonly indices: readonly number[]; readonly weight: number } {
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
    return leastOf(this.gravestOf.indices);
  }

  /** The less, the graver. */
  get weight(): number {
    return this.gravestOf.weight;
  }

  inWords(family: Family): readonly OutcomeForValues[] {
    return BY_WEIGHT.flatMap((outcome): readonly OutcomeForValues[] => {
      const found = this.found.get(outcome);
      if (found === undefined) return [];
      const { indices } = found;
      const smallest = valuesByName(family, leastOf(indices));
      return [{ outcome, values: describeValues(family, indices), count: indices.length, smallest }];
    });
  }
}

const leastOf = (indices: readonly number[]): number => indices.reduce((least, one) => Math.min(least, one));

/** The values of one of the tests, by name. */
const valuesByName = (family: Family, index: number): Readonly<Record<string, string>> =>
  Object.fromEntries(valuesAt(family, index).map((value, i) => [family.ranges[i]?.name ?? '', `${value}`]));

export function outcomeOfCondition({ undecided, expectation, holds }: ConditionResult): Outcome {
  if (undecided !== undefined || expectation === 'undecided') return 'undecided';
  if (expectation !== 'none') return expectation;
  return holds === undefined ? 'undefined' : holds ? 'holds' : 'does not hold';
}

export const outcomeOfExpectation = ({ outcome }: ExpectationResult): Outcome => outcome;
