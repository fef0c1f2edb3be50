import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import type { DataType } from '../program/data-type.js';
import { type MbarrierOperation, TOKEN } from '../program/mbarrier-operation.js';
import {
  type Atomic,
  type BarrierOperation,
  type ClusterBarrierOperation,
  type Fence,
  isExchange,
  type Load,
  type Operand,
  type Operation,
  type ProxyFence,
} from '../program/operation.js';
import { remembered } from '../program/remembered.js';
import type { Effect, MbarrierEffect, MbarrierStep, Sized, Taken } from './effect.js';
import { effectsOfCopy, effectsOfRegion, effectsOfTensorAccess } from './effects-of-copy.js';
import { accessTags, ORDER_TAGS, PROXY_TAGS, SCOPE_TAGS, type Tag, TENSOR_STEP_TAGS } from './event-tags.js';
import { bytesAt, constant, elementsAt, objectAt, resultIn } from './memory-operand.js';

type Of<Kind extends Operation['kind']> = Extract<Operation, { readonly kind: Kind }>;

const known = new WeakMap<Operation, readonly Effect[]>();

/** What an operation does, in the order of its events; none of one that only computes or controls. */
export function effectsOf(operation: Operation): readonly Effect[] {
  return remembered(known, operation, (one) => (EFFECTS[one.kind] as Make<Operation>)(one));
}

type Make<T> = (operation: T) => readonly Effect[];
const nothing = (): readonly Effect[] => [];

/** By kind of operation. */
const EFFECTS: { readonly [Kind in Operation['kind']]: Make<Of<Kind>> } = {
  load: (load) => {
    const { scope, type, order, targets, address } = load;
    const tags: readonly Tag[] = ['R', ...accessTags(load, order), ...mannerTags(load)];
    const results = targets.map((target) => resultIn(target, type));
    return [{ kind: 'read', tags, scope, at: elementsAt(address, type, targets.length, !load.matrix), results }];
  },
  store: (store) => {
    const { scope, type, order, values, address } = store;
    const tags: readonly Tag[] = ['W', ...accessTags(store, order), ...mannerTags(store)];
    const data = { kind: 'operands', operands: values } as const;
    return [{ kind: 'write', tags, scope, at: elementsAt(address, type, values.length, !store.matrix), data }];
  },
  atomic: (atomic) => [updateOf(atomic)],
  fence: (fence) => [fenceOf(fence)],
  'proxy-fence': (fence) => [proxyFenceOf(fence)],
  barrier: (barrier) => [barrierOf(barrier)],
  'cluster-barrier': (barrier) => [clusterBarrierOf(barrier)],
  mbarrier: effectsOnObject,
  group: (group) => [{ kind: 'group', tags: group.action === 'wait' ? ['GROUP_WAIT'] : [], group }],
  async: effectsOfCopy,
  'tensormap-copy': ({ source, destination, scope }) => {
    const bytes = constant(DESCRIPTOR_BYTES);
    const takes = { bytes: { operand: bytes, width: 32 } };
    const releases = { order: 'release', space: undefined, readsOnly: false, address: undefined } as const;
    return [
      { kind: 'read', tags: ['R', 'WEAK', 'GEN'], at: bytesAt(source, bytes), takes, results: [] },
      { kind: 'write', tags: ['W', 'WEAK', 'GEN'], at: bytesAt(destination, bytes), data: { kind: 'moved' } },
      proxyFenceOf({ kind: 'proxy-fence', proxy: 'tensormap', scope, ...releases }),
    ];
  },
  region: effectsOfRegion,
  tensor: effectsOfTensorAccess,
  'tensor-step': ({ step }) => [{ kind: 'tensor-step', tags: [TENSOR_STEP_TAGS[step]] }],
  // What is released to a dependent grid is released to all.
  'grid-wait': (grid) => [
    { kind: 'grid', tags: ['GRID_WAIT'], scope: grid.launchedBy.length === 0 ? undefined : 'sys', grid },
  ],
  'launch-dependents': ({ represented }) => {
    const roles: readonly (readonly Tag[])[] = represented ? [['LAUNCH'], REPRESENTED] : [['LAUNCH']];
    return roles.map((tags) => ({ kind: 'grid', tags, grid: undefined }));
  },
  require: ({ rule, value }) => [{ kind: 'check', tags: [], rule, takes: { value: { operand: value, width: 1 } } }],
  'pair-step': nothing,
  compute: nothing,
  open: nothing,
  branch: nothing,
  exit: nothing,
  trap: nothing,
};

const REPRESENTED: readonly Tag[] = ['LAUNCH', 'REPRESENTED'];

const mannerTags = ({ matrix, somewhere }: Pick<Load, 'matrix' | 'somewhere'>): readonly Tag[] => [
  ...(matrix === true ? (['MATRIX'] as const) : []),
  ...(somewhere === true ? (['SOMEWHERE'] as const) : []),
];

/** The halves of an atomic: acquire belongs to the read, release to the write; each is at least relaxed. */
function updateOf(operation: Atomic): Effect {
  const { type, scope, order, address, target, values, more = [], operation: name } = operation;
  const [first, second] = values;
  if (first === undefined) throw new Error('an atomic without operands');
  const [compared, given] = name === 'cas' ? [first, second ?? first] : [undefined, first];
  return {
    kind: 'update',
    tags: operation.reduction ? ['RMW', 'RED'] : ['RMW'],
    readTags: accessTags(operation, order === 'acquire' || order === 'acq_rel' ? 'acquire' : 'relaxed'),
    writeTags: accessTags(operation, order === 'release' || order === 'acq_rel' ? 'release' : 'relaxed'),
    scope,
    at: elementsAt(address, type, 1 + more.length),
    operation: name,
    function: operation.function,
    data: { kind: 'operands', operands: [given, ...more.map(({ value }) => value)] },
    compared,
    results: [target, ...more.map((one) => one.target)].map((register) => resultIn(register, type)),
  };
}

