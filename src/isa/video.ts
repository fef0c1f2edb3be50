import { constant, type Operand } from '../program/operation.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { type Comparison, compare, INTEGER_COMPARISONS } from './compare-instructions.js';
import { FERMI, type Instruction, instruction, type Since, type Slots } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import type { StepNumbers } from './numbers.js';
import type { Rule } from './qualifier-rules.js';
import { B32 } from './typed-operands.js';

/**
 * Video instructions (PTX ISA, Scalar Video Instructions, SIMD Video Instructions): bytes and half-words of registers
 * are extended by their own types, computed with as exact numbers, and perhaps clamped, added up or merged. Where an
 * H200 was seen to compute something else than the page says the value is open: of scalar ones what is merged, clamped
 * sums of whole .u32, the least or greatest of .u32 from 2^31 on, and products of .u32 that are clamped or scaled.
 */
const WORD = ['u32', 's32'] as const;
type Word = (typeof WORD)[number];
const isSigned = (type: Word): boolean => type === 's32';

/** Wide enough for every sum and difference, and for every product and shift, of 33 bits. */
const SUM_BITS = 40;
const PRODUCT_BITS = 72;

/** A register with what is written beside it. */
interface Source {
  readonly value: Operand;
  readonly selector: string | undefined;
  readonly minus: boolean;
}

function source(at: InstructionDecoder, operand: OperandSyntax | undefined, selectors: RegExp): Source | undefined {
  if (operand?.kind !== 'selected') {
    const value = at.value(operand, B32);
    return value && { value, selector: undefined, minus: false };
  }
  const { name, selector, minus, span } = operand;
  if (selector !== undefined && !selectors.test(selector))
    return at.refuse(operand, `.${selector} is no selector of this operand of ${at.mnemonic}`);
  const value = at.value({ kind: 'name', name, offset: 0n, span }, B32);
  return value && { value, selector, minus };
}

/** The register that is written, and which parts of it. */
function target(
  at: InstructionDecoder,
  selectors: RegExp,
): { readonly register: string; readonly selector: string | undefined } | undefined {
  const [operand] = at.operands;
  const { name, selector, minus, span } =
    operand?.kind === 'selected' ? operand : { name: undefined, selector: undefined, minus: false, span: at.span };
  if (minus || (selector !== undefined && !selectors.test(selector)))
    return at.refuse(operand, `expected the register to write, which ${at.mnemonic} takes no such part of`);
  const register = at.target(name === undefined ? operand : { kind: 'name', name, offset: 0n, span }, B32);
  return register === undefined ? undefined : { register, selector };
}

function noMinus(at: InstructionDecoder, sources: readonly Source[]): boolean {
  if (!sources.some(({ minus }) => minus)) return true;
  at.refuse(undefined, `${at.mnemonic} takes no operand with a minus`);
  return false;
}

/** `b2`, `h1`: how many bits, and which of the parts of so many. */
function partOf(selector: string | undefined): { readonly bits: number; readonly n: number } {
  if (selector === undefined) return { bits: 32, n: 0 };
  return { bits: selector[0] === 'b' ? 8 : 16, n: Number(selector[1]) };
}

const SCALAR = /^(b[0-3]|h[01])$/;

/** The selected part, as an exact number. */
function extracted(at: InstructionDecoder, { value, selector }: Source, type: Word, width: number): Operand {
  const { bits, n } = partOf(selector);
  const part = at.of(bits, isSigned(type));
  return part.convert(part.element(value, 32, n), width);
}

/** A number within the range of a type of so many bits. */
function clamped(of: StepNumbers, value: Operand, bits: number, signed: boolean): Operand {
  const values = 1n << BigInt(bits);
  return signed ? of.clamp(value, -values / 2n, values / 2n - 1n) : of.clamp(value, 0n, values - 1n);
}

/** Whether an exact number is one of a type of so many bits. */
const fits = (of: StepNumbers, value: Operand, bits: number, signed: boolean): Operand =>
  of.equal(of.at.of(bits, signed).convert(of.convert(value, bits), of.width), value);

interface Finish {
  readonly saturates: boolean;
  /** Whether what is clamped is known. */
  readonly clampsAll: boolean;
  readonly signed: boolean;
  /** Of the destination. */
  readonly selector: string | undefined;
  readonly second: 'add' | 'min' | 'max' | undefined;
  readonly third: Operand | undefined;
}

