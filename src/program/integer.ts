import type { DataType } from './data-type.js';
import type { Arithmetic, AtomicOperation } from './operation.js';

/** Integer arithmetic of PTX on bit patterns: values are non-negative bigints below 2^width. */
export function mask(width: number): bigint {
  return (1n << BigInt(width)) - 1n;
}

/** The low `width` bits of an integer of either sign. */
export function truncate(value: bigint, width: number): bigint {
  return BigInt.asUintN(width, value);
}

/** The integer that a bit pattern stands for. */
export function interpretBits(bits: bigint, width: number, signed: boolean): bigint {
  return signed ? BigInt.asIntN(width, bits) : bits;
}

/** The bit pattern of `width` bits widened (by sign or zeros) or cut to `to` bits. */
export function resize(bits: bigint, width: number, to: number, signed: boolean): bigint {
  return truncate(interpretBits(bits, width, signed), to);
}

/** The result of an arithmetic instruction, as a bit pattern of its result width. */
export function computeArithmetic(arithmetic: Arithmetic, operands: readonly bigint[]): bigint {
  const { name, width, signed, resultWidth } = arithmetic;
  const [a = 0n, b = 0n, c = 0n] = operands;
  const read = (bits: bigint): bigint => interpretBits(truncate(bits, width), width, signed);
  const result = (value: bigint): bigint => truncate(value, resultWidth);
  switch (name) {
    case 'move':
      return result(a);
    case 'add':
      return result(a + b);
    case 'subtract':
      return result(a - b);
    case 'multiply':
      return result(a * b);
    case 'multiply-high':
      return result((read(a) * read(b)) >> BigInt(width));
    case 'multiply-wide':
      return result(read(a) * read(b));
    // By 0 PTX leaves it open: whoever divides says so.
    case 'divide':
      return read(b) === 0n ? 0n : result(read(a) / read(b));
    case 'remainder':
      return read(b) === 0n ? 0n : result(read(a) % read(b));
    case 'and':
      return result(a & b);
    case 'or':
      return result(a | b);
    case 'xor':
      return result(a ^ b);
    case 'not':
      return result(~a);
    case 'shift-left':
      return b >= BigInt(width) ? 0n : result(a << b);
    case 'shift-right':
      return result(read(a) >> (b > BigInt(width) ? BigInt(width) : b));
    case 'count-ones':
      return BigInt(a.toString(2).replaceAll('0', '').length);
    case 'leading-zeros':
      return BigInt(a === 0n ? width : width - a.toString(2).length);
    case 'reverse':
      return BigInt(`0b${[...a.toString(2).padStart(width, '0')].reverse().join('')}`);
    case 'look-up':
      return lookUp(width, operands);
    case 'minimum':
      return result(read(a) < read(b) ? a : b);
    case 'maximum':
      return result(read(a) > read(b) ? a : b);
    case 'equal':
      return truncate(a, width) === truncate(b, width) ? 1n : 0n;
    case 'less':
      return read(a) < read(b) ? 1n : 0n;
    case 'less-or-equal':
      return read(a) <= read(b) ? 1n : 0n;
    case 'select':
      return result(a === 1n ? b : c);
    case 'convert':
      return result(read(a));
    case 'concatenate':
      return operands.reduce((bits, element, i) => bits | (element << BigInt(i * width)), 0n);
    case 'increment-modulo':
      return a >= b ? 0n : result(a + 1n);
    case 'decrement-modulo':
      return a === 0n || a > b ? b : result(a - 1n);
  }
}

/** Each bit of three values selects a bit of a table: the first one is the highest digit (PTX ISA, lop3). */
function lookUp(width: number, [a = 0n, b = 0n, c = 0n, table = 0n]: readonly bigint[]): bigint {
  let value = 0n;
  for (let i = 0n; i < width; i++) {
    const digit = (of: bigint): bigint => (of >> i) & 1n;
    value |= ((table >> (digit(a) * 4n + digit(b) * 2n + digit(c))) & 1n) << i;
  }
  return value;
}

/**
 * The arithmetic by which an atomic operation makes the new value from the old one and its operand; undefined for exch
 * and cas, which store an operand.
 */
export function atomicArithmetic(operation: AtomicOperation, { width, kind }: DataType): Arithmetic | undefined {
  const names = {
    add: 'add',
    sub: 'subtract',
    inc: 'increment-modulo',
    dec: 'decrement-modulo',
    min: 'minimum',
    max: 'maximum',
    and: 'and',
    or: 'or',
    xor: 'xor',
    exch: undefined,
    cas: undefined,
  } as const;
  const name = names[operation];
  return name === undefined ? undefined : { name, signed: kind === 's', width, resultWidth: width };
}
