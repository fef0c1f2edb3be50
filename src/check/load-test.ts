import type { Diagnosed, Diagnostic } from '../diagnostics/diagnostic.js';
import { hasErrors } from '../diagnostics/diagnostic.js';
import type { Source } from '../diagnostics/source.js';
import { buildProgram } from '../program/build-program.js';
import type { Program } from '../program/program.js';
import { parseLitmus } from '../syntax/parse-litmus.js';

/** Reads one litmus test; with all errors and warnings of the text. */
export function loadTest(source: Source): Diagnosed<Program> {
  const parsed = parseLitmus(source);
  if (parsed.value === undefined) return { value: undefined, diagnostics: parsed.diagnostics };
  const built = buildProgram(parsed.value);
  const diagnostics: readonly Diagnostic[] = [...parsed.diagnostics, ...built.diagnostics];
  return { value: hasErrors(diagnostics) ? undefined : built.value, diagnostics };
}
