import type { Program } from '../program/program.js';
import type { Undecided } from '../program/undecided.js';
import { type ExpectationResult, foundNothing } from './result.js';

/** An answer that something never happens, where threads are chosen for it, holds if they cover all that may meet. */
export function withinCoverage(result: ExpectationResult, program: Program): ExpectationResult {
  const { finding } = result.expectation;
  // What threads that are left out may still do; those that are run may stop where others do not.
  const left = finding === 'race' || finding === 'undefined' ? uncoveredBy(program) : undefined;
  const reason = left ?? elsewhereBy(program);
  if (reason === undefined || !foundNothing(result)) return result;
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
