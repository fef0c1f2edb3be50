import type { Proposition } from '../../program/program.js';
import { Claims } from '../confirmation/claims.js';
import type { EncodedCheck } from '../encoding/encode-model.js';
import { evaluator, type Formula, not, type Truth } from '../formula/formula.js';
import type { ConsistentExecutions } from './consistent-executions.js';
import { decodeExecution } from './decode.js';
import { type Attempt, explainForbidden, type Forbidden } from './explain-forbidden.js';
import { flagRaised, GRID_END, TORN } from './inferred-rules.js';

/** Why a proposition is unreachable; `core`: also which axioms it takes. */
export function explainUnreachable(
  executions: ConsistentExecutions,
  proposition: Proposition,
  core: boolean,
): Forbidden {
  const { model, encoding, checks, inferredRules } = executions;
  const goal = executions.upToSymmetry(encoding.proposition(proposition), [proposition]);
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
  if (explained !== undefined) return { ...explained, inferred: inferredRules.thatMatter(() => goal, 'ended') };
  const nothing = { axioms: [], failures: [], execution: undefined, core: [], inferred: [] };
  // The end of a test is no event of which an axiom could speak.
  const atEnd = [TORN, GRID_END].filter((rule) => inferredRules.mattersAlone(rule, () => goal, 'ended'));
  if (atEnd.length > 0) return { ...nothing, inferred: atEnd };
  // Some axioms are also built into the encoding, such as what reads may return: look again without that.
  // No verdict rests on it.
  const reopened = executions.reopen({ builtIn: false, claims: new Claims(undefined) });
  try {
    return reopened === undefined ? nothing : explainUnreachable(reopened, proposition, core);
  } finally {
    reopened?.dispose();
  }
}

/** The inferred rules without which a flag that no execution raises would be raised. */
export function inferredAgainstFlag(executions: ConsistentExecutions, name: string): readonly string[] {
  const raised = flagRaised(name);
  return executions.inferredRules.thatMatter((checks) => executions.upToSymmetry(raised(checks)), executions.flagged);
}

/** The inferred rules without which some execution would be undefined. */
export function inferredAgainstUndefined(executions: ConsistentExecutions): readonly string[] {
  const { builder, violations } = executions.encoding;
  return executions.inferredRules.thatMatter(
    (checks) =>
      executions.upToSymmetry(
        builder.any([
          ...violations.map(({ formula }) => formula),
          ...checks.filter(({ check }) => check.role === 'undefined_unless').map(({ holds }) => not(holds)),
        ]),
      ),
    executions.flagged,
  );
}

function attempt(executions: ConsistentExecutions, formulas: readonly Formula[]): Attempt {
  const { context, options, encoding } = executions;
  const solver = context.solver('query');
  for (const formula of formulas) solver.add(formula);
  let truth: Truth | undefined;
  return {
    result: solver.check(options.deadline),
    execution: () => decodeExecution(encoding, solver.assignment()),
    holds: (formula) => {
      truth ??= evaluator(encoding.builder, solver.assignment());
      return truth(formula);
    },
  };
}
