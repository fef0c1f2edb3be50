import { type AccessKind, kindOf, type Trace } from '../follow/trace.js';
import type { Code } from '../kernel/code.js';
import type { Conflict } from './conflict.js';
import type { WholeRun } from './whole-run.js';

/**
 * An update that is made again until it succeeds, where others write that are not morally strong with it: it need not
 * come to see these (docs/decisions/progress.md), and nothing is known of its end.
 */
export function endlessIn(
  trace: Trace,
  /** By launch. */
  codes: readonly (Code | undefined)[],
  conflicts: readonly Conflict[],
): WholeRun['open'] {
  const isRetried = ({ launch, statement }: AccessKind): boolean =>
    [...(codes[launch]?.retries.values() ?? [])].some(({ swap }) => swap === statement);
  for (const { kind, first } of conflicts) {
    const kinds = first.map((row) => kindOf(trace, row));
    const retried = kind === 'race' && kinds.every(({ writes }) => writes) ? kinds.find(isRetried) : undefined;
    if (retried !== undefined) return { span: retried.span, what: 'whether this update is made at last' };
  }
  return undefined;
}
