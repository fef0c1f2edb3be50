import { type AsyncOperation, DESCRIPTOR_BYTES } from './async-operation.js';
import type { MbarrierOperation } from './mbarrier-operation.js';
import type { Address, Operand, Operation } from './operation.js';

/** Bytes that an operation touches by one of its addresses. */
export interface MemoryAccess {
  readonly address: Address;
  /** How many; undefined: as many as a box of the tensor has that a descriptor describes. */
  readonly bytes: Operand | undefined;
  /** It may be both. */
  readonly what: 'data' | 'mbarrier' | 'descriptor';
  readonly reads: boolean;
  readonly writes: boolean;
  /** At the address is a tensor map: touched is a tile of the tensor that this describes, and not what is there. */
  readonly tile: AsyncOperation['tile'];
  /** Touched are the bytes at the same offset in each CTA of the cluster that the mask names, not those there. */
  readonly multicast: Operand | undefined;
}

const OBJECT_BYTES = 8;
const RESPONSE_BYTES = 16;
const bytesOf = (count: number): Operand => ({ kind: 'constant', value: BigInt(count) });

const access = (
  address: Address,
  bytes: Operand | undefined,
  how: 'reads' | 'writes' | 'updates',
  more: Partial<MemoryAccess> = {},
): MemoryAccess => ({
  address,
  bytes,
  what: 'data',
  reads: how !== 'writes',
  writes: how !== 'reads',
  tile: undefined,
  multicast: undefined,
  ...more,
});

/**
 * All that an operation touches in memory, at once or later. What must know who writes something asks here, so that a
 * new kind of operation cannot be forgotten.
 */
export function memoryAccesses(operation: Operation): readonly MemoryAccess[] {
  switch (operation.kind) {
    case 'load': {
      const { address, targets, type } = operation;
      return [access(address, bytesOf((targets.length * type.width) / 8), 'reads')];
    }
    case 'store': {
      const { address, values, type } = operation;
      return [access(address, bytesOf((values.length * type.width) / 8), 'writes')];
    }
    case 'atomic': {
      const { address, more = [], type } = operation;
      return [access(address, bytesOf(((1 + more.length) * type.width) / 8), 'updates')];
    }
    case 'region':
    case 'tensor':
      return [access(operation.address, operation.bytes, operation.action === 'read' ? 'reads' : 'writes')];
    case 'mbarrier':
      return [access(operation.object, bytesOf(OBJECT_BYTES), ofObject(operation), { what: 'mbarrier' })];
    case 'tensormap-copy':
      return [
        access(operation.source, bytesOf(DESCRIPTOR_BYTES), 'reads'),
        access(operation.destination, bytesOf(DESCRIPTOR_BYTES), 'writes'),
      ];
    case 'async':
      return ofCopy(operation);
    case 'compute':
    case 'open':
    case 'fence':
    case 'proxy-fence':
    case 'barrier':
    case 'cluster-barrier':
    case 'group':
    case 'tensor-step':
    case 'grid-wait':
    case 'launch-dependents':
    case 'require':
    case 'branch':
    case 'exit':
    case 'trap':
      return [];
  }
}

function ofObject({ action }: MbarrierOperation): 'reads' | 'writes' | 'updates' {
  switch (action) {
    case 'init':
    case 'inval':
      return 'writes';
    case 'wait':
      return 'reads';
    case 'arrive':
    case 'async_arrive':
    case 'expect_tx':
    case 'complete_tx':
      return 'updates';
  }
}

function ofCopy({
  source,
  destination,
  reduction,
  completion,
  multicast,
  tile,
}: AsyncOperation): readonly MemoryAccess[] {
  const bytes = bytesOfSource(source, tile);
  const read = source.kind === 'memory' ? [access(source.address, bytes, 'reads', tileAt('source', tile))] : [];
  const how = reduction === undefined ? 'writes' : 'updates';
  const more = { multicast, ...tileAt('destination', tile) };
  const written = destination === undefined ? [] : [access(destination, bytes, how, more)];
  const map =
    tile === undefined ? [] : [access(tile.descriptor, bytesOf(DESCRIPTOR_BYTES), 'reads', { what: 'descriptor' })];
  const told =
    completion.kind === 'mbarrier'
      ? [access(completion.object, bytesOf(OBJECT_BYTES), 'updates', { what: 'mbarrier', multicast })]
      : [];
  return [...map, ...read, ...written, ...told];
}

const tileAt = (side: 'source' | 'destination', tile: AsyncOperation['tile']): Partial<MemoryAccess> =>
  tile?.side === side ? { tile, address: tile.descriptor } : {};

function bytesOfSource(source: AsyncOperation['source'], tile: AsyncOperation['tile']): Operand | undefined {
  switch (source.kind) {
    case 'memory':
      // A box has no size before its descriptor is known.
      return tile?.coordinates === undefined ? source.bytes : undefined;
    case 'values':
      return bytesOf((source.values.length * source.type.width) / 8);
    case 'response':
      return bytesOf(RESPONSE_BYTES);
  }
}
