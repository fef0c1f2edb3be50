import type { InstructionSpec } from './instruction-spec.js';

/** The entries of branches and exits (PTX ISA, control flow instructions), and of shorthand that branches. */
const compareBranch: InstructionSpec = {
  family: 'compareBranch',
  slots: {},
  operands: 'a, b, label',
  operandCount: [3, 3],
  destination: false,
  rules: [],
  ptx: '-',
  target: '-',
  shorthandOnly: true,
};

export const CONTROL_INSTRUCTIONS = {
  bra: {
    family: 'branch',
    slots: { uniform: ['uni'] },
    operands: 'label',
    operandCount: [1, 1],
    destination: false,
    rules: [],
    ptx: '1.0',
    target: 'sm_10',
  },
  goto: {
    family: 'branch',
    slots: {},
    operands: 'label',
    operandCount: [1, 1],
    destination: false,
    rules: [],
    ptx: '-',
    target: '-',
    shorthandOnly: true,
  },
  beq: compareBranch,
  bne: compareBranch,
  blt: compareBranch,
  ble: compareBranch,
  bgt: compareBranch,
  bge: compareBranch,
  exit: {
    family: 'exit',
    slots: {},
    operands: '',
    operandCount: [0, 0],
    destination: false,
    rules: [],
    ptx: '1.0',
    target: 'sm_10',
  },
  ret: {
    family: 'exit',
    slots: { uniform: ['uni'] },
    operands: '',
    operandCount: [0, 0],
    destination: false,
    rules: [],
    ptx: '1.0',
    target: 'sm_10',
  },
} as const satisfies Record<string, InstructionSpec>;