/** Clamps an exact result, and combines or merges it with the third operand. */
function finished(of: StepNumbers, exact: Operand, finish: Finish): Operand {
  const { saturates, clampsAll, signed, selector, second, third } = finish;
  const { at } = of;
  const { bits, n } = partOf(selector);
  if (selector !== undefined && third !== undefined) {
    const part = at.of(bits);
    const merged = saturates || n > 0 ? at.open(bits) : of.convert(exact, bits);
    return part.concatenate(part.elements(third, 32 / bits).map((own, i) => (i === n ? merged : own)));
  }
  const most = saturates ? clamped(of, exact, 32, signed) : exact;
  const result = saturates && !clampsAll ? of.where(of.equal(most, exact), most) : most;
  const low = of.convert(result, 32);
  if (third === undefined || second === undefined) return low;
  const word = at.of(32, signed);
  if (second === 'add') return word.add(low, third);
  const [bit, known] = [at.of(1), fits(of, result, 32, signed)];
  const isClear = signed ? known : bit.and(known, bit.not(bit.element(third, 32, 31)));
  return word.where(isClear, word[second === 'min' ? 'minimum' : 'maximum'](low, third));
}

type Operation = 'add' | 'sub' | 'absdiff' | 'min' | 'max' | 'avrg';
const OPERATIONS: Readonly<Record<Operation, (of: StepNumbers, a: Operand, b: Operand) => Operand>> = {
  add: (of, a, b) => of.add(a, b),
  sub: (of, a, b) => of.subtract(a, b),
  absdiff: (of, a, b) => of.subtract(of.maximum(a, b), of.minimum(a, b)),
  min: (of, a, b) => of.minimum(a, b),
  max: (of, a, b) => of.maximum(a, b),
  // Halves are rounded away from zero (vavrg2, vavrg4).
  avrg: (of, a, b) => {
    const sum = of.add(a, b);
    return of.shiftRightBy(of.select(of.less(sum, constant(0)), sum, of.add(sum, constant(1))), 1);
  },
};

const SECOND = ['add', 'min', 'max'] as const;
const ONE_OR_MERGE: Rule = {
  rule: 'with an operation on the third operand, or a part of the destination, there are three operands',
  broken: ({ operation, operandCount }) => operation !== undefined && operandCount !== 4,
};
const SCALAR_OPERANDS = 'd, a, b{, c}';

interface Scalar {
  readonly typeA: Word;
  readonly typeB: Word;
  readonly operation?: 'add' | 'min' | 'max' | undefined;
  readonly saturation?: string | undefined;
}

/** Computes with two numbers that the operands select, and leaves what follows from the result. */
function decodeScalar(
  at: InstructionDecoder,
  { typeA, typeB, operation, saturation }: Scalar,
  signed: boolean,
  width: number,
  compute: (of: StepNumbers, a: Operand, b: Operand) => Operand,
): void {
  const [, first, second, last] = at.operands;
  const a = source(at, first, SCALAR);
  const b = source(at, second, SCALAR);
  const third = at.value(last, B32);
  const to = target(at, SCALAR);
  if (a === undefined || b === undefined || to === undefined || (last !== undefined && third === undefined)) return;
  if (!noMinus(at, [a, b])) return;
  const { selector } = to;
  if (selector !== undefined && (operation !== undefined || third === undefined))
    return void at.refuse(at.operands[0], 'a part of the destination needs a third operand, and no second operation');
  const of = at.of(width, true);
  const exact = compute(of, extracted(at, a, typeA, width), extracted(at, b, typeB, width));
  const isWhole = ({ selector: part }: Source, type: Word): boolean => part === undefined && !isSigned(type);
  const clampsAll = !isWhole(a, typeA) && !isWhole(b, typeB);
  const finish = { saturates: saturation !== undefined, clampsAll, signed, selector, second: operation, third };
  at.result(to.register, B32, finished(of, exact, finish));
}

const TYPES = { type: WORD, typeA: WORD, typeB: WORD } as const satisfies Slots;
const TYPED = ['type', 'typeA', 'typeB'] as const;

const scalar = (name: Operation): Instruction =>
  instruction({
    slots: { ...TYPES, saturation: ['sat'], operation: SECOND },
    required: TYPED,
    operands: SCALAR_OPERANDS,
    destination: true,
    rules: [ONE_OR_MERGE],
    since: FERMI,
    decode: (at, given) => decodeScalar(at, given, isSigned(given.type), SUM_BITS, OPERATIONS[name]),
  });

