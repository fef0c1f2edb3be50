import type { Source } from '../diagnostics/source.js';
import type { CatFile } from './cat-ast.js';

/** A file without errors as JSON: spans are pairs, and the source, which all of them share, is left out. */
export function freezeCat(file: CatFile): string {
  return JSON.stringify(file, (key, value) =>
    key === 'span' ? [value.start, value.end] : key === 'source' || key === 'unread' ? undefined : value,
  );
}

export function reviveCat(frozen: string, source: Source): CatFile {
  const file = JSON.parse(frozen, (key, value) =>
    key === 'span' ? { source, start: value[0], end: value[1] } : value,
  );
  return { ...file, source, unread: new Set() };
}
