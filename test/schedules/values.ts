/**
 * What a register holds. Up to 32 bits: a number, of 32 bits a signed one, of fewer an unsigned one, of a predicate 0
 * or 1. 64 and 128 bits: unsigned, a number where it is below 2^53, a `bigint` otherwise: addresses are numbers.
 */
export type Value = number | bigint;

export const TWO32 = 4294967296;

/** 64 bits of which two halves are given. */
export function joined(low: number, high: number): Value {
  const top = high >>> 0;
  return top < 0x200000 ? top * TWO32 + (low >>> 0) : (BigInt(top) << 32n) | BigInt(low >>> 0);
}

/** The low 32 bits, signed. */
export function low(value: Value): number {
  return typeof value === 'number' ? value | 0 : Number(BigInt.asIntN(32, value));
}

/** Bits 32 to 63, signed. */
export function high(value: Value): number {
  return typeof value === 'number' ? Math.floor(value / TWO32) | 0 : Number(BigInt.asIntN(32, value >> 32n));
}

/** As it is kept: of so many bits. */
export function kept(value: bigint, width: number): Value {
  if (width <= 32) return width === 32 ? Number(BigInt.asIntN(32, value)) : Number(BigInt.asUintN(width, value));
  const bits = BigInt.asUintN(width, value);
  return bits <= 9007199254740991n ? Number(bits) : bits;
}

/** A number of any sign as 64 bits. */
export function wide(value: number): Value {
  return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : kept(BigInt(value), 64);
}

/** The number that the bits of a register mean with or without a sign. */
export function read(value: Value, width: number, signed: boolean): Value {
  if (width < 32) {
    const bits = (value as number) & ((1 << width) - 1);
    return signed ? (bits << (32 - width)) >> (32 - width) : bits;
  }
  if (width === 32) return signed ? (value as number) | 0 : (value as number) >>> 0;
  if (!signed || (typeof value === 'number' && width > 53)) return value;
  const number = BigInt.asIntN(width, BigInt(value));
  return number >= -9007199254740991n && number <= 9007199254740991n ? Number(number) : number;
}

export function add64(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (sum <= Number.MAX_SAFE_INTEGER) return sum;
  }
  return kept(BigInt(a) + BigInt(b), 64);
}

export function sub64(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') return wide(a - b);
  return kept(BigInt(a) - BigInt(b), 64);
}

export function mul64(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (product <= Number.MAX_SAFE_INTEGER) return product;
  }
  return kept(BigInt(a) * BigInt(b), 64);
}

const word = new Int32Array(1);
const single = new Float32Array(word.buffer);
const words = new Int32Array(2);
const double = new Float64Array(words.buffer);

export function floatOf(bits: Value): number {
  word[0] = low(bits);
  return single[0]!;
}

export function bitsOfFloat(value: number): number {
  single[0] = value;
  return word[0]!;
}

export function doubleOf(bits: Value): number {
  words[0] = low(bits);
  words[1] = high(bits);
  return double[0]!;
}

export function bitsOfDouble(value: number): Value {
  double[0] = value;
  return joined(words[0]!, words[1]!);
}

/** A small float: so many bits of exponent and of mantissa (f16: 5 and 10, bf16: 8 and 7). */
export function smallFloatOf(bits: number, exponentBits: number, mantissaBits: number): number {
  const sign = (bits >>> 15) & 1 ? -1 : 1;
  const exponent = (bits >>> mantissaBits) & ((1 << exponentBits) - 1);
  const mantissa = bits & ((1 << mantissaBits) - 1);
  const bias = (1 << (exponentBits - 1)) - 1;
  if (exponent === (1 << exponentBits) - 1) return mantissa === 0 ? sign * Infinity : Number.NaN;
  if (exponent === 0) return sign * mantissa * 2 ** (1 - bias - mantissaBits);
  return sign * (1 + mantissa / (1 << mantissaBits)) * 2 ** (exponent - bias);
}

/** Rounded to the nearest, to even where two are. */
export function bitsOfSmallFloat(value: number, exponentBits: number, mantissaBits: number): number {
  const top = (1 << exponentBits) - 1;
  if (Number.isNaN(value)) return 0x7fff;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  const bias = (1 << (exponentBits - 1)) - 1;
  if (size === 0) return sign;
  let exponent = Math.max(Math.floor(Math.log2(size)), 1 - bias);
  if (2 ** exponent > size && exponent > 1 - bias) exponent--;
  const scaled = size / 2 ** (exponent - mantissaBits);
  let rounded = Math.floor(scaled);
  const rest = scaled - rounded;
  if (rest > 0.5 || (rest === 0.5 && rounded % 2 === 1)) rounded++;
  const bits = rounded + ((exponent + bias - 1) << mantissaBits);
  return sign | (bits >= top << mantissaBits ? top << mantissaBits : bits);
}
