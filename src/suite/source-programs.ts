import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { SourcePrograms } from '../advise/kernel/kernel-adviser.js';
import { baseName } from '../diagnostics/source.js';
import { programOf } from '../files/compile-program.js';
import { readText } from '../files/read-text.js';

const run = promisify(execFile);

/** Asked once: a suite has many kernels to repair. */
let found: Promise<boolean> | undefined;

function findsCompiler(): Promise<boolean> {
  found ??= run('nvcc', ['--version']).then(
    () => true,
    () => false,
  );
  return found;
}

/** The programs beside modules, and the compiler that is on the PATH; without one they are not compiled. */
export async function sourcePrograms(isCompiling = true): Promise<SourcePrograms> {
  const hasCompiler = isCompiling && (await findsCompiler());
  return {
    find: (module, file) => {
      const path = join(dirname(programOf(module)?.program ?? module), file);
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
    const program = join(folder, baseName(path));
    const out = join(folder, 'module.ptx');
    writeFileSync(program, text);
    await run('nvcc', [...compilerArguments(module), '-I', dirname(path), program, '-o', out]);
    return readText(out);
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of the text of a module: what is enough to find its target. */
const HEAD = 4_000;

/** What nvcc is given to make a module again: its target is the one that it has, with line numbers for answers. */
export function compilerArguments(module: string): readonly string[] {
  const kept = programOf(module);
  if (kept !== undefined) return kept.arguments;
  const head = existsSync(module) ? readText(module).slice(0, HEAD) : '';
  const [, target, debug] = /^\s*\.target\s+(\w+)(?:\s*,\s*(debug))?/m.exec(head) ?? [];
  return [debug === undefined ? '-lineinfo' : '-G', '-ptx', ...(target === undefined ? [] : [`-arch=${target}`])];
}
