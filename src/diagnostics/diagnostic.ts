import type { DiagnosticCode } from './codes.js';
import type { Span } from './source.js';

/** A text with errors is refused; one with warnings is taken. */
export type Severity = 'error' | 'warning';

/** A message to the user about their text. User errors are values of this type; exceptions are for our own bugs. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  /** What was found and, where it helps, what was expected; one sentence without a full stop. */
  readonly message: string;
  readonly span: Span;
  /** What to do about it: a spelling, a rule of the ISA, an option. */
  readonly hint?: string;
}

/** A value together with what is to be said about the text it came from. */
export interface Diagnosed<T> {
  readonly value: T | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export function error(code: DiagnosticCode, span: Span, message: string, hint?: string): Diagnostic {
  return { code, severity: 'error', message, span, ...(hint === undefined ? {} : { hint }) };
}

export function warning(code: DiagnosticCode, span: Span, message: string, hint?: string): Diagnostic {
  return { ...error(code, span, message, hint), severity: 'warning' };
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}
