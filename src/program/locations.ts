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
  /** Each 8 bytes of it are an mbarrier object that is initialized with this count before any thread starts. */
  readonly mbarrier: bigint | undefined;
  /** It is a tensor map. */
  readonly tensor: Tensor | undefined;
}

/** What a tensor map is declared to describe: a location, of which a tile is so many bytes. */
export interface Tensor {
  readonly target: VirtualRange;
  readonly bytes: number;
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

/** The address windows of an access (PTX ISA, State Spaces): which objects an address may lie in. */
export type Window = 'global' | 'shared::cta' | 'shared::cluster' | 'generic';

/**
 * Whether an access through a window by a thread may go to an object: `.shared::cta` is the thread's own CTA's memory.
 */
function inWindow(object: MemoryObject, window: Window, placement: Placement): boolean {
  if (!canReach(object, placement)) return false;
  if (window === 'generic') return true;
  if (window === 'global') return object.space !== 'shared';
  return object.space === 'shared' && (window === 'shared::cluster' || object.cta === placement.cta);
}

/** Whether a thread there can reach an object at all: shared memory only from its CTA's cluster. */
export function canReach(object: MemoryObject, placement: Placement): boolean {
  return object.cluster === undefined || object.cluster === placement.cluster;
}

/** What an address may name. */
export interface Located {
  readonly range: VirtualRange;
  /** In the object, in bytes. */
  readonly offset: number;
  readonly bytes: number;
  readonly virtualAddress: bigint;
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
    return (
      candidates.find((range) => range.object.cta === cta) ?? (candidates.length === 1 ? candidates[0] : undefined)
    );
  }

  /** The range that holds `bytes` bytes at `address`; undefined if they are not all inside one. */
  at(address: bigint, bytes: number): VirtualRange | undefined {
    return this.ranges.find(
      (range) => address >= range.base && address + BigInt(bytes) <= range.base + BigInt(range.object.size),
    );
  }

  /** What a thread means by an address; undefined outside of memory, of the window or of alignment. */
  locate(
    { bytes, window, alignment }: { readonly bytes: number; readonly window: Window; readonly alignment: number },
    placement: Placement | undefined,
    virtualAddress: bigint,
  ): Located | undefined {
    const range = this.at(virtualAddress, bytes);
    if (range === undefined || virtualAddress % BigInt(alignment) !== 0n) return undefined;
    if (placement !== undefined && !inWindow(range.object, window, placement)) return undefined;
    return { range, offset: Number(virtualAddress - range.base), bytes, virtualAddress };
  }
}

const FIRST_ADDRESS = 0x1000n;
const FIRST_SHARED_ADDRESS = 0x4000_0000n;
const ALIGNMENT = 0x100n;
/** Each CTA's shared memory is a window of this many bytes; the windows of a cluster follow each other by rank. */
const WINDOW_BITS = 20;
const RANK_BITS = 4;

/** Gives out addresses: of shared memory, the same offset in each CTA for each instance of one location. */
export class AddressSpace {
  private global = FIRST_ADDRESS;
  private shared = ALIGNMENT;

  nextGlobal(size: number): bigint {
    const base = this.global;
    this.global += rounded(size);
    return base;
  }

  /** An offset in the shared windows; undefined if they are full. */
  nextShared(size: number): bigint | undefined {
    const offset = this.shared;
    this.shared += rounded(size);
    return this.shared > 1n << BigInt(WINDOW_BITS) ? undefined : offset;
  }
}

const rounded = (size: number): bigint => ((BigInt(size) + ALIGNMENT - 1n) / ALIGNMENT + 1n) * ALIGNMENT;

/** The address of an offset in the shared memory of a CTA. */
export function sharedAddress(clusterIndex: number, rank: number, offset: bigint): bigint {
  return (
    FIRST_SHARED_ADDRESS +
    (((BigInt(clusterIndex) << BigInt(RANK_BITS)) + BigInt(rank)) << BigInt(WINDOW_BITS)) +
    offset
  );
}

/** Where an address holds the rank of its CTA in the cluster: what mapa replaces and getctarank reads. */
export const RANK_FIELD = { shift: WINDOW_BITS, width: RANK_BITS } as const;
