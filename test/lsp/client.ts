import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { CodeLens, Diagnostic, InitializeResult } from 'vscode-languageserver';
import { ROOT } from '../support.js';

const rpc = createRequire(import.meta.url)('vscode-jsonrpc/node') as typeof import('vscode-jsonrpc/node');

export interface Published {
  readonly uri: string;
  readonly version?: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** That a version of a file is decided, and whether that is the last word. */
export interface Decided {
  readonly uri: string;
  readonly version: number;
  readonly isFinal: boolean;
}

/** A client that speaks to the server as an editor does: by the built command, over its standard streams. */
export class Client {
  private readonly process: ChildProcess;
  private readonly connection;
  /** By file, what was said of it last. */
  readonly published = new Map<string, Published>();
  private readonly listeners = new Set<() => void>();
  /** By file, which version is decided. */
  readonly decided = new Map<string, Decided>();
  /** What the server wrote where only a person looks. */
  readonly errors: string[] = [];
  capabilities: InitializeResult['capabilities'] = {};

  private constructor() {
    this.process = spawn('node', [join(ROOT, 'dist/cli/main.js'), 'lsp', '--stdio'], { stdio: 'pipe' });
    const { stdout, stdin, stderr } = this.process;
    if (stdout === null || stdin === null) throw new Error('no streams');
    stderr?.on('data', (text) => this.errors.push(String(text)));
    this.connection = rpc.createMessageConnection(
      new rpc.StreamMessageReader(stdout),
      new rpc.StreamMessageWriter(stdin),
    );
    this.connection.onNotification('textDocument/publishDiagnostics', (one: Published) => {
      this.published.set(one.uri, one);
      this.tell();
    });
    this.connection.onNotification('window/logMessage', ({ message }: { message: string }) => {
      this.errors.push(message);
    });
    this.connection.onRequest('workspace/codeLens/refresh', () => null);
    this.connection.onNotification('ptx-litmus/decided', ({ uri, version, isFinal }: Decided) => {
      this.decided.set(uri, { uri, version, isFinal });
      this.tell();
    });
    this.connection.listen();
  }

  static async start(initializationOptions: object = {}): Promise<Client> {
    const client = new Client();
    const { capabilities } = await client.ask<InitializeResult>('initialize', {
      ...{ processId: process.pid, rootUri: null, initializationOptions },
      capabilities: { workspace: { codeLens: { refreshSupport: true } } },
    });
    client.capabilities = capabilities;
    await client.connection.sendNotification('initialized', {});
    return client;
  }

  private tell(): void {
    for (const one of [...this.listeners]) one();
  }

  ask<T>(method: string, params?: object): Promise<T> {
    return this.connection.sendRequest(method, params);
  }

  async open(uri: string, text: string, version = 1): Promise<void> {
    const textDocument = { uri, languageId: 'ptx-litmus', version, text };
    await this.connection.sendNotification('textDocument/didOpen', { textDocument });
  }

  async change(uri: string, version: number, contentChanges: readonly object[]): Promise<void> {
    await this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges,
    });
  }

  async close(uri: string): Promise<void> {
    await this.connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
  }

  lenses(uri: string): Promise<readonly CodeLens[]> {
    return this.ask('textDocument/codeLens', { textDocument: { uri } });
  }

  async titles(uri: string): Promise<readonly string[]> {
    return (await this.lenses(uri)).map(({ command }) => command?.title ?? '');
  }

  /** Until something holds; it is asked again whenever the server says something. */
  async until<T>(holds: () => Promise<T | undefined> | T | undefined): Promise<T> {
    for (;;) {
      const heard = new Promise<void>((resolve) => {
        const listener = (): void => {
          this.listeners.delete(listener);
          resolve();
        };
        this.listeners.add(listener);
      });
      const found = await holds();
      if (found !== undefined) return found;
      await heard;
    }
  }

  /** Until there is no more to be said of a version of a file. */
  settled(uri: string, version: number): Promise<true> {
    return this.until(() => {
      const decided = this.decided.get(uri);
      return decided?.version === version && decided.isFinal ? true : undefined;
    });
  }

  /** What is said of a version of a file. */
  diagnostics(uri: string, version: number): Promise<readonly Diagnostic[]> {
    return this.until(() => {
      const said = this.published.get(uri);
      return said?.version === version ? said.diagnostics : undefined;
    });
  }

  /** The exit code. */
  async end(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => this.process.once('exit', resolve));
    await this.ask('shutdown');
    await this.connection.sendNotification('exit');
    const code = await ended;
    this.connection.dispose();
    return code;
  }
}
