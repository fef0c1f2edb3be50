import type { Trace } from './trace.js';

/**
 * By access: the first of those that one asynchronous operation makes, which are ordered alike; of others themselves.
 */
export function operationsIn({ accesses, kinds }: Trace): Uint32Array {
  const { threads, positions, tellers, ends, ranges } = accesses;
  const columns = [threads, positions, tellers, ends, ranges, accesses.kinds, accesses.issues];
  const first = new Uint32Array(accesses.count);
  for (let row = 0; row < accesses.count; row++) {
    const isAsync = kinds[accesses.kinds.at(row)]?.tags.has('ASY') === true;
    const isSame = isAsync && row > 0 && columns.every((column) => column.at(row) === column.at(row - 1));
    first[row] = isSame ? (first[row - 1] ?? row) : row;
  }
  return first;
}
