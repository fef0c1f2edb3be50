import type { Operation } from './integers.js';
import {
  bitsOfDouble,
  bitsOfFloat,
  bitsOfSmallFloat,
  doubleOf,
  floatOf,
  low,
  smallFloatOf,
  type Value,
} from './values.js';

/** Floating point (PTX ISA 9.7.3, 9.7.4): rounded to the nearest, whatever the instruction says; approximations too. */
interface Format {
  readonly width: number;
  readonly of: (bits: Value) => number;
  readonly bits: (value: number) => Value;
}

const FORMATS: Readonly<Record<string, Format>> = {
  f32: { width: 32, of: floatOf, bits: bitsOfFloat },
  f64: { width: 64, of: doubleOf, bits: bitsOfDouble },
  f16: { width: 16, of: (bits) => smallFloatOf(low(bits), 5, 10), bits: (value) => bitsOfSmallFloat(value, 5, 10) },
  bf16: { width: 16, of: (bits) => smallFloatOf(low(bits), 8, 7), bits: (value) => bitsOfSmallFloat(value, 8, 7) },
};

export function formatOf(type: string): Format | undefined {
  return FORMATS[type];
}

/** Numbers win over what is none. */
function choose(a: number, b: number, takesFirst: boolean): number {
  if (Number.isNaN(a)) return b;
  if (Number.isNaN(b)) return a;
  return takesFirst ? a : b;
}

const isBelow = (a: number, b: number): boolean => a < b || (a === b && Object.is(a, -0));

type Arithmetic = (a: number, b: number, c: number) => number;

const ARITHMETIC: Readonly<Record<string, Arithmetic>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  fma: (a, b, c) => a * b + c,
  mad: (a, b, c) => a * b + c,
  min: (a, b) => choose(a, b, isBelow(a, b)),
  max: (a, b) => choose(a, b, !isBelow(a, b)),
  rcp: (a) => 1 / a,
  sqrt: (a) => Math.sqrt(a),
  rsqrt: (a) => 1 / Math.sqrt(a),
  sin: (a) => Math.sin(a),
  cos: (a) => Math.cos(a),
  lg2: (a) => Math.log2(a),
  ex2: (a) => 2 ** a,
  tanh: (a) => Math.tanh(a),
};

const COUNTS: Readonly<Record<string, number>> = { fma: 3, mad: 3, add: 2, sub: 2, mul: 2, div: 2, min: 2, max: 2 };

export interface FloatOperation {
  readonly widths: readonly number[];
  readonly run: Operation;
}

/** `add.f32`, `fma.rn.f16x2`, `neg.f64`; `undefined` if there is no such operation. */
export function floatOperation(words: readonly string[], type: string): FloatOperation | undefined {
  const isPair = type.endsWith('x2');
  const format = FORMATS[isPair ? type.slice(0, -2) : type];
  const name = words[0] ?? '';
  if (format === undefined) return undefined;
  const run = signOperation(name, format) ?? rounded(name, format, words);
  if (run === undefined) return undefined;
  const widths = new Array<number>(COUNTS[name] ?? (name === 'copysign' ? 2 : 1)).fill(isPair ? 32 : format.width);
  if (!isPair) return { widths, run };
  const upper = (value: Value): number => (low(value ?? 0) >>> 16) & 0xffff;
  const lower = (value: Value): number => low(value ?? 0) & 0xffff;
  return {
    widths,
    run: (a, b, c, d) => low(run(lower(a), lower(b), lower(c), d)) | (low(run(upper(a), upper(b), upper(c), d)) << 16),
  };
}

/** What changes the sign alone. */
function signOperation(name: string, { width, of, bits }: Format): Operation | undefined {
  const signed = (value: Value, isNegative: boolean): Value => {
    const size = Math.abs(of(value));
    return bits(isNegative ? -size : size);
  };
  const isNegative = (value: Value): boolean => of(value) < 0 || Object.is(of(value), -0);
  if (width === 0) return undefined;
  if (name === 'abs') return (a) => signed(a, false);
  if (name === 'neg') return (a) => signed(a, !isNegative(a));
  if (name === 'copysign') return (a, b) => signed(b, isNegative(a));
  return undefined;
}

function rounded(name: string, { of, bits }: Format, words: readonly string[]): Operation | undefined {
  const arithmetic = ARITHMETIC[name];
  if (arithmetic === undefined) return undefined;
  const saturates = words.includes('sat');
  const relu = words.includes('relu');
  return (a, b, c) => {
    let value = arithmetic(of(a), of(b ?? 0), of(c ?? 0));
    if (saturates) value = Number.isNaN(value) ? 0 : Math.min(Math.max(value, 0), 1);
    if (relu) value = Math.max(value, 0);
    return bits(value);
  };
}

/** Comparisons of floats: those with `u` hold too where one is no number. */
export function floatComparison(name: string, type: string): ((a: Value, b: Value) => boolean) | undefined {
  const format = FORMATS[type];
  if (format === undefined) return undefined;
  const { of } = format;
  if (name === 'num') return (a, b) => !Number.isNaN(of(a)) && !Number.isNaN(of(b));
  if (name === 'nan') return (a, b) => Number.isNaN(of(a)) || Number.isNaN(of(b));
  const isUnordered = name.length === 3;
  const compare = COMPARE[isUnordered ? name.slice(0, 2) : name];
  if (compare === undefined) return undefined;
  return (a, b) => {
    const left = of(a);
    const right = of(b);
    return Number.isNaN(left) || Number.isNaN(right) ? isUnordered : compare(left, right);
  };
}

const COMPARE: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};
