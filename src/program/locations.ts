import type { DataType } from './data-type.js';
import type { Proxy } from './operation.js';
import type { Placement } from './placement.js';

/** `tensor` is tensor memory, which is no state space of PTX: only tcgen05 instructions reach it (9.7.18.1). */
export type StateSpace = 'global' | 'shared' | 'const' | 'param' | 'local' | 'tensor';

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
  /** The only thread that can reach it, by its index: it is in `.local` memory. */
  readonly owner: number | undefined;
  readonly elementType: DataType;
  /** In bytes. */
  readonly size: number;
  /** The first elements, one by one; undefined where real memory would be unknown. */
  readonly initial: readonly (bigint | undefined)[];
  /** What all elements behind these begin as. */
  readonly rest: bigint | undefined;
  /** Nobody has given it a value, and reading it before something is written there is a mistake of the program. */
  readonly isUninitialized?: true;
  /** Each 8 bytes of it are an mbarrier object that is initialized with this count before any thread starts. */
  readonly mbarrier: bigint | undefined;
  /** Nothing that is asked depends on what is in it: it is not followed, and its zeros stand for anything. */
  readonly isIdle?: true;
  /** Of a parameter: how many bytes the launch gives, if it leaves some as padding. */
  readonly given?: number;
  /** Tensor maps in it, by where they begin, in bytes. */
  readonly tensors: readonly { readonly at: number; readonly tensor: Tensor }[];
}

/** The tensor that a map describes which begins there, as it is declared; undefined where none is. */
export const tensorAt = ({ tensors }: MemoryObject, offset: number): Tensor | undefined =>
  tensors.find(({ at }) => at === offset)?.tensor;

/** What an element of an object begins as. */
export const elementOf = ({ initial, rest }: MemoryObject, index: number): bigint | undefined =>
  index < initial.length ? initial[index] : rest;

/** Whether it is known what all of an object begins as. */
export const beginsKnown = ({ initial, rest, elementType, size }: MemoryObject): boolean =>
  !initial.includes(undefined) && (rest !== undefined || initial.length * elementType.width >= 8 * size);

/** Whether all of an object begins alike. */
export function beginsAlike(object: MemoryObject): boolean {
  const { initial, rest, elementType, size } = object;
  const values = new Set(initial);
  return (values.size === 0 || initial.length * elementType.width >= 8 * size ? values : values.add(rest)).size < 2;
}

/** The initial value of a range of an object; undefined where the test leaves some of it unknown. */
export function initialValue(object: MemoryObject, offset: number, bytes: number): bigint | undefined {
  const elementBytes = object.elementType.width / 8;
  let value = 0n;
  for (let i = bytes - 1; i >= 0; i--) {
    const at = offset + i;
    const element = elementOf(object, Math.floor(at / elementBytes));
    if (element === undefined) return undefined;
    value = (value << 8n) | ((element >> BigInt(8 * (at % elementBytes))) & 0xffn);
  }
  return value;
}

/** What a tensor map is declared to describe: a location, of which a tile is so many bytes. */
export interface Tensor {
  readonly target: VirtualRange;
  readonly bytes: number;
  /** Undefined: a tile is one run of bytes, which begins at a multiple of the element. */
  readonly shape?: {
    readonly elementType: DataType;
    /** In elements, innermost first. */
    readonly dimensions: readonly number[];
    /** In bytes, innermost first. */
    readonly strides: readonly number[];
    /** In elements, innermost first. */
    readonly box: readonly number[];
    /** Chunks are exchanged within so many bytes, which a row of a tile then has. */
    readonly swizzle?: number | undefined;
  };
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
export type Window = 'global' | 'shared::cta' | 'shared::cluster' | 'generic' | 'const' | 'param' | 'local' | 'tensor';

/**
 * Whether an access through a window by a thread may go to an object: `.shared::cta` is the thread's own CTA's memory.
 */
export function inWindow(object: MemoryObject, window: Window, placement: Placement): boolean {
  if (!canReach(object, placement)) return false;
  return isInWindow(object.space, window) && (window !== 'shared::cta' || object.cta === placement.cta);
}

/** Whether memory of a state space lies in a window, of some thread or other. */
export function isInWindow(space: StateSpace, window: Window): boolean {
  if (window === 'tensor' || space === 'tensor') return window === space;
  if (window === 'generic') return true;
  // The window of parameters lies inside the global one (PTX ISA, cvta and isspacep).
  if (window === 'global') return space === 'global' || space === 'param';
  return window === 'const' || window === 'param' || window === 'local' ? space === window : space === 'shared';
}

/** Whether a thread there can reach an object at all: shared memory only from its CTA's cluster, local memory alone. */
export function canReach(object: MemoryObject, placement: Placement): boolean {
  if (object.owner !== undefined) return object.owner === placement.thread;
  return object.cluster === undefined || object.cluster === placement.cluster;
}

/** What an access does, as far as not every memory can bear it. */
export type Manner = 'reads' | 'writes' | 'synchronizes';

/** Parameters and constants are only read; local memory is of one thread (PTX ISA, State Spaces; atom). */
export function allows(space: StateSpace, manner: Manner): boolean {
  if (space === 'const' || space === 'param') return manner === 'reads';
  return space !== 'local' || manner !== 'synchronizes';
}

/** A run of bytes of physical memory. */
export interface MemoryRange {
  readonly object: MemoryObject;
  /** In the object, in bytes. */
  readonly offset: number;
  readonly bytes: number;
}

/** Where an access goes: physical memory, and the virtual address by which it is reached (an alias has its own). */
export interface Located extends MemoryRange {
  readonly range: VirtualRange;
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

