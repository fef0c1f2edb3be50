import { describe, expect, it } from 'vitest';
import { type CheckOptions, checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { ExpectationResult } from '../../src/check/result.js';
import { kernelTest } from '../order/small-kernel.js';
import { builtInModel, solver } from '../support.js';

const NEIGHBOR = 'mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], %r1; ';
const READ = 'ld.shared.u32 %r6, [%r3+4]; st.global.u32 [%rd2], %r6;';
/** The second warp waits for the first, which is told of by a flag that its last lane sets. */
const FLAG =
  'setp.lt.u32 %p1, %r1, 32; @%p1 bra A; W: ld.relaxed.gpu.global.u32 %r7, [%rd1+1020]; setp.eq.u32 %p1, %r7, 0; ' +
  '@%p1 bra W; bra B; A: setp.ne.u32 %p1, %r1, 31; @%p1 bra B; st.relaxed.gpu.global.u32 [%rd1+1020], 1; B: ';
const LATE = 'setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [s], 7; ';
const LATE_READ = 'setp.eq.u32 %p1, %r1, 40; @%p1 ld.shared.u32 %r6, [s];';

function raceOf(body: string, options: CheckOptions): ExpectationResult | undefined {
  const { text, modules } = kernelTest({ name: 'k', place: 'grid 2, block 64', body });
  const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, 'answers').value ?? [];
  if (program === undefined) throw new Error('the test cannot be read');
  return checkTest(solver, program, builtInModel('ptx-9.4'), options).expectations[0];
}

const threadsOf = (result: ExpectationResult | undefined): number =>
  result?.witness?.universe.structure.program.threads.length ?? 0;

describe('a race that a run of all threads has', () => {
  it('is shown by an execution of its two threads, where that is asked for', () => {
    const race = raceOf(NEIGHBOR + READ, { simplest: true });
    expect(race).toMatchObject({ outcome: 'broken', shownAt: [{}, {}] });
    expect(race?.events.length).toBe(2);
    expect(threadsOf(race)).toBe(2);
    expect(race?.advice).toContain('nothing orders them in this execution');
  });

  it('is told by its places alone, where it is not', () => {
    expect(raceOf(NEIGHBOR + READ, {})).toMatchObject({ outcome: 'broken', witness: undefined, shownAt: [{}, {}] });
  });

  it('is shown with those who go other ways, where the two do not come to it alone', () => {
    const race = raceOf(LATE + FLAG + LATE_READ, { simplest: true });
    expect(race).toMatchObject({ outcome: 'broken', shownAt: [{}, {}] });
    expect(threadsOf(race)).toBe(5);
  });
});
