/** Binary floating-point formats (IEEE 754; PTX ISA, Fundamental Types and Alternate Floating-Point Data Formats). */
export const FLOAT_FORMATS = {
  f16: { width: 16, exponentBits: 5, fractionBits: 10 },
  bf16: { width: 16, exponentBits: 8, fractionBits: 7 },
  f32: { width: 32, exponentBits: 8, fractionBits: 23 },
  /** An f32 whose low 13 bits do not count. */
  tf32: { width: 32, exponentBits: 8, fractionBits: 10 },
  f64: { width: 64, exponentBits: 11, fractionBits: 52 },
} as const satisfies Readonly<Record<string, FloatLayout>>;
export type FloatFormat = keyof typeof FLOAT_FORMATS;

interface FloatLayout {
  readonly width: number;
  readonly exponentBits: number;
  readonly fractionBits: number;
}

/** To the nearest with ties to even, towards zero, minus and plus infinity; to the nearest with ties away from zero. */
export type Rounding = 'rn' | 'rz' | 'rm' | 'rp' | 'rna';

/** A number, magnitude * 2^exponent, exactly; zeros and infinities have a sign. */
export type FloatValue =
  | { readonly kind: 'nan' }
  | { readonly kind: 'infinite'; readonly negative: boolean }
  | {
      readonly kind: 'finite';
      readonly negative: boolean;
      readonly magnitude: bigint;
      readonly exponent: number;
      /** The number is a little more than that. */
      readonly more?: boolean;
    };

export const zero = (negative: boolean): FloatValue => ({ kind: 'finite', negative, magnitude: 0n, exponent: 0 });
export const isZero = (value: FloatValue): boolean => value.kind === 'finite' && value.magnitude === 0n;
export const isNegative = (value: FloatValue): boolean => value.kind !== 'nan' && value.negative;
export const withSign = <V extends FloatValue>(value: V, negative: boolean): V =>
  value.kind === 'nan' ? value : { ...value, negative };

const biasOf = ({ exponentBits }: FloatLayout): number => 2 ** (exponentBits - 1) - 1;
const ones = (count: number): bigint => (1n << BigInt(count)) - 1n;
/** The place of the fraction in the bits: of a tf32 not at the bottom. */
const lowestBit = ({ width, exponentBits, fractionBits }: FloatLayout): number =>
  width - 1 - exponentBits - fractionBits;

/** The number that a bit pattern stands for; `flush`: subnormal numbers are zero (.ftz). */
export function readFloat(bits: bigint, format: FloatFormat, flush = false): FloatValue {
  const layout: FloatLayout = FLOAT_FORMATS[format];
  const { width, exponentBits, fractionBits } = layout;
  const digits = bits >> BigInt(lowestBit(layout));
  const fraction = digits & ones(fractionBits);
  const field = Number((digits >> BigInt(fractionBits)) & ones(exponentBits));
  const negative = ((bits >> BigInt(width - 1)) & 1n) === 1n;
  if (field === Number(ones(exponentBits))) return fraction === 0n ? { kind: 'infinite', negative } : { kind: 'nan' };
  const smallest = 1 - biasOf(layout) - fractionBits;
  if (field === 0)
    return flush ? zero(negative) : { kind: 'finite', negative, magnitude: fraction, exponent: smallest };
  const magnitude = fraction | (1n << BigInt(fractionBits));
  return { kind: 'finite', negative, magnitude, exponent: smallest + field - 1 };
}

/** The NaN that arithmetic gives; of f64 and tf32 PTX does not say which. */
const CANONICAL_NAN: Readonly<Partial<Record<FloatFormat, bigint>>> = {
  f16: 0x7fffn,
  bf16: 0x7fffn,
  f32: 0x7fff_ffffn,
};

/** What is no number has all bits of the exponent, and one of the fraction at least. */
export function nanBits(format: FloatFormat): { readonly exponent: bigint; readonly fraction: bigint } {
  const layout = FLOAT_FORMATS[format];
  const lowest = BigInt(lowestBit(layout));
  const { exponentBits, fractionBits } = layout;
  return {
    exponent: ones(exponentBits) << (lowest + BigInt(fractionBits)),
    fraction: ones(fractionBits) << lowest,
  };
}

