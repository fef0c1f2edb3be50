import type { AxiomFailure, Forbidden } from '../axiomatic/session/explain-forbidden.js';
import { type Explanation, explainCheck } from '../cat/explain.js';
import type { Model } from '../cat/model.js';
import { relationsOfModel } from '../cat/relations-of-model.js';
import { isUniversal } from '../check/decide-condition.js';
import type { ConditionResult } from '../check/result.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { describeUndecided } from '../program/undecided.js';
import { findInterleaving } from './interleaving.js';
import { type MissingSynchronization, missingIn } from './missing.js';
import { type Synchronization, synchronizationsIn } from './synchronization.js';
import { overtaken, turnTakingOrders } from './thread-order.js';
import { findWeakCycle, type Hop } from './weak-cycle.js';

/**
 * Why an execution is possible: threads that take turns do it, or a cycle shows that they do not, and what is missing
 * that would exclude it.
 */
export type Allowed = {
  readonly kind: 'allowed';
  readonly execution: CandidateExecution;
  readonly interleaving: readonly number[] | undefined;
  readonly cycle: readonly Hop[] | undefined;
  readonly missing: MissingSynchronization | undefined;
};

/**
 * Why an outcome is impossible: the nearest execution, the axioms that it breaks, and what each synchronization in it
 * rests on.
 */
export type RuledOut = {
  readonly kind: 'forbidden';
  readonly forbiddenBy: Forbidden;
  readonly failures: readonly (AxiomFailure & { readonly synchronizations: readonly Synchronization[] })[];
  /** Why a write that is read was overwritten by another one: what a step of from-reads rests on. */
  readonly overwritings: readonly Overwriting[];
};

/** Two writes to one location that causality orders, and how. */
export interface Overwriting {
  readonly earlier: number;
  readonly later: number;
  readonly explanation: Explanation;
}

export type Reason =
  | Allowed
  | RuledOut
  | { readonly kind: 'never-ends' }
  /** A run of all threads of a launch shows it. */
  | { readonly kind: 'by-run' }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface ConditionExplanation {
  readonly result: ConditionResult;
  /**
   * Whether it explains the proposition of the condition, or its contrary: that is what decides a claim about all
   * executions.
   */
  readonly of: 'proposition' | 'contrary';
  readonly reason: Reason;
}

/** Explains the verdict of a condition that was checked with reasons, or that a run of all threads gives. */
export function explainCondition(model: Model, result: ConditionResult, isByRun = false): ConditionExplanation {
  const universal = isUniversal(result.condition.quantifier);
  const of = universal ? 'contrary' : 'proposition';
  const because = (reason: Reason): ConditionExplanation => ({ result, of, reason });
  const execution = universal ? result.counterexample : result.witnesses[0];
  if (execution !== undefined) return because(explainExecution(model, execution));
  if (result.reachable === false && result.avoidable === false) return because({ kind: 'never-ends' });
  if (isByRun && result.undecided === undefined && result.forbiddenBy === undefined) return because({ kind: 'by-run' });
  if (result.forbiddenBy === undefined)
    return because({
      kind: 'unknown',
      reason: result.undecided === undefined ? 'it was not decided' : describeUndecided(result.undecided),
    });
  return because(explainForbiddenOutcome(model, result.forbiddenBy));
}

/** Why an execution, which a model allows, can happen. */
export function explainExecution(model: Model, execution: CandidateExecution): Allowed {
  const orders = turnTakingOrders(execution);
  const cycle =
    findWeakCycle(execution, orders) ??
    findWeakCycle(execution, new Map(orders).set('overtaken', overtaken(execution, orders)));
  return {
    kind: 'allowed',
    execution,
    interleaving: cycle === undefined ? findInterleaving(execution, orders) : undefined,
    cycle,
    missing: cycle === undefined ? undefined : missingIn(model, execution, cycle),
  };
}

function explainForbiddenOutcome(model: Model, forbiddenBy: Forbidden): RuledOut {
  const { execution, failures } = forbiddenBy;
  return {
    kind: 'forbidden',
    forbiddenBy,
    overwritings: execution === undefined ? [] : overwritingsIn(model, execution, forbiddenBy),
    failures: failures.map((failure) => ({
      ...failure,
      synchronizations: execution === undefined ? [] : synchronizationsIn(execution, failure.explanation),
    })),
  };
}

const COHERENCE = 'Coherence';

/**
 * A read overlooks a write that overwrites its source. Where that order of the two writes is no accident of the
 * execution, but what the axiom Coherence makes of causality, it is a part of the reason.
 */
function overwritingsIn(
  model: Model,
  execution: CandidateExecution,
  { failures, core }: Forbidden,
): readonly Overwriting[] {
  const coherence = model.checks.find(({ name }) => name === COHERENCE);
  const causality = relationsOfModel(model, execution).get('causality');
  if (coherence === undefined || causality === undefined || !core.includes(COHERENCE)) return [];
  const { universe, relations } = execution;
  const overlooked = failures
    .filter(({ axiom }) => axiom !== COHERENCE)
    .flatMap(({ explanation }) => explanation.steps.filter(({ relation }) => relation === 'fr'));
  return overlooked.flatMap(({ from, to }): readonly Overwriting[] => {
    const source = universe.events.find(({ id, thread }) => thread !== undefined && relations.readsFrom.has(id, from));
    if (source === undefined || !causality.has(source.id, to)) return [];
    return [{ earlier: source.id, later: to, explanation: explainCheck(model, execution, coherence, [source.id, to]) }];
  });
}
