import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';
import { MUTANTS } from './mutants.mjs';

/** `npm run mutate-model` takes minutes; that its list still fits the code is seen at once. */
describe('the deliberate mistakes', () => {
  it('are many and can be made, each in one place', () => {
    for (const { what, file, from, to, also = [] } of MUTANTS) {
      const path = join(ROOT, file.endsWith('.cat') ? 'models' : 'src/operational', file);
      let text = readFileSync(path, 'utf8');
      for (const change of [{ from, to }, ...also]) {
        expect(text.split(change.from).length - 1, `${file}: ${what}`).toBe(1);
        text = text.replace(change.from, () => change.to);
      }
    }
    expect(MUTANTS.filter(({ file }) => !file.endsWith('.cat')).length).toBeGreaterThanOrEqual(25);
    expect(MUTANTS.filter(({ file }) => file.endsWith('.cat')).length).toBeGreaterThanOrEqual(20);
  });
});
