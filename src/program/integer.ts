import type { DataType } from './data-type.js';
import type { Arithmetic, ArithmeticName, AtomicOperation } from './operation.js';

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

/** What an instruction computes with: its operands, the first ones by name. */
interface Computation {
  readonly operands: readonly bigint[];
  readonly a: bigint;
  readonly b: bigint;
  readonly c: bigint;
  readonly width: number;
  /** The number that an operand stands for. */
  readonly read: (bits: bigint) => bigint;
}

/** What each instruction computes, from which its result takes the low bits. */
const COMPUTATIONS: Readonly<Record<ArithmeticName, (of: Computation) => bigint>> = {
  move: ({ a }) => a,
  add: ({ a, b }) => a + b,
  subtract: ({ a, b }) => a - b,
  multiply: ({ a, b }) => a * b,
  'multiply-high': ({ a, b, width, read }) => (read(a) * read(b)) >> BigInt(width),
  'multiply-wide': ({ a, b, read }) => read(a) * read(b),
  // By 0 PTX leaves it open: whoever divides says so.
  divide: ({ a, b, read }) => (read(b) === 0n ? 0n : read(a) / read(b)),
  remainder: ({ a, b, read }) => (read(b) === 0n ? 0n : read(a) % read(b)),
  and: ({ a, b }) => a & b,
  or: ({ a, b }) => a | b,
  xor: ({ a, b }) => a ^ b,
  not: ({ a }) => ~a,
  'shift-left': ({ a, b, width }) => (b >= BigInt(width) ? 0n : a << b),
  'shift-right': ({ a, b, width, read }) => read(a) >> (b > BigInt(width) ? BigInt(width) : b),
  minimum: ({ a, b, read }) => (read(a) < read(b) ? a : b),
  maximum: ({ a, b, read }) => (read(a) > read(b) ? a : b),
  equal: ({ a, b, width }) => (truncate(a, width) === truncate(b, width) ? 1n : 0n),
  less: ({ a, b, read }) => (read(a) < read(b) ? 1n : 0n),
  'less-or-equal': ({ a, b, read }) => (read(a) <= read(b) ? 1n : 0n),
  select: ({ a, b, c }) => (a === 1n ? b : c),
  convert: ({ a, read }) => read(a),
  concatenate: ({ operands, width }) =>
    operands.reduce((bits, element, i) => bits | (element << BigInt(i * width)), 0n),
  'increment-modulo': ({ a, b }) => (a >= b ? 0n : a + 1n),
  'decrement-modulo': ({ a, b }) => (a === 0n || a > b ? b : a - 1n),
  'count-ones': ({ a }) => BigInt(a.toString(2).replaceAll('0', '').length),
  'leading-zeros': ({ a, width }) => BigInt(a === 0n ? width : width - a.toString(2).length),
  reverse: ({ a, width }) => BigInt(`0b${[...a.toString(2).padStart(width, '0')].reverse().join('')}`),
  'look-up': ({ operands, width }) => lookUp(width, operands),
};

/** The result of an arithmetic instruction, as a bit pattern of its result width. */
export function computeArithmetic(arithmetic: Arithmetic, operands: readonly bigint[]): bigint {
  const { name, width, signed, resultWidth } = arithmetic;
  const [a = 0n, b = 0n, c = 0n] = operands;
  const read = (bits: bigint): bigint => interpretBits(truncate(bits, width), width, signed);
  return truncate(COMPUTATIONS[name]({ operands, a, b, c, width, read }), resultWidth);
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

/** What atomics compute that comes to the same in any order, with whatever operands. */
export const COMMUTATIVE: ReadonlySet<ArithmeticName> = new Set([
  ...(['add', 'subtract', 'minimum', 'maximum', 'and', 'or', 'xor'] as const),
]);

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

/** The greatest common divisor, which is not below 0. */
export function gcd(a: bigint, b: bigint): bigint {
  let [m, n] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (n !== 0n) [m, n] = [n, m % n];
  return m;
}
