import { type DataType, dataTypeOf, type TypeName } from '../program/data-type.js';
import type { FloatFunction } from '../program/float-function.js';
import type { Operand } from '../program/operation.js';
import { applied, formatOf, isFloat, manner, ROUNDINGS } from './float-instructions.js';
import { ANY_TARGET, type Instruction } from './instruction.js';
import { B32 } from './typed-operands.js';
import { type Form, type FormContext, values } from './value-forms.js';

/** cvt (PTX ISA, Data Movement and Conversion Instructions). */
const INTEGERS = ['u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64'] as const;
const WHOLE = ['rni', 'rzi', 'rmi', 'rpi'] as const;
/** Formats of 8 bits and fewer, of which no results are known here. */
const SMALL = ['e4m3x2', 'e5m2x2', 'e2m1x2', 'e2m3x2', 'e3m2x2', 'ue8m0x2'] as const satisfies readonly TypeName[];

const formatNamed = (name: TypeName): FloatFunction['from'] =>
  isFloat(name) ? formatOf(name) : { width: dataTypeOf(name).width, signed: dataTypeOf(name).kind === 's' };

/** Widths of both types, registers possibly wider. */
const BETWEEN = { sources: (_: DataType, source: DataType): readonly DataType[] => [source] };

/** A conversion by a function of floating-point numbers. */
const converting = (
  name: string,
  types: readonly TypeName[],
  sourceTypes: readonly TypeName[],
  needs: readonly (readonly string[])[],
  may: readonly (readonly string[])[],
): Form => ({
  types,
  sourceTypes,
  needs,
  may,
  ...BETWEEN,
  compute: ({ at, words, typeName, sourceTypeName, operands }) => {
    const [from, to] = [formatNamed(sourceTypeName), formatNamed(typeName)];
    return applied(at, { name, from, to, ...manner(words), operandCount: 1 }, operands);
  },
});

function betweenIntegers({ at, words, typeName, sourceTypeName, a }: Omit<FormContext, 'operands'>): Operand {
  const [to, from] = [dataTypeOf(typeName), dataTypeOf(sourceTypeName)];
  const source = at.of(from.width, from.kind === 's');
  if (!words.has('sat')) return source.convert(a, to.width);
  // One bit more than either has room for the numbers of both.
  const wide = at.of(65, true);
  const [least, most] =
    to.kind === 's'
      ? [-(1n << BigInt(to.width - 1)), (1n << BigInt(to.width - 1)) - 1n]
      : [0n, (1n << BigInt(to.width)) - 1n];
  return wide.convert(wide.clamp(source.convert(a, 65), least, most), to.width);
}

const FLOATS = ['f16', 'bf16', 'f32', 'f64'] as const;
/** Where every number of the one format is one of the other. */
const WIDER: readonly (readonly [TypeName, readonly TypeName[]])[] = [
  ['f32', ['f16', 'bf16']],
  ['f64', ['f16', 'f32', 'bf16']],
];
const NARROWER: readonly (readonly [TypeName, readonly TypeName[]])[] = [
  ['f16', ['f32', 'f64', 'bf16']],
  ['bf16', ['f32', 'f64', 'f16']],
  ['f32', ['f64']],
];

/** Two numbers to a packed type: the first one to the upper half. */
const PACKED: Form = {
  types: ['f16x2', 'bf16x2'],
  sourceTypes: ['f32'],
  needs: [['rn', 'rz']],
  may: [['relu'], ['satfinite']],
  operandCount: 3,
  sources: (_, source) => [source, source],
  compute: ({ at, words, typeName, a, b }) => {
    const to = formatOf(typeName);
    const of: FloatFunction = { name: 'to-float', from: 'f32', to, ...manner(words), operandCount: 1 };
    return at.of(16).concatenate([b, a].map((operand) => applied(at, of, [operand])));
  },
};

