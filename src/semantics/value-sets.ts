import { evaluateFloat, type FloatFunction } from '../program/float-function.js';
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
    return eachCombination(resultWidth, operands, (combination) =>
      computeArithmetic(arithmetic satisfies Arithmetic, combination),
    );
  },
};

/** The results of a function of floating-point numbers, where operands settle them. */
export function floatResults(of: FloatFunction, width: number, operands: readonly ValueSet[]): ValueSet {
  return eachCombination(width, operands, (combination) => evaluateFloat(of, combination));
}

/** The combinations of what operands may be; undefined where there are too many to list. */
export function combinationsOf(operands: readonly ValueSet[]): readonly (readonly bigint[])[] | undefined {
  const lists = operands.map((operand) => (operand.values === 'any' ? undefined : [...operand.values]));
  if (lists.some((list) => list === undefined)) return undefined;
  const combinations = lists.reduce((product, list) => product * (list?.length ?? 0), 1);
  return combinations > MOST_VALUES * MOST_VALUES ? undefined : products(lists as bigint[][]);
}

function eachCombination(
  width: number,
  operands: readonly ValueSet[],
  compute: (combination: readonly bigint[]) => bigint | undefined,
): ValueSet {
  const results = combinationsOf(operands)?.map(compute);
  if (results?.every((result) => result !== undefined) !== true) return anyValue(width);
  return valueSet(width, results);
}

function products(lists: readonly (readonly bigint[])[]): readonly (readonly bigint[])[] {
  return lists.reduce<readonly (readonly bigint[])[]>(
    (all, list) => all.flatMap((prefix) => list.map((value) => [...prefix, value])),
    [[]],
  );
}
