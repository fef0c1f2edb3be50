import { existsSync, statSync } from 'node:fs';
import { parseTests } from '../check/load-tests.js';
import type { Diagnosed } from '../diagnostics/diagnostic.js';
import { NoSuchFile, UsageError } from '../diagnostics/usage-error.js';
import { fileProblem } from '../files/file-problem.js';
import { type Reading, withModules } from '../files/read-modules.js';
import { readText } from '../files/read-text.js';
import { shownPath } from '../files/shown-path.js';
import { readChosen } from '../ranges/chosen-values.js';
import { type TestSource, unread } from '../suite/test-source.js';
import { readForwardProgress } from '../syntax/forward-progress.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { splitTests, testName } from '../syntax/split-tests.js';
import { whole } from './option.js';
import { holdsKernels } from './read-kernels.js';

const EXTENSIONS = ['.litmus', '.test'];

/**
 * The tests that the arguments name, each by itself, where a file holds several: files, folders (searched recursively,
 * sorted), globs, `@list` files, or `-` for standard input.
 */
export async function findTests(paths: readonly string[], reading: Reading = {}): Promise<readonly TestSource[]> {
  const expanded = await Promise.all(paths.map(expand));
  const { maxThreads, forwardProgress, at } = reading;
  if (maxThreads !== undefined) whole('max-threads', 1)(maxThreads);
  const stated = forwardProgress === undefined ? undefined : readForwardProgress(forwardProgress);
  if (stated !== undefined && 'problem' in stated) throw new UsageError(`--forward-progress: ${stated.problem}`);
  const chosen = at === undefined ? undefined : readChosen(at);
  if (typeof chosen === 'string') throw new UsageError(`--at: ${chosen}`);
  return [...new Set(expanded.flat())].flatMap((path): readonly TestSource[] => {
    const shown = path === '-' ? 'stdin' : path;
    try {
      // Where files were put one behind the other, each may have a byte order mark.
      const text = readText(path, LARGEST_SUITE).replace(/\n\ufeff/g, '\n');
      return splitTests({ path: shown, text }).map((test) => withModules(test, reading));
    } catch (thrown) {
      const problem = thrown instanceof UsageError ? thrown.message : fileProblem(thrown);
      if (problem === undefined) throw thrown;
      return [{ path: shown, text: '', problem }];
    }
  });
}

/** A file with many tests may be longer than one test, but no longer than a text of JavaScript. In bytes. */
const LARGEST_SUITE = 500 << 20;

/** A test without its meaning, or why it cannot be read. */
export function parseFound(found: TestSource): Diagnosed<readonly LitmusFile[]> {
  return found.problem === undefined ? parseTests(found) : unread(found, found.problem);
}

/** The names of the tests of a source, most of which need not be read for that. */
export function namesIn(source: TestSource): readonly string[] {
  if (source.path.endsWith('.test')) return (parseFound(source).value ?? []).map(({ name }) => name);
  const name = testName(source.text);
  return name === undefined ? [] : [name];
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
  const found = /[*?[{]/.test(path) ? (await globs())(path, { absolute: true }) : [];
  // A module is no test: it is read where it is named by itself.
  const matches = found.filter((file) => !holdsKernels(file));
  if (matches.length === 0) throw new NoSuchFile(path);
  return matches.map(shownPath).sort(byName);
}

/** The paths of the tests in a folder and below it, sorted. */
export async function testFilesIn(folder: string): Promise<readonly string[]> {
  const globSync = await globs();
  return globSync(
    EXTENSIONS.map((extension) => `**/*${extension}`),
    { cwd: folder, absolute: true },
  )
    .map(shownPath)
    .sort(byName);
}

/** Loaded where it is needed: a command about one file does without. */
const globs = async () => (await import('tinyglobby')).globSync;

const byName = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
