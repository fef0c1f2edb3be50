import type { Comparison } from './decode-arithmetic.js';
import { decodeBranch, decodeCompareBranch, decodeExit } from './decode-control.js';
import { type Instruction, instruction } from './instruction.js';

/** The entries of branches and exits (PTX ISA, control flow instructions), and of the words of Dat3M that branch. */
const compareBranch = (comparison: Comparison): Instruction =>
  instruction({
    slots: {},
    operands: 'a, b, label',
    operandCount: [3, 3],
    since: 'dialect',
    decode: (decoder, syntax) => decodeCompareBranch(decoder, syntax, comparison),
  });

export const CONTROL_INSTRUCTIONS = {
  bra: instruction({
    slots: { uniform: ['uni'] },
    operands: 'label',
    operandCount: [1, 1],
    since: { ptx: '1.0', target: 'sm_10' },
    decode: decodeBranch,
  }),
  goto: instruction({ slots: {}, operands: 'label', operandCount: [1, 1], since: 'dialect', decode: decodeBranch }),
  beq: compareBranch('eq'),
  bne: compareBranch('ne'),
  blt: compareBranch('lt'),
  ble: compareBranch('le'),
  bgt: compareBranch('gt'),
  bge: compareBranch('ge'),
  exit: instruction({
    slots: {},
    operands: '',
    operandCount: [0, 0],
    since: { ptx: '1.0', target: 'sm_10' },
    decode: decodeExit,
  }),
  ret: instruction({
    slots: { uniform: ['uni'] },
    operands: '',
    operandCount: [0, 0],
    since: { ptx: '1.0', target: 'sm_10' },
    decode: decodeExit,
  }),
} as const satisfies Record<string, Instruction>;
