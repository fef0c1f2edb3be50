import { existsSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { loadTests, parseTests } from '../check/load-tests.js';
import { type Diagnosed, error } from '../diagnostics/diagnostic.js';
import { type Source, spanOf } from '../diagnostics/source.js';
import { NoSuchFile, UsageError } from '../diagnostics/usage-error.js';
import { readText } from '../files/read-text.js';
import type { Program } from '../program/program.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { fileProblem } from './file-problem.js';
import { type LimitArguments, limitsOf } from './limits.js';

const EXTENSIONS = ['.litmus', '.test'];

/**
 * The tests that the arguments name: files, folders (searched recursively, sorted), globs, `@list` files, or `-` for
 * standard input.
 */
export async function findTests(paths: readonly string[]): Promise<readonly FoundTest[]> {
  const expanded = await Promise.all(paths.map(expand));
  return [...new Set(expanded.flat())].map((path) => {
    const shown = path === '-' ? 'stdin' : path;
    try {
      return { path: shown, text: readText(path) };
    } catch (thrown) {
      const problem = thrown instanceof UsageError ? thrown.message : fileProblem(thrown);
      if (problem === undefined) throw thrown;
      return { path: shown, text: '', problem };
    }
  });
}

/** A test's text; of a file that cannot be read, why. It must not cost the results of the others. */
export interface FoundTest extends Source {
  readonly problem?: string;
}

/** The tests of a file, with all errors of its text, or the one that it cannot be read. */
export function loadFound(found: FoundTest, limits: LimitArguments): Diagnosed<readonly Program[]> {
  return found.problem === undefined ? loadTests(found, limitsOf(limits)) : unread(found, found.problem);
}

/** The same, without their meaning. */
export function parseFound(found: FoundTest): Diagnosed<readonly LitmusFile[]> {
  return found.problem === undefined ? parseTests(found) : unread(found, found.problem);
}

function unread(source: Source, problem: string): Diagnosed<never> {
  return { value: undefined, diagnostics: [error('L0007', spanOf(source, 0, 0), problem)] };
}

async function expand(path: string): Promise<readonly string[]> {
  if (path === '-' || path === '@-') return ['-'];
  if (path.startsWith('@') && !existsSync(path)) {
    const list = path.slice(1);
    if (!existsSync(list)) throw new UsageError(`no file ${list}, which ${path} names as a list of tests`);
    const entries = readText(list)
      .split('\n')
      .map((line) => line.trim());
    return (await Promise.all(entries.filter((line) => line !== '' && !line.startsWith('#')).map(expand))).flat();
  }
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) return [path];
    const found = await testFilesIn(path);
    if (found.length === 0)
      throw new UsageError(`no tests in ${path}: expected files ending in ${EXTENSIONS.join(' or ')}`);
    return found;
  }
  const matches = /[*?[{]/.test(path) ? (await globs())(path, { absolute: true }) : [];
  if (matches.length === 0) throw new NoSuchFile(path);
  return matches.map((file) => shown(file)).sort(byName);
}

/** The paths of the tests in a folder and below it, sorted. */
export async function testFilesIn(folder: string): Promise<readonly string[]> {
  const globSync = await globs();
  return globSync(
    EXTENSIONS.map((extension) => `**/*${extension}`),
    { cwd: folder, absolute: true },
  )
    .map((file) => shown(file))
    .sort(byName);
}

/** Loaded where it is needed: a command about one file does without. */
const globs = async () => (await import('tinyglobby')).globSync;

function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}

const byName = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
