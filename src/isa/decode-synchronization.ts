import { type DataType, PREDICATE, UNTYPED_DEFAULT } from '../program/data-type.js';
import type {
  BarrierOperation,
  ClusterBarrierOperation,
  Fence,
  FenceRestriction,
  ProxyFence,
} from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import { checkPlace } from './decode-access.js';
import { emitComparison } from './decode-arithmetic.js';
import type { Decoder } from './decoder.js';
import { guardOf } from './decoder.js';
import type { Qualifiers } from './qualifier-rules.js';

/** fence, membar, bar, barrier (PTX ISA, Parallel Synchronization and Communication Instructions), and control flow. */
export function decodeFence(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Qualifiers): void {
  // The default of fence is .acq_rel.
  const order = (qualifiers.order as Fence['order'] | undefined) ?? 'acq_rel';
  const restriction = qualifiers.restriction?.replace('sync_restrict::', '') as FenceRestriction | undefined;
  decoder.emit(instruction, { kind: 'fence', order, scope: qualifiers.scope as Scope, restriction });
}

/** On sm_70 and later membar is fence.sc, and membar.proxy is fence.proxy. */
export function decodeMembar(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Qualifiers): void {
  const scopes: Readonly<Record<string, Scope>> = { cta: 'cta', gl: 'gpu', sys: 'sys' };
  decoder.emit(instruction, {
    kind: 'fence',
    order: 'sc',
    scope: scopes[qualifiers.level ?? ''] ?? 'sys',
    restriction: undefined,
  });
}

/** Several kinds on one fence, as nvlitmus writes them, are one fence after the other. */
export function decodeProxyFence(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Qualifiers): void {
  const order = qualifiers.order as ProxyFence['order'];
  const scope = qualifiers.scope as Scope | undefined;
  const common = {
    kind: 'proxy-fence',
    order,
    scope,
    readsOnly: qualifiers.restriction?.endsWith('::read') === true,
  } as const;
  if (qualifiers.direction === 'async::generic') {
    // What a release covers is generic, what an acquire covers is asynchronous; both are limited to a state space.
    const space = qualifiers.restriction === 'sync_restrict::shared::cta' ? 'shared::cta' : 'shared::cluster';
    return decoder.emit(instruction, { ...common, proxy: 'async', space, address: undefined });
  }
  if (qualifiers.direction === 'tensormap::generic') {
    const [place, size] = instruction.operands;
    if (size !== undefined && (size.kind !== 'number' || size.value !== 128n))
      return void decoder.refuse(size.span, 'the size is 128, the bytes of a tensor map');
    const at = place === undefined ? undefined : decoder.address(place, 'global');
    if (place !== undefined && at === undefined) return;
    if (!checkPlace(decoder, instruction, 'global', at?.range, at?.address.offset ?? 0n, 128, 1)) return;
    return decoder.emit(instruction, { ...common, proxy: 'tensormap', space: undefined, address: at?.address });
  }
  const space = qualifiers.space as ProxyFence['space'];
  for (const kind of qualifiers.proxyKinds ?? [])
    decoder.emit(instruction, { ...common, proxy: kind as ProxyFence['proxy'], space, address: undefined });
}

/** The defaults are .release for arrive and .acquire for wait (PTX ISA, barrier.cluster). */
export function decodeClusterBarrier(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Qualifiers): void {
  const action = qualifiers.action as ClusterBarrierOperation['action'];
  const order =
    (qualifiers.order as ClusterBarrierOperation['order'] | undefined) ?? (action === 'arrive' ? 'release' : 'acquire');
  decoder.emit(instruction, { kind: 'cluster-barrier', action, order, aligned: qualifiers.aligned !== undefined });
}

const WARP_SIZE = 32n;
const COUNT: DataType = { kind: 'u', width: 32 };

