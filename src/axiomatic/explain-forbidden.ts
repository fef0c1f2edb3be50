import { checkExecution } from '../cat/check-execution.js';
import { type Explanation, explainCheck } from '../cat/explain.js';
import type { Model } from '../cat/model.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import type { EncodedCheck } from './encode-model.js';
import type { CheckResult } from './solver.js';

/** Why no execution does something: the nearest candidate execution that would, and the axioms that it breaks; without axioms, the program alone rules it out. */
export interface Forbidden {
  readonly axioms: readonly string[];
  readonly execution: CandidateExecution | undefined;
  /** How each of the axioms fails there. */
  readonly failures: readonly AxiomFailure[];
  /** Axioms that together rule it out, none of which can be left out: an unsatisfiable core. Empty if it was not asked for. */
  readonly core: readonly string[];
  /** Definitions of the model that the specification does not state, and without which it would be reachable. */
  readonly inferred: readonly string[];
}

/** An axiom that an execution breaks, and the way round the cycle, or to the pair, that it excludes. */
export interface AxiomFailure {
  readonly axiom: string;
  readonly explanation: Explanation;
}

/** What a solver says of a goal under some of the axioms, and the execution that it found. */
export interface Attempt {
  readonly result: CheckResult;
  readonly execution: () => CandidateExecution;
}

type Without = (dropped: ReadonlySet<EncodedCheck>) => Attempt;

/** Explains why a goal is out of reach; undefined if it is so without any axiom. */
export function explainForbidden(model: Model, axioms: readonly EncodedCheck[], without: Without, core: boolean): Omit<Forbidden, 'inferred'> | undefined {
  const execution = nearestExecution(axioms, without);
  if (execution === undefined) return undefined;
  const broken = checkExecution(model, execution).checks.filter(({ check, holds }) => check.role === 'axiom' && !holds);
  const failures = broken.reverse().map(({ check, witness }) => ({ axiom: check.name, explanation: explainCheck(model, execution, check, witness) }));
  return { axioms: failures.map(({ axiom }) => axiom), failures, execution, core: core ? coreOf(axioms, without) : [] };
}

/**
 * An execution that breaks one axiom only, if dropping one is enough; otherwise several rule the goal out independently, and
 * it breaks a set of them of which it must break each.
 */
function nearestExecution(axioms: readonly EncodedCheck[], without: Without): CandidateExecution | undefined {
  const reached = (dropped: ReadonlySet<EncodedCheck>): CandidateExecution | undefined => {
    const { result, execution } = without(dropped);
    return result === 'sat' ? execution() : undefined;
  };
  // Where several would do, the last ones of a model, such as Causality, say more than what holds them up.
  for (const axiom of [...axioms].reverse()) {
    const execution = reached(new Set([axiom]));
    if (execution !== undefined) return execution;
  }
  const dropped = new Set(axioms);
  let nearest = reached(dropped);
  if (nearest === undefined) return undefined;
  for (const axiom of axioms) {
    dropped.delete(axiom);
    const execution = reached(dropped);
    if (execution === undefined) dropped.add(axiom);
    else nearest = execution;
  }
  return nearest;
}

/** Leaves out one axiom after the other, as long as the rest still rules the goal out; what holds others up goes first. */
function coreOf(axioms: readonly EncodedCheck[], without: Without): readonly string[] {
  const dropped = new Set<EncodedCheck>();
  for (const axiom of axioms) if (without(new Set([...dropped, axiom])).result === 'unsat') dropped.add(axiom);
  return axioms.filter((axiom) => !dropped.has(axiom)).map(({ check }) => check.name);
}

/** The inferred definitions without which the goal would be reachable: one if that is enough, else all that are used. */
export function inferredThatMatter(inferred: readonly string[], withoutDefinitions: (names: ReadonlySet<string>) => Attempt): readonly string[] {
  const matter = (names: readonly string[]): boolean => withoutDefinitions(new Set(names)).result === 'sat';
  if (inferred.length === 0 || !matter(inferred)) return [];
  const alone = inferred.filter((name) => inferred.length > 1 && matter([name]));
  return alone.length > 0 ? alone : inferred;
}
