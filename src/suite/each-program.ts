import type { Diagnosed } from '../diagnostics/diagnostic.js';
import type { Program } from '../program/program.js';
import { reportedDiagnostic } from '../report/reporters/reporter.js';
import { internalError } from './internal-error.js';
import type { Answer } from './job.js';

/** What is found of each program of a source; a bug of ours in one must not cost what is found of the others. */
export async function eachProgram<T>(
  { value: programs, diagnostics }: Diagnosed<readonly Program[]>,
  /** `place`: of the program in its source. */
  find: (program: Program, place: number) => T | Promise<T>,
  isOpen: (found: T) => boolean,
): Promise<Answer<T>> {
  const internal: string[] = [];
  const value: T[] = [];
  for (const [place, program] of (programs ?? []).entries())
    try {
      value.push(await find(program, place));
    } catch (thrown) {
      internal.push(internalError(thrown, ` in ${program.name} (${program.source.path})`));
    }
  return {
    value,
    diagnostics: diagnostics.map(reportedDiagnostic),
    unreadable: programs === undefined,
    internal,
    open: value.some(isOpen),
  };
}
