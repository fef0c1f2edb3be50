import type { AccessKind, Trace } from '../follow/trace.js';
import type { Conflict } from './conflicts.js';
import { MustOrder } from './must-order.js';
import { RunOrder } from './run-order.js';

/** Of conflicts, whether the run itself has them: nothing there orders the two. */
export function inNoOrder(trace: Trace, found: readonly Conflict[]): (conflict: Conflict) => boolean {
  const { accesses, kinds, hands, handsByAccesses } = trace;
  if (hands) return () => false;
  const tagsOf = (row: number): AccessKind['tags'] => kinds[accesses.kinds.at(row)]?.tags ?? new Set();
  const isWrite = (row: number): boolean => kinds[accesses.kinds.at(row)]?.writes === true;
  /** What observes a strong write comes after it (PTX ISA 8.9.2, 8.9.5). */
  const isStrong = (row: number): boolean => isWrite(row) && !tagsOf(row).has('WEAK');
  if (!handsByAccesses) return ({ first }) => !first.some(isStrong);
  const seconds = new Map<number, number[]>();
  for (const { first: pair } of found) seconds.set(pair[1], [...(seconds.get(pair[1]) ?? []), pair[0]]);
  const ordered = new Set<string>();
  const order = new MustOrder(trace, (...of) => new RunOrder(...of));
  order.replay((row, before) => {
    for (const first of seconds.get(row) ?? []) if (before.isOrdered(first)) ordered.add(`${first} ${row}`);
  });
  // The first look of a wait is none of the run; of other proxies nothing is said here.
  const isLook = (row: number): boolean => kinds[accesses.kinds.at(row)]?.isPoll === true;
  const isOfRun = (row: number): boolean => !isLook(row) && tagsOf(row).has('GEN') && !tagsOf(row).has('ASY');
  return ({ first: [a, b] }) => isOfRun(a) && isOfRun(b) && !ordered.has(`${a} ${b}`);
}
