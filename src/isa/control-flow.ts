import { UNTYPED_DEFAULT } from '../program/data-type.js';
import { constant } from '../program/operation.js';
import { type Comparison, compare } from './compare-instructions.js';
import { ANY_TARGET, type Instruction, instruction, type Since, type Slots } from './instruction.js';
import { SETMAXNREG } from './register-count.js';
import { literal, optional, type TypedOperand, U32, value } from './typed-operands.js';

/** Branches and exits (PTX ISA, control flow instructions), and the words of Dat3M that branch. */

const LABEL: TypedOperand<string> = {
  read: (at, operand) =>
    operand?.kind === 'name' && operand.offset === 0n ? operand.name : at.refuse(operand, 'expected a label'),
};
/** A list of them: of `.branchtargets`. */
const LABELS: TypedOperand<readonly string[]> = {
  read: (at, operand) =>
    operand?.kind === 'list'
      ? operand.elements.flatMap((one) => (one.kind === 'name' ? [one.name] : []))
      : at.refuse(operand, 'brx.idx names a list of labels: T: .branchtargets L1, L2; brx.idx r, T;'),
};

const branch = (since: Since | 'dialect', slots: Slots): Instruction =>
  instruction({
    slots,
    operands: 'label',
    since,
    typed: () => [LABEL],
    decode: (at, _, [label]) => at.emit({ kind: 'branch', label }),
  });

/** `bne a, b, L` of the Dat3M dialect: a signed comparison and a guarded branch. */
const compareBranch = (comparison: Comparison): Instruction =>
  instruction({
    slots: {},
    operands: 'a, b, label',
    since: 'dialect',
    typed: () => [value(UNTYPED_DEFAULT, { untyped: true }), value(UNTYPED_DEFAULT, { untyped: true }), LABEL],
    decode: (at, _, [a, b, label]) => {
      if (at.guard !== undefined) return void at.refuse(undefined, `${at.mnemonic} takes no guard`);
      const holds = compare(at.of(UNTYPED_DEFAULT.width, true), comparison, a, b);
      at.emitWhere(holds, { kind: 'branch', label });
    },
  });

/** Ends the thread, or the grid. */
const end = (kind: 'exit' | 'trap', slots: Slots = {}): Instruction =>
  instruction({ slots, operands: '', since: ANY_TARGET, decode: (at) => at.emit({ kind }) });

/** What neither computes nor orders anything: hints, and events for tools. */
const withoutEffect = (operands: string, since: Since, slots: Slots = {}): Instruction =>
  instruction({
    slots,
    operands,
    since,
    typed: () => [optional(literal(() => true, 'expected a number'))],
    decode: () => undefined,
  });

export const CONTROL_INSTRUCTIONS = {
  bra: branch(ANY_TARGET, { uniform: ['uni'] }),
  goto: branch('dialect', {}),
  beq: compareBranch('eq'),
  bne: compareBranch('ne'),
  blt: compareBranch('lt'),
  ble: compareBranch('le'),
  bgt: compareBranch('gt'),
  bge: compareBranch('ge'),
  /** A jump to one of a list of labels; past its end the behavior is undefined (PTX ISA, brx.idx). */
  'brx.idx': instruction({
    slots: { uniform: ['uni'] },
    operands: 'index, targets',
    since: { ptx: '6.0', target: 'sm_30' },
    typed: () => [value(U32), LABELS],
    decode: (at, _, [index, labels]) => {
      const word = at.of(32);
      at.require(word.less(index, constant(labels.length)), 'branch-index');
      labels.forEach((label, i) => at.emitWhere(word.equal(index, constant(i)), { kind: 'branch', label }));
    },
  }),
  trap: end('trap'),
  brkpt: withoutEffect('', { ptx: '1.0', target: 'sm_11' }),
  pmevent: withoutEffect('a', { ptx: '1.4', target: 'sm_10' }, { query: ['mask'] }),
  setmaxnreg: SETMAXNREG,
  exit: end('exit'),
  ret: end('exit', { uniform: ['uni'] }),
} as const satisfies Record<string, Instruction>;

/** It takes time only. */
export const NANOSLEEP = instruction({
  slots: { type: ['u32'] },
  required: ['type'],
  operands: 't',
  since: { ptx: '6.3', target: 'sm_70' },
  decode: () => undefined,
});
