import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { withSampledRuns } from '../../src/check/sample-runs.js';
import { citation } from '../../src/diagnostics/source.js';
import { withModules } from '../../src/files/read-modules.js';
import { TIMEOUT } from '../../src/program/undecided.js';
import { builtInModel, checkProgram, ROOT } from '../support.js';

const LIMITS = { timeout: 20_000, clock: () => performance.now(), unroll: 3 };

/** `filter`: goes before what is expected. */
async function sampledResult(name: string, filter = ''): Promise<TestResult> {
  const path = join(ROOT, `litmus/kernels/launched/${name}.litmus`);
  const text = readFileSync(path, 'utf8').replace('expect', `${filter}\nexpect`);
  const [program] = loadTests(withModules({ path, text }, {})).value ?? [];
  if (program === undefined) throw new Error(name);
  const decided = await checkProgram(program, 'ptx-9.4');
  // As if there had been no time.
  const open: TestResult = {
    ...decided,
    expectations: decided.expectations.map((one) => ({ ...one, outcome: 'undecided', undecided: TIMEOUT })),
  };
  return withSampledRuns(open, program, builtInModel('ptx-9.4'), LIMITS);
}

async function sampled(name: string, filter?: string): Promise<readonly string[]> {
  const { expectations } = await sampledResult(name, filter);
  return expectations.map(({ expectation, outcome, undecided }) =>
    [expectation.expectation, outcome, ...(undecided === undefined ? [] : [undecided.kind])].join(' '),
  );
}

describe('runs of the machine at random', () => {
  it('find a race where the axioms had no time', async () => {
    expect(await sampled('blockreduce-broken')).toEqual(['race met', 'no-deadlock undecided timeout']);
  });

  it('say where that stands', async () => {
    const { expectations } = await sampledResult('blockreduce-broken');
    const places = expectations.flatMap(({ shownAt = [] }) => shownAt.map(({ span }) => citation(span)));
    expect(places).toHaveLength(2);
    for (const place of places) expect(place).toMatch(/^blockreduce\.cu:\d+ /);
  });

  it('find no race in what the filter leaves out', async () => {
    const filtered = await sampled('blockreduce-broken', 'filter (out == 1000000)');
    expect(filtered).toEqual(['race undecided sampled', 'no-deadlock undecided timeout']);
  });

  it('prove nothing by finding nothing', async () => {
    expect(await sampled('spinlock')).toEqual([
      'no-race undecided sampled',
      'no-undefined undecided sampled',
      'no-deadlock undecided timeout',
    ]);
  });
});
