import type { TypeName } from '../program/data-type.js';
import { PREDICATE } from '../program/data-type.js';
import type { FloatFormat, Rounding } from '../program/float-format.js';
import { FLOAT_FORMATS, nanBits } from '../program/float-format.js';
import type { FloatFunction } from '../program/float-function.js';
import { constant, type Operand } from '../program/operation.js';
import type { Part } from './contractible.js';
import { ANY_TARGET, FERMI, type Instruction } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { type Form, type FormContext, values } from './value-forms.js';

/** Floating-point arithmetic (PTX ISA, Floating Point, Half Precision and Mixed Precision Instructions). */
export const ROUNDINGS = ['rn', 'rz', 'rm', 'rp'] as const;
const FORMAT_OF: Readonly<Partial<Record<TypeName, FloatFormat>>> = {
  f16: 'f16',
  f16x2: 'f16',
  bf16: 'bf16',
  bf16x2: 'bf16',
  tf32: 'tf32',
  f32: 'f32',
  f32x2: 'f32',
  f64: 'f64',
};

/** The format of the numbers of a type, packed or not. */
export const formatOf = (type: TypeName): FloatFormat => FORMAT_OF[type] ?? 'f32';
export const isFloat = (type: TypeName): boolean => FORMAT_OF[type] !== undefined;
export const isPacked = (type: TypeName): boolean => type.endsWith('x2');

/** How an instruction rounds, and what it does with small and large numbers, by its words. */
export function manner(words: ReadonlySet<string>): Pick<FloatFunction, 'rounding' | 'flush' | 'limit' | 'finite'> {
  const rounding = (['rn', 'rz', 'rm', 'rp', 'rna'] as const).find((word) => words.has(word) || words.has(`${word}i`));
  return {
    rounding: rounding ?? ('rn' satisfies Rounding),
    flush: words.has('ftz'),
    limit: words.has('sat') ? 'unit' : words.has('relu') ? 'positive' : undefined,
    ...(words.has('satfinite') ? { finite: true } : {}),
  };
}

/** Applies a function to operands, or to the halves of packed ones. */
export function applyFloat(
  { at, words, typeName }: Pick<FormContext, 'at' | 'words' | 'typeName'>,
  name: string,
  operands: readonly Operand[],
  to: FloatFunction['to'] = formatOf(typeName),
): Operand {
  const from = formatOf(typeName);
  const more = words.has('NaN') ? { quietNan: true } : {};
  const sign = words.has('xorsign') ? { xorSign: true } : {};
  const of: FloatFunction = { name, from, to, ...manner(words), ...more, ...sign, operandCount: operands.length };
  return eachHalf(at, typeName, operands, (own) => applied(at, of, own), to);
}

/** What is computed from operands, or side by side from the halves of packed ones. */
function eachHalf(
  at: InstructionDecoder,
  typeName: TypeName,
  operands: readonly Operand[],
  compute: (operands: readonly Operand[]) => Operand,
  to: FloatFunction['to'] = formatOf(typeName),
): Operand {
  if (!isPacked(typeName)) return compute(operands);
  const { width } = FLOAT_FORMATS[formatOf(typeName)];
  const half = at.of(width);
  const parts = [0, 1].map((n) => compute(operands.map((operand) => half.element(operand, 2 * width, n))));
  return (typeof to === 'string' ? half : at.of(to.width)).concatenate(parts);
}

export function applied(at: InstructionDecoder, of: FloatFunction, operands: readonly Operand[]): Operand {
  return at.open(typeof of.to === 'string' ? FLOAT_FORMATS[of.to].width : of.to.width, of, operands);
}

/** A form by the function that it applies. */
const form = (
  name: string,
  types: readonly TypeName[],
  needs: readonly (readonly string[])[] = [],
  may: readonly (readonly string[])[] = [],
  part?: Part,
): Form => ({
  ...{ types, needs, may, ...(part === undefined ? {} : { part }) },
  compute: (context) => applyFloat(context, name, context.operands),
});

/** Numbers of 16 bits, and last one of .f32, to which the others are extended (PTX ISA, Mixed Precision). */
function mixed(name: string, needs: readonly (readonly string[])[], operandCount: number): Form {
  return {
    types: ['f32'],
    sourceTypes: ['f16', 'bf16'],
    needs,
    may: needs.length > 0 ? [['sat']] : [ROUNDINGS, ['sat']],
    sources: (type, source) => [...Array.from({ length: operandCount - 1 }, () => source), type],
    compute: (context) => {
      const { at, sourceTypeName, operands } = context;
      const from = formatOf(sourceTypeName);
      const extend = { name: 'to-float', from, to: 'f32', ...manner(new Set()), operandCount: 1 } as const;
      const extended = operands.map((one, i) => (i < operandCount - 1 ? applied(at, extend, [one]) : one));
      return applyFloat(context, name, extended);
    },
  };
}

