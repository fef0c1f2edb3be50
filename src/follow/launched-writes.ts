import { type MemoryAccess, memoryAccesses } from '../effects/memory-accesses.js';
import type { Code } from '../kernel/code.js';
import { addressInCta, type LocationTable, type Tensor, tensorAt } from '../program/locations.js';
import { at, type LaneValue } from './lane-value.js';
import type { Lockstep, LockstepHooks } from './lockstep.js';
import { originsAt } from './origins.js';
import type { Path } from './path.js';
import type { WrittenMemory } from './written-memory.js';

/** Adds what threads may write, on their way, to the memory that may change while a test runs. */
export function addingWrites(written: WrittenMemory, locations: LocationTable, { statements }: Code): LockstepHooks {
  return {
    onOperation: (lockstep, path) => {
      const operation = statements[path.at]?.operation;
      for (const access of operation === undefined ? [] : memoryAccesses(operation)) {
        // Of tensor memory nothing is known before a launch.
        if (!access.writes || access.address.window === 'tensor') continue;
        if (access.tile === undefined) addPlaces(written, access, lockstep, path, locations);
        else addTile(written, access.tile, lockstep, path, locations);
      }
    },
  };
}

/** Adds what is where the address says: anything, where nothing is known of that. */
function addPlaces(
  written: WrittenMemory,
  { address, multicast }: MemoryAccess,
  lockstep: Lockstep,
  path: Path,
  locations: LocationTable,
): void {
  const known = lockstep.address(path, address);
  const origins = lockstep.origins(path, address);
  const masks = multicast === undefined ? undefined : lockstep.value(path, multicast, MASK_BITS);
  for (const lane of path.lanes.keys()) {
    const own = at(known, lane);
    const bases = own === undefined ? originsAt(origins, lane) : [own];
    if (bases === undefined) written.addAll();
    const ctas = multicast === undefined ? undefined : ctasIn(masks, lane);
    for (const base of bases ?? [])
      for (const one of ctas?.map((cta) => addressInCta(base, cta)) ?? [base]) {
        const object = locations.at(one, 1)?.object;
        if (object !== undefined && object.owner === undefined) written.add(locations.nameOf(object));
      }
  }
}

const MASK_BITS = 16;
const CTAS = Array.from({ length: MASK_BITS }, (_, rank) => rank);

/** The CTAs of a cluster that a mask names, or may. */
function ctasIn(masks: LaneValue, lane: number): readonly number[] {
  const mask = at(masks, lane);
  return mask === undefined ? CTAS : CTAS.filter((rank) => (mask >> BigInt(rank)) % 2n === 1n);
}

/** Adds the tensor that a descriptor is of: anything, where it is not known which descriptor that is. */
function addTile(
  written: WrittenMemory,
  { descriptor }: NonNullable<MemoryAccess['tile']>,
  lockstep: Lockstep,
  path: Path,
  locations: LocationTable,
): void {
  const descriptors = lockstep.address(path, descriptor);
  for (const lane of path.lanes.keys()) {
    const address = at(descriptors, lane);
    const range = address === undefined ? undefined : locations.at(address, 1);
    const tensor: Tensor | undefined =
      range === undefined || address === undefined ? undefined : tensorAt(range.object, Number(address - range.base));
    if (range === undefined || tensor === undefined) {
      written.addAll();
      continue;
    }
    written.add(locations.nameOf(tensor.target.object));
    // The descriptor may be what is written: that is known when all is.
    written.addMap(locations.nameOf(range.object));
  }
}
