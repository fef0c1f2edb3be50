import { type MemoryAccess, memoryAccesses } from '../effects/memory-accesses.js';
import { type LocationTable, type MemoryObject, tensorAt } from '../program/locations.js';
import type { Address } from '../program/operation.js';
import type { Thread } from '../program/program.js';

export const objectAt = (
  locations: LocationTable,
  { index }: Thread,
  { base, offset }: Address,
): MemoryObject | undefined =>
  base.kind === 'constant' ? locations.at(base.value + offset, 1, index)?.object : undefined;

/** Which objects the accesses of some threads may touch, by their operations alone. */
export class TouchedObjects {
  /** Tensor maps among them may come to describe something else; undefined: any object may be written. */
  private readonly written: ReadonlySet<MemoryObject> | undefined;

  constructor(
    threads: readonly Thread[],
    private readonly locations: LocationTable,
  ) {
    const written = threads.flatMap((thread) =>
      thread.statements.flatMap(({ operation }) =>
        memoryAccesses(operation)
          .filter(({ writes }) => writes)
          .map((access) => this.declaredTo(thread, access)),
      ),
    );
    this.written = written.some((list) => list === undefined)
      ? undefined
      : new Set(written.flatMap((list) => list ?? []));
  }

  /** Undefined: any. */
  of(thread: Thread, access: MemoryAccess): readonly MemoryObject[] | undefined {
    const map = access.tile === undefined ? undefined : objectAt(this.locations, thread, access.address);
    const isChanged = map !== undefined && this.written?.has(map) !== false;
    return isChanged ? undefined : this.declaredTo(thread, access);
  }

  /** Those to which it goes as long as tensor maps are what they are declared as. */
  private declaredTo(thread: Thread, { address, tile, multicast }: MemoryAccess): readonly MemoryObject[] | undefined {
    if (address.base.kind !== 'constant') return undefined;
    const at = address.base.value + address.offset;
    const range = this.locations.at(at, 1, thread.index);
    if (range === undefined) return undefined;
    if (tile !== undefined) {
      const tensor = tensorAt(range.object, Number(at - range.base));
      return tensor === undefined ? undefined : [tensor.target.object];
    }
    if (multicast === undefined) return [range.object];
    return this.locations.named(range.name).map(({ object }) => object);
  }
}
