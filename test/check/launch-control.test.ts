import { describe, expect, it } from 'vitest';
import { type CheckOptions, checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';

function answersOf(body: string, place: string, options: CheckOptions, asked = ''): TestResult {
  const text = `PTX k\n{ .global .u32 x[64] = 0; }\nlaunch K "k.ptx" (x) @ ${place}\n${asked}`;
  const declared = '.shared .align 16 .b8 answer[16]; .shared .b64 bar;';
  const module = kernelModule({ target: 'sm_100a', declared, body: body.replaceAll('; ', ';\n') });
  const { value, diagnostics } = loadTests(
    { path: 'k.litmus', text, modules: { 'k.ptx': { path: 'k.ptx', text: module } } },
    {},
    'answers',
  );
  const [program] = value ?? [];
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join());
  return checkTest(solver, program, builtInModel('ptx-9.4'), options);
}

function saidOf(body: string, place: string, options: CheckOptions = {}): Readonly<Record<string, string>> {
  const { expectations } = answersOf(body, place, options);
  return Object.fromEntries(expectations.map(({ expectation, outcome }) => [expectation.finding, outcome]));
}

const resultOf = (body: string, place: string): string | undefined =>
  answersOf(body, place, {}, ALL_DONE).conditions[0]?.expectation;

/** The first thread elects itself, and asks; all wait for the answer, and leave if nothing was canceled. */
const FENCE = 'fence.proxy.async.shared::cta; ';
const STEAL = (between: string, fence = FENCE, named = ''): string =>
  'setp.ne.s32 %p1, %r1, 0; @%p1 bra I; mbarrier.init.shared.b64 [bar], 1; I: mov.u32 %r7, 0; L: bar.sync 0; ' +
  '@%p1 bra W; elect.sync %r2|%p2, 1; ' +
  '@%p2 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar]; ' +
  'mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16; ' +
  `W: ${between} P: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p3, [bar], %r7; @!%p3 bra P; ` +
  'ld.shared.v2.u64 {%rd3, %rd4}, [answer]; .reg .b128 %q; mov.b128 %q, {%rd3, %rd4}; ' +
  'clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p4, %q; xor.b32 %r7, %r7, 1; @!%p4 bra E; ' +
  `${named} ${fence} bra.uni L; E:`;

/** Each CTA adds 1 to its words, and to those of CTAs that it has canceled. */
const PIECE =
  'mad.lo.u32 %r9, %r8, 8, %r1; mul.wide.u32 %rd5, %r9, 4; add.s64 %rd5, %rd1, %rd5; ' +
  'ld.global.u32 %r6, [%rd5]; add.u32 %r6, %r6, 1; st.global.u32 [%rd5], %r6;';
const OWN = 'mov.u32 %r8, %ctaid.x; ';
const NAMED = 'clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r8, %q;';
const ALL_DONE = `require (${[1, 9, 17].map((at) => `x[${at}] == 1`).join(' /\\ ')})`;

describe('launches whose CTAs may be canceled', () => {
  it.each(['grid 2, block 8', 'grid 2, block 64'])('are followed in each case: %s', (place) => {
    expect(saidOf(STEAL(''), place)).toMatchObject({ race: 'met', undefined: 'met', deadlock: 'met', trap: 'met' });
  });

  it('are broken by what is done in one of them', () => {
    expect(saidOf(STEAL('', ''), 'grid 2, block 8')).toMatchObject({ race: 'broken', deadlock: 'undecided' });
    // The CTA behind the one that is canceled may run.
    const behind = `${NAMED} add.u32 %r8, %r8, 1; rem.u32 %r8, %r8, 3;`;
    expect(saidOf(OWN + STEAL(PIECE, FENCE, behind), 'grid 3, block 8')).toMatchObject({ race: 'broken' });
  });

  it('have their final states together', () => {
    expect(resultOf(OWN + STEAL(PIECE, FENCE, NAMED), 'grid 3, block 8')).toBe('met');
    // What is canceled is done by nobody, or the own piece once more.
    expect(resultOf(OWN + STEAL(PIECE, FENCE, 'mov.u32 %r8, 3;'), 'grid 3, block 8')).toBe('broken');
    expect(resultOf(OWN + STEAL(PIECE), 'grid 3, block 8')).toBe('broken');
  });

  it('are unknown where they are too many', () => {
    expect(saidOf(OWN + STEAL(PIECE, FENCE, NAMED), 'grid 8, block 8')).toMatchObject({ race: 'undecided' });
  });

  it('are followed where they fail, and are broken by what is done there', () => {
    expect(saidOf(STEAL('st.global.u32 [%rd1], %r1;'), 'grid 2, block 64')).toMatchObject({ race: 'broken' });
    expect(saidOf(STEAL('trap;'), 'grid 2, block 64')).toMatchObject({ trap: 'broken' });
  });
});

describe('a lane that elects itself', () => {
  const ALONE = (mask: string): string =>
    `setp.ne.s32 %p1, %r1, 3; @%p1 bra E; elect.sync %r2|%p2, ${mask}; mul.wide.u32 %rd2, %r2, 4; ` +
    'add.s64 %rd2, %rd1, %rd2; @%p2 st.global.u32 [%rd2], 7; @!%p2 trap; E: bar.warp.sync -1;';

  it('is the one that is taken', () => {
    expect(saidOf(ALONE('8'), 'grid 1, block 64')).toMatchObject({ race: 'met', undefined: 'met', trap: 'met' });
  });

  it('must be in the mask', () => {
    expect(saidOf(ALONE('4'), 'grid 1, block 64')).toMatchObject({ undefined: 'broken' });
  });
});
