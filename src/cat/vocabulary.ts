import {
  BASE_SETS,
  DERIVED_RELATIONS,
  EXECUTION_RELATIONS,
  type OfEvent,
  type OfPair,
  STATIC_RELATIONS,
} from '../execution/base-relations.js';
import type { CandidateExecution, ExecutionRelations } from '../execution/candidate-execution.js';
import { amongExecuted, executedThat } from '../execution/named-relations.js';
import type { EventSet } from '../relation/event-set.js';
import type { Relation } from '../relation/relation.js';
import type { CatValue } from './algebra.js';

/** What base-relations.ts states of events, as sets and relations: of one execution, or of all of them. */
export interface VocabularyValues<S, R> {
  /** The executed events that have a property, and those between which one holds. */
  set(belongs: OfEvent): S;
  relation(related: OfPair): R;
  /** What an execution gives. */
  given(name: keyof ExecutionRelations): R;
  intersection(a: R, b: R): R;
}

/** What the names mean that a model starts with. */
export function vocabulary<S, R>(values: VocabularyValues<S, R>): (name: string) => CatValue<S, R> | undefined {
  const relation = (name: string): R | undefined => {
    const related = STATIC_RELATIONS.get(name);
    if (related !== undefined) return values.relation(related);
    const given = EXECUTION_RELATIONS[name];
    if (given !== undefined) return values.given(given);
    const [a, b] = DERIVED_RELATIONS[name]?.map(relation) ?? [];
    return a === undefined || b === undefined ? undefined : values.intersection(a, b);
  };
  return (name) => {
    const belongs = BASE_SETS.get(name);
    if (belongs !== undefined) return { kind: 'set', value: values.set(belongs) };
    const value = relation(name);
    return value === undefined ? undefined : { kind: 'relation', value };
  };
}

/** What they mean in one execution. */
export function concreteVocabulary(
  execution: CandidateExecution,
): (name: string) => CatValue<EventSet, Relation> | undefined {
  return vocabulary<EventSet, Relation>({
    set: (belongs) => executedThat(execution, belongs),
    relation: (related) => amongExecuted(execution, related),
    given: (name) => execution.relations[name],
    intersection: (a, b) => a.intersection(b),
  });
}
