import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';

const saidOf = (body: string, place: string, options = {}): Readonly<Record<string, string>> => {
  const text = `PTX k\n{ .global .u32 x[64] = 0; }\nlaunch K "k.ptx" (x) @ ${place}\n`;
  const declared = '.shared .align 16 .b8 answer[16]; .shared .b64 bar;';
  const module = kernelModule({ target: 'sm_100a', declared, body: body.replaceAll('; ', ';\n') });
  const { value, diagnostics } = loadTests(
    { path: 'k.litmus', text, modules: { 'k.ptx': { path: 'k.ptx', text: module } } },
    {},
    'answers',
  );
  const [program] = value ?? [];
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join());
  const { expectations } = checkTest(solver, program, builtInModel('ptx-9.4'), options);
  return Object.fromEntries(expectations.map(({ expectation, outcome }) => [expectation.finding, outcome]));
};

/** The first thread elects itself, and asks; all wait for the answer, and leave if nothing was canceled. */
const STEAL = (between: string): string =>
  'setp.ne.s32 %p1, %r1, 0; @%p1 bra I; mbarrier.init.shared.b64 [bar], 1; I: mov.u32 %r7, 0; L: bar.sync 0; ' +
  '@%p1 bra W; elect.sync %r2|%p2, 1; ' +
  '@%p2 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar]; ' +
  'mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16; ' +
  `W: ${between} P: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p3, [bar], %r7; @!%p3 bra P; ` +
  'ld.shared.v2.u64 {%rd3, %rd4}, [answer]; .reg .b128 %q; mov.b128 %q, {%rd3, %rd4}; ' +
  'clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p4, %q; xor.b32 %r7, %r7, 1; @%p4 bra L;';

describe('launches whose CTAs may be canceled', () => {
  it.each(['grid 2, block 8', 'grid 2, block 64'])('are not known where requests succeed: %s', (place) => {
    expect(saidOf(STEAL(''), place)).toMatchObject({ race: 'undecided', deadlock: 'undecided', trap: 'undecided' });
    expect(saidOf(STEAL(''), place, { follow: false })).toMatchObject({ race: 'undecided' });
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
