import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { checkProgram, ROOT } from '../support.js';

const FOLDER = join(ROOT, 'litmus/loops');

describe('a verdict that is given at one bound', () => {
  for (const file of readdirSync(FOLDER)) {
    it(`is given at every other that decides: ${file}`, async () => {
      const [program] = loadTests({ path: file, text: readFileSync(join(FOLDER, file), 'utf8') }).value ?? [];
      if (program === undefined) throw new Error(file);
      const seen = new Map<string, boolean>();
      for (const unroll of [1, 2, 3]) {
        const { conditions } = await checkProgram(program, 'ptx-7.5', { unroll });
        for (const { condition, reachable } of conditions) {
          const name = `${condition.quantifier} ${condition.name}`;
          if (reachable === undefined) continue;
          expect(seen.get(name) ?? reachable, `${name} at bound ${unroll}`).toBe(reachable);
          seen.set(name, reachable);
        }
      }
      expect(seen.size).toBeGreaterThan(0);
    });
  }
});
