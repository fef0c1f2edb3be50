import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { SourcePrograms } from '../advise/kernel/kernel-adviser.js';
import { readText } from '../files/read-text.js';

const run = promisify(execFile);

/** The programs beside modules, and the compiler that is on the PATH; without one they are not compiled. */
export async function sourcePrograms(): Promise<SourcePrograms> {
  const hasCompiler = await run('nvcc', ['--version']).then(
    () => true,
    () => false,
  );
  return {
    find: (module, file) => {
      const path = join(dirname(module), file);
      return existsSync(path) ? { path, text: readText(path) } : undefined;
    },
    ...(hasCompiler && { compile }),
  };
}

async function compile(
  { path, text }: { readonly path: string; readonly text: string },
  module: string,
): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-'));
  try {
    // Under its own name, which lines of the module have.
    const program = join(folder, path.replace(/^.*[\\/]/, ''));
    const out = join(folder, 'module.ptx');
    writeFileSync(program, text);
    await run('nvcc', [...argumentsFor(readFileSync(module, 'utf8')), '-I', dirname(path), program, '-o', out]);
    return readText(out);
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The target that a module has, with lines. */
function argumentsFor(text: string): readonly string[] {
  const [, target] = /^\s*\.target\s+(\w+)/m.exec(text) ?? [];
  return ['-lineinfo', '-ptx', ...(target === undefined ? [] : [`-arch=${target}`])];
}