/** cvt.pack: numbers kept within the range of a type, side by side, and c above them. */
const PACK: readonly Form[] = [
  { types: ['u16', 's16'], sourceTypes: ['s32'], needs: [['sat']], operandCount: 3 },
  { types: ['u8', 's8'], sourceTypes: ['s32'], needs: [['sat'], ['b32']], operandCount: 4 },
].map(
  (form): Form => ({
    ...(form as Omit<Form, 'compute'>),
    results: () => [B32],
    sources: (_, source) => [source, source, B32],
    compute: (context) => {
      const { width } = dataTypeOf(context.typeName);
      const limited = (a: Operand): Operand => betweenIntegers({ ...context, a });
      const element = context.at.of(width);
      const both = element.concatenate([limited(context.b), limited(context.a)]);
      if (context.operands.length < 3) return both;
      return context.at.of(16).concatenate([both, context.at.of(16).element(context.c, 32, 0)]);
    },
  }),
);

/** To and from the formats of 8 bits and fewer: of the result nothing is known but that it is one. */
const unknown = (
  types: readonly TypeName[],
  sourceTypes: readonly TypeName[],
  operandCount: number,
  needs: readonly (readonly string[])[],
): Form => ({
  types,
  sourceTypes,
  needs,
  may: [['relu']],
  operandCount,
  sources: (_, source) => [source, source],
  compute: ({ at, words, type, typeName, sourceTypeName, operands }) => {
    const [from, to] = [dataTypeOf(sourceTypeName), type].map(({ width }) => ({ width, signed: false }));
    if (from === undefined || to === undefined) return undefined;
    const name = `${typeName} of ${sourceTypeName}, ${[...words].sort().join(' ')}`;
    return applied(at, { name, from, to, ...manner(words), operandCount: operands.length }, operands);
  },
});

/** Stochastic rounding, by bits of the last operand. */
const withRandomBits: Form = {
  ...unknown(['f16x2', 'bf16x2'], ['f32'], 4, [['rs']]),
  may: [['relu'], ['satfinite']],
  sources: (_, source) => [source, source, B32],
};

export const CONVERT_INSTRUCTIONS = {
  cvt: values(
    'd, a{, b}{, rbits}',
    ANY_TARGET,
    [
      { types: INTEGERS, sourceTypes: INTEGERS, may: [['sat']], operandCount: 2, ...BETWEEN, compute: betweenIntegers },
      converting('from-integer', FLOATS, INTEGERS, [ROUNDINGS], [['sat']]),
      converting('to-integer', INTEGERS, ['f32', 'f16'], [WHOLE], [['ftz'], ['sat']]),
      converting('to-integer', INTEGERS, ['f64', 'bf16'], [WHOLE], [['sat']]),
      ...WIDER.map(([type, sources]) => converting('to-float', [type], sources, [], [['ftz'], ['sat']])),
      ...NARROWER.map(([type, sources]) =>
        converting('to-float', [type], sources, [ROUNDINGS], [['ftz'], ['sat', 'relu'], ['satfinite']]),
      ),
      converting('to-float', ['tf32'], ['f32'], [['rna', 'rn', 'rz']], [['relu'], ['satfinite']]),
      ...FLOATS.flatMap((type) => [
        converting('integral', [type], [type], [WHOLE], [['ftz'], ['sat']]),
        converting('to-float', [type], [type], [], [['ftz'], ['sat']]),
      ]),
      PACKED,
      withRandomBits,
      unknown(SMALL, ['f32'], 3, [['rn', 'rz', 'rp'], ['satfinite']]),
      unknown(SMALL, ['f16x2', 'bf16x2'], 2, [['rn', 'rz', 'rp'], ['satfinite']]),
      unknown(['f16x2', 'bf16x2'], SMALL, 2, [['rn']]),
    ],
    { wider: true },
  ),
  'cvt.pack': values('d, a, b{, c}', { ptx: '6.5', target: 'sm_72' }, PACK),
} as const satisfies Record<string, Instruction>;
