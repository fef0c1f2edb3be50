import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import type { LocationTable } from '../program/locations.js';
import type { Address, Operand, Operation } from '../program/operation.js';
import { boxRuns } from '../program/tensor-boxes.js';
import { at, type LaneValue } from './lane-value.js';
import type { Path, Walk } from './walk.js';

/** Bytes that an operation touches, thread by thread. */
export interface Footprint {
  readonly address: LaneValue;
  readonly bytes: number;
  readonly writes: boolean;
  /** Where the address is not known: one that it was computed from. */
  readonly origin: bigint | undefined;
  /** All of the location may be touched. */
  readonly isWhole: boolean;
}

const OBJECT_BYTES = 8;

/** What the threads of a path touch by the operation that they come to. */
export function footprintsOf(
  operation: Operation,
  walk: Walk,
  path: Path,
  locations: LocationTable,
): readonly Footprint[] {
  const of = (address: Address, bytes: number | undefined, writes: boolean): Footprint => {
    const where = walk.address(path, address);
    return {
      address: where,
      bytes: bytes ?? 0,
      writes,
      origin: walk.origin(path, address),
      isWhole: bytes === undefined || where === undefined,
    };
  };
  const size = (operand: Operand): number | undefined => {
    const value = at(walk.value(path, operand, 32), 0);
    return value === undefined ? undefined : Number(value);
  };
  switch (operation.kind) {
    case 'load':
      return [of(operation.address, (operation.targets.length * operation.type.width) / 8, false)];
    case 'store':
      return [of(operation.address, (operation.values.length * operation.type.width) / 8, true)];
    case 'atomic':
      return [of(operation.address, ((1 + (operation.more?.length ?? 0)) * operation.type.width) / 8, true)];
    case 'region':
      return [of(operation.address, size(operation.bytes), operation.action === 'write')];
    case 'mbarrier':
      return [of(operation.object, OBJECT_BYTES, operation.action !== 'wait')];
    case 'tensormap-copy':
      return [of(operation.source, DESCRIPTOR_BYTES, false), of(operation.destination, DESCRIPTOR_BYTES, true)];
    case 'async': {
      const { source, destination, completion, tile } = operation;
      const own: Footprint[] = [];
      const object = completion.kind === 'mbarrier' ? [of(completion.object, OBJECT_BYTES, true)] : [];
      const bytes =
        source.kind === 'memory'
          ? size(source.bytes)
          : source.kind === 'values'
            ? (source.values.length * source.type.width) / 8
            : 16;
      if (tile?.coordinates !== undefined) {
        const box = boxOf(tile.descriptor, tile.coordinates, walk, path, locations);
        const local = tile.side === 'source' ? destination : source.kind === 'memory' ? source.address : undefined;
        if (local !== undefined) own.push(of(local, box?.bytes, tile.side === 'source'));
        own.push(...(box?.runs ?? []).map((run) => ({ ...run, writes: tile.side === 'destination' })));
        return [...own, ...object];
      }
      if (source.kind === 'memory' && tile?.side !== 'source') own.push(of(source.address, bytes, false));
      if (destination !== undefined && tile?.side !== 'destination') own.push(of(destination, bytes, true));
      return [...own, ...object];
    }
    default:
      return [];
  }
}

function boxOf(
  descriptor: Address,
  coordinates: readonly Operand[],
  walk: Walk,
  path: Path,
  locations: LocationTable,
): { readonly bytes: number; readonly runs: readonly Omit<Footprint, 'writes'>[] } | undefined {
  const address = at(walk.address(path, descriptor), 0);
  const range = address === undefined ? undefined : locations.at(address, 1);
  const place = range === undefined || address === undefined ? undefined : Number(address - range.base);
  const tensor = range?.object.tensors.find((one) => one.at === place)?.tensor;
  if (tensor?.shape === undefined) return undefined;
  const corner = coordinates.map((one) => at(walk.value(path, one, 32), 0));
  const known = corner.flatMap((one) => (one === undefined ? [] : [Number(BigInt.asIntN(32, one))]));
  const { base } = tensor.target;
  if (known.length < corner.length)
    return { bytes: tensor.bytes, runs: [{ address: base, bytes: 0, origin: base, isWhole: true }] };
  const runs = boxRuns(tensor, known).flatMap(({ global, bytes }) =>
    global === undefined ? [] : [{ address: base + BigInt(global), bytes, origin: undefined, isWhole: false }],
  );
  return { bytes: tensor.bytes, runs };
}