/** The greatest number of that sign in place of an infinite one. */
export function withoutInfinity(bits: bigint, format: FloatFormat): bigint {
  const layout: FloatLayout = FLOAT_FORMATS[format];
  const infinite = nanBits(format).exponent;
  return (bits & ones(layout.width - 1)) === infinite ? bits - (1n << BigInt(lowestBit(layout))) : bits;
}

/** The bit pattern of a number, rounded; undefined of a NaN where PTX leaves open which. */
export function writeFloat(
  value: FloatValue,
  format: FloatFormat,
  rounding: Rounding,
  flush = false,
): bigint | undefined {
  const layout: FloatLayout = FLOAT_FORMATS[format];
  const { width, exponentBits, fractionBits } = layout;
  const assemble = (negative: boolean, digits: bigint): bigint =>
    ((negative ? 1n : 0n) << BigInt(width - 1)) | (digits << BigInt(lowestBit(layout)));
  if (value.kind === 'nan') return CANONICAL_NAN[format];
  const { negative } = value;
  const infinite = assemble(negative, ones(exponentBits) << BigInt(fractionBits));
  if (value.kind === 'infinite') return infinite;
  const digits = roundedTo(value, layout, rounding);
  if (digits >= ones(exponentBits) << BigInt(fractionBits)) {
    const away =
      rounding === 'rn' || rounding === 'rna' || (rounding === 'rm' && negative) || (rounding === 'rp' && !negative);
    return away ? infinite : infinite - (1n << BigInt(lowestBit(layout)));
  }
  return assemble(negative, flush && digits < 1n << BigInt(fractionBits) ? 0n : digits);
}

/** Exponent field and fraction of a finite number, as one number: rounding up carries into the exponent. */
function roundedTo(value: Extract<FloatValue, { kind: 'finite' }>, layout: FloatLayout, rounding: Rounding): bigint {
  const { fractionBits } = layout;
  if (value.magnitude === 0n && value.more !== true) return 0n;
  const smallest = 1 - biasOf(layout) - fractionBits;
  const highest = value.exponent + bitLength(value.magnitude) - 1;
  const quantum = Math.max(highest - fractionBits, smallest);
  const kept = roundTo(value, quantum, rounding);
  // A subnormal number has field 0 and no hidden one; the hidden one of others adds 1 to the field before theirs.
  return (BigInt(quantum - smallest) << BigInt(fractionBits)) + kept;
}

/** A number rounded to a multiple of 2^quantum, as that multiple. */
export function roundTo(
  { magnitude, exponent, negative, more = false }: Extract<FloatValue, { kind: 'finite' }>,
  quantum: number,
  rounding: Rounding,
): bigint {
  if (quantum <= exponent) return magnitude << BigInt(exponent - quantum);
  const dropped = BigInt(quantum - exponent);
  const kept = magnitude >> dropped;
  const rest = magnitude & ((1n << dropped) - 1n);
  const half = 1n << (dropped - 1n);
  const inexact = rest !== 0n || more;
  const up = {
    rn: rest > half || (rest === half && (more || (kept & 1n) === 1n)),
    rna: rest >= half,
    rz: false,
    rm: negative && inexact,
    rp: !negative && inexact,
  }[rounding];
  return up ? kept + 1n : kept;
}

export const bitLength = (value: bigint): number => (value === 0n ? 0 : value.toString(2).length);

/** The bits of a number, rounded to .f32 or .f64 by their width. */
export function bitsOfNumber(value: number, width: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (width === 64) view.setFloat64(0, value);
  else view.setFloat32(0, value);
  return width === 64 ? view.getBigUint64(0) : BigInt(view.getUint32(0));
}

/** The number that bits of .f32 or .f64 stand for. */
export function numberOfBits(bits: bigint, width: number): number {
  const view = new DataView(new ArrayBuffer(8));
  if (width === 64) view.setBigUint64(0, bits);
  else view.setUint32(0, Number(bits));
  return width === 64 ? view.getFloat64(0) : view.getFloat32(0);
}
