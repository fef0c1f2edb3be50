import type { TypeName } from '../program/data-type.js';
import type { ArithmeticName } from '../program/operation.js';
import { decodeArithmetic, decodeCompare, decodeConvert, decodeMove, decodeSelect } from './decode-arithmetic.js';
import { FLOATS, type Instruction, instruction } from './instruction.js';
import { MUL_FORM, SETP_TYPES } from './qualifier-rules.js';

/** The entries of what computes with registers alone (PTX ISA, integer, logic, shift, comparison instructions). */
const WORDS = ['u16', 'u32', 'u64', 's16', 's32', 's64'] as const;
const BITS = ['b16', 'b32', 'b64', 'pred'] as const;
const SCALARS = ['b16', 'b32', 'b64', ...WORDS] as const;
const CONVERTED = ['u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64'] as const;
const ROUNDING = ['rn', 'rz', 'rm', 'rp', 'rni', 'rzi', 'rmi', 'rpi', 'ftz'];
const ANY_TARGET = { ptx: '1.0', target: 'sm_10' };

const arithmetic = (
  name: ArithmeticName,
  types: readonly TypeName[],
  notYet: readonly string[] = [],
  operands: readonly string[] = ['d', 'a', 'b'],
): Instruction =>
  instruction({
    slots: { type: types },
    operands: operands.join(', '),
    operandCount: [operands.length, operands.length],
    destination: true,
    notYet,
    untyped: true,
    since: ANY_TARGET,
    decode: (decoder, syntax, qualifiers) => decodeArithmetic(decoder, syntax, qualifiers, name),
  });
const FLOATING = [...FLOATS, ...ROUNDING, 'sat'];

export const ARITHMETIC_INSTRUCTIONS = {
  mov: instruction({
    slots: { type: [...SCALARS, 'b128', 'pred'] },
    operands: 'd, a',
    operandCount: [2, 2],
    destination: true,
    notYet: ['f32', 'f64'],
    untyped: true,
    since: ANY_TARGET,
    decode: decodeMove,
  }),
  add: arithmetic('add', WORDS, FLOATING),
  sub: arithmetic('subtract', WORDS, FLOATING),
  mul: instruction({
    slots: { half: ['lo', 'hi', 'wide'], type: WORDS },
    operands: 'd, a, b',
    operandCount: [3, 3],
    destination: true,
    rules: [MUL_FORM],
    notYet: FLOATING,
    untyped: true,
    since: ANY_TARGET,
    decode: (decoder, syntax, qualifiers) => {
      const name = ({ lo: 'multiply', hi: 'multiply-high', wide: 'multiply-wide' } as const)[qualifiers.half ?? 'lo'];
      decodeArithmetic(decoder, syntax, qualifiers, name);
    },
  }),
  div: arithmetic('divide', WORDS, [...FLOATING, 'approx', 'full']),
  and: arithmetic('and', BITS),
  or: arithmetic('or', BITS),
  xor: arithmetic('xor', BITS),
  not: arithmetic('not', BITS, [], ['d', 'a']),
  popc: instruction({
    slots: { type: ['b32', 'b64'] },
    required: ['type'],
    operands: 'd, a',
    operandCount: [2, 2],
    destination: true,
    since: { ptx: '2.0', target: 'sm_20' },
    decode: (decoder, syntax, qualifiers) => decodeArithmetic(decoder, syntax, qualifiers, 'count-ones'),
  }),
  shl: arithmetic('shift-left', ['b16', 'b32', 'b64']),
  shr: arithmetic('shift-right', SCALARS),
  min: arithmetic('minimum', WORDS, [...FLOATING, 'NaN', 'xorsign', 'abs', 'relu']),
  max: arithmetic('maximum', WORDS, [...FLOATING, 'NaN', 'xorsign', 'abs', 'relu']),
  setp: instruction({
    slots: {
      comparison: ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'lo', 'ls', 'hi', 'hs'],
      combination: ['and', 'or', 'xor'],
      type: SCALARS,
    },
    required: ['comparison', 'type'],
    operands: 'p{|q}, a, b{, {!}c}',
    operandCount: [3, 4],
    destination: true,
    rules: [SETP_TYPES],
    notYet: [...FLOATS, 'ftz', 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan'],
    since: ANY_TARGET,
    decode: decodeCompare,
  }),
  selp: instruction({
    slots: { type: SCALARS },
    required: ['type'],
    operands: 'd, a, b, c',
    operandCount: [4, 4],
    destination: true,
    notYet: ['f32', 'f64'],
    since: ANY_TARGET,
    decode: decodeSelect,
  }),
  cvt: instruction({
    slots: { type: CONVERTED, sourceType: CONVERTED },
    required: ['type', 'sourceType'],
    operands: 'd, a',
    operandCount: [2, 2],
    destination: true,
    notYet: [...FLOATING, 'tf32', 'relu', 'pack'],
    since: ANY_TARGET,
    decode: decodeConvert,
  }),
} as const satisfies Record<string, Instruction>;