const ARITHMETIC = (name: string, part: Part): readonly Form[] => [
  form(name, ['f32'], [], [ROUNDINGS, ['ftz'], ['sat']], part),
  form(name, ['f32x2'], [], [ROUNDINGS, ['ftz']], part),
  form(name, ['f64'], [], [ROUNDINGS], part),
  form(name, ['f16', 'f16x2'], [], [['rn'], ['ftz'], ['sat']], part),
  form(name, ['bf16', 'bf16x2'], [], [['rn']], part),
];

/** The least or greatest of three; of .abs nothing is known but that it is a function. */
const ofThree = (name: string): Form => ({
  types: ['f32'],
  may: [['ftz'], ['NaN'], ['abs']],
  operandCount: 4,
  compute: (context) => {
    const { a, b, c } = context;
    if (context.words.has('abs')) return applyFloat(context, `${name} of magnitudes`, [a, b, c]);
    return applyFloat(context, name, [applyFloat(context, name, [a, b]), c]);
  },
});

const EXTREMES = (name: string): readonly Form[] => [
  ofThree(name),
  form(name, ['f32', 'f16', 'f16x2'], [], [['ftz'], ['NaN']]),
  form(name, ['f32', 'f16', 'f16x2'], [['xorsign'], ['abs']], [['ftz'], ['NaN']]),
  form(name, ['bf16', 'bf16x2'], [], [['NaN']]),
  form(name, ['bf16', 'bf16x2'], [['xorsign'], ['abs']], [['NaN']]),
  form(name, ['f64']),
];

/**
 * The sign changes. Of what is no number PTX leaves open which NaN the result is (neg and abs: an unspecified NaN).
 */
function signForm(name: 'negate' | 'absolute', types: readonly TypeName[], flush: boolean): Form {
  return {
    types,
    ...(flush ? { may: [['ftz']] } : {}),
    ...(name === 'negate' ? { part: 'negation' } : {}),
    compute: ({ at, words, typeName, operands }) =>
      eachHalf(at, typeName, operands, ([a = constant(0)]) =>
        withOtherSign(at, name, formatOf(typeName), a, words.has('ftz')),
      ),
  };
}

function withOtherSign(
  at: InstructionDecoder,
  name: 'negate' | 'absolute',
  format: FloatFormat,
  a: Operand,
  flush: boolean,
): Operand {
  const { width } = FLOAT_FORMATS[format];
  const of = at.of(width);
  const sign = constant(1n << BigInt(width - 1));
  const { exponent, fraction } = nanBits(format);
  const changed = name === 'negate' ? of.xor(a, sign) : of.and(a, of.not(sign));
  const flushed = flush ? of.select(isOfClass(at, 'subnormal', format, a), of.and(changed, sign), changed) : changed;
  const unary = { from: format, to: format, ...manner(new Set()), operandCount: 1 };
  const any = applied(at, { name: `NaN of ${name}`, ...unary }, [a]);
  const least = of.select(of.equal(of.and(any, constant(fraction)), constant(0)), constant(1), constant(0));
  const nan = of.or(of.or(any, least), constant(exponent));
  return of.select(isOfClass(at, 'notanumber', format, a), nan, flushed);
}

const SIGNS = (name: 'negate' | 'absolute'): readonly Form[] => [
  signForm(name, ['f32', 'f16', 'f16x2'], true),
  signForm(name, ['f64', 'bf16', 'bf16x2'], false),
];

const CLASSES = ['finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'] as const;

/** What kind of number some bits are (PTX ISA, testp): zeros are normal. */
function isOfClass(at: InstructionDecoder, name: (typeof CLASSES)[number], format: FloatFormat, a: Operand): Operand {
  const [of, truth] = [at.of(FLOAT_FORMATS[format].width), at.of(1)];
  const { exponent, fraction } = nanBits(format);
  const isExponent = (bits: bigint): Operand => of.equal(of.and(a, constant(exponent)), constant(bits));
  const isWhole = of.equal(of.and(a, constant(fraction)), constant(0));
  const subnormal = (): Operand => truth.and(isExponent(0n), truth.not(isWhole));
  switch (name) {
    case 'finite':
      return truth.not(isExponent(exponent));
    case 'infinite':
      return truth.and(isExponent(exponent), isWhole);
    case 'notanumber':
      return truth.and(isExponent(exponent), truth.not(isWhole));
    case 'number':
      return truth.not(truth.and(isExponent(exponent), truth.not(isWhole)));
    case 'subnormal':
      return subnormal();
    case 'normal':
      return truth.not(truth.or(isExponent(exponent), subnormal()));
  }
}

