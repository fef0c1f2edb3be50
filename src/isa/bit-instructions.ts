import { PREDICATE } from '../program/data-type.js';
import { constant, type Operand } from '../program/operation.js';
import { ANY_TARGET, FERMI, type Instruction } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import type { StepNumbers } from './numbers.js';
import { U32 } from './typed-operands.js';
import { type Form, type FormContext, values } from './value-forms.js';

/** Instructions on bits (PTX ISA, Integer Arithmetic, Logic and Shift Instructions; prmt, Data Movement). */
const SM_70 = { ptx: '7.6', target: 'sm_70' };

const all = (width: number): Operand => constant((1n << BigInt(width)) - 1n);
/** The low 8 bits of an operand, as an amount of 32 bits. */
const amount = (at: InstructionDecoder, a: Operand): Operand => at.of(8).convert(a, 32);
/** So many ones, the lowest bits; all of them where that is more than there are. */
const ones = (of: StepNumbers, count: Operand): Operand => of.subtract(of.shiftLeft(constant(1), count), constant(1));
/** The low bits of a number extended by their highest one to all of it; `count` is between 1 and the width. */
function extended(of: StepNumbers, a: Operand, count: Operand): Operand {
  const unused = of.at.of(32).subtract(constant(of.width), count);
  return of.shiftRight(of.shiftLeft(a, unused), unused);
}

function extractField({ at, of, a, b: position, c: length }: FormContext): Operand {
  const word = at.of(32);
  const count = amount(at, length);
  const field = of.shiftRight(a, amount(at, position));
  if (!of.signed) return of.and(field, ones(of, count));
  const within = word.clamp(count, 1n, BigInt(of.width));
  return of.select(word.equal(count, constant(0)), constant(0), extended(of, field, within));
}

function insertField({ at, of, a, b, c: position, d: length }: FormContext): Operand {
  const by = amount(at, position);
  const field = of.shiftLeft(ones(of, amount(at, length)), by);
  return of.or(of.and(b, of.not(field)), of.and(of.shiftLeft(a, by), field));
}

/** The index of the highest bit that differs from the sign; all ones where there is none. */
function highestBit({ at, words, of, a }: FormContext): Operand {
  const zeros = of.leadingZeros(of.signed ? of.xor(a, of.shiftRight(a, constant(of.width))) : a);
  const word = at.of(32);
  if (!words.has('shiftamt')) return word.subtract(constant(of.width - 1), zeros);
  return word.select(word.equal(zeros, constant(of.width)), all(32), zeros);
}

function extendBits({ at, words, of, a, b }: FormContext): Operand {
  const unsigned = at.of(32);
  const count = words.has('wrap') ? unsigned.and(b, constant(31)) : b;
  const within = unsigned.clamp(count, 1n, 32n);
  return of.select(unsigned.equal(count, constant(0)), constant(0), extended(of, a, within));
}

function bitMask({ words, of, a, b }: FormContext): Operand {
  const taken = (operand: Operand): Operand => (words.has('wrap') ? of.and(operand, constant(31)) : operand);
  return of.shiftLeft(ones(of, taken(b)), taken(a));
}

/** The offset-th 1 of a mask from a base on, upwards or downwards; the base itself counts (PTX ISA, fns). */
function findNthSet({ at, of, a: mask, b: base, c: offset }: FormContext): Operand {
  const signed = at.of(32, true);
  const upwards = signed.less(constant(0), offset);
  const downwards = signed.less(offset, constant(0));
  const from = of.shiftLeft(all(32), base);
  const upTo = of.not(of.shiftLeft(constant(0xffff_fffen), base));
  const there = of.select(upwards, from, of.select(downwards, upTo, of.shiftLeft(constant(1), base)));
  const candidates = of.and(mask, there);
  const magnitude = of.select(downwards, of.subtract(constant(0), offset), offset);
  const wanted = of.maximum(magnitude, constant(1));
  let found: Operand = all(32);
  for (let i = 31; i >= 0; i--) {
    const upToHere = of.and(candidates, constant((2n << BigInt(i)) - 1n));
    const fromHere = of.shiftRight(candidates, constant(i));
    const isCandidate = at.of(1).element(candidates, 32, i);
    const isWanted = of.equal(of.countOnes(of.select(upwards, upToHere, fromHere)), wanted);
    found = of.select(at.of(1).and(isCandidate, isWanted), constant(i), found);
  }
  at.require(of.less(base, constant(32)), 'fns-base');
  return found;
}

/** A word of 64 bits, b above a, shifted: its high half to the left, its low half to the right. */
function funnelShift({ at, words, a, b, c }: FormContext): Operand {
  const [word, wide] = [at.of(32), at.of(64)];
  const by = words.has('clamp') ? word.minimum(c, constant(32)) : word.and(c, constant(31));
  const both = word.concatenate([a, b]);
  return words.has('l') ? wide.shiftRight(wide.shiftLeft(both, by), constant(32), 32) : wide.shiftRight(both, by, 32);
}

/** The source bytes of each mode of prmt for a selector of 0 to 3, the highest byte of the result first. */
const PERMUTATIONS: Readonly<Record<string, readonly string[]>> = {
  f4e: ['3210', '4321', '5432', '6543'],
  b4e: ['5670', '6701', '7012', '0123'],
  rc8: ['0000', '1111', '2222', '3333'],
  ecl: ['3210', '3211', '3222', '3333'],
  ecr: ['0000', '1110', '2210', '3210'],
  rc16: ['1010', '3232', '1010', '3232'],
};

