import { isDeclared, startOf } from '../isa/matrix-descriptors.js';
import type { AsyncSource } from '../program/async-operation.js';
import { matrixRuns } from '../program/matrix-layout.js';
import type { Turn } from './turn.js';

/** Bytes of shared memory from an address on. */
export interface MatrixRun {
  readonly address: bigint;
  readonly bytes: number;
}

/** The bytes of a matrix, as its descriptor says; of one that a test has declared those from its start. */
export function matrixRunsOf(
  turn: Turn,
  { address, bytes, matrix }: Extract<AsyncSource, { readonly kind: 'memory' }>,
): readonly MatrixRun[] {
  const base = turn.uniform(address.base, 64, 'a matrix');
  const whole = (): readonly MatrixRun[] => [{ address: base, bytes: Number(turn.uniform(bytes, 32, 'a size')) }];
  if (matrix === undefined) return whole();
  const { depth, bits } = matrix;
  const descriptor = turn.uniform(matrix.descriptor, 64, 'a matrix descriptor');
  if (isDeclared(descriptor)) return whole();
  const extent = Number(turn.uniform(matrix.extent, 32, 'the size of a matrix'));
  const isTransposed = turn.uniform(matrix.isTransposed, 1, 'the layout of a matrix') === 1n;
  const runs = matrixRuns(descriptor, { extent, depth, bits, isTransposed });
  if (runs === undefined) throw turn.notFollowed('a matrix descriptor of a layout that is not understood');
  const first = base - startOf(descriptor);
  return runs.map((run) => ({ address: first + BigInt(run.address), bytes: run.bytes }));
}
