import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOperationally } from '../../src/check/check-operationally.js';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { MODEL, solver } from './model.js';

/** From here, and from where mutants are bundled. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, 'litmus/progress');
export const PAGE = readFileSync(join(ROOT, 'docs/forward-progress.md'), 'utf8');
export const MODELS = ['fair', 'obe', 'hsa', 'hsa-obe', 'lobe', 'unfair', 'cuda'] as const;
export const IDIOMS = readdirSync(FOLDER)
  .map((file) => file.replace(/\.litmus$/, ''))
  .sort();

/** Whether every execution of an idiom ends, as the table of the page has it; `?`: undecided. */
type Cell = '✓' | '–' | '?';

/** What both engines say of it. */
export function endsUnder(name: string, forwardProgress: string): { readonly axioms: Cell; readonly machine: Cell } {
  const path = join(FOLDER, `${name}.litmus`);
  const [program] = loadTests({ path, text: readFileSync(path, 'utf8'), forwardProgress }).value ?? [];
  if (program === undefined) throw new Error(name);
  const cellOf = ({ expectations }: TestResult): Cell => {
    const one = expectations.find(({ expectation: { finding } }) => finding === 'deadlock');
    if (one === undefined || one.outcome === 'undecided') return '?';
    return (one.outcome === 'met') === one.expectation.isDenied ? '✓' : '–';
  };
  return {
    axioms: cellOf(checkTest(solver, program, MODEL, {})),
    machine: cellOf(checkOperationally(program, MODEL)),
  };
}

/** What the page says of it. */
export function cellsOf(name: string): readonly string[] {
  const row = PAGE.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
  return (row ?? '')
    .split('|')
    .slice(2, 2 + MODELS.length)
    .map((cell) => cell.trim());
}
