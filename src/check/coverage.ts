import type { Program } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import type { ExpectationResult } from './result.js';

/** What threads that are left out may still do. */
const DEPENDING: ReadonlySet<string> = new Set(['race', 'no-race', 'undefined', 'no-undefined']);
/** What threads may still do that stop elsewhere than those that are run. */
const STOPPING: ReadonlySet<string> = new Set([...DEPENDING, 'deadlock', 'no-deadlock', 'trap', 'no-trap']);

/** An answer that something never happens, where threads are chosen for it, holds if they cover all that may meet. */
export function withinCoverage(result: ExpectationResult, program: Program): ExpectationResult {
  const { expectation } = result.expectation;
  const reason =
    (DEPENDING.has(expectation) ? uncoveredBy(program) : undefined) ??
    (STOPPING.has(expectation) ? elsewhereBy(program) : undefined);
  const isFound = expectation.startsWith('no-') ? result.outcome === 'broken' : result.outcome === 'met';
  if (reason === undefined || isFound || result.outcome === 'undecided') return result;
  return { ...result, outcome: 'undecided', undecided: reason, reason: undefined };
}

function elsewhereBy({ launches }: Program): Undecided | undefined {
  const [what] = launches.flatMap(({ choice, elsewhere }) => (choice === 'auto' ? elsewhere : []));
  return what === undefined ? undefined : { kind: 'coverage', what };
}

function uncoveredBy({ launches }: Program): Undecided | undefined {
  const auto = launches.filter(({ choice }) => choice === 'auto');
  const open = auto.reduce((sum, { uncovered }) => sum + uncovered.length, 0);
  const [note] = auto.flatMap(({ notes }) => notes);
  if (open > 0)
    return {
      kind: 'coverage',
      what: `${open} pair${open === 1 ? '' : 's'} of instructions may meet in no threads that are run`,
    };
  return note === undefined ? undefined : { kind: 'coverage', what: note };
}
