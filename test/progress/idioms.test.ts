import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkOperationally } from '../../src/check/check-operationally.js';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { Program } from '../../src/program/program.js';
import { builtInModel, ROOT, solver } from '../support.js';

const FOLDER = join(ROOT, 'litmus/progress');
const PAGE = readFileSync(join(ROOT, 'docs/forward-progress.md'), 'utf8');
const MODELS = ['fair', 'obe', 'hsa', 'hsa-obe', 'lobe', 'unfair', 'cuda'] as const;

function idiom(name: string, forwardProgress: string): Program {
  const path = join(FOLDER, `${name}.litmus`);
  const [program] = loadTests({ path, text: readFileSync(path, 'utf8'), forwardProgress }).value ?? [];
  if (program === undefined) throw new Error(name);
  return program;
}

/** Whether every execution ends, by both engines. */
function endsUnder(name: string, promise: string): boolean {
  const program = idiom(name, promise);
  const model = builtInModel('ptx-9.4');
  const results = [checkTest(solver, program, model, {}), checkOperationally(program, model)];
  const [axioms, machine] = results.map(({ expectations }) => {
    const one = expectations.find(({ expectation: { finding } }) => finding === 'deadlock');
    expect(one?.outcome, `${name} under ${promise}`).not.toBe('undecided');
    return (one?.outcome === 'met') === one?.expectation.isDenied;
  });
  expect(machine, `${name} under ${promise}`).toBe(axioms);
  return axioms === true;
}

const names = readdirSync(FOLDER)
  .map((file) => file.replace(/\.litmus$/, ''))
  .sort();

describe('the idioms of docs/forward-progress.md', () => {
  it('are those of litmus/progress', () => {
    const rows = [...PAGE.matchAll(/^\| `([\w+-]+)` \|/gm)].map(([, name]) => name);
    expect(rows.filter((name) => name !== undefined && names.includes(name)).sort()).toEqual(names);
  });

  for (const name of names)
    it(`${name} ends under the models that the page says`, () => {
      const cells = MODELS.map((model) => (endsUnder(name, model) ? '✓' : '–'));
      expect(PAGE).toContain(`| \`${name}\` | ${cells.join(' | ')} |`);
    });
});
