import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { checkProgram, ROOT } from '../support.js';

const FOLDER = join(ROOT, 'litmus');
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.litmus'))
  .sort();

/** Tests that draw a warning on purpose, with its code. */
const WARNED: Readonly<Record<string, readonly string[]>> = { 'async/griddepcontrol+MP.litmus': ['L0109'] };

describe('our litmus tests', () => {
  it('are there', () => expect(files.length).toBeGreaterThan(150));

  for (const file of files) {
    it(`${file} reads without a complaint, has the name of its file, and meets what it expects`, async () => {
      const { value, diagnostics } = loadTests({ path: file, text: readFileSync(join(FOLDER, file), 'utf8') });
      expect(
        diagnostics.map(({ code }) => code),
        renderDiagnostics(diagnostics),
      ).toEqual(WARNED[file] ?? []);
      const program = value?.[0];
      if (program === undefined) throw new Error('no program');
      expect(program.name).toBe(basename(file, '.litmus'));
      expect(program.descriptions.join(' ').length, 'a reason in a sentence').toBeGreaterThan(30);
      let decided = 0;
      for (const model of ['ptx-9.4', 'ptx-7.5', 'ptx-6.0', 'sc']) {
        const result = await checkProgram(program, model);
        for (const { condition, expectation, undecided } of result.conditions) {
          const where = `${model}: ${condition.quantifier} ${condition.name ?? ''} (${undecided?.kind ?? 'decided'})`;
          // Only a test that says so is limited by the bound; some need a feature that this model does not have.
          if (expectation === 'undecided' && model !== 'ptx-9.4') expect(undecided?.kind, where).toBe('feature');
          else {
            expect(expectation, where).not.toBe('broken');
            decided += 1;
          }
        }
        for (const { expectation, outcome, undecided } of result.expectations) {
          const where = `${model}: expect ${expectation.expectation} (${undecided?.kind ?? ''})`;
          if (outcome === 'undecided' && model !== 'ptx-9.4')
            expect(['feature', 'flag'], where).toContain(undecided?.kind);
          else {
            expect(outcome, where).toBe('met');
            decided += 1;
          }
        }
      }
      expect(decided, 'conditions that were decided').toBeGreaterThan(0);
    });
  }
});
