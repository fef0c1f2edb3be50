import { computeArithmetic, resize } from '../program/integer.js';
import type { Arithmetic } from '../program/operation.js';
import type { ValueDomain } from './value-domain.js';

/** The bit patterns that a value may have; `any` when there are too many to list. */
export interface ValueSet {
  readonly width: number;
  readonly values: ReadonlySet<bigint> | 'any';
}

/** What is known of a truth value before solving. */
export type Certainty = 'yes' | 'no' | 'maybe';

const MOST_VALUES = 64;

export function valueSet(width: number, values: Iterable<bigint>): ValueSet {
  const set = new Set(values);
  return { width, values: set.size > MOST_VALUES ? 'any' : set };
}

export function anyValue(width: number): ValueSet {
  return width === 1 ? { width, values: new Set([0n, 1n]) } : { width, values: 'any' };
}

export function unionOf(a: ValueSet, b: ValueSet): ValueSet {
  return a.values === 'any' || b.values === 'any'
    ? { width: a.width, values: 'any' }
    : valueSet(a.width, [...a.values, ...b.values]);
}

/** The value domain of the analysis before the encoding: over-approximates every run. */
export const VALUE_SETS: ValueDomain<ValueSet, Certainty> = {
  yes: 'yes',
  no: 'no',
  and: (a, b) => (a === 'no' || b === 'no' ? 'no' : a === 'yes' && b === 'yes' ? 'yes' : 'maybe'),
  or: (a, b) => (a === 'yes' || b === 'yes' ? 'yes' : a === 'no' && b === 'no' ? 'no' : 'maybe'),
  not: (a) => (a === 'yes' ? 'no' : a === 'no' ? 'yes' : 'maybe'),
  isNo: (a) => a === 'no',
  constant: (bits, width) => ({ width, values: new Set([bits]) }),
  resize: ({ values, width: from }, width, signed) =>
    values === 'any'
      ? { width, values }
      : valueSet(
          width,
          [...values].map((value) => resize(value, from, width, signed)),
        ),
  choose: (condition, whenTrue, whenFalse) =>
    condition === 'yes' ? whenTrue : condition === 'no' ? whenFalse : unionOf(whenTrue, whenFalse),
  truth: ({ values }) => (values === 'any' || values.size !== 1 ? 'maybe' : values.has(1n) ? 'yes' : 'no'),
  compute(arithmetic, operands) {
    const { resultWidth } = arithmetic;
    const lists = operands.map((operand) => (operand.values === 'any' ? undefined : [...operand.values]));
    if (lists.some((list) => list === undefined)) return anyValue(resultWidth);
    const combinations = lists.reduce((product, list) => product * (list?.length ?? 0), 1);
    if (combinations > MOST_VALUES * MOST_VALUES) return anyValue(resultWidth);
    return valueSet(
      resultWidth,
      products(lists as bigint[][]).map((combination) =>
        computeArithmetic(arithmetic satisfies Arithmetic, combination),
      ),
    );
  },
};

function products(lists: readonly (readonly bigint[])[]): readonly (readonly bigint[])[] {
  return lists.reduce<readonly (readonly bigint[])[]>(
    (all, list) => all.flatMap((prefix) => list.map((value) => [...prefix, value])),
    [[]],
  );
}
