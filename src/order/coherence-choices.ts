import type { Trace } from '../follow/trace.js';
import type { GuardedUpdates } from './guarded-updates.js';
import type { CoherenceChoices } from './recheck-links.js';
import type { VariableWrites, Write } from './variable-writes.js';

/** By word whose coherence order is that of the case: which atomics may come earlier, in other cases. */
export function choicesOf(
  { coherence, accesses }: Trace,
  writes: VariableWrites,
  guarded: GuardedUpdates,
): Map<string, CoherenceChoices> {
  return new Map(
    coherence.flatMap(({ word, rows: [first = 0, ...others] }) => {
      if (!writes.coherence.has(first)) return [];
      const rows = new Set([first, ...others]);
      const made = writes.of(first).writes.filter(({ row }) => rows.has(row));
      return [[word, choicesIn(made, accesses, writes, guarded)] as const];
    }),
  );
}

/**
 * Of atomics in the order of a case, those that may come earlier: behind none of the ones that they would come before,
 * whatever the coherence order is from these on; and finding there what lets them be made.
 */
function choicesIn(
  made: readonly Write[],
  { threads }: Trace['accesses'],
  writes: VariableWrites,
  guarded: GuardedUpdates,
): CoherenceChoices {
  return made.map((_, at) => {
    const rest = made.slice(at);
    const isNext = (one: Write, i: number): boolean =>
      i > 0 && !rest.slice(0, i).some((other) => writes.isKnownBefore(other, one)) && guarded.mayBeNext(one, rest);
    return [...new Set(rest.filter(isNext).map(({ row }) => threads.at(row)))];
  });
}
