import type { Diagnosed } from '../diagnostics/diagnostic.js';
import type { Program } from '../program/program.js';
import { reportedDiagnostic } from '../report/reporters/reporter.js';
import { internalError } from './internal-error.js';
import type { Answer } from './job.js';

/** What is found of each program of a source; a bug of ours in one must not cost what is found of the others. */
export function eachProgram<T>(
  { value: programs, diagnostics }: Diagnosed<readonly Program[]>,
  find: (program: Program) => T,
  isOpen: (found: T) => boolean,
): Answer<T> {
  const internal: string[] = [];
  const value = (programs ?? []).flatMap((program) => {
    try {
      return [find(program)];
    } catch (thrown) {
      internal.push(internalError(thrown, ` in ${program.name} (${program.source.path})`));
      return [];
    }
  });
  return {
    value,
    diagnostics: diagnostics.map(reportedDiagnostic),
    unreadable: programs === undefined,
    internal,
    open: value.some(isOpen),
  };
}
