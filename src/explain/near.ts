import { type WhyNot, whyNot } from '../check/why-not.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';

export interface Near {
  readonly event: number;
  readonly why: WhyNot;
}

/** The nearest are told of; whoever has placed many knows. */
const MOST = 2;

/**
 * What stands near two events of a thread and could be taken for what orders them: fences, and arrivals and waits that
 * are relaxed. `side`: whether a release before the second or an acquire behind the first is missing.
 */
export function near(
  execution: CandidateExecution,
  side: 'release' | 'acquire',
  first: number,
  second: number,
): readonly Near[] {
  const { events } = execution.universe;
  const [a, b] = [events[first], events[second]];
  if (a?.thread === undefined || b?.thread !== a.thread) return [];
  const [from, to] = [a.node, b.node];
  const found = execution.universe.structure.events.flatMap((event): (Near & { readonly distance: number })[] => {
    if (event.thread !== a.thread || !execution.executed.has(event.id) || event.id === first || event.id === second)
      return [];
    const why = whyNot(event, side, event.node < from ? 'before' : event.node > to ? 'behind' : undefined);
    const distance = event.node < from ? from - event.node : Math.max(0, event.node - to);
    return why === undefined ? [] : [{ event: event.id, why, distance }];
  });
  return found.sort((x, y) => x.distance - y.distance).slice(0, MOST);
}
