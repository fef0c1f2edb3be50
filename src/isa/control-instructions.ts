import type { Comparison } from './compare-instructions.js';
import { decodeBranch, decodeCompareBranch, decodeExit, decodeIndexedBranch, decodeTrap } from './decode-control.js';
import { ANY_TARGET, type Instruction, instruction, type Since, type Slots } from './instruction.js';
import type { Slot } from './qualifier-rules.js';

/** The entries of branches and exits (PTX ISA, control flow instructions), and of the words of Dat3M that branch. */
const compareBranch = (comparison: Comparison): Instruction =>
  instruction({
    slots: {},
    operands: 'a, b, label',
    since: 'dialect',
    decode: (at) => decodeCompareBranch(at, comparison),
  });

/** What neither computes nor orders anything: hints, and events for tools. */
const withoutEffect = (
  operands: string,
  since: Since,
  slots: Slots = {},
  required: readonly Slot[] = [],
): Instruction => ({
  ...instruction({
    slots,
    operands,
    since,
    decode: (at) => {
      const [operand] = at.operands;
      if (operand !== undefined && operand.kind !== 'number') at.refuse(operand, 'expected a number');
    },
  }),
  required,
});

export const CONTROL_INSTRUCTIONS = {
  bra: instruction({
    slots: { uniform: ['uni'] },
    operands: 'label',
    since: ANY_TARGET,
    decode: decodeBranch,
  }),
  goto: instruction({ slots: {}, operands: 'label', since: 'dialect', decode: decodeBranch }),
  beq: compareBranch('eq'),
  bne: compareBranch('ne'),
  blt: compareBranch('lt'),
  ble: compareBranch('le'),
  bgt: compareBranch('gt'),
  bge: compareBranch('ge'),
  'brx.idx': instruction({
    slots: { uniform: ['uni'] },
    operands: 'index, targets',
    since: { ptx: '6.0', target: 'sm_30' },
    decode: decodeIndexedBranch,
  }),
  trap: instruction({
    slots: {},
    operands: '',
    since: ANY_TARGET,
    decode: decodeTrap,
  }),
  brkpt: withoutEffect('', { ptx: '1.0', target: 'sm_11' }),
  pmevent: withoutEffect('a', { ptx: '1.4', target: 'sm_10' }, { query: ['mask'] }),
  setmaxnreg: withoutEffect(
    'imm-reg-count',
    { ptx: '8.0', target: 'sm_90a' },
    { action: ['inc', 'dec'], sync: ['sync'], aligned: ['aligned'], type: ['u32'] },
    ['action', 'sync', 'aligned', 'type'],
  ),
  exit: instruction({
    slots: {},
    operands: '',
    since: ANY_TARGET,
    decode: decodeExit,
  }),
  ret: instruction({
    slots: { uniform: ['uni'] },
    operands: '',
    since: ANY_TARGET,
    decode: decodeExit,
  }),
} as const satisfies Record<string, Instruction>;
