import type { GroupFamily, MatrixOperands } from '../program/async-operation.js';
import { sharedAddress } from '../program/locations.js';
import { constant, type Operand, register } from '../program/operation.js';
import { emitAsync, fromMemory } from './emit-async.js';
import type { InstructionDecoder } from './instruction-decoder.js';

/**
 * Matrices in shared memory, of which a descriptor of 64 bits tells (PTX ISA, wgmma and tcgen05: matrix descriptor).
 */

/** A descriptor that a test declares says how many bytes its matrix has; of others the shape does. */
const DECLARED = { mark: 1n << 15n, size: 16n, start: 0x3fffn } as const;

/** Where the matrix of a descriptor begins, in the shared memory of its CTA. */
export const startOf = (descriptor: bigint): bigint => (descriptor & DECLARED.start) << 4n;

/** Whether a test has declared the matrix of a descriptor: then it is no more than a run of bytes. */
export const isDeclared = (descriptor: bigint): boolean => (descriptor & DECLARED.mark) !== 0n;

export const descriptorOf = (address: bigint, bytes: bigint): bigint =>
  ((address >> 4n) & DECLARED.start) | DECLARED.mark | ((bytes >> 4n) << DECLARED.size);

/** Reads a matrix in the shared memory of a CTA of the cluster, asynchronously and through the async proxy. */
export function readMatrix(
  at: InstructionDecoder,
  descriptor: Operand,
  bytes: Operand | number,
  family: GroupFamily,
  {
    rank = at.placement.rank,
    shape,
  }: { readonly rank?: number; readonly shape?: Omit<MatrixOperands, 'descriptor'> } = {},
): void {
  const of = at.of(64);
  const start = of.shiftLeft(of.and(descriptor, constant(DECLARED.start)), constant(4));
  const declared = at.of(1).element(descriptor, 64, 15);
  const size = of.shiftLeft(of.and(of.shiftRight(descriptor, constant(DECLARED.size)), constant(0x3fffn)), constant(4));
  const base = at.temporary({ kind: 'b', width: 64 });
  const window = sharedAddress(at.placement.clusterIndex, rank, 0n);
  at.result(base, { kind: 'b', width: 64 }, of.add(start, constant(window)));
  const read = at.of(32).select(declared, size, typeof bytes === 'number' ? constant(bytes) : bytes);
  emitAsync(at, {
    source: {
      ...fromMemory({ base: register(base), offset: 0n, window: 'shared::cluster' }, read),
      ...(shape === undefined ? {} : { matrix: { descriptor, ...shape } }),
    },
    destination: undefined,
    completion: { kind: 'group', family },
  });
}
