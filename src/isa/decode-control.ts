import { type DataType, UNTYPED_DEFAULT } from '../program/data-type.js';
import type { Operand } from '../program/operation.js';
import type { InstructionSyntax } from '../syntax/litmus-ast.js';
import { type Comparison, compare } from './compare-instructions.js';
import { type Decoder, guardOf } from './decoder.js';
import { constant, Steps } from './steps.js';

/** Branches and exits (PTX ISA, control flow instructions). */
export function decodeBranch(decoder: Decoder, instruction: InstructionSyntax): void {
  const label = labelOf(decoder, instruction, 0);
  if (label !== undefined) decoder.emit(instruction, { kind: 'branch', label });
}

/** `bne a, b, L` of the Dat3M dialect: a signed comparison and a guarded branch. */
export function decodeCompareBranch(decoder: Decoder, instruction: InstructionSyntax, comparison: Comparison): void {
  const a = decoder.value(instruction.operands[0], UNTYPED_DEFAULT, { untyped: true });
  const b = decoder.value(instruction.operands[1], UNTYPED_DEFAULT, { untyped: true });
  const label = labelOf(decoder, instruction, 2);
  if (a === undefined || b === undefined || label === undefined) return;
  if (guardOf(instruction) !== undefined)
    return void decoder.refuse(instruction.span, `${instruction.mnemonic} takes no guard`);
  const holds = compare(new Steps(decoder, instruction).of(UNTYPED_DEFAULT.width, true), comparison, a, b);
  if (holds.kind === 'register')
    decoder.emit(instruction, { kind: 'branch', label }, { register: holds.name, negated: false });
  else if (holds.value !== 0n) decoder.emit(instruction, { kind: 'branch', label });
}

export function decodeExit(decoder: Decoder, instruction: InstructionSyntax): void {
  decoder.emit(instruction, { kind: 'exit' });
}

/** A jump to one of a list of labels; past its end the behavior is undefined (PTX ISA, brx.idx). */
export function decodeIndexedBranch(decoder: Decoder, instruction: InstructionSyntax): void {
  const [given, table] = instruction.operands;
  const index = decoder.value(given, U32);
  if (table?.kind !== 'list')
    return void decoder.refuse(
      table?.span ?? instruction.span,
      'brx.idx names a list of labels: T: .branchtargets L1, L2; brx.idx r, T;',
    );
  const labels = table.elements.flatMap((one) => (one.kind === 'name' ? [one.name] : []));
  if (index === undefined) return;
  const steps = new Steps(decoder, instruction);
  const [word, bit] = [steps.of(32), steps.of(1)];
  const guard = guardOf(instruction);
  const isReached: Operand = guard === undefined ? constant(1) : { kind: 'register', name: guard.register };
  const reached = guard?.negated === true ? bit.not(isReached) : isReached;
  const within = word.less(index, constant(labels.length));
  decoder.emit(instruction, { kind: 'require', value: within, rule: 'branch-index' });
  labels.forEach((label, i) => {
    const holds = bit.and(reached, word.equal(index, constant(i)));
    if (holds.kind === 'constant' && holds.value === 0n) return;
    const branch = { operation: { kind: 'branch', label }, span: instruction.span } as const;
    decoder.statements.push({
      ...branch,
      guard: holds.kind === 'register' ? { register: holds.name, negated: false } : undefined,
    });
  });
}

export function decodeTrap(decoder: Decoder, instruction: InstructionSyntax): void {
  decoder.emit(instruction, { kind: 'trap' });
}

const U32: DataType = { kind: 'u', width: 32 };

function labelOf(decoder: Decoder, instruction: InstructionSyntax, index: number): string | undefined {
  const operand: InstructionSyntax['operands'][number] | undefined = instruction.operands[index];
  if (operand?.kind === 'name' && operand.offset === 0n) return operand.name;
  return decoder.refuse(operand?.span ?? instruction.span, 'expected a label');
}
