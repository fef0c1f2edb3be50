import { type AccessKind, kindOf, type Trace } from '../follow/trace.js';
import type { Conflict } from './conflicts.js';
import { MustOrder } from './must-order.js';
import { RunOrder } from './run-order.js';

/** Of conflicts, whether the run itself has them: nothing there orders the two. */
export function inNoOrder(trace: Trace, found: readonly Conflict[]): (conflict: Conflict) => boolean {
  if (trace.hands) return () => false;
  const tagsOf = (row: number): AccessKind['tags'] => kindOf(trace, row).tags;
  /** What observes a strong write comes after it (PTX ISA 8.9.2, 8.9.5). */
  const isStrong = (row: number): boolean => kindOf(trace, row).writes && !tagsOf(row).has('WEAK');
  if (!trace.handsByAccesses) return ({ first }) => !first.some(isStrong);
  const seconds = new Map<number, number[]>();
  for (const { first: pair } of found) seconds.set(pair[1], [...(seconds.get(pair[1]) ?? []), pair[0]]);
  const ordered = new Set<string>();
  const order = new MustOrder(trace, (...of) => new RunOrder(...of));
  order.replay((row, before) => {
    for (const first of seconds.get(row) ?? []) if (before.isOrdered(first)) ordered.add(`${first} ${row}`);
  });
  // The first look of a wait is none of the run; of other proxies nothing is said here.
  const isOfRun = (row: number): boolean =>
    !kindOf(trace, row).isPoll && tagsOf(row).has('GEN') && !tagsOf(row).has('ASY');
  return ({ first: [a, b] }) => isOfRun(a) && isOfRun(b) && !ordered.has(`${a} ${b}`);
}
