import { warning } from '../diagnostics/diagnostic.js';
import { type DataType, PREDICATE } from '../program/data-type.js';
import type {
  BarrierOperation,
  ClusterBarrierOperation,
  Fence,
  FenceRestriction,
  Operand,
  ProxyFence,
} from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import { checkPlace } from './decode-access.js';
import type { Decoder } from './decoder.js';
import { constant, Steps } from './steps.js';

/** fence, bar, barrier (PTX ISA, Parallel Synchronization and Communication Instructions). */
export function decodeFence(
  decoder: Decoder,
  instruction: InstructionSyntax,
  {
    order,
    scope,
    restriction,
  }: {
    readonly order: Fence['order'];
    readonly scope: Scope;
    readonly restriction?: keyof typeof RESTRICTIONS;
  },
): void {
  decoder.emit(instruction, {
    kind: 'fence',
    order,
    scope,
    restriction: restriction === undefined ? undefined : RESTRICTIONS[restriction],
  });
}
const RESTRICTIONS = {
  mbarrier_init: 'mbarrier_init',
  'sync_restrict::shared::cta': 'shared::cta',
  'sync_restrict::shared::cluster': 'shared::cluster',
} as const satisfies Record<string, FenceRestriction>;

/** Several kinds on one fence, as nvlitmus writes them, are one fence after the other. */
export function decodeProxyFence(
  decoder: Decoder,
  instruction: InstructionSyntax,
  qualifiers: {
    readonly order?: 'acquire' | 'release';
    readonly scope?: Scope;
    readonly space?: NonNullable<ProxyFence['space']>;
    readonly direction?: string;
    readonly restriction?: string;
    /** The kinds of proxies. */
    readonly several: readonly ProxyFence['proxy'][];
  },
): void {
  const common = {
    kind: 'proxy-fence',
    order: qualifiers.order,
    scope: qualifiers.scope,
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
  for (const proxy of qualifiers.several)
    decoder.emit(instruction, { ...common, proxy, space: qualifiers.space, address: undefined });
}

export function decodeClusterBarrier(
  decoder: Decoder,
  instruction: InstructionSyntax,
  { order, aligned }: { readonly order: ClusterBarrierOperation['order']; readonly aligned?: string },
  action: ClusterBarrierOperation['action'],
): void {
  decoder.emit(instruction, { kind: 'cluster-barrier', action, order, aligned: aligned !== undefined });
}

const WARP_SIZE = 32n;
const COUNT: DataType = { kind: 'u', width: 32 };

interface BarrierQualifiers {
  readonly action: BarrierOperation['action'];
  readonly level?: 'cta' | 'warp';
  /** bar is barrier.aligned (9.7.15.1). */
  readonly aligned?: string;
  readonly operation?: 'popc' | 'and' | 'or';
}

export function decodeBarrier(decoder: Decoder, instruction: InstructionSyntax, qualifiers: BarrierQualifiers): void {
  const { action, level = 'cta' } = qualifiers;
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
  if (level === 'cta' && !dialect && id.kind === 'number' && (id.value < 0n || id.value > 15n))
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
  const countOperand = written === undefined || unit === 1n ? written : inThreads(decoder, instruction, written, unit);
  const reduction =
    action === 'red' ? decodeReduction(decoder, instruction, qualifiers.operation, result, chooser) : undefined;
  if (action === 'red' && reduction === undefined) return;
  const aligned = level === 'cta' && qualifiers.aligned !== undefined;
  decoder.emit(instruction, {
    kind: 'barrier',
    action,
    level,
    id: idOperand,
    count: countOperand,
    aligned,
    ...(instance === undefined ? {} : { instance }),
    ...(dialect ? { named: true as const } : {}),
    ...(reduction === undefined ? {} : { reduction }),
  });
}

/** A count of threads of the test, each of which stands for a warp: what is in a register is multiplied before. */
function inThreads(decoder: Decoder, instruction: InstructionSyntax, count: Operand, unit: bigint): Operand {
  return new Steps(decoder, instruction).of(COUNT.width).multiply(count, constant(unit));
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
  operation: BarrierQualifiers['operation'],
  result: InstructionSyntax['operands'][number] | undefined,
  chooser: InstructionSyntax['operands'][number] | undefined,
): BarrierOperation['reduction'] {
  if (operation === undefined || result === undefined || chooser === undefined)
    return decoder.refuse(instruction.span, 'a barrier reduction takes d, a{, b}, {!}c');
  const resultType = operation === 'popc' ? COUNT : PREDICATE;
  const target = decoder.target(result, resultType);
  const value = decoder.predicate(instruction, chooser);
  return target === undefined || value === undefined
    ? undefined
    : { operation, target, value, width: 1, signed: false, resultWidth: resultType.width };
}

/** Without a prerequisite grid there is nothing to wait for (PTX ISA 9.7.15.14): whoever wrote it meant more. */
export function decodeGridDependency(
  decoder: Decoder,
  instruction: InstructionSyntax,
  { action }: { readonly action: 'launch_dependents' | 'wait' },
): void {
  if (action === 'launch_dependents') return decoder.emit(instruction, { kind: 'launch-dependents' });
  if (decoder.prerequisites.length > 0)
    return decoder.emit(instruction, { kind: 'grid-wait', complete: decoder.prerequisites, launchedBy: [] });
  decoder.diagnostics.push(
    warning(
      'L0109',
      instruction.span,
      'griddepcontrol.wait orders nothing here: the test shows no prerequisite grid',
      'say which grid this one depends on, in the initial state: grid 1 dependent on 0',
    ),
  );
}
