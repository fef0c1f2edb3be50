import { computeArithmetic, resize, truncate } from '../program/integer.js';
import { operandWidth } from '../program/operand-width.js';
import type { Operand, Operation } from '../program/operation.js';
import type { Register } from '../program/program.js';

/** What a computation leaves in its register, where its operands are known. */
export function computed(
  { arithmetic, operands, type, target }: Extract<Operation, { kind: 'compute' }>,
  registers: ReadonlyMap<string, Register>,
  valueOf: (operand: Operand) => bigint | undefined,
): bigint | undefined {
  const values: bigint[] = [];
  for (const [i, operand] of operands.entries()) {
    const value = valueOf(operand);
    if (value === undefined) return undefined;
    values.push(truncate(value, operandWidth(arithmetic, i)));
  }
  const width = registers.get(target)?.type.width ?? type.width;
  return resize(computeArithmetic(arithmetic, values), arithmetic.resultWidth, width, type.kind === 's');
}
