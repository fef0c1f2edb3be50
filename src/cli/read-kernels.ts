import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join, resolve } from 'node:path';
import { UsageError } from '../diagnostics/usage-error.js';
import { compileProgram, isProgram } from '../files/compile-program.js';
import { fileProblem } from '../files/file-problem.js';
import { LARGEST_MODULE } from '../files/read-modules.js';
import { readText } from '../files/read-text.js';
import type { ModuleFile } from '../syntax/module-ast.js';
import { parseModule } from '../syntax/parse-module.js';
import { shown } from './read-input.js';

/** Kernels that a file brings, and by which name a test beside it launches them. */
export interface Kernels {
  readonly module: ModuleFile;
  /** The name of the program, or of the module. */
  readonly path: string;
  /** The text of the program that it was compiled from, where there is one. */
  readonly program: string | undefined;
  /** It was taken out of an executable: a test needs it beside itself. */
  readonly isExtracted: boolean;
}

/** Whether a file holds kernels, and no test: a program, or a module as a compiler prints it. */
export const holdsKernels = (path: string): boolean => path.endsWith('.ptx') || isProgram(path);

/** Reads the kernels of a program, of a module, or of the PTX in an executable; undefined where it has mistakes. */
export function readKernels(path: string, nvccArgs: string | undefined): readonly Kernels[] | undefined {
  if (!holdsKernels(path)) return extracted(path);
  const text = textOf(path);
  if (!isProgram(path)) {
    const program = path.replace(/\.ptx$/, '.cu');
    const module = shown(parseModule({ path, text }));
    const beside = existsSync(program) ? textOf(program) : undefined;
    return module && [{ module, path: basename(path), program: beside, isExtracted: false }];
  }
  const compiled = compileProgram(path, { ofTest: [], given: nvccArgs });
  if ('problem' in compiled) throw new UsageError(`${path}: ${compiled.problem}`);
  const module = shown(parseModule({ path: compiled.path, text: compiled.text }));
  return module && [{ module, path: basename(path), program: text, isExtracted: false }];
}

function textOf(path: string): string {
  try {
    return readText(path, LARGEST_MODULE);
  } catch (thrown) {
    const problem = fileProblem(thrown);
    throw problem === undefined ? thrown : new UsageError(`${path}: ${problem}`);
  }
}

/** The PTX in an executable, an object file or a library, as cuobjdump takes it out; of one kernel the newest. */
function extracted(path: string): readonly Kernels[] {
  if (!existsSync(path)) throw new UsageError(`cannot open ${path}: there is no such file or folder`);
  const folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-'));
  try {
    const { error, status, stdout, stderr } = spawnSync('cuobjdump', ['-xptx', 'all', resolve(path)], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (error !== undefined)
      throw new UsageError(
        `${path}: cuobjdump of the CUDA toolkit takes PTX out of executables, and is not on the PATH; ` +
          'a program (.cu) or a module (.ptx) needs none',
      );
    const names = readdirSync(folder).filter((name) => name.endsWith('.ptx'));
    if (names.length === 0) {
      const said = `${stdout}${stderr}`.trim();
      throw new UsageError(
        `${path}: there is no PTX in it${status === 0 || said === '' ? '' : ` (cuobjdump: ${said})`}; ` +
          'nvcc puts it there with -gencode arch=compute_90a,code=[sm_90a,compute_90a]',
      );
    }
    const modules = names
      .map((name) => ({ name, module: shown(parseModule({ path: name, text: textOf(join(folder, name)) })) }))
      .flatMap(({ module }) => (module === undefined || module.entries.length === 0 ? [] : [module]))
      .sort((a, b) => targetOf(b) - targetOf(a));
    const newest = modules.filter(
      (module, i) => !modules.slice(0, i).some((other) => kernelsOf(other) === kernelsOf(module)),
    );
    const base = basename(path, extname(path));
    return newest.map((module, i) => ({
      module,
      path: newest.length === 1 ? `${base}.ptx` : `${base}.${i + 1}.ptx`,
      program: undefined,
      isExtracted: true,
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const targetOf = ({ target }: ModuleFile): number => Number(/\d+/.exec(target ?? '')?.[0] ?? 0);
const kernelsOf = ({ entries }: ModuleFile): string =>
  entries
    .map(({ name }) => name)
    .sort()
    .join();