/**
 * A fence has the generic proxy: otherwise it would be morally strong with nothing
 * (docs/decisions/fences-are-generic.md).
 */
const fenceOf = ({ order, scope, restriction }: Fence): Effect => ({
  kind: 'fence',
  tags: [
    ...(['F', order === 'sc' ? 'SC' : ORDER_TAGS[order], SCOPE_TAGS[scope], 'GEN'] as const),
    ...(restriction === undefined ? [] : (['RESTRICTED'] as const)),
  ],
  scope,
  restriction,
});

function proxyFenceOf(fence: ProxyFence): Effect {
  const { proxy, order, scope, readsOnly, address } = fence;
  const tags: Tag[] = ['F', 'PROXY_FENCE', proxy === 'alias' ? 'ALIAS' : PROXY_TAGS[proxy]];
  if (order !== undefined) tags.push(ORDER_TAGS[order]);
  if (scope !== undefined) tags.push(SCOPE_TAGS[scope]);
  if (readsOnly) tags.push('READS_ONLY');
  // The fence names the bytes of a descriptor; it reads none of them.
  const at = address === undefined ? {} : { at: { ...elementsAt(address, DESCRIPTOR, 1), alignment: 1 } };
  return { kind: 'fence', tags, scope, proxyFence: fence, ...at };
}
const DESCRIPTOR: DataType = { kind: 'b', width: 8 * DESCRIPTOR_BYTES };

/**
 * An arrival waits for the threads of its own warp that have not exited (PTX ISA 9.7.15.1), and so does each
 * instruction of barrier.cluster (9.7.15.3): it begins as a warp instruction of all of them. What waits for the other
 * warps to come to the same instruction waits for its own anyway.
 */
function barrierOf(barrier: BarrierOperation): Effect {
  const { level, action } = barrier;
  const ofLanes: readonly Tag[] = isExchange(barrier.reduction) ? ['EXCHANGE'] : [];
  const tags: readonly Tag[] =
    level === 'lanes' ? ofLanes : level === 'cta' && action !== 'arrive' ? ['B', 'CTA_WAIT'] : ['B'];
  return { kind: 'barrier', tags, barrier, meets: action === 'arrive' && level === 'cta' };
}

function clusterBarrierOf(barrier: ClusterBarrierOperation): Effect {
  const { action, order } = barrier;
  const role = action === 'arrive' ? 'CLUSTER_ARRIVE' : 'CLUSTER_WAIT';
  const tags: readonly Tag[] = ['B', role, ORDER_TAGS[order], 'CLUSTER', 'GEN'];
  return { kind: 'barrier', tags, scope: 'cluster', barrier, meets: true };
}

const word = (operand: Operand): Sized => ({ operand, width: 32 });

function effectsOnObject(operation: MbarrierOperation): readonly Effect[] {
  const at = objectAt(operation.object);
  const step = (of: MbarrierStep, tags: readonly Tag[], takes: Taken = {}): MbarrierEffect => {
    return { kind: 'mbarrier', tags: ['MBAR', ...tags], at, step: of, operation, takes };
  };
  switch (operation.action) {
    case 'init':
      // What an init leaves in memory is opaque: found by whoever reads it after inval.
      return [
        step('init', ['GEN', 'INIT'], { count: word(operation.count) }),
        { kind: 'write', tags: ['W', 'WEAK', 'GEN', 'OPAQUE'], at, data: { kind: 'unspecified' } },
      ];
    case 'inval':
      return [step('inval', ['GEN', 'INVAL'])];
    case 'async_arrive': {
      const count = word(constant(operation.arrivals ?? 1));
      return [
        operation.increment ? step('increment', ['GEN'], { count }) : { kind: 'issue', tags: ['ISSUE'], at },
        step('arrive', ['ASY', 'GEN'], { count }),
      ];
    }
    case 'expect_tx':
    case 'complete_tx':
    case 'arrive':
    case 'wait': {
      const { action, order, scope } = operation;
      const role: readonly Tag[] = action === 'arrive' ? ['ARRIVE'] : action === 'wait' ? ['WAIT'] : [];
      const effect = step(action, [...role, ORDER_TAGS[order], SCOPE_TAGS[scope], 'GEN'], takenBy(operation));
      return 'target' in operation
        ? [{ ...effect, scope, result: resultIn(operation.target) ?? 'discarded' }]
        : [{ ...effect, scope }];
    }
  }
}

function takenBy(operation: Extract<MbarrierOperation, { readonly order: unknown }>): Taken {
  switch (operation.action) {
    case 'expect_tx':
    case 'complete_tx':
      return { bytes: word(operation.bytes) };
    case 'arrive': {
      const { count, expect } = operation;
      return { count: word(count), ...(expect === undefined ? {} : { bytes: word(expect) }) };
    }
    case 'wait': {
      const { kind, operand } = operation.test;
      return { value: kind === 'token' ? { operand, width: TOKEN.width } : word(operand) };
    }
  }
}
