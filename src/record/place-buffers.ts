import type { RecordedPointer } from './recording.js';

/** A location of a test, for a part of an allocation. */
export interface PlacedBuffer {
  readonly name: string;
  readonly start: bigint;
  readonly size: number;
  /** An allocator has handed it out of a block: its end is where the next one begins that the launch knows. */
  readonly isPart: boolean;
}

/** What an allocator asks the driver for, to hand out parts of it (PyTorch's: 2 MiB, 20 MiB, and multiples of 2). */
const BLOCK = 2 << 20;
/** A location is no larger (build-locations.ts). */
export const LARGEST_LOCATION = 2 ** 40;
/** Allocators of blocks begin parts at multiples of this, or of 512: a pointer elsewhere is a view of one before. */
const ALIGNMENT = 256n;

/**
 * The locations for the pointers of a launch. An allocation is one, whoever points into it; of a block each pointer
 * begins a part, which ends at the next one: they are disjoint, unless one is not aligned as allocators align.
 */
export function placeBuffers(
  pointers: readonly RecordedPointer[],
  nameOf: (index: number) => string,
): readonly PlacedBuffer[] {
  const allocations = new Map<bigint, RecordedPointer[]>();
  for (const one of pointers) allocations.set(one.base, [...(allocations.get(one.base) ?? []), one]);
  return [...allocations.values()].flatMap(partsOf).map((part, index) => ({ ...part, name: nameOf(index) }));
}

function partsOf(pointers: readonly RecordedPointer[]): readonly Omit<PlacedBuffer, 'name'>[] {
  const [first] = pointers;
  if (first === undefined) return [];
  const { base } = first;
  const size = Math.max(...pointers.map((one) => one.size));
  if (size < BLOCK || size % BLOCK !== 0) return [{ start: base, size, isPart: false }];
  const starts: bigint[] = [];
  for (const offset of [...new Set(pointers.map((one) => one.offset))].sort((a, b) => a - b)) {
    const address = base + BigInt(offset);
    if (address % ALIGNMENT !== 0n && starts.length > 0) continue;
    starts.push(address - (address % ALIGNMENT));
  }
  return starts.map((start, i) => {
    const end = starts[i + 1] ?? base + BigInt(size);
    return { start, size: Number(end - start), isPart: true };
  });
}

/** The allocation that ends at an address, as a pointer behind its last element does. */
export const endingAt = (buffers: readonly PlacedBuffer[], address: bigint): PlacedBuffer | undefined =>
  buffers.find(({ start, size, isPart }) => !isPart && start + BigInt(size) === address);

/** Where an address lies in the locations. */
export function placeOf(
  buffers: readonly PlacedBuffer[],
  address: bigint,
): { readonly buffer: PlacedBuffer; readonly offset: bigint } | undefined {
  const buffer = buffers.find(({ start, size }) => start <= address && address < start + BigInt(size));
  return buffer && { buffer, offset: address - buffer.start };
}
