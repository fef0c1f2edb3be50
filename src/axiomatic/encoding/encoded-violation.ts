import type { UndefinedRule } from '../../program/undefined-rules.js';
import type { Formula } from '../formula/formula.js';

/** Behavior that PTX leaves undefined, whatever the model, with the formula that some execution shows it. */
export interface EncodedViolation {
  readonly rule: UndefinedRule;
  readonly formula: Formula;
  /** The same in parts, each with the events of which one breaks the rule there; undefined: it may be any. */
  readonly parts?: () => readonly ViolationPart[];
}

export interface ViolationPart {
  readonly events: readonly number[];
  readonly formula: Formula;
}

/** A rule that is broken where one of some parts holds. */
export function violationBy(
  builder: { any(formulas: readonly Formula[]): Formula },
  rule: UndefinedRule,
  parts: readonly ViolationPart[],
): EncodedViolation {
  return { rule, formula: builder.any(parts.map(({ formula }) => formula)), parts: () => parts };
}
