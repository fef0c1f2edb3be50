import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import { type DataType, PREDICATE } from '../program/data-type.js';
import {
  type BarrierOperation,
  type ClusterBarrierOperation,
  constant,
  type Fence,
  type FenceRestriction,
  type Operand,
  type ProxyFence,
} from '../program/operation.js';
import type { Scope } from '../program/placement.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { checkPlace } from './place.js';

/** fence, bar, barrier (PTX ISA, Parallel Synchronization and Communication Instructions). */
export function decodeFence(
  at: InstructionDecoder,
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
  at.emit({
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
  at: InstructionDecoder,
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
    return at.emit({ ...common, proxy: 'async', space, address: undefined });
  }
  if (qualifiers.direction === 'tensormap::generic') {
    const [place, size] = at.operands;
    if (size !== undefined && (size.kind !== 'number' || size.value !== BigInt(DESCRIPTOR_BYTES)))
      return void at.refuse(size, 'the size is 128, the bytes of a tensor map');
    const found = place === undefined ? undefined : at.address(place, 'global');
    if (place !== undefined && found === undefined) return;
    if (found !== undefined && !checkPlace(at, 'global', found, DESCRIPTOR_BYTES, 1)) return;
    return at.emit({ ...common, proxy: 'tensormap', space: undefined, address: found?.address });
  }
  for (const proxy of qualifiers.several) at.emit({ ...common, proxy, space: qualifiers.space, address: undefined });
}

export function decodeClusterBarrier(
  at: InstructionDecoder,
  { order, aligned }: { readonly order: ClusterBarrierOperation['order']; readonly aligned?: string },
  action: ClusterBarrierOperation['action'],
): void {
  at.emit({ kind: 'cluster-barrier', action, order, aligned: aligned !== undefined });
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

export function decodeBarrier(at: InstructionDecoder, qualifiers: BarrierQualifiers): void {
  const { action, level = 'cta' } = qualifiers;
  if (level === 'warp' && action !== 'sync') return void at.refuse(undefined, 'a warp has bar.warp.sync only');
  const operands = [...at.operands];
  const result = action === 'red' ? operands.shift() : undefined;
  const chooser = action === 'red' ? operands.pop() : undefined;
  const dialect = at.decoder.thread.isDat3m && at.mnemonic === 'bar' && qualifiers.level === 'cta' && action !== 'red';
  const { instance, id, count, unit } = dialect
    ? dialectOperands(operands)
    : { instance: undefined, ...barrierOperands(operands) };
  if (id === undefined)
    return void at.refuse(
      undefined,
      `wrong operands of ${at.mnemonic}: expected ${action === 'red' ? 'd, a{, b}, {!}c' : 'a{, b}'}`,
    );
  if (level === 'cta' && !dialect && id.kind === 'number' && (id.value < 0n || id.value > 15n))
    return void at.refuse(id, 'a CTA has the barriers 0 to 15');
  if (action === 'arrive' && count === undefined && !dialect)
    return void at.refuse(undefined, `${at.mnemonic}.arrive needs the number of participating threads: a, b`);
  if (level === 'warp' && count !== undefined)
    return void at.refuse(undefined, 'bar.warp.sync takes the mask of lanes only');
  if (count?.kind === 'number' && (count.value <= 0n || (count.value * unit) % WARP_SIZE !== 0n)) {
    return void at.refuse(
      count,
      'the number of participating threads is a multiple of the warp size, 32; each thread of a test stands for a warp',
    );
  }
  const idOperand = at.value(id, COUNT, { untyped: true });
  const written = count === undefined ? undefined : at.value(count, COUNT, { untyped: true });
  if (idOperand === undefined || (count !== undefined && written === undefined)) return;
  const countOperand = written === undefined || unit === 1n ? written : inThreads(at, written, unit);
  const reduction = action === 'red' ? decodeReduction(at, qualifiers.operation, result, chooser) : undefined;
  if (action === 'red' && reduction === undefined) return;
  const aligned = level === 'cta' && qualifiers.aligned !== undefined;
  at.emit({
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
function inThreads(at: InstructionDecoder, count: Operand, unit: bigint): Operand {
  return at.of(COUNT.width).multiply(count, constant(unit));
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
  at: InstructionDecoder,
  operation: BarrierQualifiers['operation'],
  result: InstructionSyntax['operands'][number] | undefined,
  chooser: InstructionSyntax['operands'][number] | undefined,
): BarrierOperation['reduction'] {
  if (operation === undefined || result === undefined || chooser === undefined)
    return at.refuse(undefined, 'a barrier reduction takes d, a{, b}, {!}c');
  const resultType = operation === 'popc' ? COUNT : PREDICATE;
  const target = at.target(result, resultType);
  const value = at.predicate(chooser);
  return target === undefined || value === undefined
    ? undefined
    : { operation, target, value, width: 1, signed: false, resultWidth: resultType.width };
}
