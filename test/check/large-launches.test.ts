import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';

const FLAG = '[%rd1 + 4096]';

/** `x` has 4,096 words; the first 1,024 are for data, and flags are behind them. */
function checked(body: string, place: string, mostThreads?: number): TestResult {
  const text =
    `PTX k\n{ .global .u32 x[4096] = 0; }\nlaunch K "k.ptx" (x) @ ${place}\n` +
    'expect no-race\nexpect no-undefined\nexpect no-deadlock\n';
  const declared = '.shared .align 4 .u32 s[2];';
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ declared, body }) } };
  const { value, diagnostics } = loadTests(
    { path: 'k.litmus', text, modules, ...(mostThreads && { mostThreads }) },
    {},
    'answers',
  );
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return checkTest(solver, program, builtInModel('ptx-9.4'));
}

const outcomes = ({ expectations }: TestResult): readonly string[] => expectations.map(({ outcome }) => outcome);

/** All CTAs come together by a count; each thread takes what one of the next CTA has given. */
const together = (fence: string): string =>
  `mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r2, %r4, %r1;
  mul.wide.u32 %rd2, %r5, 4; add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r5; bar.sync 0;
  setp.ne.u32 %p1, %r1, 0; @%p1 bra B;
  ${fence} atom.global.add.u32 %r6, ${FLAG}, 1;
  A: ld.volatile.global.u32 %r7, ${FLAG}; setp.lt.u32 %p2, %r7, %r3; @%p2 bra A; ${fence}
  B: bar.sync 0; xor.b32 %r8, %r5, %r4; mul.wide.u32 %rd3, %r8, 4; add.s64 %rd3, %rd1, %rd3;
  ld.global.u32 %r9, [%rd3]; st.global.u32 [%rd2 + 4608], %r9;`;

