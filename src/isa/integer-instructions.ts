import { type DataType, PREDICATE, type TypeName } from '../program/data-type.js';
import { constant, type Operand, register } from '../program/operation.js';
import { ANY_TARGET, FERMI, type Instruction } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import type { StepNumbers } from './numbers.js';
import { U32 } from './typed-operands.js';
import { type Form, type FormContext, values } from './value-forms.js';

/** Integer arithmetic (PTX ISA, Integer Arithmetic and Extended-Precision Arithmetic Instructions). */
export const WORDS = ['u16', 'u32', 'u64', 's16', 's32', 's64'] as const satisfies readonly TypeName[];
const HALVES = ['u16x2', 's16x2'] as const;

/** An operation on the half-words of packed operands, each by itself. */
function eachHalf(
  { at, operands, typeName }: FormContext,
  operation: (of: StepNumbers, halves: readonly Operand[]) => Operand,
): Operand {
  const half = at.of(16, typeName === 's16x2');
  const parts = [0, 1].map((n) =>
    operation(
      half,
      operands.map((operand) => half.element(operand, 32, n)),
    ),
  );
  return half.concatenate(parts);
}

/** A form whose operands are of one type. */
const plain = (types: readonly TypeName[], compute: (context: FormContext) => Operand): Form => ({ types, compute });

const packed = (operation: (of: StepNumbers, a: Operand, b: Operand) => Operand): Form => ({
  types: HALVES,
  compute: (context) => eachHalf(context, (of, [a = constant(0), b = constant(0)]) => operation(of, a, b)),
});

const MOST = 2n ** 31n - 1n;

/** A sum of 32-bit signed numbers, kept within their range (.sat). */
function saturated(
  at: InstructionDecoder,
  sum: (wide: StepNumbers, extend: (a: Operand) => Operand) => Operand,
): Operand {
  const wide = at.of(64, true);
  const extend = (a: Operand): Operand => at.of(32, true).convert(a, 64);
  return wide.convert(wide.clamp(sum(wide, extend), -MOST - 1n, MOST), 32);
}

const sumOf = (operation: 'add' | 'subtract'): Form => ({
  types: ['s32'],
  needs: [['sat']],
  compute: ({ at, a, b }) => saturated(at, (wide, extend) => wide[operation](extend(a), extend(b))),
});

/** The condition code: a carry, or of a subtraction a borrow, and which of them it is (PTX ISA, CC.CF). */
const FLAG = { value: '#CF', kind: '#CF.kind' } as const;
const CARRY = 1;
const BORROW = 2;
const KIND: DataType = { kind: 'b', width: 2 };

/** An addition or subtraction that takes, or leaves, a carry; the text does not say what carries and borrows mix to. */
function withCarry(
  { at, type, words, a, b }: Omit<FormContext, 'operands'>,
  kind: typeof CARRY | typeof BORROW,
  takes: boolean,
): Operand {
  const { width } = type;
  const wide = at.of(width + 1);
  const last = takes ? register(FLAG.value) : constant(0);
  const sum = kind === CARRY ? wide.add(wide.add(a, b), last) : wide.subtract(wide.subtract(a, b), last);
  const before = at.decoder.flagKind;
  const known: Operand =
    !takes || before !== undefined
      ? constant(!takes || before === kind ? 1 : 0)
      : at.of(KIND.width).equal(register(FLAG.kind), constant(kind));
  if (takes || words.has('cc')) {
    at.hidden(FLAG.value, PREDICATE);
    at.hidden(FLAG.kind, KIND);
  }
  const exact = wide.convert(sum, width);
  const result = at.of(width).where(known, exact);
  if (!words.has('cc')) return result;
  at.decoder.flagKind = at.guard === undefined ? kind : undefined;
  // The results are read before they are written: the sum is a register of our own.
  const kept = at.temporary(type);
  at.result(kept, type, result);
  const out = wide.shiftRight(sum, constant(width), 1);
  at.result(FLAG.value, PREDICATE, at.of(1).where(known, out));
  at.result(FLAG.kind, KIND, constant(kind));
  return register(kept);
}

