import { dataTypeOf, PREDICATE, type TypeName } from '../program/data-type.js';
import { FLOAT_COMPARISONS } from '../program/float-function.js';
import { constant, type Operand } from '../program/operation.js';
import { applyFloat, formatOf, isFloat, isPacked, one } from './float-instructions.js';
import { ANY_TARGET, type Instruction } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { WORDS } from './integer-instructions.js';
import type { StepNumbers } from './numbers.js';
import { type Form, type FormContext, values } from './value-forms.js';

/** setp, set, selp, slct (PTX ISA, Comparison and Selection Instructions). */
const BITS = ['b16', 'b32', 'b64'] as const;
const COMBINATIONS = ['and', 'or', 'xor'] as const;
const ONE_BIT = { width: 1, signed: false };

/** Integer comparisons by what they are made of: less, equal or less-or-equal; perhaps swapped, or negated. */
const COMPARISONS = {
  eq: ['equal', false, false],
  ne: ['equal', false, true],
  lt: ['less', false, false],
  le: ['lessOrEqual', false, false],
  gt: ['less', true, false],
  ge: ['lessOrEqual', true, false],
  lo: ['less', false, false],
  ls: ['lessOrEqual', false, false],
  hi: ['less', true, false],
  hs: ['lessOrEqual', true, false],
} as const satisfies Record<string, readonly [keyof StepNumbers, swapped: boolean, negated: boolean]>;
export type Comparison = keyof typeof COMPARISONS;

/** Whether two numbers compare so. */
export function compare(of: StepNumbers, comparison: Comparison, a: Operand, b: Operand): Operand {
  const [name, swapped, negated] = COMPARISONS[comparison];
  const holds = swapped ? of[name](b, a) : of[name](a, b);
  return negated ? of.at.of(1).not(holds) : holds;
}

/** The results of a comparison: one, of packed operands one for each half. */
function compared(context: FormContext): readonly Operand[] {
  const { words, at, sourceTypeName: typeName, a, b } = context;
  const word = [...words].find((one) => one in COMPARISONS || (FLOAT_COMPARISONS as readonly string[]).includes(one));
  if (!isFloat(typeName)) return [compare(ofSource(context), (word ?? 'eq') as Comparison, a, b)];
  const both = applyFloat({ at, words, typeName }, word ?? 'eq', [a, b], ONE_BIT);
  return isPacked(typeName) ? [0, 1].map((n) => at.of(1).element(both, 2, n)) : [both];
}

/** A comparison is of the second type, where there are two. */
const ofSource = ({ at, sourceTypeName }: FormContext): StepNumbers =>
  at.of(dataTypeOf(sourceTypeName).width, sourceTypeName.startsWith('s'));

/** With a third operand, a predicate, the results are combined with it. */
function combined({ at, words, operands }: FormContext, results: readonly Operand[]): readonly Operand[] {
  const [, , third] = operands;
  const combination = COMBINATIONS.find((word) => words.has(word));
  if (third === undefined || combination === undefined) return results;
  return results.map((result) => at.of(1)[combination](result, third));
}

export const INTEGER_COMPARISONS = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const;
const UNSIGNED_COMPARISONS = [...INTEGER_COMPARISONS, 'lo', 'ls', 'hi', 'hs'] as const;

/** What compares with what: untyped bits as equal or not only, unsigned numbers also as lower and higher. */
const COMPARABLE: readonly {
  readonly types: readonly TypeName[];
  readonly by: readonly string[];
  readonly flush?: true;
}[] = [
  { types: BITS, by: ['eq', 'ne'] },
  { types: ['s16', 's32', 's64'], by: INTEGER_COMPARISONS },
  { types: ['u16', 'u32', 'u64'], by: UNSIGNED_COMPARISONS },
  { types: ['f32', 'f16', 'f16x2'], by: FLOAT_COMPARISONS, flush: true },
  { types: ['f64', 'bf16', 'bf16x2'], by: FLOAT_COMPARISONS },
];

/** The forms of an instruction that compares, without and with a predicate to combine with. */
const comparing = (
  formOf: (comparable: (typeof COMPARABLE)[number]) => Omit<Form, 'compute' | 'needs' | 'may'> & Pick<Form, 'compute'>,
): readonly Form[] =>
  COMPARABLE.flatMap((comparable) => {
    const form = formOf(comparable);
    const may = comparable.flush === undefined ? [] : [['ftz']];
    return [
      { ...form, needs: [comparable.by], may, operandCount: 3 },
      { ...form, needs: [comparable.by, COMBINATIONS], may, operandCount: 4 },
    ];
  });

const setp = comparing(({ types }) => ({
  types,
  results: () => [PREDICATE, PREDICATE],
  sources: (type) => [type, type, PREDICATE],
  compute: (context) => {
    const results = compared(context);
    const [first, second] = results;
    if (first === undefined) return undefined;
    // The second predicate is that of the other half, or the opposite.
    return combined(context, [first, second ?? context.at.of(1).not(first)]);
  },
}));

const SET_RESULTS = ['u32', 's32', 'f32'] as const;
const HALF_RESULTS = ['f16', 'f16x2', 'bf16', 'bf16x2', 'u16', 's16', 'u32', 's32'] as const;
const set = comparing(({ types }) => ({
  types: types.some((type) => /16/.test(type) && isFloat(type))
    ? [...new Set([...HALF_RESULTS, ...SET_RESULTS])]
    : SET_RESULTS,
  sourceTypes: types,
  sources: (_, source) => [source, source, PREDICATE],
  compute: (context) => {
    const results = combined(context, compared(context));
    return context.at
      .of(context.type.width / results.length)
      .concatenate(results.map((holds) => truth(context, holds, results.length)));
  },
}));

/** All ones or 1.0 for true. */
function truth({ at, type, typeName }: FormContext, holds: Operand, parts: number): Operand {
  const of = at.of(type.width / parts);
  return of.select(holds, isFloat(typeName) ? one(formatOf(typeName)) : of.number(-1), constant(0));
}

const MOVED = [...BITS, ...WORDS, 'f32', 'f64'] as const;

/** Whether an operand that selects is not negative; -0 is not, a NaN is. */
function isNotNegative(at: InstructionDecoder, words: ReadonlySet<string>, typeName: TypeName, c: Operand): Operand {
  if (typeName === 's32') return at.of(32, true).lessOrEqual(constant(0), c);
  return applyFloat({ at, words, typeName }, 'ge', [c, constant(0)], ONE_BIT);
}

const slct = (sourceType: 's32' | 'f32'): Form => ({
  types: MOVED,
  sourceTypes: [sourceType],
  may: sourceType === 'f32' ? [['ftz']] : [],
  sources: (type, source) => [type, type, source],
  compute: ({ at, words, of, a, b, c }) => of.select(isNotNegative(at, words, sourceType, c), a, b),
});

export const COMPARE_INSTRUCTIONS = {
  setp: values('p{|q}, a, b{, {!}c}', ANY_TARGET, setp),
  set: values('d, a, b{, {!}c}', ANY_TARGET, set),
  selp: values('d, a, b, c', ANY_TARGET, [
    { types: MOVED, sources: (type) => [type, type, PREDICATE], compute: ({ of, a, b, c }) => of.select(c, a, b) },
  ]),
  slct: values('d, a, b, c', ANY_TARGET, [slct('s32'), slct('f32')]),
} as const satisfies Record<string, Instruction>;
