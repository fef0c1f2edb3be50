import { type DataType, UNTYPED_DEFAULT } from '../program/data-type.js';
import { constant } from '../program/operation.js';
import { type Comparison, compare } from './compare-instructions.js';
import type { InstructionDecoder } from './instruction-decoder.js';

/** Branches and exits (PTX ISA, control flow instructions). */
export function decodeBranch(at: InstructionDecoder): void {
  const label = labelOf(at, 0);
  if (label !== undefined) at.emit({ kind: 'branch', label });
}

/** `bne a, b, L` of the Dat3M dialect: a signed comparison and a guarded branch. */
export function decodeCompareBranch(at: InstructionDecoder, comparison: Comparison): void {
  const a = at.value(at.operands[0], UNTYPED_DEFAULT, { untyped: true });
  const b = at.value(at.operands[1], UNTYPED_DEFAULT, { untyped: true });
  const label = labelOf(at, 2);
  if (a === undefined || b === undefined || label === undefined) return;
  if (at.guard !== undefined) return void at.refuse(undefined, `${at.mnemonic} takes no guard`);
  const holds = compare(at.of(UNTYPED_DEFAULT.width, true), comparison, a, b);
  at.emitWhere(holds, { kind: 'branch', label });
}

export function decodeExit(at: InstructionDecoder): void {
  at.emit({ kind: 'exit' });
}

/** A jump to one of a list of labels; past its end the behavior is undefined (PTX ISA, brx.idx). */
export function decodeIndexedBranch(at: InstructionDecoder): void {
  const [given, table] = at.operands;
  const index = at.value(given, U32);
  if (table?.kind !== 'list')
    return void at.refuse(table, 'brx.idx names a list of labels: T: .branchtargets L1, L2; brx.idx r, T;');
  const labels = table.elements.flatMap((one) => (one.kind === 'name' ? [one.name] : []));
  if (index === undefined) return;
  const word = at.of(32);
  at.require(word.less(index, constant(labels.length)), 'branch-index');
  labels.forEach((label, i) => at.emitWhere(word.equal(index, constant(i)), { kind: 'branch', label }));
}

export function decodeTrap(at: InstructionDecoder): void {
  at.emit({ kind: 'trap' });
}

const U32: DataType = { kind: 'u', width: 32 };

function labelOf(at: InstructionDecoder, index: number): string | undefined {
  const operand = at.operands[index];
  if (operand?.kind === 'name' && operand.offset === 0n) return operand.name;
  return at.refuse(operand, 'expected a label');
}
