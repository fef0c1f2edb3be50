import { existsSync, readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { globSync } from 'tinyglobby';
import type { Source } from '../diagnostics/source.js';
import { NoSuchFile, UsageError } from '../diagnostics/usage-error.js';

const EXTENSIONS = ['.litmus', '.test'];

/**
 * The tests that the arguments name: files, folders (searched recursively, sorted), globs, `@list` files, or `-` for
 * standard input.
 */
export function findTests(paths: readonly string[]): readonly Source[] {
  return [...new Set(paths.flatMap(expand))].map((path) =>
    path === '-'
      ? { path: 'stdin', text: readFileSync(0, 'utf8') }
      : { path, text: readFileSync(path, 'utf8').replace(/^\ufeff/, '') },
  );
}

function expand(path: string): readonly string[] {
  if (path === '-' || path === '@-') return ['-'];
  if (path.startsWith('@') && !existsSync(path)) {
    const list = path.slice(1);
    if (!existsSync(list)) throw new UsageError(`no file ${list}, which ${path} names as a list of tests`);
    const entries = readFileSync(list, 'utf8')
      .split('\n')
      .map((line) => line.trim());
    return entries.filter((line) => line !== '' && !line.startsWith('#')).flatMap(expand);
  }
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) return [path];
    const found = globSync(
      EXTENSIONS.map((extension) => `**/*${extension}`),
      { cwd: path, absolute: true },
    );
    if (found.length === 0)
      throw new UsageError(`no tests in ${path}: expected files ending in ${EXTENSIONS.join(' or ')}`);
    return found.map((file) => shown(file)).sort(byName);
  }
  const matches = /[*?[{]/.test(path) ? globSync(path, { absolute: true }) : [];
  if (matches.length === 0) throw new NoSuchFile(path);
  return matches.map((file) => shown(file)).sort(byName);
}

function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}

const byName = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