export function decodeBarrier(decoder: Decoder, instruction: InstructionSyntax, qualifiers: Qualifiers): void {
  const action = qualifiers.action as BarrierOperation['action'];
  const level = qualifiers.level === 'warp' ? 'warp' : 'cta';
  if (level === 'warp' && action !== 'sync')
    return void decoder.refuse(instruction.span, 'a warp has bar.warp.sync only');
  const operands = [...instruction.operands];
  const result = action === 'red' ? operands.shift() : undefined;
  const chooser = action === 'red' ? operands.pop() : undefined;
  const dialect = decoder.isDat3m && instruction.mnemonic === 'bar' && qualifiers.level === 'cta' && action !== 'red';
  const { instance, id, count, unit } = dialect
    ? dialectOperands(operands)
    : { instance: undefined, ...barrierOperands(operands) };
  if (id === undefined)
    return void decoder.refuse(
      instruction.span,
      `wrong operands of ${instruction.mnemonic}: expected ${action === 'red' ? 'd, a{, b}, {!}c' : 'a{, b}'}`,
    );
  if (level === 'cta' && id.kind === 'number' && (id.value < 0n || id.value > 15n))
    return void decoder.refuse(id.span, 'a CTA has the barriers 0 to 15');
  if (action === 'arrive' && count === undefined && !dialect)
    return void decoder.refuse(
      instruction.span,
      `${instruction.mnemonic}.arrive needs the number of participating threads: a, b`,
    );
  if (level === 'warp' && count !== undefined)
    return void decoder.refuse(instruction.span, 'bar.warp.sync takes the mask of lanes only');
  if (count?.kind === 'number' && (count.value <= 0n || (count.value * unit) % WARP_SIZE !== 0n)) {
    return void decoder.refuse(
      count.span,
      'the number of participating threads is a multiple of the warp size, 32; each thread of a test stands for a warp',
    );
  }
  const idOperand = decoder.value(id, COUNT, { untyped: true });
  const written = count === undefined ? undefined : decoder.value(count, COUNT, { untyped: true });
  if (idOperand === undefined || (count !== undefined && written === undefined)) return;
  if (unit !== 1n && written?.kind === 'register')
    return void decoder.refuse(instruction.span, 'the count of this shorthand is a number');
  const countOperand = written?.kind === 'constant' ? { ...written, value: written.value * unit } : written;
  const reduction = action === 'red' ? decodeReduction(decoder, instruction, qualifiers, result, chooser) : undefined;
  if (action === 'red' && reduction === undefined) return;
  // bar is barrier.aligned (9.7.15.1).
  const aligned = level === 'cta' && (instruction.mnemonic === 'bar' || qualifiers.aligned !== undefined);
  decoder.emit(instruction, {
    kind: 'barrier',
    action,
    level,
    id: idOperand,
    count: countOperand,
    aligned,
    ...(instance === undefined ? {} : { instance }),
    ...(reduction === undefined ? {} : { reduction }),
  });
}

interface BarrierOperands {
  readonly id?: OperandSyntax | undefined;
  readonly count?: OperandSyntax | undefined;
  /** How many threads one of the count stands for. */
  readonly unit: bigint;
}

/** `a{, b}`: the barrier's number and its count of threads. */
function barrierOperands(operands: InstructionSyntax['operands']): BarrierOperands {
  const [id, count] = operands;
  return operands.length > 2 ? { unit: 1n } : { id, count, unit: 1n };
}

/**
 * `bar.cta.sync C{, id{, n}}` of the Dat3M dialect: without more, the instructions of one number C meet; with a value
 * `id` that names the barrier, those of one name do, and n counts threads of the test.
 */
function dialectOperands(
  operands: InstructionSyntax['operands'],
): BarrierOperands & { readonly instance: bigint | undefined } {
  const [instance, id, count] = operands;
  if (operands.length > 3 || instance?.kind !== 'number') return { instance: undefined, unit: 1n };
  if (id === undefined) return { instance: instance.value, id: { ...instance, value: 0n }, unit: WARP_SIZE };
  return { instance: undefined, id, count, unit: WARP_SIZE };
}

function decodeReduction(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: Qualifiers,
  result: InstructionSyntax['operands'][number] | undefined,
  chooser: InstructionSyntax['operands'][number] | undefined,
): BarrierOperation['reduction'] {
  if (result === undefined || chooser === undefined)
    return decoder.refuse(instruction.span, 'a barrier reduction takes d, a{, b}, {!}c');
  const operation = qualifiers.operation as 'popc' | 'and' | 'or';
  const resultType = operation === 'popc' ? COUNT : PREDICATE;
  const target = decoder.target(result, resultType);
  const value = decoder.predicate(instruction, chooser);
  return target === undefined || value === undefined
    ? undefined
    : { operation, target, value, width: 1, signed: false, resultWidth: resultType.width };
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
  if (guardOf(instruction) !== undefined)
    return void decoder.refuse(instruction.span, `${instruction.mnemonic} takes no guard`);
  const register = emitComparison(
    decoder,
    instruction,
    instruction.mnemonic.slice(1),
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
