import type { AxiomFailure, Forbidden } from '../axiomatic/explain-forbidden.js';
import type { Model } from '../cat/model.js';
import { isUniversal } from '../check/decide-condition.js';
import type { ConditionResult } from '../check/result.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { findInterleaving } from './interleaving.js';
import { type MissingSynchronization, missingIn } from './missing.js';
import { type Synchronization, synchronizationsIn } from './synchronization.js';
import { overtaken, turnTakingOrders } from './thread-order.js';
import { findWeakCycle, type Hop } from './weak-cycle.js';

/** Why an execution is possible: threads that take turns do it, or a cycle shows that they do not, and what is missing that would exclude it. */
export type Allowed = {
  readonly kind: 'allowed';
  readonly execution: CandidateExecution;
  readonly interleaving: readonly number[] | undefined;
  readonly cycle: readonly Hop[] | undefined;
  readonly missing: MissingSynchronization | undefined;
};

/** Why an outcome is impossible: the nearest execution, the axioms that it breaks, and what each synchronization in it rests on. */
export type RuledOut = {
  readonly kind: 'forbidden';
  readonly forbiddenBy: Forbidden;
  readonly failures: readonly (AxiomFailure & { readonly synchronizations: readonly Synchronization[] })[];
};

export type Reason = Allowed | RuledOut | { readonly kind: 'never-ends' } | { readonly kind: 'unknown'; readonly reason: string };

export interface ConditionExplanation {
  readonly result: ConditionResult;
  /** Whether it explains the proposition of the condition, or its contrary: that is what decides a claim about all executions. */
  readonly of: 'proposition' | 'contrary';
  readonly reason: Reason;
}

/** Explains the verdict of a condition that was checked with reasons. */
export function explainCondition(model: Model, result: ConditionResult): ConditionExplanation {
  const universal = isUniversal(result.condition.quantifier);
  const of = universal ? 'contrary' : 'proposition';
  const because = (reason: Reason): ConditionExplanation => ({ result, of, reason });
  const execution = universal ? result.counterexample : result.witnesses[0];
  if (execution !== undefined) return because(explainExecution(model, execution));
  if (result.reachable === false && result.avoidable === false) return because({ kind: 'never-ends' });
  if (result.forbiddenBy === undefined) return because({ kind: 'unknown', reason: result.reason ?? 'it was not decided' });
  return because(explainForbiddenOutcome(result.forbiddenBy));
}

/** Why an execution, which a model allows, can happen. */
export function explainExecution(model: Model, execution: CandidateExecution): Allowed {
  const orders = turnTakingOrders(execution);
  const cycle = findWeakCycle(execution, orders) ?? findWeakCycle(execution, new Map(orders).set('overtaken', overtaken(execution, orders)));
  return {
    kind: 'allowed',
    execution,
    interleaving: cycle === undefined ? findInterleaving(execution, orders) : undefined,
    cycle,
    missing: cycle === undefined ? undefined : missingIn(model, execution, cycle),
  };
}

function explainForbiddenOutcome(forbiddenBy: Forbidden): RuledOut {
  const { execution, failures } = forbiddenBy;
  return {
    kind: 'forbidden',
    forbiddenBy,
    failures: failures.map((failure) => ({ ...failure, synchronizations: execution === undefined ? [] : synchronizationsIn(execution, failure.explanation) })),
  };
}
