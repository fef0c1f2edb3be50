import { existsSync } from 'node:fs';
import { fileProblem } from '../files/file-problem.js';
import { readText } from '../files/read-text.js';
import type { ReporterContext } from '../report/reporters/reporter.js';
import type { TestSource } from '../suite/test-source.js';

/** The texts that a page quotes: of tests and modules as they were checked, of source programs as they are now. */
export function quotedTexts(sources: readonly TestSource[]): NonNullable<ReporterContext['quoted']> {
  return (path, place) => {
    const source = sources[place];
    if (source === undefined) return undefined;
    if (source.path === path) return source;
    for (const module of Object.values(source.modules ?? {}))
      if ('text' in module && module.path === path) return module;
    return textOf(path);
  };
}

/** A source program need not be where its module is. */
function textOf(path: string): { readonly text: string } | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return { text: readText(path) };
  } catch (thrown) {
    if (fileProblem(thrown) === undefined) throw thrown;
    return undefined;
  }
}
