import type { ExpectedFinding, ResolvedExpectation } from './program.js';

/** What an `expect` line speaks of, and whether it says that it does not happen. */
export function resolveExpectation({
  expectation,
  models,
  span,
}: Pick<ResolvedExpectation, 'expectation' | 'models' | 'span'>): ResolvedExpectation {
  const isDenied = expectation.startsWith('no-');
  const finding = expectation.replace(/^no-/, '') as ExpectedFinding;
  return { expectation, finding, isDenied, models, span };
}
