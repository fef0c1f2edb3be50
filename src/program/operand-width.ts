import type { Arithmetic, ArithmeticName } from './operation.js';

/** How wide operands are that do not have the width of the instruction, by their place. */
const OTHER_WIDTHS: Readonly<Partial<Record<ArithmeticName, Readonly<Record<number, number>>>>> = {
  'shift-left': { 1: 32 },
  'shift-right': { 1: 32 },
  select: { 0: 1 },
  'look-up': { 3: 8 },
};

/** The width, in bits, in which an operand of an arithmetic instruction is taken. */
export const operandWidth = ({ name, width }: Arithmetic, index: number): number =>
  OTHER_WIDTHS[name]?.[index] ?? width;
