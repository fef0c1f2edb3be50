import {
  bitLength,
  FLOAT_FORMATS,
  type FloatFormat,
  type FloatValue,
  isNegative,
  isZero,
  type Rounding,
  readFloat,
  roundTo,
  withoutInfinity,
  withSign,
  writeFloat,
  zero,
} from './float-format.js';
import { interpretBits, truncate } from './integer.js';

/** Comparisons that are false, and those that are true, where an operand is no number (PTX ISA, setp). */
export const FLOAT_COMPARISONS = [
  ...['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'num'],
  ...['equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'nan'],
] as const;

export const FLOAT_OPERATIONS = [
  ...['add', 'subtract', 'multiply', 'fma', 'divide', 'square-root', 'minimum', 'maximum'],
  ...['NaN of negate', 'NaN of absolute', 'copy-sign', 'integral', 'to-float', 'to-integer', 'from-integer'],
] as const;

/**
 * A function of floating-point numbers, on bit patterns. Some that PTX gives an error bound only, by their names, have
 * no known result; that they are functions is all that is known of them.
 */
export interface FloatFunction {
  /** One of FLOAT_OPERATIONS, of FLOAT_COMPARISONS, or another name. */
  readonly name: string;
  /** Of the operands; of an integer its width and sign. */
  readonly from: FloatFormat | IntegerFormat;
  readonly to: FloatFormat | IntegerFormat;
  readonly rounding: Rounding;
  /** Subnormal operands and results are zero (.ftz). */
  readonly flush: boolean;
  /** Results are kept between 0 and 1 (.sat), or not below 0 (.relu). */
  readonly limit: 'unit' | 'positive' | undefined;
  /** What is too large is the greatest number, not infinite (.satfinite). */
  readonly finite?: boolean;
  /** Of minimum and maximum: a NaN is the result (.NaN), and the sign is that of the product (.xorsign.abs). */
  readonly quietNan?: boolean;
  readonly xorSign?: boolean;
  readonly operandCount: number;
}

export interface IntegerFormat {
  readonly width: number;
  readonly signed: boolean;
}

export const widthOf = (format: FloatFormat | IntegerFormat): number =>
  typeof format === 'string' ? FLOAT_FORMATS[format].width : format.width;

/** Something without operands of which only the width is known: each time it is the same. */
export const openFunction = (name: string, width: number): FloatFunction => ({
  name,
  from: { width, signed: false },
  to: { width, signed: false },
  rounding: 'rn',
  flush: false,
  limit: undefined,
  operandCount: 0,
});

/** One of two values: each execution chooses, of equal ones it makes no difference. */
export const eitherOf = (width: number): FloatFunction => ({
  ...openFunction('either', width),
  operandCount: 2,
});
export const isChoice = (of: FloatFunction | undefined): boolean => of?.name === 'either';

/** Two functions with one key are the same. */
export const keyOf = (of: FloatFunction): string => JSON.stringify(of);

/** Conversions flush numbers of .f32 only (PTX ISA, cvt). */
const flushes = (name: string, format: FloatFormat): boolean =>
  format === 'f32' || !['to-float', 'integral', 'to-integer'].includes(name);

/** The result, where it is known; undefined: any, or any that is no number (givesSomeNan). */
export function evaluateFloat(of: FloatFunction, operands: readonly bigint[]): bigint | undefined {
  const result = evaluate(of, operands);
  return result === SOME_NAN ? undefined : result;
}

/** Whether the result is a NaN of which PTX does not say which (PTX ISA, NaN of .f64). */
export const givesSomeNan = (of: FloatFunction, operands: readonly bigint[]): boolean =>
  evaluate(of, operands) === SOME_NAN;

const SOME_NAN = 'some NaN';
type Result = bigint | typeof SOME_NAN | undefined;

function evaluate(of: FloatFunction, operands: readonly bigint[]): Result {
  const { name, from, to, rounding, flush } = of;
  if (isChoice(of)) return operands[0] === operands[1] ? operands[0] : undefined;
  if (typeof from !== 'string') {
    if (name !== 'from-integer' || typeof to !== 'string') return undefined;
    const value = interpretBits(operands[0] ?? 0n, from.width, from.signed);
    const magnitude = value < 0n ? -value : value;
    return write(of, { kind: 'finite', negative: value < 0n, magnitude, exponent: 0 });
  }
  const values = operands.map((bits) => readFloat(bits, from, flush && flushes(name, from)));
  const [a = zero(false), b = zero(false), c = zero(false)] = values;
  if ((FLOAT_COMPARISONS as readonly string[]).includes(name)) return compares(name, a, b) ? 1n : 0n;
  switch (name) {
    case 'add':
      return write(of, sum(a, b, rounding));
    case 'subtract':
      return write(of, sum(a, withSign(b, !isNegative(b)), rounding));
    case 'multiply':
      return write(of, product(a, b));
    case 'fma':
      return write(of, sum(product(a, b), c, rounding));
    case 'divide':
      return write(of, quotient(a, b));
    case 'square-root':
      return write(of, squareRoot(a));
    case 'minimum':
    case 'maximum':
      return write(of, extreme(of, a, b, operands));
    case 'NaN of negate':
    case 'NaN of absolute':
      // Asked of what is no number alone; of others any result will do.
      return a.kind === 'nan' ? undefined : 0n;
    case 'copy-sign': {
      const sign = 1n << BigInt(widthOf(from) - 1);
      return ((operands[1] ?? 0n) & ~sign) | ((operands[0] ?? 0n) & sign);
    }
    case 'integral':
      return converted(of, a.kind === 'finite' ? rounded(a, rounding) : a);
    case 'to-float':
      return converted(of, a);
    case 'to-integer':
      return typeof to === 'string' ? undefined : toInteger(of, a, to);
    default:
      return undefined;
  }
}

/** Of which NaN a conversion makes another PTX says nothing but with .relu and .sat: an H200 keeps bits of some. */
const converted = (of: FloatFunction, value: FloatValue): Result =>
  value.kind === 'nan' && of.limit === undefined ? SOME_NAN : write(of, value);

function write({ name, to, rounding, flush, limit, finite }: FloatFunction, value: FloatValue): Result {
  if (typeof to !== 'string') return undefined;
  if (limit === 'unit' && (value.kind === 'nan' || isNegative(value))) return 0n;
  if (limit === 'positive' && value.kind !== 'nan' && isNegative(value)) return 0n;
  const bits = writeFloat(value, to, rounding, flush && flushes(name, to));
  if (bits === undefined) return SOME_NAN;
  if (finite === true) return withoutInfinity(bits, to);
  if (limit !== 'unit') return bits;
  const one = writeFloat({ kind: 'finite', negative: false, magnitude: 1n, exponent: 0 }, to, 'rn') ?? 0n;
  return bits > one ? one : bits;
}

function sum(a: FloatValue, b: FloatValue, rounding: Rounding): FloatValue {
  if (a.kind === 'nan' || b.kind === 'nan') return { kind: 'nan' };
  if (a.kind === 'infinite') return b.kind === 'infinite' && a.negative !== b.negative ? { kind: 'nan' } : a;
  if (b.kind === 'infinite') return b;
  const exponent = Math.min(a.exponent, b.exponent);
  const signed = (value: typeof a): bigint =>
    (value.negative ? -value.magnitude : value.magnitude) << BigInt(value.exponent - exponent);
  const total = signed(a) + signed(b);
  // An exact zero of two signs is positive, but rounded down.
  if (total === 0n) return zero(a.negative === b.negative ? a.negative : rounding === 'rm');
  return { kind: 'finite', negative: total < 0n, magnitude: total < 0n ? -total : total, exponent };
}

function product(a: FloatValue, b: FloatValue): FloatValue {
  if (a.kind === 'nan' || b.kind === 'nan') return { kind: 'nan' };
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinite' || b.kind === 'infinite')
    return isZero(a) || isZero(b) ? { kind: 'nan' } : { kind: 'infinite', negative };
  return { kind: 'finite', negative, magnitude: a.magnitude * b.magnitude, exponent: a.exponent + b.exponent };
}

/** More digits than any format has: what is left over is told by `more`. */
const DIGITS = 120;

function quotient(a: FloatValue, b: FloatValue): FloatValue {
  if (a.kind === 'nan' || b.kind === 'nan') return { kind: 'nan' };
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinite') return b.kind === 'infinite' ? { kind: 'nan' } : { kind: 'infinite', negative };
  if (b.kind === 'infinite') return zero(negative);
  if (b.magnitude === 0n) return a.magnitude === 0n ? { kind: 'nan' } : { kind: 'infinite', negative };
  const shift = DIGITS + bitLength(b.magnitude);
  const dividend = a.magnitude << BigInt(shift);
  const magnitude = dividend / b.magnitude;
  const more = magnitude * b.magnitude !== dividend;
  return { kind: 'finite', negative, magnitude, exponent: a.exponent - b.exponent - shift, more };
}

function squareRoot(a: FloatValue): FloatValue {
  if (a.kind === 'nan' || isZero(a)) return a;
  if (a.negative) return { kind: 'nan' };
  if (a.kind === 'infinite') return a;
  const shift = 2 * DIGITS + (a.exponent & 1);
  const radicand = a.magnitude << BigInt(shift);
  const magnitude = integerRoot(radicand);
  const more = magnitude * magnitude !== radicand;
  return { kind: 'finite', negative: false, magnitude, exponent: (a.exponent - shift) / 2, more };
}

/** The integer part of a square root, by Newton's method. */
function integerRoot(value: bigint): bigint {
  let root = 1n << BigInt((bitLength(value) + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** Of two zeros the negative one is the smaller. */
function extreme(of: FloatFunction, a: FloatValue, b: FloatValue, bits: readonly bigint[]): FloatValue {
  if (of.xorSign !== true) return extremeOf(of, a, b);
  // Of a NaN the sign counts as well.
  const [one, other] = bits.map((operand) => operand >> BigInt(widthOf(of.from) - 1));
  return withSign(extremeOf(of, withSign(a, false), withSign(b, false)), one !== other);
}

function extremeOf({ name, quietNan = false }: FloatFunction, a: FloatValue, b: FloatValue): FloatValue {
  if (a.kind === 'nan' || b.kind === 'nan')
    return quietNan || a.kind === b.kind ? { kind: 'nan' } : a.kind === 'nan' ? b : a;
  const order = compare(a, b);
  const aIsLess = order < 0 || (order === 0 && a.negative && !b.negative);
  return aIsLess === (name === 'minimum') ? a : b;
}

/** Below 0, 0 or above, as a is less than, equal to or greater than b. */
function compare(a: Exclude<FloatValue, { kind: 'nan' }>, b: Exclude<FloatValue, { kind: 'nan' }>): number {
  const sign = (value: typeof a): number => (isZero(value) ? 0 : value.negative ? -1 : 1);
  if (sign(a) !== sign(b)) return sign(a) - sign(b);
  if (a.kind === 'infinite' || b.kind === 'infinite')
    return sign(a) * ((a.kind === 'infinite' ? 1 : 0) - (b.kind === 'infinite' ? 1 : 0));
  const difference = sum(a, withSign(b, !b.negative), 'rn');
  return isZero(difference) ? 0 : isNegative(difference) ? -1 : 1;
}

function compares(name: string, a: FloatValue, b: FloatValue): boolean {
  const unordered = a.kind === 'nan' || b.kind === 'nan';
  if (name === 'num' || name === 'nan') return unordered === (name === 'nan');
  if (a.kind === 'nan' || b.kind === 'nan') return name.endsWith('u');
  const order = compare(a, b);
  switch (name.slice(0, 2)) {
    case 'eq':
      return order === 0;
    case 'ne':
      return order !== 0;
    case 'lt':
      return order < 0;
    case 'le':
      return order <= 0;
    case 'gt':
      return order > 0;
    default:
      return order >= 0;
  }
}

/** To a whole number. */
function rounded(value: Extract<FloatValue, { kind: 'finite' }>, rounding: Rounding): FloatValue {
  return { kind: 'finite', negative: value.negative, magnitude: roundTo(value, 0, rounding), exponent: 0 };
}

/** Kept within the range of the integer; of a NaN as PTX says (cvt). */
function toInteger({ from, rounding }: FloatFunction, value: FloatValue, { width, signed }: IntegerFormat): bigint {
  const [least, most] = signed
    ? [-(1n << BigInt(width - 1)), (1n << BigInt(width - 1)) - 1n]
    : [0n, (1n << BigInt(width)) - 1n];
  if (value.kind === 'nan') return from === 'f64' || width === 64 ? 1n << BigInt(width - 1) : 0n;
  if (value.kind === 'infinite') return truncate(value.negative ? least : most, width);
  const whole = roundTo(value, 0, rounding);
  const number = value.negative ? -whole : whole;
  return truncate(number < least ? least : number > most ? most : number, width);
}
