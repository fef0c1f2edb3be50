import { BASE_SETS, DERIVED_RELATIONS, EXECUTION_RELATIONS, STATIC_RELATIONS } from '../execution/base-relations.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { amongExecuted } from '../execution/named-relations.js';
import { EventSet } from '../relation/event-set.js';
import type { Relation } from '../relation/relation.js';
import type { CatValue } from './algebra.js';

/** What the vocabulary means in one execution. */
export function concreteBase(
  execution: CandidateExecution,
): (name: string) => CatValue<EventSet, Relation> | undefined {
  const { events } = execution.universe;
  const { executed } = execution;
  const size = events.length;
  const lookUp = (name: string): CatValue<EventSet, Relation> | undefined => {
    const set = BASE_SETS.get(name);
    if (set !== undefined)
      return {
        kind: 'set',
        value: EventSet.from(size, (e) => executed.has(e) && events[e] !== undefined && set(events[e])),
      };
    const related = STATIC_RELATIONS.get(name);
    if (related !== undefined) return { kind: 'relation', value: amongExecuted(execution, related) };
    const given = EXECUTION_RELATIONS[name];
    if (given !== undefined) return { kind: 'relation', value: execution.relations[given] };
    const derived = DERIVED_RELATIONS[name];
    if (derived === undefined) return undefined;
    const [a, b] = [lookUp(derived[0]), lookUp(derived[1])];
    return a?.kind === 'relation' && b?.kind === 'relation'
      ? { kind: 'relation', value: a.value.intersection(b.value) }
      : undefined;
  };
  return lookUp;
}
