import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkOperationally } from '../../src/check/check-operationally.js';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { Program } from '../../src/program/program.js';
import { CORPUS, describeWith } from '../resources.js';
import { builtInModel, checkProgram, solver } from '../support.js';

function programsOf(path: string): readonly Program[] {
  const { value, diagnostics } = loadTests({ path, text: readFileSync(path, 'utf8') });
  if (value === undefined) throw new Error(renderDiagnostics(diagnostics));
  return value;
}

/** How many of the CADP tests hang under a model; those of `lobe` and `hsa-obe` are the same. */
const HANGING = { fair: 94, obe: 164, hsa: 141, 'hsa-obe': 131, lobe: 131, unfair: 184 } as const;

describeWith(CORPUS, 'the published corpus', () => {
  it('is read whole, without an error', () => {
    const files = readdirSync(CORPUS.path, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.(litmus|test)$/.test(file),
    );
    expect(files.length).toBe(127 + 184 + 11);
    for (const file of files) expect(programsOf(join(CORPUS.path, file)).length, file).toBeGreaterThan(0);
  });

  for (const [list, model, count] of [
    ['ptx-6.0-expected.csv', 'ptx-6.0', 5],
    ['ptx-7.5-expected.csv', 'ptx-7.5', 127],
  ] as const) {
    it(`has the verdicts of ${list} under ${model}`, async () => {
      const rows = readFileSync(join(CORPUS.path, 'dat3m', list), 'utf8')
        .trim()
        .split('\n')
        .map((row) => row.trim().split(','));
      const wrong: string[] = [];
      for (const [path = '', verdict] of rows) {
        const [program] = programsOf(join(CORPUS.path, 'dat3m', path));
        if (program === undefined) throw new Error(path);
        const [condition] = (await checkProgram(program, model)).conditions;
        if (condition?.holds !== (verdict === '1'))
          wrong.push(`${path}: ${condition?.holds} (${condition?.undecided?.kind})`);
      }
      expect(rows.length).toBe(count);
      expect(wrong).toEqual([]);
    });
  }

  it('agrees with nvlitmus on 127 of 128 instances: 8.8 forbids what Release_acquire_pattern permits', async () => {
    const folder = join(CORPUS.path, 'nvlitmus');
    const broken: string[] = [];
    let instances = 0;
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.test'))) {
      for (const program of programsOf(join(folder, file))) {
        for (const { expectation, condition } of (await checkProgram(program)).conditions) {
          instances += 1;
          if (condition.quantifier === 'exists') continue;
          if (expectation !== 'met') broken.push(program.name);
        }
      }
    }
    expect(instances).toBe(128);
    expect(broken).toEqual(['Release_acquire_pattern']);
  });

  it('has every CADP test decided at bound 2, or undecided for the bound', async () => {
    const folder = join(CORPUS.path, 'dat3m/CADP');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.litmus'));
    const counts = { decided: 0, bound: 0 };
    for (const file of files) {
      const [program] = programsOf(join(folder, file));
      if (program === undefined) throw new Error(file);
      const [condition] = (await checkProgram(program, 'ptx-7.5', { unroll: 2 })).conditions;
      if (condition?.holds !== undefined) counts.decided += 1;
      else {
        expect(condition?.undecided?.kind, file).toBe('bound');
        counts.bound += 1;
      }
    }
    expect(counts.decided + counts.bound).toBe(files.length);
    expect(counts.decided).toBeGreaterThan(0);
  });

  const MODELS = ['fair', 'obe', 'hsa', 'hsa-obe', 'lobe', 'unfair'] as const;
  for (const forwardProgress of MODELS)
    it(`has it decided by both engines whether CADP tests end under ${forwardProgress}`, () => {
      const folder = join(CORPUS.path, 'dat3m/CADP');
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
        file.endsWith('.litmus'),
      );
      const model = builtInModel('ptx-9.4');
      const hanging = files.filter((path) => {
        const text = readFileSync(join(folder, path), 'utf8').replace(/^exists 0==0/m, 'expect no-deadlock');
        const [program] = loadTests({ path, text, forwardProgress }).value ?? [];
        if (program === undefined) throw new Error(path);
        const [axioms] = checkTest(solver, program, model, {}).expectations;
        const [machine] = checkOperationally(program, model).expectations;
        expect(axioms?.outcome, path).not.toBe('undecided');
        expect(machine?.outcome, path).toBe(axioms?.outcome);
        return axioms?.outcome === 'broken';
      });
      expect(files.length).toBe(184);
      expect(hanging.length).toBe(HANGING[forwardProgress]);
    });
});
