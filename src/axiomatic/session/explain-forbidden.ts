import { checkExecution } from '../../cat/check-execution.js';
import { type Explanation, explainCheck } from '../../cat/explain.js';
import type { Model } from '../../cat/model.js';
import type { CandidateExecution } from '../../execution/candidate-execution.js';
import type { EncodedCheck } from '../encoding/encode-model.js';
import type { Formula } from '../formula/formula.js';
import type { CheckResult } from '../solver/solver.js';

/**
 * Why no execution does something: the nearest candidate execution that would, and the axioms that it breaks; without
 * axioms, the program alone rules it out.
 */
export interface Forbidden {
  readonly axioms: readonly string[];
  readonly execution: CandidateExecution | undefined;
  /** How each of the axioms fails there. */
  readonly failures: readonly AxiomFailure[];
  /**
   * Axioms that together rule it out, none of which can be left out: an unsatisfiable core. Empty if it was not asked
   * for.
   */
  readonly core: readonly string[];
  /** Definitions of the model that the specification does not state, and without which it would be reachable. */
  readonly inferred: readonly string[];
}

/** An axiom that an execution breaks, and the way round the cycle, or to the pair, that it excludes. */
export interface AxiomFailure {
  readonly axiom: string;
  readonly explanation: Explanation;
}

/**
 * What a solver says of a goal under some of the axioms, the execution that it found, and whether a formula holds
 * there.
 */
export interface Attempt {
  readonly result: CheckResult;
  readonly execution: () => CandidateExecution;
  readonly holds: (formula: Formula) => boolean;
}

/**
 * The questions that can be asked about a goal: whether it is reached without some of the axioms, with more
 * constraints.
 */
export interface ForbiddenGoal {
  readonly axioms: readonly EncodedCheck[];
  readonly without: (dropped: ReadonlySet<EncodedCheck>, more?: readonly Formula[]) => Attempt;
  readonly any: (formulas: readonly Formula[]) => Formula;
  /** Nodes of the formulas. */
  readonly size: number;
}

/** Explains why a goal is out of reach; undefined if it is so without any axiom. */
export function explainForbidden(
  model: Model,
  goal: ForbiddenGoal,
  core: boolean,
): Omit<Forbidden, 'inferred'> | undefined {
  const execution = nearestExecution(goal)?.execution();
  if (execution === undefined) return undefined;
  const broken = checkExecution(model, execution).checks.filter(({ check, holds }) => check.role === 'axiom' && !holds);
  // An execution that only some axiom keeps away must break one: otherwise the encoding and the evaluation differ.
  if (broken.length === 0) throw new Error('the nearest execution breaks no axiom, though the axioms rule it out');
  const failures = broken
    .reverse()
    .map(({ check, witness }) => ({ axiom: check.name, explanation: explainCheck(model, execution, check, witness) }));
  return { axioms: failures.map(({ axiom }) => axiom), failures, execution, core: core ? coreOf(goal) : [] };
}

/**
 * An execution that breaks one axiom only, if dropping one is enough; otherwise several rule the goal out
 * independently, and it breaks a set of them of which it must break each. It breaks them in no more places than it
 * must.
 */
function nearestExecution(goal: ForbiddenGoal): Attempt | undefined {
  const { axioms, without } = goal;
  // Where several would do, the last ones of a model, such as Causality, say more than what holds them up.
  for (const axiom of [...axioms].reverse()) {
    const dropped = new Set([axiom]);
    const attempt = without(dropped);
    if (attempt.result === 'sat') return closer(goal, dropped, attempt);
  }
  const dropped = new Set(axioms);
  let nearest = without(dropped);
  if (nearest.result !== 'sat') return undefined;
  for (const axiom of axioms) {
    dropped.delete(axiom);
    const attempt = without(dropped);
    if (attempt.result === 'sat') nearest = attempt;
    else dropped.add(axiom);
  }
  return closer(goal, dropped, nearest);
}

const MOST_STEPS_CLOSER = 20;
/** With larger formulas each step takes as long as the verdict: what was found first is near enough. */
const LARGE = 60_000;

/** Goes on to executions that break a part of what the last one broke: what the goal does not need is in order then. */
function closer({ without, any, size }: ForbiddenGoal, dropped: ReadonlySet<EncodedCheck>, first: Attempt): Attempt {
  if (size > LARGE) return first;
  const parts = [...dropped].flatMap((axiom) => axiom.parts);
  let nearest = first;
  for (let step = 0; step < MOST_STEPS_CLOSER; step++) {
    const met = parts.filter((part) => nearest.holds(part));
    const broken = parts.filter((part) => !met.includes(part));
    if (broken.length <= 1) return nearest;
    const next = without(dropped, [...met, any(broken)]);
    if (next.result !== 'sat') return nearest;
    nearest = next;
  }
  return nearest;
}

/**
 * An axiom that rules the goal out alone, if there is one; otherwise some that do together, and of which none can be
 * left out.
 */
function coreOf({ axioms, without }: ForbiddenGoal): readonly string[] {
  const alone = [...axioms]
    .reverse()
    .find((axiom) => without(new Set(axioms.filter((other) => other !== axiom))).result === 'unsat');
  if (alone !== undefined) return [alone.check.name];
  const dropped = new Set<EncodedCheck>();
  for (const axiom of axioms) if (without(new Set([...dropped, axiom])).result === 'unsat') dropped.add(axiom);
  return axioms.filter((axiom) => !dropped.has(axiom)).map(({ check }) => check.name);
}