function permuteBytes({ at, words, a, b, c }: FormContext): Operand {
  const [byte, word, wide] = [at.of(8), at.of(32), at.of(64)];
  const bytes = word.concatenate([a, b]);
  const mode = Object.entries(PERMUTATIONS).find(([name]) => words.has(name))?.[1];
  if (mode !== undefined) {
    const chosen = mode.map((digits) =>
      byte.concatenate([...digits].reverse().map((i) => byte.element(bytes, 64, Number(i)))),
    );
    const bit = (n: number): Operand => at.of(1).element(c, 32, n);
    const [low, high] = [0, 2].map((i) => word.select(bit(0), chosen[i + 1] ?? a, chosen[i] ?? a));
    return word.select(bit(1), high ?? a, low ?? a);
  }
  return byte.concatenate(
    [0, 1, 2, 3].map((i) => {
      const selector = word.shiftRight(c, constant(4 * i));
      const places = word.shiftLeft(word.and(selector, constant(7)), constant(3));
      const chosen = wide.shiftRight(bytes, places, 8);
      const sign = at.of(8, true).shiftRight(chosen, constant(7));
      return byte.select(at.of(1).element(selector, 32, 3), sign, chosen);
    }),
  );
}

/** Any function of three bits, and with a predicate whether the result is not 0. */
const LOOK_UP: Form = {
  types: ['b32'],
  operandCount: 5,
  sources: (type) => [type, type, type, { kind: 'u', width: 8 }],
  compute: lookUp,
};
function lookUp({ at, of, a, b, c, d: table }: FormContext): Operand | undefined {
  if (table.kind !== 'constant') return at.refuse(undefined, 'the table of lop3 is a number from 0 to 255');
  return of.lookUp(a, b, c, table);
}

const shift = (by: 'shiftLeft' | 'shiftRight', types: Form['types']): Form => ({
  types,
  sources: (type) => [type, U32],
  compute: ({ of, a, b }) => of[by](a, b),
});

const logic = (operation: 'and' | 'or' | 'xor'): Instruction =>
  values(
    'd, {!}a, {!}b',
    ANY_TARGET,
    [{ types: ['b16', 'b32', 'b64', 'pred'], compute: ({ of, a, b }) => of[operation](a, b) }],
    { untyped: true },
  );

export const BIT_INSTRUCTIONS = {
  and: logic('and'),
  or: logic('or'),
  xor: logic('xor'),
  not: values('d, a', ANY_TARGET, [{ types: ['b16', 'b32', 'b64', 'pred'], compute: ({ of, a }) => of.not(a) }], {
    untyped: true,
  }),
  cnot: values('d, a', ANY_TARGET, [
    { types: ['b16', 'b32', 'b64'], compute: ({ at, of, a }) => at.of(1).convert(of.equal(a, constant(0)), of.width) },
  ]),
  shl: values('d, a, b', ANY_TARGET, [shift('shiftLeft', ['b16', 'b32', 'b64'])], { untyped: true }),
  shr: values(
    'd, a, b',
    ANY_TARGET,
    [shift('shiftRight', ['b16', 'b32', 'b64', 'u16', 'u32', 'u64', 's16', 's32', 's64'])],
    { untyped: true },
  ),
  shf: values('d, a, b, c', { ptx: '3.1', target: 'sm_32' }, [
    {
      types: ['b32'],
      needs: [
        ['l', 'r'],
        ['clamp', 'wrap'],
      ],
      compute: funnelShift,
    },
  ]),
  clz: values('d, a', FERMI, [
    { types: ['b32', 'b64'], results: () => [U32], compute: ({ of, a }) => of.leadingZeros(a) },
  ]),
  bfind: values('d, a', FERMI, [
    { types: ['u32', 'u64', 's32', 's64'], may: [['shiftamt']], results: () => [U32], compute: highestBit },
  ]),
  brev: values('d, a', FERMI, [{ types: ['b32', 'b64'], compute: ({ of, a }) => of.reverse(a) }]),
  fns: values('d, mask, base, offset', { ptx: '6.0', target: 'sm_30' }, [{ types: ['b32'], compute: findNthSet }]),
  bfe: values('d, a, b, c', FERMI, [
    { types: ['u32', 'u64', 's32', 's64'], sources: (type) => [type, U32, U32], compute: extractField },
  ]),
  bfi: values('f, a, b, c, d', FERMI, [
    { types: ['b32', 'b64'], sources: (type) => [type, type, U32, U32], compute: insertField },
  ]),
  szext: values('d, a, b', SM_70, [
    { types: ['u32', 's32'], needs: [['clamp', 'wrap']], sources: (type) => [type, U32], compute: extendBits },
  ]),
  bmsk: values('d, a, b', SM_70, [{ types: ['b32'], needs: [['clamp', 'wrap']], compute: bitMask }]),
  lop3: values(
    'd{|p}, a, b, c, immLut{, {!}q}',
    { ptx: '4.3; with a predicate 8.2', target: 'sm_50; with a predicate sm_70' },
    [
      LOOK_UP,
      {
        ...LOOK_UP,
        operandCount: 6,
        needs: [['or', 'and']],
        results: (type) => [type, PREDICATE],
        sources: (type) => [type, type, type, { kind: 'u', width: 8 }, PREDICATE],
        compute: (context) => {
          const value = lookUp(context);
          if (value === undefined) return undefined;
          const { at, words, operands } = context;
          const bit = at.of(1);
          const isSet = bit.not(at.of(32).equal(value, constant(0)));
          const other = operands[4] ?? constant(0);
          return [value, words.has('or') ? bit.or(isSet, other) : bit.and(isSet, other)];
        },
      },
    ],
  ),
  prmt: values('d, a, b, c', FERMI, [{ types: ['b32'], may: [Object.keys(PERMUTATIONS)], compute: permuteBytes }]),
} as const satisfies Record<string, Instruction>;
