import { evaluateFloat, type FloatFunction } from '../program/float-function.js';
import { computeArithmetic, resize } from '../program/integer.js';
import type { ValueDomain } from './value-domain.js';

/** A bit pattern with its width. */
export interface ConcreteValue {
  readonly bits: bigint;
  readonly width: number;
  /** It stands for others as well: PTX, or this tool, leaves it open. */
  readonly open?: true;
}

/** What a function settles for these operands; undefined where the result is left open. */
export const settledResult = (of: FloatFunction | undefined, operands: readonly ConcreteValue[]): bigint | undefined =>
  of === undefined
    ? undefined
    : evaluateFloat(
        of,
        operands.map(({ bits }) => bits),
      );

/** The value domain of a run: everything is known. */
export const CONCRETE_VALUES: ValueDomain<ConcreteValue, boolean> = {
  yes: true,
  no: false,
  and: (a, b) => a && b,
  or: (a, b) => a || b,
  not: (a) => !a,
  isNo: (a) => !a,
  constant: (bits, width) => ({ bits, width }),
  compute: (arithmetic, operands) => ({
    bits: computeArithmetic(
      arithmetic,
      operands.map(({ bits }) => bits),
    ),
    width: arithmetic.resultWidth,
  }),
  resize: ({ bits, width: from }, width, signed) => ({ bits: resize(bits, from, width, signed), width }),
  choose: (condition, whenTrue, whenFalse) => (condition ? whenTrue : whenFalse),
  truth: ({ bits }) => (bits & 1n) === 1n,
};
