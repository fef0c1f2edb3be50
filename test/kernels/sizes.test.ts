import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { citation, type Span } from '../../src/diagnostics/source.js';
import { runSchedules } from '../schedules/run.js';
import { builtInModel, ROOT, solver } from '../support.js';

// @ts-expect-error: a module of the benchmarks, which has no types.
const { LAUNCHES, launchTest } = (await import('../../bench/families/launches.mjs')) as {
  LAUNCHES: Readonly<Record<string, (...size: readonly number[]) => object>>;
  launchTest: (launch: object, isBroken: boolean) => string;
};

const path = 'sizes.ptx';
const MODULES = { [path]: { path, text: readFileSync(join(ROOT, 'test/kernels/sizes', path), 'utf8') } };

function checked(family: string, size: readonly number[], isBroken: boolean): TestResult {
  const launch = LAUNCHES[family]?.(...size);
  if (launch === undefined) throw new Error(family);
  const text = launchTest(launch, isBroken);
  const { value, diagnostics } = loadTests({ path: 'sizes.litmus', text, modules: MODULES }, {}, 'answers');
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return checkTest(solver, program, builtInModel('ptx-9.4'), { timeout: 60_000, clock: () => performance.now() });
}

/** Smaller than `npm run bench -- --only launches` has them, and what the lines say at which the broken one races. */
const SIZES: readonly (readonly [string, readonly number[], RegExp])[] = [
  ['matmul8', [2, 2], /\bs[ab]\[/],
  ['matmul16', [2, 1], /\bs[ab]\[/],
  ['scan', [128], /\bs\[t/],
  ['reduce', [128, 2], /\bs\[t/],
  ['transpose', [1], /\btile\[/],
  ['bitonic', [128], /\bs\[(t|other)\]/],
  ['bitonic of open values', [128], /\bs\[(t|other)\]/],
  ['histogram', [2, 2], /\bs\[/],
  ['histogram of open values', [2, 2], /\bs\[/],
  ['gridbarrier', [4, 64], /\bdata\[/],
  ['lastblock', [4, 64], /\bpart\[/],
  ['lastblock, all threads', [4, 64], /\bs\[t/],
  ['lookback', [4, 64], /\bsums\[/],
  ['ticketlock', [4, 64], /\bdata\[/],
];
const SOURCE = readFileSync(join(ROOT, 'test/kernels/sizes/sizes.cu'), 'utf8').split('\n');
const sourceLine = (span: Span): string => SOURCE[Number(/\.cu:(\d+)/.exec(citation(span))?.[1]) - 1] ?? '';

describe('a kernel of full size, all threads of it', () => {
  it.each(SIZES)('%s, right', (family, size) => {
    const { expectations, followed } = checked(family, size, false);
    expect(expectations.map(({ outcome }) => outcome)).toEqual(['met', 'met', 'met', 'met']);
    // Who has a lock finds what others have left there: no execution is like another one.
    expect(followed !== undefined).toBe(family !== 'ticketlock');
  });

  it.each(SIZES)('%s, with a barrier or a fence too few', (family, size, lines) => {
    const [race] = checked(family, size, true).expectations;
    expect(race?.outcome).toBe('broken');
    for (const { span } of race?.shownAt ?? []) expect(sourceLine(span)).toMatch(lines);
    expect(race?.shownAt).toHaveLength(2);
  });
});

/** As few threads as show what is there. */
const SMALL: readonly (readonly [string, readonly number[]])[] = [
  ['matmul8', [2, 1]],
  ['scan', [64]],
  ['reduce', [64, 1]],
  ['bitonic', [64]],
  ['histogram', [1, 1]],
  ['gridbarrier', [2, 32]],
  ['lastblock', [3, 64]],
  ['lastblock, all threads', [3, 64]],
  ['lookback', [3, 32]],
  ['ticketlock', [3, 32]],
];
const SCHEDULES = Number(process.env['SCHEDULES'] ?? 10);

describe('under random schedules', () => {
  it.each(SMALL)('%s races where it is said to, and nowhere else', (family, size) => {
    const seen = [false, true].map((isBroken) => {
      const text = launchTest(LAUNCHES[family]?.(...size) ?? {}, isBroken);
      return runSchedules({ text, modules: { [path]: MODULES[path].text } }, { schedules: SCHEDULES, seed: 5 });
    });
    for (const { unsupported } of seen) expect(unsupported).toBeUndefined();
    const [right, broken] = seen;
    expect([right?.races.size, right?.deadlocks, right?.undefined.size]).toEqual([0, 0, 0]);
    expect(broken?.races.size).toBeGreaterThan(0);
  });
});
