import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file, and the folders on the way to it. */
export function writeText(path: string, text: string): void {
  makeFolder(dirname(path));
  writeFileSync(path, text);
}

/** Makes a folder and those above it, one at a time: node's own way goes round for ever where the system makes none. */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  mkdirSync(path);
}
