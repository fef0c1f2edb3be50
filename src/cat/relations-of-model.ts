import type { CandidateExecution } from '../execution/candidate-execution.js';
import type { Relation } from '../relation/relation.js';
import { concreteAlgebra } from './concrete-algebra.js';
import { evaluateModel } from './evaluate.js';
import type { Model } from './model.js';
import { concreteVocabulary } from './vocabulary.js';

/** The relations that a model defines, by name, on one execution. */
export function relationsOfModel(model: Model, execution: CandidateExecution): ReadonlyMap<string, Relation> {
  const { definitions } = evaluateModel(model, concreteAlgebra(execution.executed), concreteVocabulary(execution));
  return new Map(
    [...definitions()].flatMap(([name, value]) => (value.kind === 'relation' ? [[name, value.value] as const] : [])),
  );
}
