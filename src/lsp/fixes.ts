import { type CodeAction, CodeActionKind, type Diagnostic, type TextEdit } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Change } from '../interactive/questions.js';
import { besideOf, pathOf, uriOf } from './documents.js';
import { rangeOf, SOURCE } from './protocol.js';

const MEANT = /did you mean "([^"]+)"\?/;

/** What a message proposes to write instead. */
export function spellingFixes(document: TextDocument, diagnostics: readonly Diagnostic[]): readonly CodeAction[] {
  return diagnostics.flatMap((one): readonly CodeAction[] => {
    const meant = one.source === SOURCE ? MEANT.exec(String(one.message))?.[1] : undefined;
    if (meant === undefined) return [];
    const written = document.getText(one.range);
    const dot = written.startsWith('.') && !meant.startsWith('.') ? '.' : '';
    const edit = { range: one.range, newText: dot + meant };
    return [
      {
        title: `write ${meant}`,
        kind: CodeActionKind.QuickFix,
        diagnostics: [one],
        edit: { changes: { [document.uri]: [edit] } },
        isPreferred: true,
      },
    ];
  });
}

/** Changes that `advise` has found, as edits of the test and of its modules. */
export function adviceFixes(
  document: TextDocument,
  changes: readonly Change[],
  before: Change['draft'],
  open: (uri: string) => TextDocument | undefined,
): readonly CodeAction[] {
  return changes.map(({ title, draft }): CodeAction => {
    const edits: Record<string, TextEdit[]> = {};
    const add = (uri: string, of: TextDocument | undefined, from: string, to: string): void => {
      if (from !== to && of !== undefined) edits[uri] = [smallestEdit(of, from, to)];
    };
    add(document.uri, document, before.text, draft.text);
    for (const [name, text] of Object.entries(draft.modules ?? {})) {
      const uri = uriOf(besideOf(pathOf(document.uri), name));
      add(uri, open(uri), before.modules?.[name] ?? '', text);
    }
    return { title: `ptx-litmus: ${title}`, kind: CodeActionKind.QuickFix, edit: { changes: edits } };
  });
}

/** The stretch in which two texts differ. */
function smallestEdit(document: TextDocument, from: string, to: string): TextEdit {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let same = 0;
  while (same < from.length - start && same < to.length - start && from.at(-1 - same) === to.at(-1 - same)) same += 1;
  const range = rangeOf(document, { start, end: from.length - same });
  return { range, newText: to.slice(start, to.length - same) };
}
