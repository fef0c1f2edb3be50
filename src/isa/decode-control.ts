import { PREDICATE, UNTYPED_DEFAULT } from '../program/data-type.js';
import type { InstructionSyntax } from '../syntax/litmus-ast.js';
import { type Comparison, emitComparison } from './decode-arithmetic.js';
import { type Decoder, guardOf } from './decoder.js';

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
  const register = emitComparison(
    decoder,
    instruction,
    comparison,
    UNTYPED_DEFAULT,
    a,
    b,
    decoder.temporary(PREDICATE, instruction.span),
  );
  decoder.emit(instruction, { kind: 'branch', label }, { register, negated: false });
}

export function decodeExit(decoder: Decoder, instruction: InstructionSyntax): void {
  decoder.emit(instruction, { kind: 'exit' });
}

function labelOf(decoder: Decoder, instruction: InstructionSyntax, index: number): string | undefined {
  const operand: InstructionSyntax['operands'][number] | undefined = instruction.operands[index];
  if (operand?.kind === 'name' && operand.offset === 0n) return operand.name;
  return decoder.refuse(operand?.span ?? instruction.span, 'expected a label');
}
