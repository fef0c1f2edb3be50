import type { UndefinedRule } from '../../program/undefined-rules.js';
import type { Formula } from '../formula/formula.js';

/** Behavior that PTX leaves undefined, whatever the model, with the formula that some execution shows it. */
export interface EncodedViolation {
  readonly rule: UndefinedRule;
  readonly formula: Formula;
}
