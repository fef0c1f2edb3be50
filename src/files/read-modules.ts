import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { ModuleText, Source } from '../diagnostics/source.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { namedModules, nvccOfPrograms } from '../syntax/named-modules.js';
import { compileProgram, isProgram, type NvccArguments } from './compile-program.js';
import { fileProblem } from './file-problem.js';
import { readText } from './read-text.js';

/** Of nvcc's largest, several times as much. */
export const LARGEST_MODULE = 50 << 20;

/** A test with the modules that its launches name, each from the folder of the test, the working one, or one given. */
export function withModules(
  given: Source,
  { include = [], maxThreads, forwardProgress, at, nvccArgs }: Reading,
): Source {
  const source = {
    ...given,
    ...(forwardProgress === undefined ? {} : { forwardProgress }),
    ...(at === undefined ? {} : { at }),
  };
  const paths = namedModules(source.text);
  if (paths.length === 0) return source;
  const folders = [...new Set([dirname(source.path), '.', ...include])];
  const compiled = nvccOfPrograms(source.text);
  const modules = Object.fromEntries(
    paths.map((path) => [path, moduleAt(path, folders, { ofTest: compiled.get(path) ?? [], given: nvccArgs })]),
  );
  return { ...source, modules, ...(maxThreads === undefined ? {} : { mostThreads: maxThreads }) };
}

/** How tests are read. */
export interface Reading {
  /** Folders in which modules are looked for too. */
  readonly include?: readonly string[];
  readonly maxThreads?: number | undefined;
  readonly forwardProgress?: string | undefined;
  /** The values that ranges have. */
  readonly at?: string | undefined;
  /** What nvcc is given for programs that launches name. */
  readonly nvccArgs?: string | undefined;
}

function moduleAt(path: string, folders: readonly string[], nvcc: NvccArguments): ModuleText {
  const places = folders.map((folder) => ({ folder: resolve(folder), at: resolve(folder, path) }));
  const found = places.find(({ at }) => existsSync(at));
  if (found === undefined) return { problem: `there is no such file in ${folders.map(shown).join(' or ')}` };
  const isInside = places.some(({ folder }) => contains(folder, found.at));
  if (!isInside) return { problem: 'a module lies in the folder of the test, the working folder, or one given by -I' };
  try {
    if (isProgram(found.at)) return compileProgram(found.at, nvcc);
    return { path: relative(process.cwd(), found.at), text: readText(found.at, LARGEST_MODULE) };
  } catch (thrown) {
    const problem = thrown instanceof UsageError ? thrown.message : fileProblem(thrown);
    if (problem === undefined) throw thrown;
    return { problem };
  }
}

function contains(folder: string, file: string): boolean {
  const from = relative(folder, file);
  return !from.startsWith('..') && !isAbsolute(from);
}

const shown = (folder: string): string => (folder === '.' ? 'the working folder' : join(folder, ''));
