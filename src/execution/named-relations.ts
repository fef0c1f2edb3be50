import { EventSet } from '../relation/event-set.js';
import { Relation } from '../relation/relation.js';
import { EXECUTION_RELATIONS, type OfEvent, type OfPair, STATIC_RELATIONS } from './base-relations.js';
import type { CandidateExecution } from './candidate-execution.js';

type Executed = Pick<CandidateExecution, 'universe' | 'executed'>;

/** The executed events that have a property. */
export function executedThat({ universe: { events }, executed }: Executed, belongs: OfEvent): EventSet {
  return EventSet.from(events.length, (e) => executed.has(e) && events[e] !== undefined && belongs(events[e]));
}

/** What a property of two events relates among those that are executed. */
export function amongExecuted({ universe: { events }, executed }: Executed, related: OfPair): Relation {
  return Relation.from(
    events.length,
    (a, b) =>
      executed.has(a) &&
      executed.has(b) &&
      events[a] !== undefined &&
      events[b] !== undefined &&
      related(events[a], events[b]),
  );
}

/** The relations of the vocabulary on one execution, by their names in models. */
export function namedRelations(execution: CandidateExecution): ReadonlyMap<string, Relation> {
  const followed = [...STATIC_RELATIONS].map(([name, related]) => [name, amongExecuted(execution, related)] as const);
  const given = Object.entries(EXECUTION_RELATIONS).map(([name, key]) => [name, execution.relations[key]] as const);
  return new Map([...followed, ...given]);
}
