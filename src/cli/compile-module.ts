import { spawn } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { compilerArguments } from '../suite/source-programs.js';

/** The source program beside a module, if there is one. */
export function programBeside(module: string): string | undefined {
  const path = module.replace(/\.ptx$/, '.cu');
  return path !== module && existsSync(path) ? path : undefined;
}

/** Compiles a module again, which stays as it is where that fails; says in words what came of it. */
export async function compileModule(program: string, module: string): Promise<string> {
  const fresh = `${module}.${process.pid}.new`;
  const { code, printed } = await run('nvcc', [...compilerArguments(module), program, '-o', fresh]);
  if (code === 0 && existsSync(fresh)) {
    renameSync(fresh, module);
    return [`compiled: ${module}`, ...(printed === '' ? [] : [printed])].join('\n');
  }
  rmSync(fresh, { force: true });
  const command = `nvcc ${[...compilerArguments(module), program, '-o', module].join(' ')}`;
  if (code === undefined)
    return `${program} was edited, and nvcc is not on the PATH: ${module} is as it was (${command})`;
  return [`${printed}`, `${command} failed: ${module} is as it was`].join('\n');
}

interface Ended {
  /** Undefined where there is no such command. */
  readonly code: number | undefined;
  readonly printed: string;
}

function run(command: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        printed += data.toString();
      });
    child.on('error', () => resolve({ code: undefined, printed }));
    child.on('close', (code) => resolve({ code: code ?? 1, printed: printed.trimEnd() }));
  });
}
