import type { CandidateExecution } from '../execution/candidate-execution.js';
import { findCycle } from '../relation/cycle.js';
import type { EventSet } from '../relation/event-set.js';
import type { Relation } from '../relation/relation.js';
import type { Check } from '../syntax/cat-ast.js';
import type { CatValue } from './algebra.js';
import { concreteAlgebra } from './concrete-algebra.js';
import { evaluateModel } from './evaluate.js';
import type { Model } from './model.js';
import { concreteVocabulary } from './vocabulary.js';

/** What a check of the model says of one execution. */
export interface CheckVerdict {
  readonly check: Check;
  /** Whether the test, with its negation, holds. */
  readonly holds: boolean;
  /**
   * Events that show why it does not: a cycle, an event related to itself, or a pair (or member) of what should be
   * empty.
   */
  readonly witness: readonly number[];
  /** Where the check asks whether something is empty: all events or pairs that are in it. */
  members(): readonly (readonly number[])[];
}

export interface ExecutionVerdict {
  readonly checks: readonly CheckVerdict[];
  /** All axioms hold. */
  readonly consistent: boolean;
}

/** Evaluates a model on one candidate execution, with a witness for each check that fails. */
export function checkExecution(model: Model, execution: CandidateExecution): ExecutionVerdict {
  const { checks } = evaluateModel(model, concreteAlgebra(execution.executed), concreteVocabulary(execution));
  const verdicts = checks.map(({ check, value }): CheckVerdict => {
    const witness = counterexample(check, value);
    const holds = (witness === undefined) !== check.negated;
    return { check, holds, witness: witness ?? [], members: () => membersOf(check, value) };
  });
  return { checks: verdicts, consistent: verdicts.every(({ check, holds }) => check.role !== 'axiom' || holds) };
}

function membersOf(check: Check, value: CatValue<EventSet, Relation>): readonly (readonly number[])[] {
  if (value.kind === 'set') return [...value.value].map((event) => [event]);
  if (check.test === 'acyclic') return [];
  const pairs = [...value.value];
  return check.test === 'empty' ? pairs : pairs.filter(([a, b]) => a === b).map(([event]) => [event]);
}

function counterexample(check: Check, value: CatValue<EventSet, Relation>): readonly number[] | undefined {
  if (value.kind === 'set') {
    const [first] = value.value;
    return first === undefined ? undefined : [first];
  }
  switch (check.test) {
    case 'acyclic':
      return findCycle(value.value);
    case 'irreflexive':
      for (let event = 0; event < value.value.size; event++) if (value.value.has(event, event)) return [event];
      return undefined;
    case 'empty': {
      const [first] = value.value;
      return first;
    }
  }
}
