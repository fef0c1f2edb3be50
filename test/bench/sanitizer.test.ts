import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support.js';

interface Run {
  readonly test: string;
  readonly tool: string;
  readonly lines: readonly string[];
}
interface Reading {
  readonly readSanitizer: (text: string) => { readonly runs: readonly Run[]; readonly remarks: readonly string[] };
  readonly judge: (run: Run | undefined, expects: readonly string[]) => string;
  readonly readRaces: (text: string) => ReadonlyMap<string, string>;
  readonly tableOf: (read: unknown, results: readonly unknown[], races?: ReadonlyMap<string, string>) => string;
}
const { readSanitizer, judge, readRaces, tableOf } = (await import(
  join(ROOT, 'bench/read-sanitizer.mjs')
)) as unknown as Reading;

/** As sanitize.sh writes it. */
const WRITTEN = `### NVIDIA H200, 580.1; Version 2025.3.1.0; Build cuda_13.0
=== reduce-broken plain status 0 seconds 0.61
out = 36
ENDED reduce-broken
=== reduce-broken racecheck status 0 seconds 2.10
========= COMPUTE-SANITIZER
out = 36
ENDED reduce-broken
========= Error: Race reported between Read access at sum_broken+0x160 in reduce.cu:22
=========     and Write access at sum_broken+0x190 in reduce.cu:22 [8 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
=== reduce-broken memcheck status 0 seconds 2.00
========= COMPUTE-SANITIZER
========= ERROR SUMMARY: 0 errors
=== reduce-broken synccheck status 0 seconds 2.00
========= COMPUTE-SANITIZER
========= Barrier error detected. Divergent thread(s) in block.
=========     at sum_broken+0x50 in reduce.cu:22
========= ERROR SUMMARY: 1 error
=== reduce plain status 3 seconds 12.10
HUNG reduce: not ended after 12 s
=== reduce racecheck status 124 seconds 20.00
========= COMPUTE-SANITIZER
=== reduce memcheck status 0 seconds 2.00
========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at sum+0x50 in reduce.cu:12
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure"
========= ERROR SUMMARY: 2 errors
=== reduce synccheck status 1 seconds 2.00
========= COMPUTE-SANITIZER
FAILED cudaDeviceSynchronize(): cudaErrorLaunchFailure
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure"
========= ERROR SUMMARY: 1 error
=== reduce initcheck status 255 seconds 0.20
========= Internal Sanitizer Error: The Sanitizer encountered an error
=== names-deadlock all not run: a barrier that nobody completes
### 5 runs left out: 420 seconds are over; run sanitize.sh again
`;
const result = (name: string, ...expected: readonly string[]): unknown => ({
  test: { name },
  expectations: expected.map((one) => ({ expected: one, met: true })),
  conditions: [],
});

describe('what the dynamic checkers have said', () => {
  const read = readSanitizer(WRITTEN);
  const judged = (test: string, tool: string, ...expects: readonly string[]): string =>
    judge(
      read.runs.find((one) => one.test === test && one.tool === tool),
      expects,
    );

  it('is read by test and tool', () => {
    expect(read.runs.map(({ test, tool }) => `${test} ${tool}`)).toEqual([
      ...['plain', 'racecheck', 'memcheck', 'synccheck'].map((tool) => `reduce-broken ${tool}`),
      ...['plain', 'racecheck', 'memcheck', 'synccheck', 'initcheck'].map((tool) => `reduce ${tool}`),
      'names-deadlock all',
    ]);
    expect(read.remarks).toHaveLength(2);
    expect(() => readSanitizer('nothing')).toThrow('no run was found: expected what sanitize.sh writes');
  });

  it('is held against what a test expects', () => {
    expect(judged('reduce-broken', 'racecheck', 'race', 'no-deadlock')).toBe('found');
    expect(judged('reduce-broken', 'racecheck', 'undefined')).toBe('other');
    expect(judged('reduce-broken', 'memcheck', 'race')).toBe('missed');
    expect(judged('reduce-broken', 'memcheck', 'no-race')).toBe('clean');
    expect(judged('reduce-broken', 'synccheck', 'deadlock')).toBe('found');
    expect(judged('reduce', 'memcheck', 'no-race')).toBe('false');
    expect(judged('reduce', 'synccheck', 'no-race')).toBe('failed');
    expect(judged('reduce', 'initcheck', 'no-race')).toBe('refused');
    for (const tool of ['plain', 'racecheck']) expect(judged('reduce', tool, 'no-race')).toBe('hung');
    expect(judged('reduce-broken', 'plain', 'race')).toBe('ended');
    expect(judged('reduce-broken', 'initcheck', 'race')).toBe('not run');
  });

  it('stands in a table beside our answers, with sums', () => {
    const races = readRaces(`reduce-broken   met   ptx-9.4
  K: sum_broken, grid 1, block 8
  expect race: met (an execution has a data race)
    g  reduce.cu:22 (reduce.ptx:128): ld.u32 %r13, [%r11]
         in reduce.cu:20, called at reduce.cu:30
    b1  reduce.cu:22 (reduce.ptx:130): st.shared.u32 [%r2], %r14
  expect no-deadlock: met
    c  reduce.ptx:131: ld.global.u32 %r1, [%rd1]
`);
    expect([...races]).toEqual([['reduce-broken', 'shared']]);
    const table = tableOf(read, [result('reduce-broken', 'race', 'no-deadlock'), result('reduce', 'no-race')], races);
    expect(table.split('\n')).toEqual(
      expect.arrayContaining([
        '> NVIDIA H200, 580.1; Version 2025.3.1.0; Build cuda_13.0',
        '| kernel test | expects | ours | plain | racecheck | memcheck | synccheck | initcheck |',
        '| reduce-broken | race (shared) | found | ended | found | missed | other | not run |',
        '| reduce | right | clean | hung | hung | false | failed | refused |',
        '| found | 1 | 0 | 1 | 0 | 0 | 0 |',
        '* Races in shared: racecheck has run on 1 tests with one, and found 1.',
        '* 1 times memcheck: Invalid __global__ write of size 4 bytes',
        '* 1 times racecheck: Error: Race reported',
      ]),
    );
  });
});
