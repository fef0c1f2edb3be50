import { computeArithmetic, resize } from '../program/integer.js';
import type { ValueDomain } from './value-domain.js';

/** A bit pattern with its width. */
export interface ConcreteValue {
  readonly bits: bigint;
  readonly width: number;
  /** It stands for others as well: PTX, or this tool, leaves it open. */
  readonly open?: true;
}

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
