import { CompletionItemKind, type Diagnostic, DiagnosticSeverity, type Range } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { sentenceOf } from '../interactive/findings.js';
import type { Finding, Mark } from '../interactive/questions.js';
import type { Completion } from '../language/completions.js';
import type { ReportedClaim, ReportedTest } from '../report/reported-test.js';

/** What we have, as the protocol has it: lines and characters from 0. */

export const SOURCE = 'ptx-litmus';

export const rangeOf = (
  document: TextDocument,
  { start, end }: { readonly start: number; readonly end: number },
): Range => ({
  start: document.positionAt(start),
  end: document.positionAt(end),
});

export const diagnosticOf = ({
  line,
  column,
  endLine,
  endColumn,
  severity,
  code,
  message,
  hint,
}: Mark): Diagnostic => ({
  range: {
    start: { line: line - 1, character: column - 1 },
    end: { line: endLine - 1, character: endColumn - 1 },
  },
  severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
  ...{ source: SOURCE, code },
  message: hint === null ? message : `${message}\n${hint}`,
});

/** What was found, at its place; an instruction is on one line of a test. */
export const findingDiagnostic = ({ line, column, claim, isBroken, text, advice }: Finding): Diagnostic => ({
  range: {
    start: { line: line - 1, character: column - 1 },
    end: { line: line - 1, character: column - 1 + text.length },
  },
  severity: isBroken ? DiagnosticSeverity.Error : DiagnosticSeverity.Information,
  ...{ source: SOURCE, code: isBroken ? 'broken' : 'found' },
  message: `${sentenceOf({ claim, isBroken })}: ${text}${advice === undefined ? '' : `\n${advice}`}`,
});

const COMPLETION_KINDS = {
  instruction: CompletionItemKind.Function,
  qualifier: CompletionItemKind.EnumMember,
  name: CompletionItemKind.Variable,
  keyword: CompletionItemKind.Keyword,
} as const satisfies Readonly<Record<Completion['kind'], CompletionItemKind>>;
export const completionKind = (kind: Completion['kind']): CompletionItemKind => COMPLETION_KINDS[kind];

const OBSERVED = { Always: 'always', Sometimes: 'allowed', Never: 'forbidden' } as const;

/** `met: forbidden, confirmed by z3`; of an outcome that is only asked for `allowed`. */
export function lensTitle(
  { outcome, observation, reason, unconfirmed }: ReportedClaim,
  confirmation: ReportedTest['confirmation'],
): string {
  const observed = observation === undefined || observation === null ? undefined : OBSERVED[observation];
  const word = outcome === 'none' ? undefined : outcome === 'broken' ? 'BROKEN' : outcome;
  const said = [word, observed].filter((one) => one !== undefined).join(': ');
  const why = outcome === 'undecided' && reason !== null ? ` (${reason})` : '';
  return `${said}${why}${confirmedBy(confirmation, unconfirmed)}`;
}

function confirmedBy(confirmation: ReportedTest['confirmation'], unconfirmed: string | undefined): string {
  if (unconfirmed !== undefined) return `, not confirmed: ${unconfirmed}`;
  const { z3 = 0, proof = 0 } = confirmation ?? {};
  return z3 > 0 ? ', confirmed by z3' : proof > 0 ? ', confirmed by the checked proof' : '';
}