  /** The name that an object is declared with; aliases of it have others. */
  nameOf(object: MemoryObject): string {
    return this.ranges.find((range) => range.object === object)?.name ?? object.name;
  }

  /** Some bytes of an object by the name that it is declared with. */
  ofObject(object: MemoryObject, offset: number, bytes: number): Located {
    const range = this.ranges.find((candidate) => candidate.object === object);
    if (range === undefined) throw new Error(`${object.name} has no name`);
    return { range, object, offset, bytes, virtualAddress: range.base + BigInt(offset) };
  }

  /** The range by which a thread there means `name`. */
  resolve(name: string, placement: Pick<Placement, 'cta' | 'thread'>): VirtualRange | undefined {
    const candidates = this.named(name);
    // Who resolves for many threads asks for no more of a place than decides: see `DecodedOnce`.
    return (
      candidates.find(({ object }) =>
        object.owner === undefined ? object.cta === placement.cta : object.owner === placement.thread,
      ) ?? (candidates.length === 1 ? candidates[0] : undefined)
    );
  }

  /**
   * The range that holds `bytes` bytes at `address`; undefined if they are not all inside one. Local memory of all
   * threads has the same addresses: each finds its own there.
   */
  at(address: bigint, bytes: number, thread?: number): VirtualRange | undefined {
    return this.ranges.find(
      ({ base, object }) =>
        address >= base &&
        address + BigInt(bytes) <= base + BigInt(object.size) &&
        (object.owner === undefined || thread === undefined || object.owner === thread),
    );
  }

  /** Some bytes in words: `4 bytes at out+64 (.global, 64 bytes)`. */
  describe(address: bigint, bytes: number): string {
    const before = this.ranges.filter(({ base }) => base <= address).sort((a, b) => (a.base < b.base ? 1 : -1));
    const [nearest] = before;
    const what = `${bytes} byte${bytes === 1 ? '' : 's'} at `;
    const offset = nearest === undefined ? 0n : address - nearest.base;
    if (nearest === undefined || offset > APART + BigInt(nearest.object.size))
      return `${what}0x${address.toString(16)}`;
    const { space, size } = nearest.object;
    return `${what}${nearest.name}${offset === 0n ? '' : `+${offset}`} (.${space}, ${size} bytes)`;
  }

