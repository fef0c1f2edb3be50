import { Relation } from '../relation/relation.js';
import { EXECUTION_RELATIONS, STATIC_RELATIONS } from './base-relations.js';
import type { CandidateExecution } from './candidate-execution.js';

/** The relations of the vocabulary on one execution, by their names in models. */
export function namedRelations({ universe, executed, relations }: CandidateExecution): ReadonlyMap<string, Relation> {
  const { events } = universe;
  const given = Object.entries(EXECUTION_RELATIONS).map(([name, key]) => [name, relations[key]] as const);
  const followed = [...STATIC_RELATIONS].map(([name, related]) => {
    const holds = (a: number, b: number): boolean => {
      const [x, y] = [events[a], events[b]];
      return executed.has(a) && executed.has(b) && x !== undefined && y !== undefined && related(x, y);
    };
    return [name, Relation.from(events.length, holds)] as const;
  });
  return new Map([...followed, ...given]);
}
