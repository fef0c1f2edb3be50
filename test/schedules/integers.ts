import { add64, kept, low, mul64, read, sub64, type Value, wide } from './values.js';

/** Integer arithmetic (PTX ISA 9.7.1, 9.7.2, 9.7.7): exact by big numbers, and faster where it is often needed. */
export type Operation = (a: Value, b: Value, c: Value, d: Value) => Value;

type Exact = (a: bigint, b: bigint, c: bigint, width: number, signed: boolean) => bigint;

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const most = (a: bigint, b: bigint): bigint => (a < b ? b : a);

export function clamped(value: bigint, width: number, signed: boolean): bigint {
  const bits = BigInt(width);
  const top = signed ? (1n << (bits - 1n)) - 1n : (1n << bits) - 1n;
  return least(most(value, signed ? -top - 1n : 0n), top);
}

/** Of numbers that are read by the sign of the type. What divides by nothing is unspecified: all ones. */
const EXACT: Readonly<Record<string, Exact>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  'mul.lo': (a, b) => a * b,
  'mul.hi': (a, b, _c, width) => (a * b) >> BigInt(width),
  'mul.wide': (a, b) => a * b,
  'mad.lo': (a, b, c) => a * b + c,
  'mad.hi': (a, b, c, width) => ((a * b) >> BigInt(width)) + c,
  'mad.wide': (a, b, c) => a * b + c,
  div: (a, b) => (b === 0n ? -1n : a / b),
  rem: (a, b) => (b === 0n ? -1n : a % b),
  min: least,
  max: most,
  abs: (a) => absolute(a),
  neg: (a) => -a,
  sad: (a, b, c) => c + absolute(a - b),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  not: (a) => ~a,
  cnot: (a) => (a === 0n ? 1n : 0n),
  shl: (a, b, _c, width) => (b >= BigInt(width) ? 0n : a << b),
  shr: (a, b, _c, width) => a >> least(b, BigInt(width)),
};

/** Operands that are not of the type: an amount of bits is a number without sign, a sum may be wider. */
const WIDTHS: Readonly<Record<string, (width: number) => readonly number[]>> = {
  shl: (width) => [width, 32],
  shr: (width) => [width, 32],
  'mad.wide': (width) => [width, width, 2 * width],
};

const FAST32: Readonly<Record<string, (a: number, b: number, c: number) => number>> = {
  add: (a, b) => (a + b) | 0,
  sub: (a, b) => (a - b) | 0,
  'mul.lo': (a, b) => Math.imul(a, b),
  'mad.lo': (a, b, c) => (Math.imul(a, b) + c) | 0,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  not: (a) => ~a,
  neg: (a) => -a | 0,
  shl: (a, b) => (b >>> 0 > 31 ? 0 : a << b),
};
const FAST32_SIGNED: typeof FAST32 = {
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
  shr: (a, b) => a >> Math.min(b >>> 0, 31),
};
const FAST32_UNSIGNED: typeof FAST32 = {
  min: (a, b) => (a >>> 0 < b >>> 0 ? a : b),
  max: (a, b) => (a >>> 0 < b >>> 0 ? b : a),
  shr: (a, b) => (b >>> 0 > 31 ? 0 : (a >>> b) | 0),
  div: (a, b) => (b === 0 ? -1 : ((a >>> 0) / (b >>> 0)) | 0),
  rem: (a, b) => (b === 0 ? -1 : ((a >>> 0) % (b >>> 0)) | 0),
};
const FAST64: Readonly<Record<string, Operation>> = {
  add: (a, b) => add64(a, b),
  sub: (a, b) => sub64(a, b),
  'mul.lo': (a, b) => mul64(a, b),
  'mad.lo': (a, b, c) => add64(mul64(a, b), c),
  shl: (a, b) => {
    const amount = (b as number) >>> 0;
    if (amount > 63) return 0;
    const shifted = typeof a === 'number' ? a * 2 ** amount : Number.POSITIVE_INFINITY;
    return shifted <= Number.MAX_SAFE_INTEGER ? shifted : kept(BigInt(a) << BigInt(amount), 64);
  },
};

function fast(name: string, width: number, signed: boolean): Operation | undefined {
  if (width === 64) return FAST64[name];
  if (name === 'mul.wide' && width === 32)
    return signed
      ? (a, b) =>
          Math.abs((a as number) * (b as number)) <= 2 ** 53 ? wide((a as number) * (b as number)) : slow(a, b)
      : (a, b) => mul64((a as number) >>> 0, (b as number) >>> 0);
  if (width !== 32) return undefined;
  return (FAST32[name] ?? (signed ? FAST32_SIGNED : FAST32_UNSIGNED)[name]) as Operation | undefined;
}

function slow(a: Value, b: Value): Value {
  return kept(BigInt(a) * BigInt(b), 64);
}

export interface Integer {
  readonly widths: readonly number[];
  readonly run: Operation;
}

/** `add`, `mul.hi`, ... of a width, or `undefined` if there is no such operation. */
export function integer(name: string, width: number, signed: boolean, saturates = false): Integer | undefined {
  const exact = EXACT[name];
  if (exact === undefined) return undefined;
  const widths = WIDTHS[name]?.(width) ?? [width, width, width];
  const quick = saturates ? undefined : fast(name, width, signed);
  if (quick !== undefined) return { widths, run: quick };
  const result = name.endsWith('.wide') ? 2 * width : width;
  const [first = width, second = width, third = width] = widths;
  const isAmount = name === 'shl' || name === 'shr';
  return {
    widths,
    run: (a, b, c) => {
      const left = BigInt(read(a, first, signed));
      const right = BigInt(read(b ?? 0, second, signed && !isAmount));
      const value = exact(left, right, BigInt(read(c ?? 0, third, signed)), width, signed);
      return kept(saturates ? clamped(value, width, signed) : value, result);
    },
  };
}

/** How many operands an operation takes. */
export function countOf(name: string): number {
  if (/^(abs|neg|not|cnot)$/.test(name)) return 1;
  return /^(mad\.|sad)/.test(name) ? 3 : 2;
}

/** Whether a comparison of integers holds; `lo ls hi hs` are those without sign. */
export function comparison(
  name: string,
  width: number,
  signed: boolean,
): ((a: Value, b: Value) => boolean) | undefined {
  const compare = COMPARE[name];
  if (compare === undefined) return undefined;
  const isUnsigned = /^(lo|ls|hi|hs)$/.test(name) || !signed;
  if (width === 32 && !isUnsigned) return compare;
  return (a, b) => compare(read(a, width, !isUnsigned), read(b, width, !isUnsigned));
}

const COMPARE: Readonly<Record<string, (a: Value, b: Value) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  lo: (a, b) => a < b,
  ls: (a, b) => a <= b,
  hi: (a, b) => a > b,
  hs: (a, b) => a >= b,
};

/** Both halves of a word by themselves. */
export function byHalves(run: Operation): Operation {
  return (a, b, c, d) => {
    const lower = run(low(a) & 0xffff, low(b ?? 0) & 0xffff, low(c ?? 0) & 0xffff, d);
    const upper = run((low(a) >>> 16) & 0xffff, low(b ?? 0) >>> 16, low(c ?? 0) >>> 16, d);
    return ((lower as number) & 0xffff) | ((upper as number) << 16);
  };
}