/** By more than 32 bits, or modulo 32; what a clamped shift beyond 34 bits is the text does not say. */
const shift = (by: 'shiftLeft' | 'shiftRight'): Instruction =>
  instruction({
    slots: {
      type: WORD,
      typeA: WORD,
      typeB: ['u32'],
      saturation: ['sat'],
      shiftMode: ['clamp', 'wrap'],
      operation: SECOND,
    },
    required: [...TYPED, 'shiftMode'],
    operands: SCALAR_OPERANDS,
    destination: true,
    rules: [ONE_OR_MERGE],
    since: FERMI,
    decode: (at, given) =>
      decodeScalar(at, given, isSigned(given.type), PRODUCT_BITS, (of, a, b) => {
        const word = at.of(32);
        const amount = of.convert(b, 32);
        const taken = given.shiftMode === 'wrap' ? word.and(amount, constant(31)) : word.minimum(amount, constant(32));
        const shifted = of[by](a, taken);
        if (given.saturation === undefined || by === 'shiftRight') return shifted;
        return of.where(fits(of, shifted, 34, true), shifted);
      }),
  });

/** (a * b) + c, the product or c negated, or 1 added. */
const multiplyAdd: Instruction = instruction({
  slots: { ...TYPES, carry: ['po'], saturation: ['sat'], scale: ['shr7', 'shr15'] },
  required: TYPED,
  operands: 'd, {-}a, {-}b, {-}c',
  operandCount: [4, 4],
  destination: true,
  since: FERMI,
  decode: (at, { typeA, typeB, carry, saturation, scale }) => {
    const [, first, second, last] = at.operands;
    const a = source(at, first, SCALAR);
    const b = source(at, second, SCALAR);
    const c = source(at, last, /^$/);
    const to = target(at, /^$/);
    if (a === undefined || b === undefined || c === undefined || to === undefined) return;
    const negated = a.minus !== b.minus;
    if (carry !== undefined && !noMinus(at, [a, b, c])) return;
    if (negated && c.minus) return void at.refuse(undefined, 'either the product or the last operand is negated');
    const signed = isSigned(typeA) || isSigned(typeB) || negated || c.minus;
    const of = at.of(PRODUCT_BITS, true);
    const [left, right] = [extracted(at, a, typeA, of.width), extracted(at, b, typeB, of.width)];
    const product = of.multiply(left, right);
    const word = at.of(32, signed);
    const added = word.convert(c.minus ? word.not(c.value) : c.value, of.width);
    const sum = of.add(negated ? of.not(product) : product, added);
    const whole = carry !== undefined || negated || c.minus ? of.add(sum, constant(1)) : sum;
    if (saturation === undefined && scale === undefined) return at.result(to.register, B32, of.convert(whole, 32));
    if (!isSigned(typeA) || !isSigned(typeB)) return at.result(to.register, B32, at.open(32));
    const result = of.shiftRightBy(whole, scale === undefined ? 0 : scale === 'shr7' ? 7 : 15);
    at.result(to.register, B32, of.convert(saturation === undefined ? result : clamped(of, result, 32, true), 32));
  },
});

const BIT = 1;
const comparing =
  (comparison: Comparison) =>
  (of: StepNumbers, a: Operand, b: Operand): Operand =>
    of.at.of(BIT).convert(compare(of, comparison, a, b), of.width);

const SIMD_SINCE: Since = { ptx: '3.0', target: 'sm_30' };

/** So many parts of a register, and how masks and selectors of them are written. */
interface Parts {
  readonly count: 2 | 4;
  readonly mask: RegExp;
  readonly selectors: RegExp;
}
const HALVES: Parts = { count: 2, mask: /^h(0|1|10)$/, selectors: /^h[0-3]{2}$/ };
const BYTES: Parts = { count: 4, mask: /^b(?=.)3?2?1?0?$/, selectors: /^b[0-7]{4}$/ };

interface Simd {
  readonly typeA: Word;
  readonly typeB: Word;
  readonly operation?: 'add' | undefined;
  readonly saturation?: string | undefined;
}

