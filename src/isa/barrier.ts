import { WARP_SIZE } from '../program/barrier-rules.js';
import { PREDICATE } from '../program/data-type.js';
import { type BarrierOperation, type ClusterBarrierOperation, constant } from '../program/operation.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { ANY_TARGET, type Instruction, instruction } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import type { Rule } from './qualifier-rules.js';
import { U32 } from './typed-operands.js';

/** bar, barrier and barrier.cluster (PTX ISA, Parallel Synchronization and Communication Instructions). */

const BARRIER_COUNT: Rule = {
  rule: (q) =>
    q.action === 'red'
      ? '.red needs an operation and its type: .popc.u32, .and.pred or .or.pred'
      : `.${q.action} takes no reduction`,
  broken: (q) =>
    q.action === 'red'
      ? q.operation === undefined || q.type !== (q.operation === 'popc' ? 'u32' : 'pred') || q.level === 'warp'
      : q.operation !== undefined || q.type !== undefined,
  always: true,
};

interface BarrierQualifiers {
  readonly action: BarrierOperation['action'];
  readonly level?: 'cta' | 'warp';
  /** bar is barrier.aligned (9.7.15.1). */
  readonly aligned?: string;
  readonly operation?: 'popc' | 'and' | 'or';
}

function decodeBarrier(at: InstructionDecoder, qualifiers: BarrierQualifiers): void {
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
  const idOperand = at.value(id, U32, { untyped: true });
  const written = count === undefined ? undefined : at.value(count, U32, { untyped: true });
  if (idOperand === undefined || (count !== undefined && written === undefined)) return;
  // Each thread of the test stands for a warp: what is in a register is multiplied before.
  const countOperand =
    written === undefined || unit === 1n ? written : at.of(U32.width).multiply(written, constant(unit));
  const reduction = action === 'red' ? decodeReduction(at, qualifiers.operation, result, chooser) : undefined;
  if (action === 'red' && reduction === undefined) return;
  const aligned = level === 'cta' && qualifiers.aligned !== undefined;
  if (aligned) passes(at);
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

interface BarrierOperands {
  readonly id?: OperandSyntax | undefined;
  readonly count?: OperandSyntax | undefined;
  /** How many threads one of the count stands for. */
  readonly unit: bigint;
}

/** `a{, b}`: the barrier's number and its count of threads. */
function barrierOperands(operands: readonly OperandSyntax[]): BarrierOperands {
  const [id, count] = operands;
  return operands.length > 2 ? { unit: 1n } : { id, count, unit: 1n };
}

/**
 * `bar.cta.sync C{, id{, n}}` of the Dat3M dialect: without more, the instructions of one number C meet; with a value
 * `id` that names the barrier, those of one name do, and n counts threads of the test.
 */
function dialectOperands(
  operands: readonly OperandSyntax[],
): BarrierOperands & { readonly instance: bigint | undefined } {
  const [instance, id, count] = operands;
  if (operands.length > 3 || instance?.kind !== 'number') return { instance: undefined, unit: 1n };
  if (id === undefined) return { instance: instance.value, id: { ...instance, value: 0n }, unit: WARP_SIZE };
  return { instance: undefined, id, count, unit: WARP_SIZE };
}

function decodeReduction(
  at: InstructionDecoder,
  operation: BarrierQualifiers['operation'],
  result: OperandSyntax | undefined,
  chooser: OperandSyntax | undefined,
): BarrierOperation['reduction'] {
  if (operation === undefined || result === undefined || chooser === undefined)
    return at.refuse(undefined, 'a barrier reduction takes d, a{, b}, {!}c');
  const resultType = operation === 'popc' ? U32 : PREDICATE;
  const target = at.target(result, resultType);
  const value = at.predicate(chooser);
  return target === undefined || value === undefined
    ? undefined
    : { operation, target, value, width: 1, signed: false, resultWidth: resultType.width };
}

function emitClusterBarrier(
  at: InstructionDecoder,
  action: ClusterBarrierOperation['action'],
  order: ClusterBarrierOperation['order'],
  aligned: string | undefined,
): void {
  if (aligned !== undefined) passes(at);
  at.emit({ kind: 'cluster-barrier', action, order, aligned: aligned !== undefined });
}

/**
 * Lanes of a kernel that the guard of an aligned instruction lets past it have not exited there, whatever they do
 * behind it (docs/decisions/exited-threads-and-barriers.md): they do something at that place, each by itself.
 */
function passes(at: InstructionDecoder): void {
  const { guard } = at;
  if (guard === undefined || !at.decoder.thread.isLaunched) return;
  const own = at.of(U32.width).shiftLeft(constant(1n), at.lane);
  const alone = { kind: 'barrier', action: 'sync', level: 'warp', id: own, count: undefined, aligned: false } as const;
  at.emit(alone, { ...guard, negated: !guard.negated });
}

const REDUCTIONS = ['popc', 'and', 'or'] as const;
const RESULTS = ['u32', 'pred'] as const;
const BARRIER = {
  operands: 'a{, b}',
  operandCount: [1, 4],
  destination: { with: 'red' },
  rules: [BARRIER_COUNT],
  untyped: true,
} as const;

export const BARRIER_INSTRUCTIONS = {
  bar: instruction({
    ...BARRIER,
    slots: { level: ['cta', 'warp'], action: ['sync', 'arrive', 'red'], operation: REDUCTIONS, type: RESULTS },
    required: ['action'],
    since: ANY_TARGET,
    decode: (at, qualifiers) => decodeBarrier(at, { ...qualifiers, aligned: 'aligned' }),
  }),
  barrier: instruction({
    ...BARRIER,
    slots: {
      level: ['cta'],
      action: ['sync', 'arrive', 'red'],
      aligned: ['aligned'],
      operation: REDUCTIONS,
      type: RESULTS,
    },
    required: ['action'],
    refused: { cluster: 'it is barrier.cluster.arrive or barrier.cluster.wait' },
    since: { ptx: '6.0', target: 'sm_30' },
    decode: decodeBarrier,
  }),
  'barrier.cluster.arrive': instruction({
    slots: { order: ['release', 'relaxed'], aligned: ['aligned'] },
    defaults: { order: 'release' },
    operands: '',
    refused: { acquire: 'an arrival is .release or .relaxed' },
    advised: 'access',
    since: { ptx: '7.8; .release, .relaxed 8.0', target: 'sm_90' },
    decode: (at, { order, aligned }) => emitClusterBarrier(at, 'arrive', order, aligned),
  }),
  'barrier.cluster.wait': instruction({
    slots: { order: ['acquire'], aligned: ['aligned'] },
    defaults: { order: 'acquire' },
    operands: '',
    refused: { release: 'a wait is .acquire', relaxed: 'a wait is .acquire' },
    since: { ptx: '7.8; .acquire 8.0', target: 'sm_90' },
    decode: (at, { order, aligned }) => emitClusterBarrier(at, 'wait', order, aligned),
  }),
} as const satisfies Record<string, Instruction>;
