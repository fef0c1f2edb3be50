/** How the language server is started. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The command that a user has set, or that of a folder of the workspace, or that of the PATH. */
export function serverCommand(
  chosen: string,
  folders: readonly string[],
  platform: string,
  exists: (path: string) => boolean,
  join: (...parts: string[]) => string,
): ServerCommand {
  const name = platform === 'win32' ? 'ptx-litmus.cmd' : 'ptx-litmus';
  const own = folders.map((folder) => join(folder, 'node_modules', '.bin', name)).find(exists);
  const command = chosen !== '' ? chosen : (own ?? name);
  return command.endsWith('.js')
    ? { command: 'node', args: [command, 'lsp', '--stdio'] }
    : { command, args: ['lsp', '--stdio'] };
}
