import type { ProgramEvent } from '../../events/program-event.js';
import { atLeast } from '../../semantics/completion.js';
import { type Formula, not } from '../formula/formula.js';
import type { EncodingContext } from './encoding-context.js';

/** Exactly so many of some conditions hold, as two conjuncts. */
export function exactly(
  { bits }: EncodingContext,
  conditions: readonly Formula[],
  count: number,
): readonly [Formula, Formula] {
  return [atLeast(bits, conditions, count), not(atLeast(bits, conditions, count + 1))];
}

/** Whether those of some events of a thread are executed that come before another of its events. */
export function executedBefore(
  context: EncodingContext,
  events: readonly ProgramEvent[],
  { node }: ProgramEvent,
): readonly Formula[] {
  return events.filter((event) => event.node < node).map(({ id }) => context.executed(id));
}