  /** What a thread means by an address; undefined outside of memory, of the window or of alignment. */
  locate(
    {
      bytes,
      window,
      alignment,
      manner,
    }: { readonly bytes: number; readonly window: Window; readonly alignment: number; readonly manner?: Manner },
    placement: Placement | undefined,
    virtualAddress: bigint,
  ): Located | undefined {
    const range = this.at(virtualAddress, bytes, placement?.thread);
    if (range === undefined || virtualAddress % BigInt(alignment) !== 0n) return undefined;
    if (placement !== undefined && !inWindow(range.object, window, placement)) return undefined;
    if (manner !== undefined && !allows(range.object.space, manner)) return undefined;
    return { range, object: range.object, offset: Number(virtualAddress - range.base), bytes, virtualAddress };
  }
}

/** Where the windows begin; that of parameters lies inside the global one. */
export const WINDOWS = {
  global: 0x1000n,
  param: 0x2000_0000n,
  paramEnd: 0x3000_0000n,
  shared: 0x4000_0000n,
  const: 0xb000_0000n,
  local: 0xc000_0000n,
  end: 0x1_0000_0000n,
  tensor: 0x2_0000_0000n,
  /** No memory that an instruction reaches: functions have their addresses there. */
  code: 0x8_0000_0000n,
  /** Of global memory, what is large, or finds no place below. */
  far: 0x10_0000_0000n,
  farEnd: 0x8_0000_0000_0000n,
} as const;
const FIRST_SHARED_ADDRESS = WINDOWS.shared;
const ALIGNMENT = 0x100n;
const LARGEST_NEAR = 1 << 24;
/** No index of 32 bits leads from one location of global memory to another, with elements of at most 16 bytes. */
const APART = 1n << 36n;
/**
 * Each CTA's shared memory is a window of 2^20 bytes. The rank of the CTA stands in bits 24 to 27 of its addresses, as
 * on devices, on which shipped code relies (docs/decisions/shared-addresses.md); the cluster in those around.
 */
const WINDOW_BITS = 20;
export const WINDOW_BYTES = 1n << BigInt(WINDOW_BITS);
/** Where an address holds the rank of its CTA in the cluster: what mapa replaces and getctarank reads. */
export const RANK_FIELD = { shift: 24, width: 4, mask: 0xfn << 24n } as const;
/** How many clusters come between two ranks, and where the number of sixteen of them stands. */
const CLUSTERS = { below: 16, shift: 28n } as const;

/** Gives out addresses: of shared memory, the same offset in each CTA for each instance of one location. */
export class AddressSpace {
  private readonly next = {
    global: WINDOWS.global as bigint,
    param: WINDOWS.param as bigint,
    const: WINDOWS.const as bigint,
    far: WINDOWS.far as bigint,
  };
  private shared = ALIGNMENT;
  private local = ALIGNMENT;

  /** Far from all others: where they lie is not known before the launch, and what is outside of one is in none. */
  nextGlobal(size: number): bigint {
    const base = this.next.far;
    const isFull = size <= LARGEST_NEAR && base + APART > WINDOWS.farEnd;
    if (isFull) return this.take('global', size);
    this.next.far += ((BigInt(size) + APART - 1n) / APART + 1n) * APART;
    return base;
  }

  /** An address of memory that there is once for all threads; undefined if its window is full. */
  nextIn(space: 'global' | 'param' | 'const', size: number): bigint | undefined {
    const base = space === 'global' ? this.nextGlobal(size) : this.take(space, size);
    const ends = [WINDOWS.param, WINDOWS.paramEnd, WINDOWS.local, WINDOWS.farEnd];
    const end = ends.find((one) => base < one) ?? WINDOWS.farEnd;
    return base + rounded(size) > end ? undefined : base;
  }

  private take(window: 'global' | 'param' | 'const', size: number): bigint {
    const base = this.next[window];
    this.next[window] += rounded(size);
    return base;
  }

  /** An offset in the local windows. */
  nextLocal(size: number): bigint {
    const offset = this.local;
    this.local += rounded(size);
    return offset;
  }

  /** An offset in the shared windows; undefined if they are full. */
  nextShared(size: number, alignment = 1): bigint | undefined {
    const unit = BigInt(alignment);
    const offset = ((this.shared + unit - 1n) / unit) * unit;
    this.shared = offset + rounded(size);
    return this.shared > WINDOW_BYTES ? undefined : offset;
  }
}

const rounded = (size: number): bigint => ((BigInt(size) + ALIGNMENT - 1n) / ALIGNMENT + 1n) * ALIGNMENT;

/** The address of an offset in the shared memory of a CTA. */
export function sharedAddress(clusterIndex: number, rank: number, offset: bigint): bigint {
  const [lower, upper] = [clusterIndex % CLUSTERS.below, Math.floor(clusterIndex / CLUSTERS.below)].map(BigInt);
  const cluster = ((upper ?? 0n) << CLUSTERS.shift) + (lower ?? 0n) * WINDOW_BYTES;
  return FIRST_SHARED_ADDRESS + cluster + (BigInt(rank) << BigInt(RANK_FIELD.shift)) + offset;
}

/** The same offset in the shared memory of another CTA of the cluster, as mapa computes it. */
export function addressInCta(address: bigint, rank: number): bigint {
  return (address & ~RANK_FIELD.mask) | (BigInt(rank) << BigInt(RANK_FIELD.shift));
}

/** The same offset in a CTA of the pair of a rank: of the two in that whose last bit the address has (9.7.18.5). */
export function addressInPair(address: bigint, rank: number): bigint {
  return addressInCta(address, (rank & ~1) | (rankIn(address) & 1));
}

/** The rank of the CTA in whose shared memory an address lies. */
export const rankIn = (address: bigint): number => Number((address & RANK_FIELD.mask) >> BigInt(RANK_FIELD.shift));

/** The address of an offset in local memory, of whatever thread. */
export const localAddress = (offset: bigint): bigint => WINDOWS.local + offset;
