import {
  type Location,
  LSPErrorCodes,
  type Range,
  ResponseError,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { definitionOf, type NameUse, nameAt, namesOf, whyNotRenamed } from '../language/names.js';
import { pathOf } from './documents.js';
import { rangeOf } from './protocol.js';

/** The name at a place of a document, and all that are the same. */
interface FoundName {
  readonly use: NameUse;
  readonly names: readonly NameUse[];
  readonly same: readonly NameUse[];
}

function findName(document: TextDocument, offset: number): FoundName | undefined {
  const names = namesOf(pathOf(document.uri), document.getText());
  const use = nameAt(names, offset);
  return use && { use, names, same: names.filter(({ key }) => key === use.key) };
}

const locationOf = (document: TextDocument, use: NameUse): Location => ({
  uri: document.uri,
  range: rangeOf(document, use),
});

export function definition(document: TextDocument, offset: number): Location | null {
  const found = findName(document, offset);
  const defined = found && definitionOf(found.names, found.use);
  return defined === undefined ? null : locationOf(document, defined);
}

export const references = (document: TextDocument, offset: number): Location[] =>
  findName(document, offset)?.same.map((use) => locationOf(document, use)) ?? [];

export function prepareRename(
  document: TextDocument,
  offset: number,
): { readonly range: Range; readonly placeholder: string } | null {
  const found = findName(document, offset);
  return found === undefined ? null : { range: rangeOf(document, found.use), placeholder: found.use.name };
}

/** Every use of a name gets the new one; a register that is written with a `%` keeps it. */
export function rename(document: TextDocument, offset: number, to: string): WorkspaceEdit | null {
  const found = findName(document, offset);
  if (found === undefined) return null;
  const why = whyNotRenamed(found.names, found.use, to);
  if (why !== undefined) throw new ResponseError(LSPErrorCodes.RequestFailed, why);
  const plain = to.replace(/^%/, '');
  const edits = found.same.map((use): TextEdit => {
    const range = rangeOf(document, use);
    return { range, newText: document.getText(range).startsWith('%') ? `%${plain}` : plain };
  });
  return { changes: { [document.uri]: edits } };
}
