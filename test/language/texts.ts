import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support.js';

const filesWith = (end: string): readonly string[] =>
  readdirSync(join(ROOT, 'litmus'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(end))
    .sort()
    .map((path) => join(ROOT, 'litmus', path));

/** One of so many tests of `litmus/`; all of them where SWEEP=all. */
export const litmusPaths = (oneOf: number): readonly string[] =>
  filesWith('.litmus').filter((_, i) => process.env['SWEEP'] === 'all' || i % oneOf === 0);

export const MODULES: readonly string[] = filesWith('.ptx').filter((_, i) => i % 6 === 0);
