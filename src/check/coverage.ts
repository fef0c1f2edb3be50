import type { Program } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import type { ExpectationResult } from './result.js';

/** What threads that are left out may still do. */
const DEPENDING: ReadonlySet<string> = new Set(['race', 'no-race', 'undefined', 'no-undefined']);

/** An answer that something never happens, where threads are chosen for it, holds if they cover all that may meet. */
export function withinCoverage(result: ExpectationResult, program: Program): ExpectationResult {
  const reason = uncoveredBy(program);
  const { expectation } = result.expectation;
  const isFound = expectation.startsWith('no-') ? result.outcome === 'broken' : result.outcome === 'met';
  if (reason === undefined || isFound || !DEPENDING.has(expectation) || result.outcome === 'undecided') return result;
  return { ...result, outcome: 'undecided', undecided: reason, reason: undefined };
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
