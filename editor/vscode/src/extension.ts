import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  commands,
  type ExtensionContext,
  StatusBarAlignment,
  type StatusBarItem,
  ViewColumn,
  window,
  workspace,
} from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { serverCommand } from './server-command.js';

/** Runs the language server for tests, modules and models, and shows explanations that lenses ask for. */

let client: LanguageClient | undefined;
let status: StatusBarItem | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand('ptxLitmus.restart', restart),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration('ptxLitmus')) await restart();
    }),
  );
  await start();
}

export const deactivate = (): Promise<void> | undefined => client?.stop();

async function restart(): Promise<void> {
  await client?.stop();
  await start();
}

async function start(): Promise<void> {
  const settings = workspace.getConfiguration('ptxLitmus');
  const folders = (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const { command, args } = serverCommand(settings.get('path', ''), folders, process.platform, existsSync, join);
  client = new LanguageClient(
    'ptx-litmus',
    'ptx-litmus',
    { command, args: [...args], options: { shell: process.platform === 'win32' } },
    {
      documentSelector: ['ptx-litmus', 'ptx', 'cat'].map((language) => ({ language })),
      initializationOptions: { model: settings.get('model'), timeout: settings.get('timeout') },
      // The only command of the server gives an explanation, which lenses ask for.
      middleware: { executeCommand: async (command, given, next) => show(await next(command, given)) },
    },
  );
  status ??= window.createStatusBarItem(StatusBarAlignment.Right);
  client.onNotification('ptx-litmus/decided', ({ isFinal }: { readonly isFinal: boolean }) => {
    if (status === undefined) return;
    status.text = isFinal ? 'ptx-litmus: confirmed' : 'ptx-litmus: confirming';
    status.show();
  });
  try {
    await client.start();
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    void window.showErrorMessage(
      `ptx-litmus cannot be started as ${command} (${why}): install it (npm install ptx-litmus), or set ptxLitmus.path`,
    );
  }
}

/** Shows an explanation beside its test. */
async function show(content: unknown): Promise<void> {
  if (typeof content !== 'string') return;
  const document = await workspace.openTextDocument({ content, language: 'plaintext' });
  await window.showTextDocument(document, { preview: true, viewColumn: ViewColumn.Beside, preserveFocus: true });
}
