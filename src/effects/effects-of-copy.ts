import { type AsyncOperation, type AsyncSource, DESCRIPTOR_BYTES, RESPONSE_BYTES } from '../program/async-operation.js';
import type { DataType } from '../program/data-type.js';
import type { Operand, RegionAccess, TensorAccess } from '../program/operation.js';
import type { TensorInstruction } from '../program/tensor-memory.js';
import type { Chunk, Data, Effect, MemoryOperand, Sized } from './effect.js';
import { accessTags, type Tag } from './event-tags.js';
import { bytesAt, constant, objectAt, resultIn } from './memory-operand.js';

const POINTER: DataType = { kind: 'u', width: 64 };

/** The two halves of the 16-byte answer to try_cancel. */
const RESPONSE_CHUNKS: readonly Chunk[] = [
  { offset: 0, bytes: 8 },
  { offset: 8, bytes: 8 },
];

/**
 * An asynchronous operation: its issue, in program order; then, outside of it, the read of a descriptor, the reads of
 * the source, for each CTA it goes to the writes (of a reduction: read-modify-writes), and the complete-tx there.
 */
export function effectsOfCopy(operation: AsyncOperation): readonly Effect[] {
  const { source, completion, multicast, destination } = operation;
  const size: Sized = { operand: sizeOf(source), width: 32 };
  const given = source.kind === 'memory' ? source.given : undefined;
  const count = given === undefined ? {} : { count: { operand: given, width: 32 } };
  const effects: Effect[] = [{ kind: 'issue', tags: ['ISSUE'], takes: { bytes: size, ...count } }];
  effects.push(...readsOf(operation));
  if (destination === undefined) return effects;
  effects.push(writesOf(operation, destination));
  if (completion.kind === 'mbarrier')
    effects.push({
      kind: 'mbarrier',
      // The object is accessed through the generic proxy (PTX ISA, cp.async.bulk).
      tags: ['MBAR', 'ASY', 'GEN'],
      at: {
        ...objectAt(completion.object),
        ...{ parts: [{ offset: 0, bytes: 0 }], multicast, inPair: completion.inPair },
      },
      step: 'complete_tx',
      operation: undefined,
      takes: { bytes: size },
      times: completion.times ?? 1,
    });
  return effects;
}

/** What the accesses of an asynchronous operation have in common. */
function performed({ source, completion, destination }: AsyncOperation): readonly Tag[] {
  const forPair = completion.kind === 'group' && completion.family === 'tcgen05.cta_group::2';
  return [
    'ASY',
    // st.async and red.async bring values of registers: nothing that they do is a copy (9.7.10.28.1).
    ...(source.kind === 'values' || destination === undefined ? [] : (['COPY'] as const)),
    ...(forPair ? (['CTA_PAIR'] as const) : []),
  ];
}

function readsOf(operation: AsyncOperation): readonly Effect[] {
  const { source, tile, reduction, order } = operation;
  const effects: Effect[] = [];
  if (tile !== undefined) {
    const tags: readonly Tag[] = ['R', ...performed(operation), 'WEAK', 'TMAP'];
    const whole = { ...bytesAt(tile.descriptor, constant(DESCRIPTOR_BYTES)), what: 'descriptor' } as const;
    const { alignment, ...pointer } = { ...whole, type: POINTER, parts: 1 };
    effects.push(
      { kind: 'read', tags, at: pointer, results: [] },
      { kind: 'read', tags, at: { ...whole, parts: 'descriptor' }, results: [] },
    );
  }
  if (source.kind !== 'memory') return effects;
  const { address, given: below, ignored: unless } = source;
  const how: readonly Tag[] =
    reduction === undefined ? accessTags(operation, order === 'weak' ? 'weak' : 'relaxed') : ['WEAK', 'ASYNC'];
  effects.push({
    kind: 'read',
    tags: ['R', ...performed(operation), ...how],
    scope: reduction === undefined ? operation.scope : undefined,
    at: { ...bytesAt(address, bytesOf(operation)), ...tileAt('source', operation), ...elementOf(operation) },
    results: [],
    when: { below, unless },
  });
  return effects;
}

function writesOf(operation: AsyncOperation, destination: NonNullable<AsyncOperation['destination']>): Effect {
  const { source, reduction, scope, order, multicast } = operation;
  const { alignment, ...moved } = bytesAt(destination, bytesOf(operation));
  const at: MemoryOperand = {
    ...moved,
    // Parts of a copy are cut where other accesses begin and end, not by a type: they need no alignment of their own.
    ...(source.kind === 'memory' && reduction === undefined ? { alignment } : {}),
    ...(source.kind === 'response' ? { parts: RESPONSE_CHUNKS } : {}),
    ...tileAt('destination', operation),
    ...elementOf(operation),
    multicast,
  };
  const data: Data = dataOf(source);
  const common = performed(operation);
  if (reduction === undefined)
    return { kind: 'write', tags: ['W', ...common, ...accessTags(operation, order)], scope, at, data };
  return {
    kind: 'update',
    tags: ['RMW', 'RED', ...common],
    readTags: accessTags(operation, 'relaxed'),
    writeTags: accessTags(operation, order),
    scope,
    at: { ...at, type: reduction.type },
    operation: reduction.operation,
    function: reduction.function,
    data,
    compared: undefined,
    results: [],
  };
}

