import { kindOf, rowsTouching, type Trace, threadOf } from '../follow/trace.js';
import { initialValue } from '../program/locations.js';
import { areAlike, type Change, changed } from './reachable-values.js';
import { holdEachOther } from './scopes.js';

/** All writes of a word, in whatever order they come. */
export interface AtomicChain {
  readonly rows: readonly number[];
  /** What the first of them finds, the second, and so on: all of these are different. */
  readonly found: readonly bigint[];
}

/**
 * The atomics on the word of one of them, if nothing else writes it, and all make the same of what they find: then no
 * two find the same (Atomicity).
 */
export function chainOf(trace: Trace, row: number): AtomicChain | undefined {
  const { accesses, pieces } = trace;
  const columns = [accesses.starts, accesses.sizes, accesses.ranges];
  const rows = rowsTouching(trace, accesses.pieces.at(row), accesses.starts.at(row), accesses.sizes.at(row)).filter(
    (one) => kindOf(trace, one).writes,
  );
  const isAtomic = (one: number): boolean => {
    const { reads, isPossible, tags } = kindOf(trace, one);
    const isWhole = columns.every((column) => column.at(one) === column.at(row));
    return reads && !isPossible && isWhole && tags.has('GEN') && !tags.has('WEAK');
  };
  const changes = rows.map(
    (one): Change => ({ kind: kindOf(trace, one), value: accesses.values.at(one), bytes: accesses.sizes.at(row) }),
  );
  const isSame = changes.every(({ value }) => value === changes[0]?.value);
  const users = rows.map((one) => ({ scope: kindOf(trace, one).scope, thread: threadOf(trace, one) }));
  const object = pieces[accesses.pieces.at(row)]?.object;
  if (object === undefined || !rows.every(isAtomic) || !isSame || !areAlike(changes) || !holdEachOther(users))
    return undefined;
  const found = new Set<bigint>();
  let value = initialValue(object, accesses.starts.at(row), accesses.sizes.at(row));
  for (const one of changes) {
    if (value === undefined || found.has(value)) return undefined;
    found.add(value);
    value = changed(value, one);
  }
  return { rows, found: [...found] };
}
