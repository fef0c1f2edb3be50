import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import type { DataType } from '../program/data-type.js';
import { type MbarrierOperation, TOKEN } from '../program/mbarrier-operation.js';
import type {
  Atomic,
  BarrierOperation,
  ClusterBarrierOperation,
  Fence,
  Operand,
  Operation,
  ProxyFence,
} from '../program/operation.js';
import type { Effect, MbarrierEffect, MbarrierStep, Sized, Taken } from './effect.js';
import { effectsOfCopy, effectsOfRegion, effectsOfTensorAccess } from './effects-of-copy.js';
import { accessTags, ORDER_TAGS, PROXY_TAGS, SCOPE_TAGS, type Tag, TENSOR_STEP_TAGS } from './event-tags.js';
import { bytesAt, constant, elementsAt, objectAt, resultIn } from './memory-operand.js';

const known = new WeakMap<Operation, readonly Effect[]>();

/** What an operation does, in the order of its events; none of one that only computes or controls. */
export function effectsOf(operation: Operation): readonly Effect[] {
  const found = known.get(operation) ?? made(operation);
  known.set(operation, found);
  return found;
}

function made(operation: Operation): readonly Effect[] {
  switch (operation.kind) {
    case 'load': {
      const { scope, type, order, targets } = operation;
      const tags: readonly Tag[] = ['R', ...accessTags(operation, order), ...matrixTag(operation)];
      const results = targets.map((target) => resultIn(target, type));
      return [{ kind: 'read', tags, scope, at: elementsAt(operation.address, type, targets.length), results }];
    }
    case 'store': {
      const { scope, type, order, values } = operation;
      const tags: readonly Tag[] = ['W', ...accessTags(operation, order), ...matrixTag(operation)];
      const data = { kind: 'operands', operands: values } as const;
      return [{ kind: 'write', tags, scope, at: elementsAt(operation.address, type, values.length), data }];
    }
    case 'atomic':
      return [updateOf(operation)];
    case 'fence':
      return [fenceOf(operation)];
    case 'proxy-fence':
      return [proxyFenceOf(operation)];
    case 'barrier':
      return [barrierOf(operation)];
    case 'cluster-barrier':
      return [clusterBarrierOf(operation)];
    case 'mbarrier':
      return effectsOnObject(operation);
    case 'group':
      return [{ kind: 'group', tags: operation.action === 'wait' ? ['GROUP_WAIT'] : [], group: operation }];
    case 'async':
      return effectsOfCopy(operation);
    case 'tensormap-copy': {
      const { source, destination, scope } = operation;
      const bytes = constant(DESCRIPTOR_BYTES);
      const takes = { bytes: { operand: bytes, width: 32 } };
      const releases = { order: 'release', space: undefined, readsOnly: false, address: undefined } as const;
      return [
        { kind: 'read', tags: ['R', 'WEAK', 'GEN'], at: bytesAt(source, bytes), takes, results: [] },
        { kind: 'write', tags: ['W', 'WEAK', 'GEN'], at: bytesAt(destination, bytes), data: { kind: 'moved' } },
        proxyFenceOf({ kind: 'proxy-fence', proxy: 'tensormap', scope, ...releases }),
      ];
    }
    case 'region':
      return effectsOfRegion(operation);
    case 'tensor':
      return effectsOfTensorAccess(operation);
    case 'tensor-step':
      return [{ kind: 'tensor-step', tags: [TENSOR_STEP_TAGS[operation.step]] }];
    case 'grid-wait': {
      // What is released to a dependent grid is released to all.
      const scope = operation.launchedBy.length === 0 ? undefined : 'sys';
      return [{ kind: 'grid', tags: ['GRID_WAIT'], scope, grid: operation }];
    }
    case 'launch-dependents': {
      const roles: readonly (readonly Tag[])[] = operation.represented ? [['LAUNCH'], REPRESENTED] : [['LAUNCH']];
      return roles.map((tags) => ({ kind: 'grid', tags, grid: undefined }));
    }
    case 'require': {
      const value = { operand: operation.value, width: 1 };
      return [{ kind: 'check', tags: [], rule: operation.rule, takes: { value } }];
    }
    case 'compute':
    case 'open':
    case 'branch':
    case 'exit':
    case 'trap':
      return [];
  }
}

const REPRESENTED: readonly Tag[] = ['LAUNCH', 'REPRESENTED'];

const matrixTag = ({ matrix }: { readonly matrix?: true }): readonly Tag[] => (matrix === true ? ['MATRIX'] : []);

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
  const tags: readonly Tag[] =
    level === 'lanes' ? [] : level === 'cta' && action !== 'arrive' ? ['B', 'CTA_WAIT'] : ['B'];
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