const PRODUCTS_AND_SUMS: readonly Form[] = [
  form('fma', ['f32'], [ROUNDINGS], [['ftz'], ['sat']]),
  form('fma', ['f64'], [ROUNDINGS]),
];

/** The forms of instructions that there are for integers too. */
export const FLOAT_FORMS = {
  add: [...ARITHMETIC('add', 'sum'), mixed('add', [], 2)],
  sub: [...ARITHMETIC('subtract', 'difference'), mixed('subtract', [], 2)],
  mul: ARITHMETIC('multiply', 'product'),
  mad: PRODUCTS_AND_SUMS,
  div: [
    form('divide', ['f32'], [ROUNDINGS], [['ftz']]),
    form('divide', ['f64'], [ROUNDINGS]),
    form('divide approximately', ['f32'], [['approx', 'full']], [['ftz']]),
  ],
  min: EXTREMES('minimum'),
  max: EXTREMES('maximum'),
  neg: SIGNS('negate'),
  abs: SIGNS('absolute'),
} as const satisfies Record<string, readonly Form[]>;

/** Instructions of one operand whose result is known up to an error. */
const approximate = (name: string, forms: readonly Form[] = []): Instruction =>
  values('d, a', ANY_TARGET, [form(name, ['f32'], [['approx']], [['ftz']]), ...forms]);

/** 1.0. */
export const one = (format: FloatFormat): Operand =>
  constant({ f16: 0x3c00n, bf16: 0x3f80n, f32: 0x3f80_0000n, tf32: 0x3f80_0000n, f64: 0x3ff0_0000_0000_0000n }[format]);
const reciprocal = (types: readonly TypeName[], may: readonly (readonly string[])[]): Form => ({
  types,
  needs: [ROUNDINGS],
  may,
  compute: (context) => applyFloat(context, 'divide', [one(formatOf(context.typeName)), ...context.operands]),
});

export const FLOAT_INSTRUCTIONS = {
  fma: values('d, a, b, c', { ptx: '1.4; .f16 4.2; .bf16 7.0', target: 'sm_13; .f16 sm_53; .bf16 sm_80' }, [
    ...PRODUCTS_AND_SUMS,
    form('fma', ['f32x2'], [ROUNDINGS], [['ftz']]),
    form('fma', ['f16', 'f16x2'], [['rn']], [['ftz'], ['sat', 'relu']]),
    form('fma', ['f16', 'f16x2'], [['rn'], ['relu']], [['ftz']]),
    form('fma', ['bf16', 'bf16x2'], [['rn']], [['relu']]),
    form('fma out of bounds', ['f16', 'f16x2'], [['rn'], ['oob']], [['sat', 'relu']]),
    form('fma out of bounds', ['bf16', 'bf16x2'], [['rn'], ['oob']], [['relu']]),
    mixed('fma', [ROUNDINGS], 3),
  ]),
  rcp: values('d, a', ANY_TARGET, [
    reciprocal(['f32'], [['ftz']]),
    reciprocal(['f64'], []),
    form('reciprocal approximately', ['f32'], [['approx']], [['ftz']]),
    form('reciprocal approximately', ['f64'], [['approx'], ['ftz']]),
  ]),
  sqrt: values('d, a', ANY_TARGET, [
    form('square-root', ['f32'], [ROUNDINGS], [['ftz']]),
    form('square-root', ['f64'], [ROUNDINGS]),
    form('square root approximately', ['f32'], [['approx']], [['ftz']]),
  ]),
  rsqrt: approximate('reciprocal square root', [form('reciprocal square root', ['f64'], [['approx']], [['ftz']])]),
  sin: approximate('sine'),
  cos: approximate('cosine'),
  lg2: approximate('logarithm'),
  ex2: approximate('exponential', [
    form('exponential', ['f16', 'f16x2'], [['approx']]),
    form('exponential', ['bf16', 'bf16x2'], [['approx'], ['ftz']]),
  ]),
  tanh: values('d, a', { ptx: '7.0', target: 'sm_75' }, [
    form('hyperbolic tangent', ['f32', 'f16', 'f16x2', 'bf16', 'bf16x2'], [['approx']]),
  ]),
  copysign: values('d, a, b', FERMI, [form('copy-sign', ['f32', 'f64'])]),
  testp: values('p, a', FERMI, [
    {
      types: ['f32', 'f64'],
      needs: [CLASSES],
      results: () => [PREDICATE],
      compute: ({ at, words, typeName, a }) =>
        isOfClass(at, CLASSES.find((name) => words.has(name)) ?? 'finite', formatOf(typeName), a),
    },
  ]),
} as const satisfies Record<string, Instruction>;
