import { loadTests, type Wants } from '../check/load-tests.js';
import { type Diagnosed, error } from '../diagnostics/diagnostic.js';
import { type Source, spanOf } from '../diagnostics/source.js';
import type { Program } from '../program/program.js';
import type { Clause } from '../syntax/condition-ast.js';
import { type LimitArguments, limitsOf } from './limits.js';

/** A test's text; of a file that cannot be read, why. It must not cost the results of the others. */
export interface TestSource extends Source {
  readonly problem?: string;
}

/** The tests of a source, with all errors of its text, or the one that it cannot be read. */
export function loadSource(
  source: TestSource,
  limits: LimitArguments,
  wants: Wants = 'threads',
  condition?: Clause,
): Diagnosed<readonly Program[]> {
  if (source.problem !== undefined) return unread(source, source.problem);
  return loadTests(source, limitsOf(limits), wants, condition);
}

/** Why there is nothing to be read. */
export function unread(source: Source, problem: string): Diagnosed<never> {
  return { value: undefined, diagnostics: [error('L0007', spanOf(source, 0, 0), problem)] };
}
