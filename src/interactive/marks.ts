import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { positionOf } from '../diagnostics/source.js';
import { jsonDiagnostic } from '../report/json.js';
import type { Mark } from './questions.js';

/** Diagnostics as what is drawn below a text, each once, in the order in which they were found. */
export function marksOf(diagnostics: readonly Diagnostic[]): readonly Mark[] {
  const marks = diagnostics.map((one): Mark => {
    const { source, start, end } = one.span;
    const { line, column } = positionOf(source, Math.max(start, end));
    return { ...jsonDiagnostic(one), endLine: line, endColumn: column };
  });
  const seen = new Set<string>();
  return marks.filter((mark) => {
    const key = JSON.stringify(mark);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
