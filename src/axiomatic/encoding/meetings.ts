import { inProgramOrder } from '../../events/events.js';
import { FALSE, type Formula, TRUE } from '../formula/formula.js';
import { symbolicAcyclic } from '../relations/closure.js';
import { ExecutedEvents } from '../relations/executed-events.js';
import { SymbolicRelation } from '../relations/symbolic-relation.js';
import type { EncodingContext } from './encoding-context.js';

/**
 * A completion of a barrier of any kind, with the events without which it does not happen and those that it lets go on.
 */
export interface Meeting {
  readonly group: string;
  /** Counts the completions of that barrier. */
  readonly index: number;
  readonly complete: Formula;
  readonly contributors: ReadonlyMap<number, Formula>;
  readonly released: ReadonlyMap<number, Formula>;
  /**
   * Those that break a rule if they do not come after it: arrivals of a warp that has arrived for it (PTX ISA
   * 9.7.15.1).
   */
  readonly again?: ReadonlyMap<number, Formula>;
}

/**
 * An event that is there lets its thread go on under this condition; where threads may be kept, only then. What is
 * certain to let it go on does.
 */
export function letsGo(context: EncodingContext, event: number, here: Formula, condition: Formula): Formula {
  const { builder } = context;
  const released = builder.implies(here, condition);
  const passes = context.passesAt(event);
  if (passes !== TRUE) context.assert(builder.implies(here, builder.iff(passes, condition)));
  else if (context.isCertain(event)) context.assert(released);
  return released;
}

/**
 * No meeting waits for itself: what it lets go on, also what arrives again, does not, by program order, lead to what it
 * needs.
 */
export function noMeetingWaitsForItself(
  context: EncodingContext,
  meetings: readonly Meeting[],
  withAgain: boolean,
): Formula {
  const { builder, universe } = context;
  const pairs: (readonly [number, number])[] = [];
  for (let x = 0; x < meetings.length; x++) for (let y = 0; y < meetings.length; y++) pairs.push([x, y]);
  const before = (x: number, y: number): Formula => {
    const [first, second] = [meetings[x], meetings[y]];
    if (first === undefined || second === undefined) return FALSE;
    if (first.group === second.group && first.index < second.index) return builder.and(first.complete, second.complete);
    const ways: Formula[] = [];
    for (const [a, released] of [...first.released, ...((withAgain && first.again) || [])]) {
      for (const [b, contributes] of second.contributors) {
        const [earlier, later] = [universe.events[a], universe.events[b]];
        if (earlier !== undefined && later !== undefined && inProgramOrder(earlier, later))
          ways.push(builder.and(released, contributes));
      }
    }
    return builder.any(ways);
  };
  const always = new ExecutedEvents(
    builder,
    meetings.map(() => TRUE),
  );
  return meetings.length === 0 ? TRUE : symbolicAcyclic(builder, always, SymbolicRelation.eager(always, pairs, before));
}
