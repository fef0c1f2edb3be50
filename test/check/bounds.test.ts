import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { checkProgram, litmus, programOf, ROOT } from '../support.js';

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
      // Some have nothing but `expect` lines.
      expect(seen.size > 0).toBe(program.conditions.length > 0);
    });
  }
});

describe('the time for a test', () => {
  it('also ends while its values are analyzed, long before all is encoded', async () => {
    const threads = Array.from(
      { length: 60 },
      () => 'st.relaxed.gpu.global.u32 [x], 1; ld.relaxed.gpu.global.u32 r0, [x];',
    );
    const program = programOf(litmus('.global .u32 x = 0;', threads, 'exists (P0:r0 == 1)'));
    // A clock that goes on by a step whenever it is looked at: what asks often gives up early.
    let steps = 0;
    const result = await checkProgram(program, 'ptx-9.4', { timeout: 20, clock: () => (steps += 1) });
    expect(result.conditions[0]?.undecided).toEqual({ kind: 'timeout' });
    expect(steps).toBeLessThan(40);
  });
});
