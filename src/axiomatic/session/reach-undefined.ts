import type { CandidateExecution } from '../../execution/candidate-execution.js';
import type { Undecided } from '../../program/undecided.js';
import { type Formula, not, TRUE } from '../formula/formula.js';
import type { ConsistentExecutions, Fits } from './consistent-executions.js';

/**
 * Whether every execution of a test is defined; otherwise the rule that one breaks, and that execution where it can be
 * shown.
 */
export type UndefinedBehavior =
  | { readonly kind: 'defined' }
  | {
      readonly kind: 'undefined';
      /** One of PTX, or the check of the model that fails. */
      readonly rule: string;
      /** Where the rule is broken, if no execution can show it. */
      readonly line: string | undefined;
      readonly execution: CandidateExecution | undefined;
      /** What breaks the rule there. */
      readonly events: readonly number[];
    }
  | { readonly kind: 'unknown'; readonly reason: Undecided };

/** Whether some execution does what the model, or PTX, leaves undefined, and by which rule. */
export function reachUndefined(executions: ConsistentExecutions): UndefinedBehavior {
  const { encoding, checks, flagged } = executions;
  const outside = executions.leavesMemory();
  if (outside !== undefined)
    return outside.certain
      ? { kind: 'undefined', rule: outside.rule, line: outside.line, execution: undefined, events: [] }
      : { kind: 'unknown', reason: outside.reason };
  const { builder } = encoding;
  const once = (goal: Formula): Formula => executions.upToSymmetry(goal);
  const broken = once(builder.any(encoding.violations.map(({ formula }) => formula)));
  const asked = checks.filter(({ check, holds }) => check.role === 'undefined_unless' && holds !== TRUE);
  // Most tests break no rule: one question says so. Where it does not, each rule is asked for in turn.
  const anyRule = builder.any([broken, once(builder.any(asked.map(({ holds }) => not(holds))))]);
  const fits: Fits = ({ violations }, verdict) =>
    violations.length > 0 || verdict.checks.some(({ check, holds }) => check.role === 'undefined_unless' && !holds);
  if (asked.length > 0 && executions.find(anyRule, fits, flagged).kind === 'unreachable') {
    const reason = executions.boundReason();
    return reason === undefined ? { kind: 'defined' } : { kind: 'unknown', reason };
  }
  const answer = executions.ask(broken, ({ violations }) => violations.length > 0, flagged);
  if (answer.kind === 'reachable') {
    const { execution } = answer;
    const [violation] = execution.violations;
    if (violation === undefined) throw new Error('the execution found by the solver breaks no rule');
    return { kind: 'undefined', rule: violation.rule, line: undefined, execution, events: [violation.event] };
  }
  // What one question leaves open, another may still find.
  let open = answer.kind === 'unknown' ? answer : undefined;
  for (const { check, holds } of asked) {
    const answer = executions.ask(
      once(not(holds)),
      (_, verdict) => verdict.checks.some((one) => one.check === check && !one.holds),
      flagged,
    );
    if (answer.kind === 'reachable') {
      const events = answer.verdict.checks.find((one) => one.check === check)?.witness ?? [];
      const { execution } = answer;
      return { kind: 'undefined', rule: check.name, line: undefined, execution, events: [...new Set(events)] };
    }
    if (answer.kind === 'unknown') open ??= answer;
  }
  return open ?? { kind: 'defined' };
}
