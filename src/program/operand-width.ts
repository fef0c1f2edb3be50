import type { Arithmetic, ArithmeticName } from './operation.js';

/** How wide the operands are: `own` is the width of the instruction, a number so many bits. */
const OPERANDS: Readonly<Record<ArithmeticName, readonly ('own' | number)[]>> = {
  move: ['own'],
  add: ['own', 'own'],
  subtract: ['own', 'own'],
  multiply: ['own', 'own'],
  'multiply-high': ['own', 'own'],
  'multiply-wide': ['own', 'own'],
  divide: ['own', 'own'],
  remainder: ['own', 'own'],
  and: ['own', 'own'],
  or: ['own', 'own'],
  xor: ['own', 'own'],
  not: ['own'],
  'shift-left': ['own', 32],
  'shift-right': ['own', 32],
  minimum: ['own', 'own'],
  maximum: ['own', 'own'],
  equal: ['own', 'own'],
  less: ['own', 'own'],
  'less-or-equal': ['own', 'own'],
  select: [1, 'own', 'own'],
  convert: ['own'],
  concatenate: ['own', 'own'],
  'increment-modulo': ['own', 'own'],
  'decrement-modulo': ['own', 'own'],
  'count-ones': ['own'],
  'leading-zeros': ['own'],
  reverse: ['own'],
  'look-up': ['own', 'own', 'own', 8],
};

/** The widths, in bits, in which the operands of an arithmetic instruction are taken. */
export function operandWidths({ name, width }: Arithmetic): readonly number[] {
  return OPERANDS[name].map((operand) => (operand === 'own' ? width : operand));
}

/** The width of one of them. */
export function operandWidth(arithmetic: Arithmetic, index: number): number {
  // Any number of elements is concatenated.
  const width = arithmetic.name === 'concatenate' ? arithmetic.width : operandWidths(arithmetic)[index];
  if (width === undefined) throw new Error(`${arithmetic.name} has no operand ${index}`);
  return width;
}
