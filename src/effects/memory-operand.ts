import type { DataType } from '../program/data-type.js';
import { MBARRIER_BYTES } from '../program/mbarrier-operation.js';
import type { Address, Operand } from '../program/operation.js';
import type { MemoryOperand, Result, Typed } from './effect.js';

export const constant = (value: number): Operand => ({ kind: 'constant', value: BigInt(value) });

/**
 * Scalars of one type, one after the other. A vector as a whole must be aligned to its size (PTX ISA, ld, st, atom); a
 * part of what a warp accesses together is none.
 */
export function elementsAt(address: Address, type: DataType, count: number, isVector = true): Typed<MemoryOperand> {
  const bytes = (count * type.width) / 8;
  const alignment = count > 1 && isVector ? { alignment: bytes } : {};
  return { address, bytes: constant(bytes), what: 'data', type, parts: count, ...alignment };
}

/** Bytes that are cut where other accesses tell them apart. */
export function bytesAt(address: Address, bytes: Operand | undefined): MemoryOperand {
  return { address, bytes, what: 'data', type: undefined, alignment: 1, parts: 'moved' };
}

const MBARRIER_WORD: DataType = { kind: 'b', width: 8 * MBARRIER_BYTES };

/** An mbarrier object. */
export function objectAt(address: Address): Typed<MemoryOperand> {
  return { ...elementsAt(address, MBARRIER_WORD, 1), what: 'mbarrier' };
}

/** The register that takes a result; there is none where it is discarded. */
export const resultIn = (register: string | undefined, type?: DataType): Result | undefined =>
  register === undefined ? undefined : { register, signed: type?.kind === 's' };
