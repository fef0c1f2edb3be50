import { featureWithoutMeaning } from '../axiomatic/encoding/model-coverage.js';
import { executionsInTurn, isPlain } from '../axiomatic/looping/in-turn.js';
import { checkExecution } from '../cat/check-execution.js';
import type { Model } from '../cat/model.js';
import { forbidsThinAir } from '../cat/thin-air.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { holdsOf } from '../execution/run-program.js';
import { backEdges } from '../flow/graph.js';
import type { Condition, Program, Proposition } from '../program/program.js';
import { termsIn } from '../program/proposition.js';
import { checkDeadline, type Deadline } from '../program/undecided.js';
import { buildEvents } from '../semantics/build-events.js';
import { openValuesThatMatter } from '../semantics/open-values.js';
import { analyzeValues } from '../semantics/value-analysis.js';
import { decideCondition, isUniversal } from './decide-condition.js';
import { knowsOnlyOurFindings } from './flags-of-model.js';
import { executionChoices } from './open-choices.js';
import type { ConditionResult } from './result.js';

/**
 * The conditions of a test with loops, where executions in which its threads run one after the other show all that is
 * reachable of what is asked: nothing is encoded then, which with every round of every loop is much. Only of plain
 * accesses, which no execution leaves undefined. `undefined` where more is to be known.
 */
export function conditionsInTurn(
  program: Program,
  model: Model,
  conditions: readonly Condition[],
  { unroll, deadline }: { readonly unroll: number; readonly deadline: Deadline },
): readonly ConditionResult[] | undefined {
  const hasLoops = program.threads.some((thread) => backEdges(thread).length > 0);
  if (!hasLoops || program.unknown !== undefined || program.filter !== undefined) return undefined;
  if (!knowsOnlyOurFindings(model) || !forbidsThinAir(model, false)) return undefined;
  const { failingCasWrites } = executionChoices(model);
  const structure = buildEvents(program, { bound: unroll, spinRounds: 1, failingCasWrites });
  if ('kind' in structure || featureWithoutMeaning(model, structure) !== undefined) return undefined;
  const analysis = analyzeValues(structure, false, () => checkDeadline(deadline));
  if (!isPlain(structure, analysis) || openValuesThatMatter(structure, analysis).length > 0) return undefined;
  const found: CandidateExecution[] = [];
  for (const execution of executionsInTurn(structure, analysis)) {
    checkDeadline(deadline);
    const { consistent, checks } = checkExecution(model, execution);
    if (checks.some(({ check, holds }) => check.role === 'undefined_unless' && !holds)) return undefined;
    if (consistent) found.push(execution);
    const results = conditions.map((condition) => resultOf(condition, found));
    if (results.every((one) => one !== undefined)) return results;
  }
  return undefined;
}

/** What a condition comes to, where executions show both that it may hold and that it may not, or one cannot be. */
function resultOf(condition: Condition, found: readonly CandidateExecution[]): ConditionResult | undefined {
  const { proposition, quantifier } = condition;
  const contrary: Proposition = { kind: 'not', operand: proposition };
  const showing = (one: Proposition): CandidateExecution | undefined =>
    found.find(({ finalState }) => holdsOf(one, finalState));
  const [does, doesNot] = [showing(proposition), showing(contrary)];
  const isOpen = does === undefined || (doesNot === undefined && !isNever(contrary));
  // What is broken, or holds of all executions, is told with more than an execution.
  if (isOpen || isUniversal(quantifier)) return undefined;
  const decided = decideCondition(condition, true, doesNot !== undefined, undefined);
  return decided.expectation === 'broken' ? undefined : { ...decided, witnesses: [does], counterexample: doesNot };
}

/** What speaks of no value, and is false. */
function isNever(proposition: Proposition): boolean {
  return termsIn(proposition).every(({ kind }) => kind === 'number') && !holdsOf(proposition, new Map());
}
