import type { InstructionSyntax } from '../syntax/litmus-ast.js';
import { type DataType, PREDICATE, UNTYPED_DEFAULT } from './data-type.js';
import { emitComparison, predicate } from './decode-arithmetic.js';
import type { Decoder } from './decoder.js';
import { guardOf } from './decoder.js';
import type { BarrierOperation, Proxy } from './operation.js';
import type { Scope } from './placement.js';
import type { Qualifiers } from './qualifier-rules.js';

/** fence, membar, bar, barrier (PTX ISA, Parallel Synchronization and Communication Instructions), and control flow. */
export function decodeFence(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Qualifiers): void {
  if (qualifiers.proxy !== undefined) return decodeProxyFence(decoder, instruction, qualifiers);
  // The default of fence is .acq_rel.
  const order = (qualifiers.order as 'sc' | 'acq_rel' | 'acquire' | 'release' | undefined) ?? 'acq_rel';
  decoder.emit(instruction, { kind: 'fence', order, scope: qualifiers.scope as Scope });
}

/** On sm_70 and later membar is fence.sc, and membar.proxy is fence.proxy. */
export function decodeMembar(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Qualifiers): void {
  if (qualifiers.proxy !== undefined) return decodeProxyFence(decoder, instruction, qualifiers);
  const scopes: Readonly<Record<string, Scope>> = { cta: 'cta', gl: 'gpu', sys: 'sys' };
  decoder.emit(instruction, { kind: 'fence', order: 'sc', scope: scopes[qualifiers.level ?? ''] ?? 'sys' });
}

/** Several kinds on one fence, as nvlitmus writes them, are one fence after the other. */
function decodeProxyFence(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Qualifiers): void {
  for (const kind of qualifiers.proxyKinds ?? []) decoder.emit(instruction, { kind: 'proxy-fence', proxy: kind as Proxy | 'alias' });
}

const WARP_SIZE = 32n;
const COUNT: DataType = { kind: 'u', width: 32 };

export function decodeBarrier(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Qualifiers): void {
  const action = qualifiers.action as BarrierOperation['action'];
  const level = qualifiers.level === 'warp' ? 'warp' : 'cta';
  if (level === 'warp' && action !== 'sync') return void decoder.refuse(instruction.span, 'a warp has bar.warp.sync only');
  const operands = [...instruction.operands];
  const result = action === 'red' ? operands.shift() : undefined;
  const chooser = action === 'red' ? operands.pop() : undefined;
  // bar.cta.sync C, id, n of the Dat3M dialect: C numbers the instruction.
  const dialect = instruction.mnemonic === 'bar' && qualifiers.level === 'cta' && action !== 'red';
  const [id, count, third] =
    dialect && operands.length === 3 ? [operands[1], operands[2], undefined] : dialect && dat3mNamed(operands) ? [operands[1], undefined, undefined] : operands;
  if (id === undefined || third !== undefined)
    return void decoder.refuse(instruction.span, `wrong operands of ${instruction.mnemonic}: expected ${action === 'red' ? 'd, a{, b}, {!}c' : 'a{, b}'}`);
  if (level === 'cta' && id.kind === 'number' && (id.value < 0n || id.value > 15n)) return void decoder.refuse(id.span, 'a CTA has the barriers 0 to 15');
  if (action === 'arrive' && count === undefined) return void decoder.refuse(instruction.span, `${instruction.mnemonic}.arrive needs the number of participating threads: a, b`);
  if (level === 'warp' && count !== undefined) return void decoder.refuse(instruction.span, 'bar.warp.sync takes the mask of lanes only');
  if (count?.kind === 'number' && operands.length < 3 && (count.value <= 0n || count.value % WARP_SIZE !== 0n)) {
    return void decoder.refuse(count.span, 'the number of participating threads is a multiple of the warp size, 32; each thread of a test stands for a warp');
  }
  const idOperand = decoder.value(id, COUNT, { untyped: true });
  const countOperand = count === undefined ? undefined : decoder.value(count, COUNT, { untyped: true });
  if (idOperand === undefined || (count !== undefined && countOperand === undefined)) return;
  // The three-operand form of the Dat3M dialect counts threads of the test.
  const inThreads = dialect && operands.length === 3 && countOperand?.kind === 'constant' ? { kind: 'constant' as const, value: countOperand.value * WARP_SIZE } : countOperand;
  const reduction = action === 'red' ? decodeReduction(decoder, instruction, qualifiers, result, chooser) : undefined;
  if (action === 'red' && reduction === undefined) return;
  decoder.emit(instruction, { kind: 'barrier', action, level, id: idOperand, count: inThreads, ...(reduction === undefined ? {} : { reduction }) });
}

/** `bar.cta.sync C, id` of the Dat3M dialect: the second operand is a barrier's number where it cannot be a count. */
function dat3mNamed(operands: InstructionSyntax['operands']): boolean {
  const second = operands[1];
  return operands.length === 2 && second?.kind === 'number' && second.value >= 0n && second.value < 16n;
}

function decodeReduction(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: Qualifiers,
  result: InstructionSyntax['operands'][number] | undefined,
  chooser: InstructionSyntax['operands'][number] | undefined,
): BarrierOperation['reduction'] {
  if (result === undefined || chooser === undefined) return decoder.refuse(instruction.span, 'a barrier reduction takes d, a{, b}, {!}c');
  const operation = qualifiers.operation as 'popc' | 'and' | 'or';
  const target = decoder.target(result, operation === 'popc' ? COUNT : PREDICATE);
  const value = predicate(decoder, instruction, chooser);
  return target === undefined || value === undefined ? undefined : { operation, target, predicate: value, negated: false };
}

export function decodeBranch(decoder: Decoder, instruction: InstructionSyntax): void {
  const label = labelOf(decoder, instruction, 0);
  if (label !== undefined) decoder.emit(instruction, { kind: 'branch', label });
}

/** `bne a, b, L` of the Dat3M dialect: a signed comparison and a guarded branch. */
export function decodeCompareBranch(decoder: Decoder, instruction: InstructionSyntax): void {
  const a = decoder.value(instruction.operands[0], UNTYPED_DEFAULT, { untyped: true });
  const b = decoder.value(instruction.operands[1], UNTYPED_DEFAULT, { untyped: true });
  const label = labelOf(decoder, instruction, 2);
  if (a === undefined || b === undefined || label === undefined) return;
  if (guardOf(instruction) !== undefined) return void decoder.refuse(instruction.span, `${instruction.mnemonic} takes no guard`);
  const register = emitComparison(decoder, instruction, instruction.mnemonic.slice(1), UNTYPED_DEFAULT, a, b, decoder.temporary(PREDICATE, instruction.span));
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
