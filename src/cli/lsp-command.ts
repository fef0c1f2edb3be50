import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { flag } from './option.js';

const OPTIONS = {
  // Clients add it by themselves.
  stdio: flag('speak over standard input and output, which it does anyway'),
};

export const lspCommand = defineCommand({
  usage: 'lsp',
  describe: 'the language server for editors: mistakes, verdicts, hovers, fixes while you type',
  positionals: {},
  options: OPTIONS,
  run: runServer,
});

/** A process of its own: no other command then carries what the protocol takes. */
function runServer(): Promise<ExitCode> {
  const script = fileURLToPath(new URL('../lsp/run-server.js', import.meta.url));
  const server = spawn(process.execPath, [script], { stdio: 'inherit' });
  // Whoever ends this process ends the server.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => server.kill(signal));
  return new Promise((resolve) => {
    server.once('exit', (code) => resolve(code === 0 ? EXIT_CODES.good : EXIT_CODES.internal));
  });
}
