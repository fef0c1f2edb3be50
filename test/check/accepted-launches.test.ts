import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { kernelModule } from '../kernel-module.js';
import { checkProgram, programOf } from '../support.js';

/** What is found of a launch, whose code begins in line 13 of its module, and of what it accepts. */
async function checked(body: string, clauses: string, threads: number): Promise<TestResult> {
  const text = kernelModule({ pointers: 2, target: 'sm_90a', declared: '.shared .align 4 .u32 s[256];', body });
  const memory = '.global .u32 in[256] = ?; .global .u32 out[256] = 0;';
  const test = `PTX k\n{ ${memory} }\nlaunch K "k.ptx" (in, out) @ grid 1, block ${threads}\n${clauses}\n`;
  const { value, diagnostics } = loadTests({
    path: 'k.litmus',
    text: test,
    modules: { 'k.ptx': { path: 'k.ptx', text } },
  });
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return checkProgram(program, 'ptx-9.4');
}

/** The same in words. */
async function answers(body: string, clauses: string, threads = 128): Promise<readonly string[]> {
  const { expectations, conditions, accepted = [] } = await checked(body, clauses, threads);
  return [
    ...expectations.map(({ expectation, outcome }) => `${expectation.expectation} ${outcome}`),
    ...conditions.map(({ expectation }) => expectation),
    ...accepted.map(({ outcome }) => outcome),
  ];
}

const ALL = ['race', 'undefined', 'deadlock', 'uninitialized'].map((one) => `expect no-${one}`).join('\n');

/** The first lane of each warp takes the sum of all; all of them store it, and each takes those of all warps. */
const SUMMED = [
  'mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; ld.global.f32 %r7, [%rd5];',
  ...[16, 8, 4, 2, 1].map((mask) => `shfl.sync.bfly.b32 %r6, %r7, ${mask}, 31, -1; add.f32 %r7, %r7, %r6;`),
  'mov.u32 %r2, s; shr.u32 %r3, %r1, 5; mad.lo.u32 %r3, %r3, 4, %r2;',
  'st.shared.u32 [%r3], %r7;',
  'bar.sync 0; ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];',
];
const KEPT = 'setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd2], %r3; @%p1 st.global.u32 [%rd2 + 4], 7;';

describe('what a launch accepts', () => {
  it('are races of stores that put the same value there, with all that is known besides', async () => {
    const code = [...SUMMED, KEPT].join('\n');
    const clauses = `${ALL}\nrequire (out[1] == 7 /\\ out[2] == 0)`;
    const others = ['no-undefined met', 'no-deadlock met', 'no-uninitialized met', 'met'];
    expect(await answers(code, clauses)).toEqual(['no-race broken', ...others]);
    expect(await answers(code, `${clauses}\nallow same-value-race "sums"`)).toEqual([
      ...['no-race met', ...others, 'found'],
    ]);
    const line = 'allow same-value-race at k.ptx:20, k.ptx:20 "sums"';
    expect((await answers(code, `${clauses}\n${line}`)).slice(-1)).toEqual(['found']);
  });

  it.each([2, 8, 16, 64])('are such races of %i threads, which the engines may be asked about', async (threads) => {
    const all = 'ld.global.u32 %r7, [%rd1]; mov.u32 %r2, s; st.shared.u32 [%r2], %r7; bar.sync 0;';
    const clauses = `${ALL}\nallow same-value-race "a"`;
    const others = ['no-undefined met', 'no-deadlock met', 'no-uninitialized met', 'found'];
    expect(await answers(all, clauses, threads)).toEqual(['no-race met', ...others]);
    const open = `${clauses}\nforbid (out[0] == 77)`;
    const body = `${all} ld.shared.u32 %r3, [%r2]; setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd2], %r3;`;
    expect((await answers(body, open, threads)).slice(0, 1)).toEqual(['no-race met']);
    const own = all.replace('[%r2], %r7', '[%r2], %r1');
    expect((await answers(own, clauses, threads)).slice(0, 1)).toEqual(['no-race broken']);
  });

  it('are no races of other values, nor of who reads what is stored', async () => {
    const accepted = `${ALL}\nallow same-value-race "sums"`;
    const own = SUMMED.map((one) => one.replace('st.shared.u32 [%r3], %r7;', 'st.shared.u32 [%r3], %r1;'));
    expect((await answers([...own, KEPT].join('\n'), accepted)).slice(0, 1)).toEqual(['no-race broken']);
    const early = SUMMED.map((one) => one.replace('bar.sync 0;', ''));
    expect((await answers([...early, KEPT].join('\n'), accepted)).slice(0, 1)).toEqual(['no-race broken']);
  });

  it('is what is undefined of registers, and all else is known', async () => {
    const counted = 'setmaxnreg.dec.sync.aligned.u32 40;\nsetmaxnreg.dec.sync.aligned.u32 24;';
    const others = ['no-race met', 'no-undefined broken', 'no-deadlock met', 'no-uninitialized met'];
    expect(await answers(counted, ALL)).toEqual(others);
    expect(await answers(counted, `${ALL}\nallow undefined at k.ptx:14 "as Triton has it"`)).toEqual([
      ...others.map((one) => one.replace('broken', 'met')),
      'found',
    ]);
    const racing = `${counted}\nst.global.u32 [%rd2], %r1;`;
    expect((await answers(racing, ALL)).slice(0, 2)).toEqual(['no-race broken', 'no-undefined broken']);
  });

  it('names each thread once, however often it does what is undefined', async () => {
    const rounds = 'mov.u32 %r2, 0;\nL: setmaxnreg.dec.sync.aligned.u32 40;\nadd.u32 %r2, %r2, 1;';
    const body = `${rounds} setp.lt.u32 %p1, %r2, 5; @%p1 bra L;`;
    const { expectations } = await checked(body, 'expect no-undefined', 128);
    expect(expectations.map(({ reason }) => reason)).toEqual([expect.stringContaining('(4 threads)')]);
  });

  it('makes nothing of conditions where registers are undefined, unless that is accepted', async () => {
    const body = `setmaxnreg.dec.sync.aligned.u32 40;\nsetmaxnreg.dec.sync.aligned.u32 24;\n${KEPT}`;
    expect(await answers(body, 'require (out[1] == 7)')).toEqual(['broken']);
    expect(await answers(body, 'require (out[1] == 7)\nallow undefined at k.ptx:14 "a"')).toEqual(['met', 'found']);
  });

  it('is not told of threads that a test writes itself, where they race', async () => {
    const written = (place: string, value: number): string => `P${value} @ ${place} { st.weak.global.u32 [x], 1; }`;
    const test = (threads: readonly string[]): string =>
      `PTX t { .global .u32 x = 0; } ${threads.join(' ')} expect no-race allow same-value-race "a"`;
    const outcomes = async (threads: readonly string[]): Promise<readonly (string | undefined)[]> =>
      ((await checkProgram(programOf(test(threads)), 'ptx-9.4')).accepted ?? []).map(({ outcome }) => outcome);
    expect(await outcomes([written('cta 0', 0), written('cta 1', 1)])).toEqual(['undecided']);
    expect(await outcomes([written('cta 0', 0)])).toEqual(['nothing']);
  });
});
