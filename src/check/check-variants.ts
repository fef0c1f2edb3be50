import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import type { Program } from '../program/program.js';
import { type CheckOptions, checkTest } from './check-test.js';
import { isUniversal } from './decide-condition.js';
import { OPEN_CHOICES } from './open-choices.js';
import type { TestResult } from './result.js';

/** A verdict that depends on a choice which the ISA leaves open. */
export interface Unspecified {
  readonly choice: string;
  readonly question: string;
  /** What differs: a condition by its index, an expectation by its index, or whether the test is undefined at all. */
  readonly of:
    | { readonly kind: 'condition' | 'expectation'; readonly index: number }
    | { readonly kind: 'definedness' };
  readonly verdicts: readonly { readonly value: string; readonly verdict: string }[];
}

/**
 * Decides a test under each value of each open choice that concerns it, one at a time, and compares with its result.
 */
export function checkVariants(
  solver: SatSolver,
  program: Program,
  result: TestResult,
  modelWith: (variant: string) => Model,
  options: CheckOptions,
): readonly Unspecified[] {
  return OPEN_CHOICES.filter(({ concerns }) => concerns(program)).flatMap(({ name, values, question }) => {
    const current = values.find((value) => result.model.variants.has(`${name}=${value}`)) ?? values[0];
    const ask = (value: string): TestResult =>
      checkTest(solver, program, modelWith(`${name}=${value}`), { ...options, reasons: false, states: false });
    const others = values.filter((value) => value !== current).map((value) => ({ value, result: ask(value) }));
    const results = [{ value: current, result }, ...others];
    const found = (of: Unspecified['of'], verdictOf: (one: TestResult) => string): readonly Unspecified[] => {
      const verdicts = results.map((one) => ({ value: one.value, verdict: verdictOf(one.result) }));
      return new Set(verdicts.map(({ verdict }) => verdict)).size > 1 ? [{ choice: name, question, of, verdicts }] : [];
    };
    const definedness = found({ kind: 'definedness' }, (one) =>
      one.undefinedBy === undefined ? 'defined' : 'undefined',
    );
    // Where one reading has undefined behavior its outcomes mean nothing: that says it all.
    if (definedness.length > 0) return definedness;
    return [
      ...result.conditions.flatMap((_, index) =>
        found({ kind: 'condition', index }, (one) => conditionVerdict(one, index)),
      ),
      ...result.expectations.flatMap((_, index) =>
        found({ kind: 'expectation', index }, (one) => one.expectations[index]?.outcome ?? 'undecided'),
      ),
    ];
  });
}

function conditionVerdict({ conditions }: TestResult, index: number): string {
  const condition = conditions[index];
  if (condition !== undefined && isUniversal(condition.condition.quantifier))
    return condition.avoidable === undefined ? 'undecided' : condition.avoidable ? 'not always so' : 'always so';
  return condition?.reachable === undefined ? 'undecided' : condition.reachable ? 'allowed' : 'forbidden';
}
