import { INTEGER_TYPES } from '../program/data-type.js';
import type { InstructionSpec } from './instruction-spec.js';
import { CVT_TWO_TYPES, MUL_FORM, SETP_TYPES } from './qualifier-rules.js';

/** The entries of what computes with registers alone (PTX ISA, integer, logic, shift, comparison instructions). */
const arithmetic = (
  types: readonly string[],
  operandCount: 2 | 3,
  more: Partial<InstructionSpec> = {},
): InstructionSpec => ({
  family: 'arithmetic',
  slots: { type: types },
  operands: operandCount === 3 ? 'd, a, b' : 'd, a',
  operandCount: [operandCount, operandCount],
  destination: true,
  rules: [],
  ptx: '1.0',
  target: 'sm_10',
  ...more,
});
const WORDS = ['u16', 'u32', 'u64', 's16', 's32', 's64'];
const BITS = ['b16', 'b32', 'b64', 'pred'];

export const ARITHMETIC_INSTRUCTIONS = {
  mov: { ...arithmetic(['b16', 'b32', 'b64', 'b128', ...WORDS, 'pred'], 2), family: 'move' },
  add: arithmetic(WORDS, 3),
  sub: arithmetic(WORDS, 3),
  mul: arithmetic(WORDS, 3, { slots: { half: ['lo', 'hi', 'wide'], type: WORDS }, rules: [MUL_FORM] }),
  div: arithmetic(WORDS, 3),
  and: arithmetic(BITS, 3),
  or: arithmetic(BITS, 3),
  xor: arithmetic(BITS, 3),
  not: arithmetic(BITS, 2),
  popc: { ...arithmetic(['b32', 'b64'], 2), required: ['type'], ptx: '2.0', target: 'sm_20' },
  shl: arithmetic(['b16', 'b32', 'b64'], 3),
  shr: arithmetic(['b16', 'b32', 'b64', ...WORDS], 3),
  min: arithmetic(WORDS, 3),
  max: arithmetic(WORDS, 3),
  setp: {
    ...arithmetic(['b16', 'b32', 'b64', ...WORDS], 3),
    family: 'compare',
    slots: {
      comparison: ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'lo', 'ls', 'hi', 'hs'],
      combination: ['and', 'or', 'xor'],
      type: ['b16', 'b32', 'b64', ...WORDS],
    },
    required: ['comparison', 'type'],
    operands: 'p{|q}, a, b{, {!}c}',
    operandCount: [3, 4],
    rules: [SETP_TYPES],
  },
  selp: {
    ...arithmetic(['b16', 'b32', 'b64', ...WORDS], 3),
    family: 'select',
    required: ['type'],
    operands: 'd, a, b, c',
    operandCount: [4, 4],
  },
  cvt: {
    ...arithmetic(
      INTEGER_TYPES.filter((type) => /^[us]/.test(type)),
      2,
    ),
    family: 'convert',
    rules: [CVT_TWO_TYPES],
  },
} as const satisfies Record<string, InstructionSpec>;
