import type { AsyncSource } from './async-operation.js';
import type { MbarrierOperation } from './mbarrier-operation.js';
import type { Address, Operand, Operation } from './operation.js';

/** An operation with other operands in the place of its own, such as numbers in that of registers. */
export function mapOperands(operation: Operation, map: (operand: Operand) => Operand): Operation {
  const address = (given: Address): Address => ({ ...given, base: map(given.base) });
  const maybe = <T>(given: T | undefined, by: (one: T) => T): T | undefined =>
    given === undefined ? undefined : by(given);
  switch (operation.kind) {
    case 'compute':
    case 'open':
      return { ...operation, operands: operation.operands.map(map) };
    case 'load':
      return { ...operation, address: address(operation.address) };
    case 'store':
      return { ...operation, address: address(operation.address), values: operation.values.map(map) };
    case 'atomic': {
      const more = operation.more?.map((one) => ({ ...one, value: map(one.value) }));
      const values = operation.values.map(map);
      return { ...operation, address: address(operation.address), values, ...(more === undefined ? {} : { more }) };
    }
    case 'barrier': {
      const { reduction } = operation;
      const given = reduction === undefined ? {} : { reduction: { ...reduction, value: map(reduction.value) } };
      return { ...operation, id: map(operation.id), count: maybe(operation.count, map), ...given };
    }
    case 'mbarrier':
      return { ...ofObject(operation, map), object: address(operation.object) };
    case 'require':
      return { ...operation, value: map(operation.value) };
    case 'region':
      return { ...operation, address: address(operation.address), bytes: map(operation.bytes) };
    case 'tensor':
      return {
        ...operation,
        address: address(operation.address),
        bytes: map(operation.bytes),
        value: maybe(operation.value, map),
      };
    case 'proxy-fence':
      return { ...operation, address: maybe(operation.address, address) };
    case 'async': {
      const { completion, tile } = operation;
      return {
        ...operation,
        source: sourceWith(operation.source, map, address),
        destination: maybe(operation.destination, address),
        multicast: maybe(operation.multicast, map),
        completion: completion.kind === 'mbarrier' ? { ...completion, object: address(completion.object) } : completion,
        tile: maybe(tile, (one) => ({
          ...one,
          descriptor: address(one.descriptor),
          coordinate: map(one.coordinate),
          ...(one.coordinates === undefined ? {} : { coordinates: one.coordinates.map(map) }),
        })),
      };
    }
    case 'tensormap-copy':
      return { ...operation, source: address(operation.source), destination: address(operation.destination) };
    case 'fence':
    case 'cluster-barrier':
    case 'group':
    case 'tensor-step':
    case 'branch':
    case 'grid-wait':
    case 'launch-dependents':
    case 'exit':
    case 'trap':
      return operation;
  }
}

function sourceWith(
  source: AsyncSource,
  map: (operand: Operand) => Operand,
  address: (given: Address) => Address,
): AsyncSource {
  switch (source.kind) {
    case 'memory':
      return {
        ...source,
        address: address(source.address),
        bytes: map(source.bytes),
        given: source.given === undefined ? undefined : map(source.given),
        ignored: source.ignored === undefined ? undefined : map(source.ignored),
      };
    case 'values':
      return { ...source, values: source.values.map(map) };
    case 'response':
      return source;
  }
}

function ofObject(operation: MbarrierOperation, map: (operand: Operand) => Operand): MbarrierOperation {
  switch (operation.action) {
    case 'init':
      return { ...operation, count: map(operation.count) };
    case 'expect_tx':
    case 'complete_tx':
      return { ...operation, bytes: map(operation.bytes) };
    case 'arrive':
      return {
        ...operation,
        count: map(operation.count),
        expect: operation.expect === undefined ? undefined : map(operation.expect),
      };
    case 'wait':
      return { ...operation, test: { ...operation.test, operand: map(operation.test.operand) } };
    case 'inval':
    case 'async_arrive':
      return operation;
  }
}
