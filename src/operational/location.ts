import type { MemoryObject } from '../program/locations.js';
import { type ByteRange, rangesOverlap } from '../semantics/cells.js';

/** A run of bytes of physical memory. */
export interface Bytes extends ByteRange {
  readonly object: MemoryObject;
}

/** Where an access goes: physical memory, and the virtual address by which it does (PTX ISA 8.2). */
export interface Location extends Bytes {
  readonly virtualAddress: bigint;
}

/** They share a byte of physical memory. */
export function shareBytes(a: Bytes, b: Bytes): boolean {
  return a.object === b.object && rangesOverlap(a, b);
}

/** They overlap: their ranges of virtual addresses do (8.2.1); aliases do not. */
export function overlap(a: Location, b: Location): boolean {
  return shareBytes(a, b) && a.virtualAddress - BigInt(a.offset) === b.virtualAddress - BigInt(b.offset);
}

/** One range of virtual addresses (8.2.1, complete overlap). */
export function overlapCompletely(a: Location, b: Location): boolean {
  return a.object === b.object && a.virtualAddress === b.virtualAddress && a.bytes === b.bytes;
}
