import type { CandidateExecution } from '../../execution/candidate-execution.js';
import type { Undecided } from '../../program/undecided.js';
import { ruleSentence } from '../../program/undefined-rules.js';
import type { EncodedViolation, ViolationPart } from '../encoding/encoded-violation.js';
import { type Formula, TRUE } from '../formula/formula.js';
import type { ConsistentExecutions, Fits, Reachability } from './consistent-executions.js';
import { type Counts, tellsOf } from './tells-of.js';

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

/**
 * Whether some execution does what the model, or PTX, leaves undefined, by events that count, and by which rule;
 * `isWithinBound`: of executions within the bound only, and what is beyond it is not asked.
 */
export function reachUndefined(
  executions: ConsistentExecutions,
  counts?: Counts,
  isWithinBound = false,
): UndefinedBehavior {
  const { encoding, checks, flagged } = executions;
  const outside = executions.leavesMemory(counts);
  if (outside !== undefined)
    return outside.certain
      ? { kind: 'undefined', rule: outside.rule, line: outside.line, execution: undefined, events: [] }
      : { kind: 'unknown', reason: outside.reason };
  const { builder } = encoding;
  const once = (goal: Formula): Formula => executions.upToSymmetry(goal);
  const broken = once(builder.any(encoding.violations.flatMap((violation) => countedWays(violation, counts))));
  const asked = checks
    .filter(({ check, holds }) => check.role === 'undefined_unless' && holds !== TRUE)
    .map((encoded) => ({ name: encoded.check.name, ...tellsOf(encoded, builder, counts) }));
  // Most tests break no rule: one question says so. Where it does not, each rule is asked for in turn.
  const anyRule = builder.any([broken, once(builder.any(asked.map(({ goal }) => goal)))]);
  const fits: Fits = ({ violations }, verdict) =>
    violations.length > 0 || asked.some(({ events }) => events(verdict) !== undefined);
  if (asked.length > 0 && executions.find(anyRule, fits, flagged).kind === 'unreachable') {
    const reason = isWithinBound ? undefined : executions.boundReason();
    return reason === undefined ? { kind: 'defined' } : { kind: 'unknown', reason };
  }
  // What follows an access outside of memory that is accepted is not asked about.
  const ask = (goal: Formula, fits: Fits): Reachability =>
    isWithinBound
      ? executions.askWithinBound(goal, fits, flagged)
      : counts === undefined
        ? executions.ask(goal, fits, flagged)
        : executions.askInMemory(goal, fits, flagged);
  const answer = ask(broken, ({ violations }) => violations.length > 0);
  // What one question leaves open, another may still find.
  let open = answer.kind === 'unknown' ? answer : undefined;
  if (answer.kind === 'reachable') {
    const { execution } = answer;
    const violation = execution.violations.find(({ event }) => counts?.([event]) !== false);
    if (violation !== undefined)
      return { kind: 'undefined', rule: violation.rule, line: undefined, execution, events: [violation.event] };
    const [other] = execution.violations;
    if (other === undefined) throw new Error('the execution found by the solver breaks no rule');
    const what = `what else may break a rule cannot be told from what is accepted: ${ruleSentence(other.rule)}`;
    open = { kind: 'unknown', reason: { kind: 'allowance', what } };
  }
  for (const { name, goal, events } of asked) {
    const answer = ask(once(goal), (_, verdict) => events(verdict) !== undefined);
    if (answer.kind === 'reachable') {
      const shown = [...new Set(events(answer.verdict))];
      return { kind: 'undefined', rule: name, line: undefined, execution: answer.execution, events: shown };
    }
    if (answer.kind === 'unknown') open ??= answer;
  }
  return open ?? { kind: 'defined' };
}

/** How a rule may be broken by events that count. */
function countedWays({ formula, parts }: EncodedViolation, counts: Counts | undefined): readonly Formula[] {
  if (counts === undefined) return [formula];
  const isCounted = ({ events }: ViolationPart): boolean => events.some((event) => counts([event]));
  return parts === undefined
    ? [formula]
    : parts()
        .filter(isCounted)
        .map((part) => part.formula);
}