function dataOf(source: AsyncSource): Data {
  switch (source.kind) {
    case 'memory':
      return { kind: 'moved' };
    case 'values':
      return { kind: 'operands', operands: source.values };
    case 'response':
      return { kind: 'unspecified' };
  }
}

const tileAt = (side: 'source' | 'destination', { tile }: AsyncOperation): Pick<MemoryOperand, 'tile'> =>
  tile?.side === side ? { tile } : {};

/**
 * The size of elements that are accessed whole: of a reduction, of values from registers, and the 16 bytes of a strong
 * copy (docs/decisions/128-bit-accesses.md). Other copies are cut where something else tells their bytes apart.
 */
function elementOf({ reduction, source, order }: AsyncOperation): Pick<MemoryOperand, 'element'> {
  if (reduction !== undefined) return { element: reduction.type.width / 8 };
  if (source.kind === 'values') return { element: source.type.width / 8 };
  return order === 'weak' ? {} : { element: 16 };
}

/** A box has no size before its descriptor is known. */
const bytesOf = ({ source, tile }: AsyncOperation): Operand | undefined =>
  source.kind === 'memory' && tile?.coordinates !== undefined ? undefined : sizeOf(source);

function sizeOf(source: AsyncSource): Operand {
  switch (source.kind) {
    case 'memory':
      return source.bytes;
    case 'values':
      return constant((source.values.length * source.type.width) / 8);
    case 'response':
      return constant(RESPONSE_BYTES);
  }
}

export function effectsOfRegion({ action, address, bytes, contents }: RegionAccess): readonly Effect[] {
  const at = bytesAt(address, bytes);
  const takes = { bytes: { operand: bytes, width: 32 } };
  if (action === 'read') return [{ kind: 'read', tags: ['R', 'WEAK', 'GEN'], at, takes, results: [] }];
  const tags: readonly Tag[] = ['W', 'WEAK', 'GEN', ...(contents === 'unstable' ? (['UNSTABLE'] as const) : [])];
  return [{ kind: 'write', tags, at, takes, data: { kind: contents === 'zero' ? 'zero' : 'open' } }];
}

const INSTRUCTION_TAGS: Readonly<Record<TensorInstruction, Tag>> = {
  mma: 'MMA',
  cp: 'CP',
  shift: 'SHIFT',
  ld: 'LD',
  st: 'ST',
  alloc: 'ALLOC',
  dealloc: 'DEALLOC',
};
const ROLE_TAGS = { operand: 'OPERAND', accumulator: 'ACCUMULATOR' } as const;
const GROUP_TAGS = { 1: 'CTA_GROUP_1', 2: 'CTA_GROUP_2' } as const;

/**
 * One access to tensor memory: all but those of alloc and dealloc are asynchronous, with an issue in program order (PTX
 * ISA 9.7.18.6.1).
 */
export function effectsOfTensorAccess(operation: TensorAccess): readonly Effect[] {
  const { action, address, bytes, value, target, instruction, role, group, shape, dataKind } = operation;
  const isAsynchronous = instruction !== 'alloc' && instruction !== 'dealloc';
  const tags: readonly Tag[] = [
    ...(['WEAK', 'TMEM', INSTRUCTION_TAGS[instruction]] as const),
    ...(instruction === 'cp' && shape === '4x256b' ? (['CP_4X256B'] as const) : []),
    ...(role === undefined ? [] : [ROLE_TAGS[role]]),
    ...(group === undefined ? [] : [GROUP_TAGS[group]]),
    ...(isAsynchronous ? (['ASY'] as const) : []),
  ];
  const takes = { bytes: { operand: bytes, width: 32 } };
  // What a register holds is stored and loaded in one.
  const held = value !== undefined || target !== undefined ? ({ element: 'whole' } as const) : {};
  const at = { ...bytesAt(address, bytes), ...held, tensor: { instruction, role, group, shape, dataKind } };
  const data: Data = value === undefined ? { kind: 'open' } : { kind: 'operands', operands: [value] };
  return [
    ...(isAsynchronous ? [{ kind: 'issue', tags: ['ISSUE'], takes } as const] : []),
    action === 'read'
      ? { kind: 'read', tags: ['R', ...tags], at, takes, results: [resultIn(target)] }
      : { kind: 'write', tags: ['W', ...tags], at, takes, data },
  ];
}
