import type { Arithmetic } from './operation.js';

/** The width, in bits, in which an operand of an arithmetic instruction is taken. */
export function operandWidth(arithmetic: Arithmetic, index: number): number {
  if (arithmetic.name === 'select' && index === 0) return 1;
  if ((arithmetic.name === 'shift-left' || arithmetic.name === 'shift-right') && index === 1) return 32;
  return arithmetic.width;
}
