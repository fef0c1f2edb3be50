import type { DataType } from '../program/data-type.js';
import { bitsOfNumber } from '../program/float-format.js';
import { truncate } from '../program/integer.js';

/** Initial values: integers, and numbers with a decimal point, which only floating-point types have. */
export const bitsOf = (value: bigint | number, type: DataType): bigint =>
  typeof value === 'number' ? bitsOfNumber(value, type.width) : truncate(value, type.width);

export function fits(value: bigint | number, type: DataType): boolean {
  if (typeof value === 'number') return type.kind === 'f' && type.width >= 32;
  return value < 1n << BigInt(type.width) && value >= -(1n << BigInt(type.width - 1));
}
