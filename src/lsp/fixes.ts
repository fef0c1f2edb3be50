import { type CodeAction, CodeActionKind, type Diagnostic, type TextEdit } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { isProgram } from '../files/compile-program.js';
import type { Change, Draft } from '../interactive/questions.js';
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

/** Changes that `advise` has found, as edits of the test and of its modules, open in the editor or not. */
export const adviceFixes = (uri: string, changes: readonly Change[], before: Draft): readonly CodeAction[] =>
  changes.map(({ title, draft }) => {
    // What a program was compiled to is no file of the user: a change of it has no place there.
    const written = Object.entries(before.modules ?? {}).filter(([name]) => !isProgram(name));
    const modules = written.map(
      ([name, text]) => [uriOf(besideOf(pathOf(uri), name)), text, draft.modules?.[name] ?? text] as const,
    );
    const texts = [[uri, before.text, draft.text] as const, ...modules].filter(([, from, to]) => from !== to);
    const edits = texts.map(([of, from, to]) => [of, [smallestEdit(TextDocument.create(of, '', 0, from), from, to)]]);
    const edit = { changes: Object.fromEntries(edits) };
    return { title: `ptx-litmus: ${title}`, kind: CodeActionKind.QuickFix, edit };
  });

/** The stretch in which two texts differ. */
function smallestEdit(document: TextDocument, from: string, to: string): TextEdit {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let same = 0;
  while (same < from.length - start && same < to.length - start && from.at(-1 - same) === to.at(-1 - same)) same += 1;
  const range = rangeOf(document, { start, end: from.length - same });
  return { range, newText: to.slice(start, to.length - same) };
}
