import {
  type Connection,
  type InitializeParams,
  type InitializeResult,
  MarkupKind,
  type TextDocumentPositionParams,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { VERSION } from '../files/version.js';
import { sourceOf } from '../interactive/source-of.js';
import { hoverAt } from '../language/hover.js';
import { definition, prepareRename, references, rename } from './name-requests.js';
import { rangeOf } from './protocol.js';
import { EXPLAIN, Session, type Settings } from './session.js';

const DEFAULTS = { model: 'ptx-9.4', timeout: 10 };

/** Answers a client of the Language Server Protocol (3.17) about tests, modules and models, until it goes. */
export function serve(connection: Connection): void {
  const documents = new TextDocuments(TextDocument);
  let session: Session | undefined;
  connection.onInitialize((params) => {
    session = new Session(connection, documents, settingsOf(params));
    return WHAT_WE_DO;
  });
  documents.onDidChangeContent(({ document }) => session?.changed(document));
  documents.onDidClose(({ document }) => session?.closed(document));
  connection.onShutdown(() => session?.end());

  /** Of a document that is not open nothing is known. */
  const at = <T>(params: TextDocumentPositionParams, say: (document: TextDocument, offset: number) => T): T | null => {
    const document = documents.get(params.textDocument.uri);
    return document === undefined ? null : say(document, document.offsetAt(params.position));
  };
  connection.onHover((params) =>
    at(params, (document, offset) => {
      const found = session && hoverAt(sourceOf(session.draft(document)), offset);
      const contents = { kind: MarkupKind.Markdown, value: found?.text ?? '' };
      return found === undefined ? null : { contents, range: rangeOf(document, found) };
    }),
  );
  connection.onCompletion((params) => at(params, (document, offset) => session?.complete(document, offset) ?? []));
  connection.onDefinition((params) => at(params, definition));
  connection.onReferences((params) => at(params, references));
  connection.onPrepareRename((params) => at(params, prepareRename));
  connection.onRenameRequest((params) => at(params, (document, offset) => rename(document, offset, params.newName)));
  connection.onCodeLens(({ textDocument: { uri } }) => {
    const document = documents.get(uri);
    return document === undefined ? [] : (session?.lenses(document) ?? []);
  });
  connection.onCodeAction(({ textDocument: { uri }, context, range }) => {
    const document = documents.get(uri);
    return document === undefined ? [] : (session?.actions(document, context.diagnostics, range) ?? []);
  });
  connection.onExecuteCommand(({ command, arguments: [uri, test] = [] }) =>
    command === EXPLAIN ? session?.explain(uri, test) : undefined,
  );
  documents.listen(connection);
  connection.listen();
}

/** What the client chooses; what it gives that is no choice is as if it gave nothing. */
function settingsOf({ initializationOptions, capabilities }: InitializeParams): Settings {
  const { model, timeout }: { model?: unknown; timeout?: unknown } = Object(initializationOptions);
  return {
    model: typeof model === 'string' && model !== '' ? model : DEFAULTS.model,
    timeout: 1000 * (typeof timeout === 'number' && timeout > 0 ? timeout : DEFAULTS.timeout),
    refreshesLenses: capabilities.workspace?.codeLens?.refreshSupport === true,
  };
}

const WHAT_WE_DO: InitializeResult = {
  serverInfo: { name: 'ptx-litmus', version: VERSION },
  capabilities: {
    textDocumentSync: TextDocumentSyncKind.Incremental,
    hoverProvider: true,
    completionProvider: { triggerCharacters: ['.', '%', ':'] },
    definitionProvider: true,
    referencesProvider: true,
    renameProvider: { prepareProvider: true },
    codeLensProvider: {},
    codeActionProvider: { codeActionKinds: ['quickfix'] },
    executeCommandProvider: { commands: [EXPLAIN] },
  },
};
