import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DIAGNOSTIC_CODES } from '../src/diagnostics/codes.js';
import { ROOT } from './support.js';

const FOLDERS = ['src', 'test', 'bench', 'models', 'litmus', 'docs'];
const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/** Every text that someone may read, by its path from the top. */
const texts = new Map(
  [
    ...PAGES,
    ...FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(ts|mjs|cat|md|litmus)$/.test(file))
        .map((file) => join(folder, file)),
    ),
  ].map((path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const),
);

/** What a pattern finds in all texts, as `path: what was found`, unless it is there. */
function unresolved(pattern: RegExp, isThere: (found: string, path: string) => boolean): readonly string[] {
  return [...texts].flatMap(([path, text]) =>
    [...text.matchAll(pattern)]
      .map((match) => match[1] ?? match[0])
      .filter((found) => !isThere(found, path))
      .map((found) => `${path}: ${found}`),
  );
}

describe('references', () => {
  it('to sections of the PTX ISA are to those in docs/sections.md', () => {
    const known = new Set([...(texts.get('docs/sections.md') ?? '').matchAll(/^\| (\d[\d.]*) \|/gm)].map(([, n]) => n));
    // Chapter 8 and the chapters of instructions and state spaces; versions and numbers of other kinds have one dot.
    const section = /(?<![\w.-])((?:5\.1|8\.\d+|9\.7)\.\d+(?:\.\d+)*)(?![\w.-]*\w)/g;
    expect(unresolved(section, (found) => known.has(found))).toEqual([]);
    expect(known.size).toBeGreaterThan(50);
  });

  it('to files of the project are to some that exist', () => {
    const path = /(?<![\w/.-])((?:src|test|docs|models|litmus|bench)\/[\w./-]+\.(?:ts|mjs|md|cat|ohm))\b/g;
    expect(unresolved(path, (found) => existsSync(join(ROOT, found)))).toEqual([]);
  });

  it('by links in Markdown are to files that exist', () => {
    const link = /\]\((?!https?:|#)([^)#\s]+)/g;
    const pages = new Set([...texts.keys()].filter((path) => path.endsWith('.md') && !path.startsWith('test/')));
    expect(unresolved(link, (found, from) => !pages.has(from) || existsSync(join(ROOT, dirname(from), found)))).toEqual(
      [],
    );
  });

  it('to messages are to codes that there are', () => {
    expect(unresolved(/(?<!\w)(L\d{4})(?!\w)/g, (found) => found in DIAGNOSTIC_CODES)).toEqual([]);
  });

  it('are not to numbered points of other documents', () => {
    expect(unresolved(/(?<![\w:.-])[DQ]\d{1,2}(?![\w.:-])/g, (_, path) => path.startsWith('test/'))).toEqual([]);
  });
});
