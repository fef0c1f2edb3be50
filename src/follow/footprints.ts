import { type MemoryAccess, memoryAccesses } from '../effects/memory-accesses.js';
import { addressInCta, type LocationTable, type MemoryObject, type Tensor, tensorAt } from '../program/locations.js';
import type { Operation } from '../program/operation.js';
import { boxRuns } from '../program/tensor-boxes.js';
import { at, type LaneValue } from './lane-value.js';
import type { Lockstep } from './lockstep.js';
import { originsAt } from './origins.js';
import type { Path } from './path.js';

/** Bytes that an operation of one thread touches. */
export interface Footprint {
  /** Undefined: anywhere. */
  readonly address: bigint | undefined;
  /** Undefined: any of the location. */
  readonly bytes: number | undefined;
  readonly writes: boolean;
  /** The tensor map that says where. */
  readonly map?: MemoryObject;
}

/** Whether what is in memory may change while the test runs. */
export type MayChange = (object: MemoryObject) => boolean;

type Part = (lane: number) => readonly Footprint[];

/** What the threads of a path touch by the operation that they come to, lane by lane. */
export function footprintsOf(
  operation: Operation,
  lockstep: Lockstep,
  path: Path,
  locations: LocationTable,
  mayChange: MayChange,
): Part {
  // Tensor memory is not looked at here: its addresses come out of memory.
  const accesses = memoryAccesses(operation).filter(({ address }) => address.window !== 'tensor');
  const tiles = accesses.flatMap((access) => (access.tile === undefined ? [] : [access.tile]));
  const [tile] = tiles.map((one) => new TileOfLanes(one, lockstep, path, locations, mayChange));
  const parts = accesses.map((access): Part => {
    const { writes, multicast } = access;
    if (access.tile !== undefined)
      return (lane) => tile?.runs(lane, sizeOf(access, lockstep, path)).map((run) => ({ ...run, writes })) ?? [];
    const where = places(access, lockstep, path, tile);
    return multicast === undefined ? where : inCtas(where, lockstep.value(path, multicast, 16), locations);
  });
  return (lane) => parts.flatMap((part) => part(lane));
}

const sizeOf = ({ bytes }: MemoryAccess, lockstep: Lockstep, path: Path): LaneValue =>
  bytes === undefined ? undefined : lockstep.value(path, bytes, 32);

/** What is touched where the address says. */
function places(access: MemoryAccess, lockstep: Lockstep, path: Path, tile: TileOfLanes | undefined): Part {
  const { address, bytes, writes } = access;
  const known = lockstep.address(path, address);
  const origins = lockstep.origins(path, address);
  const size = sizeOf(access, lockstep, path);
  return (lane) => {
    const own = at(known, lane);
    const count = bytes === undefined ? tile?.bytes(lane) : at(size, lane);
    if (own !== undefined) return [{ address: own, bytes: count === undefined ? undefined : Number(count), writes }];
    const bases = originsAt(origins, lane) ?? [undefined];
    return bases.map((base) => ({ address: base, bytes: undefined, writes }));
  };
}

const MASK_BITS = 16;

/** The same offset in the CTAs of the cluster that a mask names. */
function inCtas(where: Part, mask: LaneValue, locations: LocationTable): Part {
  return (lane) => {
    const ctas = at(mask, lane) ?? (1n << BigInt(MASK_BITS)) - 1n;
    const ranks = Array.from({ length: MASK_BITS }, (_, i) => BigInt(i)).filter((rank) => (ctas >> rank) % 2n === 1n);
    return where(lane).flatMap((one): readonly Footprint[] => {
      const { address } = one;
      if (address === undefined) return [one];
      return ranks
        .map((rank) => ({ ...one, address: addressInCta(address, Number(rank)) }))
        .filter((copy) => locations.at(copy.address, 1) !== undefined);
    });
  };
}

type Run = Omit<Footprint, 'writes'>;
const ANYWHERE: Run = { address: undefined, bytes: undefined };

/** The tiles that threads copy, each by the descriptor and the coordinates that it has. */
class TileOfLanes {
  private readonly descriptors: LaneValue;
  private readonly coordinates: readonly LaneValue[];

  constructor(
    private readonly tile: NonNullable<MemoryAccess['tile']>,
    lockstep: Lockstep,
    path: Path,
    private readonly locations: LocationTable,
    private readonly mayChange: MayChange,
  ) {
    this.descriptors = lockstep.address(path, tile.descriptor);
    this.coordinates = tile.coordinates?.map((one) => lockstep.value(path, one, 32)) ?? [
      lockstep.value(path, tile.coordinate, 64),
    ];
  }

  /** How many bytes the box of a thread has. */
  bytes(lane: number): number | undefined {
    return this.found(lane)?.tensor.bytes;
  }

  /** What of the tensor is touched: where the descriptor may change, that may be any memory. */
  runs(lane: number, size: LaneValue): readonly Run[] {
    const { map, tensor } = this.found(lane) ?? {};
    if (map === undefined || tensor === undefined || this.mayChange(map)) return [ANYWHERE];
    const { base } = tensor.target;
    const corner = this.coordinates.map((one) => at(one, lane));
    const known = corner.flatMap((one) => (one === undefined ? [] : [one]));
    const [first] = known;
    if (first === undefined || known.length < corner.length) return [{ address: base, bytes: undefined, map }];
    if (this.tile.coordinates === undefined)
      return [{ address: BigInt.asUintN(64, base + first), bytes: Number(at(size, lane) ?? tensor.bytes), map }];
    if (tensor.shape === undefined) return [{ address: base, bytes: undefined, map }];
    const runs = boxRuns(
      tensor,
      known.map((one) => Number(BigInt.asIntN(32, one))),
    );
    return runs.flatMap(({ global, bytes }) =>
      global === undefined ? [] : [{ address: base + BigInt(global), bytes, map }],
    );
  }

  private found(lane: number): { readonly map: MemoryObject; readonly tensor: Tensor } | undefined {
    const address = at(this.descriptors, lane);
    const range = address === undefined ? undefined : this.locations.at(address, 1);
    if (range === undefined || address === undefined) return undefined;
    const tensor = tensorAt(range.object, Number(address - range.base));
    return tensor === undefined ? undefined : { map: range.object, tensor };
  }
}
