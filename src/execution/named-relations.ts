import { EventSet } from '../relation/event-set.js';
import { Relation } from '../relation/relation.js';
import { EXECUTION_RELATIONS, type OfEvent, type OfPair, STATIC_RELATIONS } from './base-relations.js';
import type { CandidateExecution, EventUniverse } from './candidate-execution.js';

type Executed = Pick<CandidateExecution, 'universe' | 'executed'>;

/** What properties say of all events of a test, worked out once for all of its executions. */
interface OfAllEvents {
  readonly sets: Map<OfEvent, EventSet>;
  readonly relations: Map<OfPair, Relation>;
}
const KNOWN = new WeakMap<EventUniverse, OfAllEvents>();

function ofAllEvents(universe: EventUniverse): OfAllEvents {
  const known = KNOWN.get(universe) ?? { sets: new Map(), relations: new Map() };
  KNOWN.set(universe, known);
  return known;
}

/** The executed events that have a property. */
export function executedThat({ universe, executed }: Executed, belongs: OfEvent): EventSet {
  const { events } = universe;
  const { sets } = ofAllEvents(universe);
  const all = sets.get(belongs) ?? EventSet.from(events.length, (e) => events[e] !== undefined && belongs(events[e]));
  sets.set(belongs, all);
  return all.intersection(executed);
}

/** What a property of two events relates among those that are executed. */
export function amongExecuted({ universe, executed }: Executed, related: OfPair): Relation {
  const { events } = universe;
  const { relations } = ofAllEvents(universe);
  const all =
    relations.get(related) ??
    Relation.from(
      events.length,
      (a, b) => events[a] !== undefined && events[b] !== undefined && related(events[a], events[b]),
    );
  relations.set(related, all);
  return all.among(executed);
}

/** The relations of the vocabulary on one execution, by their names in models. */
export function namedRelations(execution: CandidateExecution): ReadonlyMap<string, Relation> {
  const followed = [...STATIC_RELATIONS].map(([name, related]) => [name, amongExecuted(execution, related)] as const);
  const given = Object.entries(EXECUTION_RELATIONS).map(([name, key]) => [name, execution.relations[key]] as const);
  return new Map([...followed, ...given]);
}