const EXTENDED = ['u32', 's32', 'u64', 's64'] as const;
const withFlag = (kind: typeof CARRY | typeof BORROW, takes: boolean): Form => ({
  types: EXTENDED,
  ...(takes ? { may: [['cc']] } : { needs: [['cc']] }),
  compute: (context) => withCarry(context, kind, takes),
});

/** The low or the high half of a product, and c added to it. */
const productAndSum = (needs: readonly (readonly string[])[], takes: boolean): Form => ({
  types: EXTENDED,
  needs: [['lo', 'hi'], ...needs],
  ...(takes ? { may: [['cc']] } : {}),
  compute: (context) => withCarry({ ...context, a: half(context), b: context.c }, CARRY, takes),
});

const half = ({ words, of, a, b }: FormContext): Operand =>
  words.has('hi') ? of.multiplyHigh(a, b) : of.multiply(a, b);

/** The wide product of 16 or 32 bits. */
const WIDE = ['u16', 'u32', 's16', 's32'] as const;
const twice = ({ kind, width }: DataType): DataType => ({ kind, width: 2 * width });

/** The product of the low 24 bits, as 48 bits: .lo is bits 0 to 31, .hi bits 16 to 47. */
function product24({ at, type, words, a, b }: FormContext): Operand {
  const signed = type.kind === 's';
  const low = at.of(24, signed);
  const wide = at.of(64, signed);
  const product = wide.multiply(low.convert(a, 64), low.convert(b, 64));
  return wide.shiftRight(product, constant(words.has('hi') ? 16 : 0), 32);
}

const SIGNED = ['s16', 's32', 's64'] as const;

/** A sum of products of bytes, or of half-words of a and bytes of b, each extended by its own type. */
const dotProduct = (
  at: InstructionDecoder,
  [a, b, c]: readonly [Operand, Operand, Operand],
  [ofA, ofB]: readonly [StepNumbers, StepNumbers],
  pairs: readonly (readonly [number, number])[],
): Operand => {
  const word = at.of(32);
  return pairs.reduce((sum, [i, j]) => {
    const left = ofA.convert(ofA.element(a, 32, i), 32);
    const right = ofB.convert(ofB.element(b, 32, j), 32);
    return word.add(sum, word.multiply(left, right));
  }, c);
};

const dot = (
  elementBits: number,
  pairs: (words: ReadonlySet<string>) => readonly (readonly [number, number])[],
): Form => ({
  types: ['u32', 's32'],
  sourceTypes: ['u32', 's32'],
  ...(elementBits === 16 ? { needs: [['lo', 'hi']] } : {}),
  sources: (type, source) => [type, source, U32],
  compute: ({ at, words, typeName, sourceTypeName, a, b, c }) =>
    dotProduct(
      at,
      [a, b, c],
      [at.of(elementBits, typeName === 's32'), at.of(8, sourceTypeName === 's32')],
      pairs(words),
    ),
});

const relu = (of: StepNumbers, a: Operand): Operand => of.maximum(a, constant(0));
const clipped = (operation: 'minimum' | 'maximum'): readonly Form[] => [
  plain(WORDS, ({ of, a, b }) => of[operation](a, b)),
  packed((of, a, b) => of[operation](a, b)),
  { types: ['s32'], needs: [['relu']], compute: ({ of, a, b }) => relu(of, of[operation](a, b)) },
  {
    types: ['s16x2'],
    needs: [['relu']],
    compute: (context) => eachHalf(context, (of, [a = constant(0), b = constant(0)]) => relu(of, of[operation](a, b))),
  },
];