function decodeSimd(
  at: InstructionDecoder,
  { typeA, typeB, operation, saturation }: Simd,
  signed: boolean,
  { count, mask, selectors }: Parts,
  compute: (of: StepNumbers, a: Operand, b: Operand) => Operand,
): void {
  const [, first, second, last] = at.operands;
  if ([first, second, last].some((one) => one?.kind === 'number'))
    return void at.refuse(undefined, `${at.mnemonic} takes registers, no numbers`);
  const a = source(at, first, selectors);
  const b = source(at, second, selectors);
  const third = at.value(last, B32);
  const to = target(at, mask);
  if (a === undefined || b === undefined || third === undefined || to === undefined || !noMinus(at, [a, b])) return;
  const bits = 32 / count;
  const part = at.of(bits);
  const of = at.of(SUM_BITS, true);
  const pool = [...part.elements(a.value, count), ...part.elements(b.value, count)];
  const places = Array.from({ length: count }, (_, i) => i);
  const chosen = ({ selector }: Source, from: number, type: Word): readonly Operand[] =>
    places.map((i) => {
      const place = selector === undefined ? from + i : Number(selector[count - i]);
      return at.of(bits, isSigned(type)).convert(pool[place] ?? constant(0), of.width);
    });
  const [left, right] = [chosen(a, 0, typeA), chosen(b, count, typeB)];
  const results = places.map((i) => {
    const exact = compute(of, left[i] ?? constant(0), right[i] ?? constant(0));
    return saturation === undefined ? exact : clamped(of, exact, bits, signed);
  });
  const isTaken = (i: number): boolean => to.selector?.slice(1).includes(String(i)) !== false;
  const taken = results.filter((_, i) => isTaken(i));
  const word = at.of(32);
  const value =
    operation === undefined
      ? part.concatenate(
          part.elements(third, count).map((own, i) => (isTaken(i) ? of.convert(results[i] ?? own, bits) : own)),
        )
      : taken.reduce((sum, one) => word.add(sum, of.convert(one, 32)), third);
  at.result(to.register, B32, value);
}

const ADDS_WHOLE: Rule = {
  rule: 'what is added up is not clamped: .add and .sat do not go together',
  broken: ({ operation, saturation }) => operation !== undefined && saturation !== undefined,
};

const simd = (name: Operation, parts: Parts): Instruction =>
  instruction({
    slots: { ...TYPES, saturation: ['sat'], operation: ['add'] },
    required: TYPED,
    operands: 'd, a, b, c',
    destination: true,
    rules: [ADDS_WHOLE],
    since: SIMD_SINCE,
    decode: (at, given) => decodeSimd(at, given, isSigned(given.type), parts, OPERATIONS[name]),
  });

/** What compares leaves 0 or 1, which is unsigned. */
const COMPARES = { typeA: WORD, typeB: WORD, comparison: INTEGER_COMPARISONS } as const satisfies Slots;
const COMPARED = ['typeA', 'typeB', 'comparison'] as const;

const simdCompare = (parts: Parts): Instruction =>
  instruction({
    slots: { ...COMPARES, operation: ['add'] },
    required: COMPARED,
    operands: 'd, a, b, c',
    destination: true,
    since: SIMD_SINCE,
    decode: (at, given) => decodeSimd(at, given, false, parts, comparing(given.comparison)),
  });

export const VIDEO_INSTRUCTIONS = {
  vadd: scalar('add'),
  vsub: scalar('sub'),
  vabsdiff: scalar('absdiff'),
  vmin: scalar('min'),
  vmax: scalar('max'),
  vshl: shift('shiftLeft'),
  vshr: shift('shiftRight'),
  vmad: multiplyAdd,
  vset: instruction({
    slots: { ...COMPARES, operation: SECOND },
    required: COMPARED,
    operands: SCALAR_OPERANDS,
    destination: true,
    rules: [ONE_OR_MERGE],
    since: FERMI,
    decode: (at, given) => decodeScalar(at, given, false, SUM_BITS, comparing(given.comparison)),
  }),
  vadd2: simd('add', HALVES),
  vsub2: simd('sub', HALVES),
  vavrg2: simd('avrg', HALVES),
  vabsdiff2: simd('absdiff', HALVES),
  vmin2: simd('min', HALVES),
  vmax2: simd('max', HALVES),
  vset2: simdCompare(HALVES),
  vadd4: simd('add', BYTES),
  vsub4: simd('sub', BYTES),
  vavrg4: simd('avrg', BYTES),
  vabsdiff4: simd('absdiff', BYTES),
  vmin4: simd('min', BYTES),
  vmax4: simd('max', BYTES),
  vset4: simdCompare(BYTES),
} as const satisfies Record<string, Instruction>;
