import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { withModules } from '../../src/files/read-modules.js';
import type { Program } from '../../src/program/program.js';
import { describePlaces } from '../../src/report/describe-execution.js';
import { compareEngines, complaint } from '../suite/engines.js';
import { checkProgram, ROOT } from '../support.js';

const FOLDER = join(ROOT, 'litmus/kernels/launched');
const tests = readdirSync(FOLDER).filter((file) => file.endsWith('.litmus'));

/** Which the machine has too many states of, or whose values it does not know. */
const NOT_BY_MACHINE =
  /^(blockreduce64|cpasync|cudabarrier|gridbarrier|lastblock-onefence|tcgen05|tma|wgmma|memcpyasync|namedbar|pipeline)/;
/** In milliseconds: more than any takes on a slow machine. */
const MACHINE_TIMEOUT = 240_000;

/** Of broken ones, the lines of the source where the accesses stand that race, or the wrong instruction. */
const LINES: Readonly<Record<string, RegExp>> = {
  'blockreduce-broken': /^blockreduce\.cu:22/,
  'spinlock-broken': /^spinlock\.cu:/,
  'cluster-reuse-broken': /^cluster\.cu:35/,
  'wgmma-broken': /^wgmma\.cu:/,
};

function programOf(file: string): { readonly program: Program; readonly said: string } {
  const path = join(FOLDER, file);
  const source = withModules({ path, text: readFileSync(path, 'utf8') }, [], undefined);
  const { value, diagnostics } = loadTests(source);
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return { program, said: renderDiagnostics(diagnostics) };
}

describe('kernels as nvcc compiled them', () => {
  it('are at least 25, right ones and broken ones', () => {
    expect(tests.filter((file) => file.includes('-broken')).length).toBeGreaterThan(12);
    expect(tests.filter((file) => !file.includes('-broken')).length).toBeGreaterThan(12);
  });

  for (const file of tests) {
    const name = basename(file, '.litmus');
    it(`${name} meets what it expects`, async () => {
      const { program, said } = programOf(file);
      expect(said).toBe('');
      expect(program.name).toBe(name);
      const { conditions, expectations } = await checkProgram(program, 'ptx-9.4', { timeout: 120_000 });
      expect(expectations.length + conditions.length).toBeGreaterThan(0);
      for (const { expectation, outcome } of expectations) expect([expectation.expectation, outcome][1]).toBe('met');
      for (const { condition, expectation } of conditions) expect(expectation, condition.name).toBe('met');
      const lines = LINES[name];
      const race = expectations.find(({ expectation }) => expectation.expectation === 'race');
      if (lines !== undefined && race?.witness !== undefined)
        expect(describePlaces(race.witness, race.events).map((line) => line.replace(/^\S+\s+/, ''))).toContainEqual(
          expect.stringMatching(lines),
        );
    });

    if (!NOT_BY_MACHINE.test(name))
      it(`${name} is the same for the machine`, { timeout: 2 * MACHINE_TIMEOUT }, async () => {
        const found = await compareEngines(programOf(file).program, 3, MACHINE_TIMEOUT);
        expect(complaint(found)).toBe('agree');
      });
  }
});
