import { relative } from 'node:path';

/** A path as messages show it: from the working folder, if it lies in there. */
export function shownPath(path: string): string {
  const shown = relative(process.cwd(), path);
  return shown.startsWith('..') ? path : shown;
}
