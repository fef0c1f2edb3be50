import type { Diagnostic } from './diagnostic.js';
import { positionOf } from './source.js';

const WIDEST_LINE = 120;

/** `path:line:col severity code: message`, the line, a caret under the place, and the hint. */
export function renderDiagnostic(diagnostic: Diagnostic): string {
  const { span, severity, code, message, hint } = diagnostic;
  const { line, column, lineText } = positionOf(span.source, span.start);
  const first = Math.max(0, column - WIDEST_LINE);
  const shown = lineText
    .slice(first, first + WIDEST_LINE + 40)
    .replace(/\t/g, ' ')
    .replace(/\p{Cc}/gu, '\ufffd');
  const length = Math.max(1, Math.min(span.end - span.start, lineText.length - column + 1, WIDEST_LINE));
  const what = `${severity} ${code}: ${message.replace(/\p{Cc}/gu, '\ufffd')}`;
  // Of a file that cannot be read there is no line to show.
  if (code === 'L0007' || code === 'L0008') return `${span.source.path}: ${what}`;
  const lines = [
    `${span.source.path}:${line}:${column} ${what}`,
    `  | ${shown}`,
    `  | ${' '.repeat(column - 1 - first)}${'^'.repeat(length)}`,
  ];
  if (hint !== undefined) lines.push(`  = ${hint}`);
  return lines.join('\n');
}

/**
 * All diagnostics in the order of their places, one after the other: line, source text, hint.
 *
 * @example
 * ```ts
 * console.error(renderDiagnostics(loadTests({ path: 'MP.litmus', text }).diagnostics));
 * ```
 */
export function renderDiagnostics(diagnostics: readonly Diagnostic[]): string {
  return [...diagnostics]
    .sort(
      ({ span: a }, { span: b }) =>
        a.source.path.localeCompare(b.source.path) ||
        (a.source.firstLine ?? 1) - (b.source.firstLine ?? 1) ||
        a.start - b.start,
    )
    .map(renderDiagnostic)
    .join('\n');
}
