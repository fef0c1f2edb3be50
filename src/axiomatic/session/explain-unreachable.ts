import { withoutInferred } from '../../cat/variants.js';
import type { Proposition } from '../../program/program.js';
import { type EncodedCheck, encodeModel } from '../encoding/encode-model.js';
import { evaluateFormula, FALSE, type Formula, not, TRUE } from '../formula/formula.js';
import type { ConsistentExecutions, Extent } from './consistent-executions.js';
import { decodeExecution } from './decode.js';
import { type Attempt, explainForbidden, type Forbidden, inferredThatMatter } from './explain-forbidden.js';

/** The rule of the models that scalar accesses are whole; the end of a test keeps to it as well. */
const TORN = 'torn';
/** The rule, of no model, that the end of the grid completes asynchronous operations. */
const GRID_END = 'grid-end';

/** Why a proposition is unreachable; `core`: also which axioms it takes. */
export function explainUnreachable(
  executions: ConsistentExecutions,
  proposition: Proposition,
  core: boolean,
): Forbidden {
  const { model, encoding, checks } = executions;
  const goal = encoding.proposition(proposition);
  const axioms = checks.filter(({ check }) => check.role === 'axiom');
  const without = (dropped: ReadonlySet<EncodedCheck>, more: readonly Formula[] = []): Attempt =>
    attempt(executions, [
      ...executions.base(dropped),
      ...executions.extentFormulas('ended'),
      executions.inMemory,
      goal,
      ...more,
    ]);
  const any = (formulas: readonly Formula[]): Formula => encoding.builder.any(formulas);
  const explained = explainForbidden(model, { axioms, without, any, size: encoding.builder.size }, core);
  const withoutRules = (names: ReadonlySet<string>): Attempt => attemptWithout(executions, names, () => goal, 'ended');
  const inferred = inferredRules(executions);
  if (explained !== undefined) return { ...explained, inferred: inferredThatMatter(inferred, withoutRules) };
  const nothing = { axioms: [], failures: [], execution: undefined, core: [], inferred: [] };
  // The end of a test is no event of which an axiom could speak.
  const atEnd = [TORN, GRID_END].filter(
    (rule) => inferred.includes(rule) && withoutRules(new Set([rule])).result === 'sat',
  );
  if (atEnd.length > 0) return { ...nothing, inferred: atEnd };
  // An axiom against thin air is also built into what reads may return: look again without that.
  const reopened = executions.reopen({ thinAir: true })?.executions;
  try {
    return reopened === undefined ? nothing : explainUnreachable(reopened, proposition, core);
  } finally {
    reopened?.context.dispose();
  }
}

/** The inferred rules without which a flag that no execution raises would be raised. */
export function inferredAgainstFlag(executions: ConsistentExecutions, name: string): readonly string[] {
  return inferredAgainst(
    executions,
    (checks) => checks.find(({ check }) => check.role === 'flag' && check.name === name)?.holds ?? FALSE,
  );
}

/** The inferred rules without which some execution would be undefined. */
export function inferredAgainstUndefined(executions: ConsistentExecutions): readonly string[] {
  const { builder, violations } = executions.encoding;
  return inferredAgainst(executions, (checks) =>
    builder.any([
      ...violations.map(({ formula }) => formula),
      ...checks.filter(({ check }) => check.role === 'undefined_unless').map(({ holds }) => not(holds)),
    ]),
  );
}

/** What is to be reached, in terms of the checks of the model that is asked. */
type GoalOf = (checks: readonly EncodedCheck[]) => Formula;

function inferredAgainst(executions: ConsistentExecutions, goalOf: GoalOf): readonly string[] {
  return inferredThatMatter(inferredRules(executions), (names) =>
    attemptWithout(executions, names, goalOf, executions.flagged),
  );
}

function attempt(executions: ConsistentExecutions, formulas: readonly Formula[]): Attempt {
  const { context, options, encoding } = executions;
  const solver = context.solver('query');
  for (const formula of formulas) solver.add(formula);
  const memo = new Map<number, boolean>();
  return {
    result: solver.check(options.deadline),
    execution: () => decodeExecution(encoding, solver.assignment()),
    holds: (formula) => evaluateFormula(encoding.builder, formula, solver.assignment(), memo),
  };
}

/** Whether a goal, stated of the model without some inferred rules, is reached under that model. */
function attemptWithout(
  executions: ConsistentExecutions,
  names: ReadonlySet<string>,
  goalOf: GoalOf,
  extent: Extent,
): Attempt {
  const { model, encoding } = executions;
  const { checks } = encodeModel(withoutInferred(model, names), encoding);
  const goal = goalOf(checks);
  return attempt(executions, [
    ...encoding.constraints,
    ...checks.filter(({ check }) => check.role === 'axiom').map(({ holds }) => holds),
    names.has(TORN) ? TRUE : executions.scalarsAreWhole,
    names.has(GRID_END) ? TRUE : encoding.finals.gridEndCompletes,
    ...encoding.builder.allDefinitions(),
    ...executions.extentFormulas(extent),
    executions.inMemory,
    goal,
  ]);
}

/** The inferred definitions that may matter to this test, and rules about its end. */
function inferredRules(executions: ConsistentExecutions): readonly string[] {
  const atEnd = [
    ...(executions.finalsAreWhole === TRUE ? [] : [TORN]),
    ...(executions.encoding.finals.gridEndCompletes === TRUE ? [] : [GRID_END]),
  ];
  return [...new Set([...executions.encoded.inferred, ...atEnd])];
}