describe('a large launch', () => {
  it('is decided where its CTAs wait for each other', () => {
    expect(outcomes(checked(together('membar.gl;'), 'grid 8, block 128'))).toEqual(['met', 'met', 'met']);
  });

  it('has the races of its run, and what else is so, without the engines', () => {
    const result = checked(together(''), 'grid 8, block 128');
    expect(outcomes(result)).toEqual(['broken', 'met', 'met']);
    const [race] = result.expectations;
    expect(race?.shownAt?.map(({ thread }) => thread)).toEqual(['K cta 1, tid 0', 'K cta 0, tid 0']);
  });

  /** The last CTA to count takes what all have written. */
  const last = (fence: string, more = ''): string =>
    `mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra E; mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r2; ${fence} atom.global.add.u32 %r4, ${FLAG}, 1;
    sub.u32 %r5, %r3, 1; setp.ne.u32 %p2, %r4, %r5; @%p2 bra E; membar.gl; mov.u32 %r6, 0;
    L: mul.wide.u32 %rd3, %r6, 4; add.s64 %rd3, %rd1, %rd3; ld.global.u32 %r7, [%rd3]; add.u32 %r6, %r6, 1;
    setp.lt.u32 %p3, %r6, %r3; @%p3 bra L; ${more} E:`;

  it('goes each way of a CTA that may come last; one case shows a race there', () => {
    expect(outcomes(checked(last('membar.gl;'), 'grid 12, block 32'))).toEqual(['met', 'met', 'met']);
    expect(outcomes(checked(last(''), 'grid 4, block 32'))).toEqual(['broken', 'met', 'met']);
    expect(outcomes(checked(last(''), 'grid 12, block 32'))).toEqual(['broken', 'met', 'met']);
  });

  it('has one case for each CTA that may come last and set the count back; some of many that race are enough', () => {
    const reset = `st.volatile.global.u32 ${FLAG}, 0;`;
    expect(outcomes(checked(last('membar.gl;', reset), 'grid 12, block 32'))).toEqual(['met', 'met', 'met']);
    expect(outcomes(checked(last('', reset), 'grid 4, block 32'))).toEqual(['broken', 'met', 'met']);
    // What the other cases do besides is not known then, but to the engines where these take as many threads.
    expect(outcomes(checked(last('', reset), 'grid 12, block 32', 16))).toEqual(['broken', 'undecided', 'undecided']);
  });

  /** CTA n waits for CTA n - 1, and its flag is there before its data. */
  const chain = `setp.ne.u32 %p1, %r1, 0; @%p1 bra E; mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd2, %rd1, %rd2; setp.eq.u32 %p2, %r2, 0; mov.u32 %r3, 0; @%p2 bra C;
    A: ld.acquire.gpu.global.u32 %r4, [%rd2 + 4092]; setp.eq.u32 %p3, %r4, 0; @%p3 bra A; ld.global.u32 %r3, [%rd2 - 4];
    C: st.release.gpu.global.u32 [%rd2 + 4096], 1; add.u32 %r3, %r3, 1; st.global.u32 [%rd2], %r3; E: bar.sync 0;`;

  it('has no thread that waits only since whom it waits for is not among those that are chosen', () => {
    expect(outcomes(checked(chain, 'grid 4, block 32, gpu 0'))).toEqual(['broken', 'met', 'met']);
  });

  /** Each thread copies a word, and takes that of another one; or copies back what all have written. */
  it('races where one thread counts without an atomic', () => {
    const body = `mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 7; setp.eq.and.u32 %p1, %r1, 127, %p1; @%p1 bra L;
      red.relaxed.gpu.global.add.u32 ${FLAG}, 1; bra E;
      L: ld.global.u32 %r6, ${FLAG}; add.u32 %r6, %r6, 1; st.global.u32 ${FLAG}, %r6; E:`;
    expect(outcomes(checked(body, 'grid 8, block 128'))[0]).toBe('broken');
  });

  it('races where fences order its CTAs in any one run', () => {
    // Whoever counts first, a fence.sc of each is between; but all may come past their first one before.
    const body = `setp.ne.u32 %p1, %r1, 0; @%p1 bra E; membar.gl; atom.relaxed.cta.global.add.u32 %r6, ${FLAG}, 1;
      membar.gl; st.shared.u32 [s], %r6; E:`;
    expect(outcomes(checked(body, 'grid 8, block 128'))[0]).toBe('broken');
  });

  const copy = (wait: string): string =>
    `.shared .align 16 .u32 t[512]; mov.u32 %r2, t; mad.lo.u32 %r3, %r1, 4, %r2; mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd2, %rd1, %rd2; cp.async.ca.shared.global [%r3], [%rd2], 4; ${wait} bar.sync 0; xor.b32 %r4, %r1, 64;
    mad.lo.u32 %r4, %r4, 4, %r2; ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd2 + 4096], %r5;`;
  const copyBack = (fence: string): string =>
    `.shared .align 16 .u32 t[512]; mov.u32 %r2, t; mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], %r1; ${fence}
    bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra E; cp.async.bulk.global.shared::cta.bulk_group [%rd1], [t], 2048;
    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; E:`;

  it.each([
    ['reads what is copied before that is complete', copy(''), ['broken', 'broken', 'met']],
    ['reads what is copied', copy('cp.async.wait_all;'), ['met', 'met', 'met']],
    ['copies without a fence what is there', copyBack(''), ['broken', 'met', 'met']],
    ['copies what is there', copyBack('fence.proxy.async;'), ['met', 'met', 'met']],
  ] as const)('%s: what is undefined is told with the race', (_, body, expected) => {
    expect(outcomes(checked(body, 'grid 1, block 512'))).toEqual(expected);
  });

  /** A thread draws the tiles of a CTA, until none is left. */
  const inRounds = (round: string): string =>
    `R: setp.ne.u32 %p1, %r1, 0; @!%p1 atom.relaxed.gpu.global.add.u32 %r2, ${FLAG}, 1; @!%p1 st.shared.u32 [s], %r2;
    bar.sync 0; ld.shared.u32 %r2, [s]; bar.sync 0; setp.ge.u32 %p2, %r2, 40; @%p2 bra E; ${round} bra R; E:`;
  const tile = (apart: number): string =>
    `mad.lo.u32 %r3, %r2, ${apart}, %r1; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd1, %rd2;`;

  it.each([
    ['a fence', `${tile(64)} fence.acq_rel.gpu;`, 'what may order threads of different CTAs, once they draw'],
    ['tiles that overlap', `${tile(31)} st.global.u32 [%rd2 + 4608], %r1;`, 'an address that two tickets may give'],
    ['an address that nothing bounds', `${tile(64)} ld.global.u64 %rd3, [%rd2]; ld.u32 %r4, [%rd3];`, 'address'],
  ])('says why a few rounds of a queue do not stand for all: %s', (_, round, why) => {
    const { expectations } = checked(inRounds(round), 'grid 16, block 32');
    const said = expectations.map(({ undecided }) => (undecided?.kind === 'coverage' ? undecided.what : ''));
    expect(said.some((what) => what.includes('; a few rounds of its queue do not stand for all: '))).toBe(true);
    expect(said.some((what) => what.includes(why))).toBe(true);
  });
});
