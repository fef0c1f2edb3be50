import { kindOf, type Trace } from '../follow/trace.js';

/**
 * Whether two writes that are no atomics put the same value into the same bytes in every execution; undefined: it is
 * open, and they have no numbers. Which of them comes last does not matter to whoever comes after both.
 */
export function writeSameValue(trace: Trace, a: number, b: number): boolean | undefined {
  const { starts, sizes, values, numbers } = trace.accesses;
  if (![a, b].every((row) => isPlainWrite(trace, row))) return false;
  if (starts.at(a) !== starts.at(b) || sizes.at(a) !== sizes.at(b)) return false;
  const [value, other] = [values.at(a), values.at(b)];
  if (value !== undefined || other !== undefined) return value === other;
  const [number, second] = [numbers.get(a), numbers.get(b)];
  return number === undefined || second === undefined ? undefined : number === second;
}

/** Made in every execution, of elements in the generic proxy. */
function isPlainWrite(trace: Trace, row: number): boolean {
  const { writes, reads, isPossible, tags } = kindOf(trace, row);
  return writes && !reads && !isPossible && tags.has('GEN') && !tags.has('ASY') && !tags.has('MATRIX');
}