export const INTEGER_FORMS = {
  add: [
    plain(WORDS, ({ of, a, b }) => of.add(a, b)),
    packed((of, a, b) => of.add(a, b)),
    sumOf('add'),
    withFlag(CARRY, false),
  ],
  sub: [plain(WORDS, ({ of, a, b }) => of.subtract(a, b)), sumOf('subtract'), withFlag(BORROW, false)],
  mul: [
    { ...plain(WORDS, ({ of, a, b }) => of.multiply(a, b)), needs: [['lo']] },
    { ...plain(WORDS, ({ of, a, b }) => of.multiplyHigh(a, b)), needs: [['hi']] },
    { ...plain(WIDE, ({ of, a, b }) => of.multiplyWide(a, b)), needs: [['wide']], results: (type) => [twice(type)] },
  ],
  mad: [
    { ...plain(WORDS, ({ of, a, b, c }) => of.add(of.multiply(a, b), c)), needs: [['lo']] },
    { ...plain(WORDS, ({ of, a, b, c }) => of.add(of.multiplyHigh(a, b), c)), needs: [['hi']] },
    {
      types: WIDE,
      needs: [['wide']],
      results: (type) => [twice(type)],
      sources: (type) => [type, type, twice(type)],
      compute: ({ at, of, a, b, c }) => at.of(2 * of.width).add(of.multiplyWide(a, b), c),
    },
    {
      types: ['s32'],
      needs: [['hi'], ['sat']],
      compute: ({ at, of, a, b, c }) =>
        saturated(at, (wide, extend) => wide.add(extend(of.multiplyHigh(a, b)), extend(c))),
    },
    productAndSum([['cc']], false),
  ],
  div: [plain(WORDS, ({ of, a, b }) => of.divide('divide', a, b))],
  neg: [plain(SIGNED, ({ of, a }) => of.subtract(constant(0), a))],
  abs: [plain(SIGNED, ({ of, a }) => of.select(of.less(a, constant(0)), of.subtract(constant(0), a), a))],
  min: clipped('minimum'),
  max: clipped('maximum'),
} as const satisfies Record<string, readonly Form[]>;

const FOUR = 'd, a, b, c';

/** Instructions that there are for integers only. */
export const INTEGER_INSTRUCTIONS = {
  addc: values('d, a, b', { ptx: '1.2; 64 bits 4.3', target: 'sm_10' }, [withFlag(CARRY, true)]),
  subc: values('d, a, b', { ptx: '3.0; 64 bits 4.3', target: 'sm_10' }, [withFlag(BORROW, true)]),
  madc: values(FOUR, { ptx: '3.0; 64 bits 4.3', target: 'sm_20' }, [productAndSum([], true)]),
  mul24: values('d, a, b', ANY_TARGET, [{ types: ['u32', 's32'], needs: [['lo', 'hi']], compute: product24 }]),
  mad24: values(FOUR, ANY_TARGET, [
    {
      types: ['u32', 's32'],
      needs: [['lo', 'hi']],
      compute: (context) => context.of.add(product24(context), context.c),
    },
    {
      types: ['s32'],
      needs: [['hi'], ['sat']],
      compute: (context) =>
        saturated(context.at, (wide, extend) => wide.add(extend(product24(context)), extend(context.c))),
    },
  ]),
  rem: values('d, a, b', ANY_TARGET, [plain(WORDS, ({ of, a, b }) => of.divide('remainder', a, b))]),
  sad: values(FOUR, ANY_TARGET, [
    plain(WORDS, ({ of, a, b, c }) => of.add(c, of.select(of.less(a, b), of.subtract(b, a), of.subtract(a, b)))),
  ]),
  dp4a: values(FOUR, { ptx: '5.0', target: 'sm_61' }, [dot(8, () => [0, 1, 2, 3].map((i) => [i, i] as const))]),
  dp2a: values(FOUR, { ptx: '5.0', target: 'sm_61' }, [
    dot(16, (words) => {
      const first = words.has('hi') ? 2 : 0;
      return [
        [0, first],
        [1, first + 1],
      ];
    }),
  ]),
  popc: values('d, a', FERMI, [{ ...plain(['b32', 'b64'], ({ of, a }) => of.countOnes(a)), results: () => [U32] }]),
} as const satisfies Record<string, Instruction>;
