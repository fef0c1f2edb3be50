import type { Program } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import { undecided } from './decide-condition.js';
import { expectationResult } from './expectation-result.js';
import type { TestResult } from './result.js';

/** What a test asks of a model. */
export type Clauses = Pick<Program, 'conditions' | 'expectations'>;

/** What an engine finds of a test. */
export type Answers = Omit<TestResult, 'program' | 'model' | 'unroll' | 'time'>;

/** The answers where nothing can be said. */
export function allUndecided({ conditions, expectations }: Clauses, states: boolean, reason: Undecided): Answers {
  return {
    undefinedBy: undefined,
    conditions: conditions.map((condition) => undecided(condition, reason)),
    expectations: expectations.map((one) => expectationResult(one, { happens: undefined, undecided: reason })),
    states: states ? { list: [], incomplete: reason } : undefined,
  };
}
