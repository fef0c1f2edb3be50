import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leftOut } from '../../src/check/answer-scope.js';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { withModules } from '../../src/files/read-modules.js';
import type { Program } from '../../src/program/program.js';
import { describePlaces } from '../../src/report/describe-execution.js';
import { isOfShare, SWEEP_ALL } from '../shares.js';
import { checkProgram, ROOT } from '../support.js';
import { compareEngines, complaint } from '../twins.js';

const FOLDER = join(ROOT, 'litmus/kernels/launched');
const tests = readdirSync(FOLDER).filter((file) => file.endsWith('.litmus'));
/** Of each idiom the kernel and its broken twin, of what varies them one in so many; all with SWEEP=all. */
const SHARE = 3;
const isAsked = (name: string): boolean => {
  const [idiom = ''] = name.split('-');
  const varies = tests.includes(`${idiom}.litmus`) && name !== idiom && name !== `${idiom}-broken`;
  return !varies || isOfShare(name, SHARE, 'kernels');
};

/** Which the machine has too many states of, or whose values it does not know. */
const NOT_BY_MACHINE = new RegExp(
  '^(blockreduce64|cpasync|cudabarrier|gridbarrier|lastblock-onefence|memcpyasync|namedbar|pipeline|sensebarrier|' +
    'semaphore|tcgen05|tma|wgmma)',
);
/** Of more threads it has too many states. */
const MOST_BY_MACHINE = 12;
/** Which take the machine as long as ten others: it is asked with SWEEP=all. */
const SLOW_BY_MACHINE = /^(elect-alike|cluster|lastblock-broken|lookback-broken)$/;
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
  const source = withModules({ path, text: readFileSync(path, 'utf8') }, {});
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
    if (!isAsked(name)) continue;
    const byMachine = !NOT_BY_MACHINE.test(name) && (SWEEP_ALL || !SLOW_BY_MACHINE.test(name));
    // One test: what the axioms say is asked once, and the machine is held against that.
    it(`${name} meets what it expects${byMachine ? ', also for the machine' : ''}`, {
      timeout: 3 * MACHINE_TIMEOUT,
    }, async () => {
      const { program, said } = programOf(file);
      expect(said).toBe('');
      expect(program.name).toBe(name);
      const checked = await checkProgram(program, 'ptx-9.4', { timeout: MACHINE_TIMEOUT });
      const { conditions, expectations } = checked;
      expect(expectations.length + conditions.length).toBeGreaterThan(0);
      for (const { expectation, outcome } of expectations) expect([expectation.expectation, outcome][1]).toBe('met');
      for (const { condition, expectation } of conditions) expect(expectation, condition.name).toBe('met');
      const lines = LINES[name];
      const race = expectations.find(({ expectation }) => expectation.expectation === 'race');
      if (lines !== undefined && race?.witness !== undefined)
        expect(describePlaces(race.witness, race.events).map((line) => line.replace(/^\S+\s+/, ''))).toContainEqual(
          expect.stringMatching(lines),
        );
      if (byMachine && leftOut(program) === undefined && program.threads.length <= MOST_BY_MACHINE)
        expect(complaint(compareEngines(program, { timeout: MACHINE_TIMEOUT, checked }))).toBe('agree');
    });
  }
});
