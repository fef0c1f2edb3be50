import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../support.js';

/** The command as it is installed. */
export const MAIN = join(ROOT, 'dist/cli/main.js');

/** What a command has printed, and the code that it ended with. */
export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the command in a process of its own, as it is installed: what needs signals, pipes or other processes. */
export function runProcess(args: readonly string[], cwd: string = ROOT): Run {
  const { status, stdout, stderr } = spawnSync('node', [MAIN, ...args], { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
  return { code: status, out: stdout, err: stderr };
}

type Write = typeof process.stdout.write;

/**
 * Runs the command in this process, from the compiled modules: what takes a process most of its time, starting node and
 * z3, is done once. What it prints is caught.
 */
export async function runHere(args: readonly string[], cwd: string = ROOT): Promise<Run> {
  const { runCommandLine } = (await import(
    join(ROOT, 'build/cli/run-command-line.js')
  )) as typeof import('../../src/cli/run-command-line.js');
  const streams = [process.stdout, process.stderr] as const;
  const writes = streams.map((stream) => stream.write);
  const [before, log] = [process.cwd(), console.log];
  const printed: string[][] = [[], []];
  streams.forEach((stream, i) => {
    stream.write = ((text: string) => {
      printed[i]?.push(text);
      return true;
    }) as Write;
  });
  // By which yargs prints its help.
  console.log = (text: string) => printed[0]?.push(`${text}\n`);
  process.chdir(cwd);
  try {
    const code = await runCommandLine(args);
    return { code, out: printed[0]?.join('') ?? '', err: printed[1]?.join('') ?? '' };
  } finally {
    process.chdir(before);
    console.log = log;
    streams.forEach((stream, i) => {
      const write = writes[i];
      if (write !== undefined) stream.write = write;
    });
  }
}
