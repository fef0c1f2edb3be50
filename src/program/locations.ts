import type { DataType } from './data-type.js';
import type { Proxy } from './operation.js';
import type { Placement } from './placement.js';

export type StateSpace = 'global' | 'shared' | 'const';

/** A piece of physical memory: a location of the test, or a CTA's instance of a shared one (PTX ISA 8.2). */
export interface MemoryObject {
  readonly id: number;
  /** As conditions and reports name it: `x`, or `s@cta1` where there are several instances. */
  readonly name: string;
  readonly space: StateSpace;
  /** The CTA whose shared memory holds it. */
  readonly cta: string | undefined;
  /** That CTA's cluster: only its threads can reach it (8.3). */
  readonly cluster: string | undefined;
  readonly elementType: DataType;
  /** In bytes. */
  readonly size: number;
  /** One for each element; undefined where real memory would be unknown. */
  readonly initial: readonly (bigint | undefined)[];
}

/** A range of virtual addresses through which an object is reached; an alias has its own (PTX ISA 8.2.2). */
export interface VirtualRange {
  readonly name: string;
  readonly base: bigint;
  readonly object: MemoryObject;
  /** The only proxy that may use this name; undefined: any. */
  readonly proxy: Proxy | undefined;
  readonly elementType: DataType;
}

/** Whether a thread there can reach an object at all: shared memory only from its CTA's cluster. */
export function canReach(object: MemoryObject, placement: Placement): boolean {
  return object.cluster === undefined || object.cluster === placement.cluster;
}

/** All memory of a test. */
export class LocationTable {
  readonly objects: readonly MemoryObject[];

  constructor(
    readonly ranges: readonly VirtualRange[],
    objects: readonly MemoryObject[],
  ) {
    this.objects = objects;
  }

  /** The ranges of that name: one, or for `.shared` one for each CTA. */
  named(name: string): readonly VirtualRange[] {
    return this.ranges.filter((range) => range.name === name);
  }

  /** The range by which a thread of that CTA means `name`. */
  resolve(name: string, cta: string): VirtualRange | undefined {
    const candidates = this.named(name);
    return candidates.find((range) => range.object.cta === cta) ?? (candidates.length === 1 ? candidates[0] : undefined);
  }

  /** The range that holds `bytes` bytes at `address`; undefined if they are not all inside one. */
  at(address: bigint, bytes: number): VirtualRange | undefined {
    return this.ranges.find((range) => address >= range.base && address + BigInt(bytes) <= range.base + BigInt(range.object.size));
  }
}

const FIRST_ADDRESS = 0x1000n;
const ALIGNMENT = 0x100n;

/** The next free base address after objects of these sizes. */
export function baseAddress(sizesBefore: readonly number[]): bigint {
  return sizesBefore.reduce((address, size) => address + ((BigInt(size) + ALIGNMENT - 1n) / ALIGNMENT + 1n) * ALIGNMENT, FIRST_ADDRESS);
}
