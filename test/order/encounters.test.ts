import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';

/** What is said of the race of a launch of 64 threads. */
function raceOf(body: string, ctas = 1): string {
  const declared = '.shared .align 8 .b64 bar; .shared .align 16 .u32 s[64];';
  const text =
    'PTX t\n{ .global .align 16 .u32 out[64] = 0; }\n' +
    `launch K "k.ptx" (out) @ grid ${ctas}, block 64 { }\nexpect no-race\n`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ declared, body }) } };
  const [program] = loadTests({ path: 't.litmus', text, modules }, {}, 'answers').value ?? [];
  if (program === undefined) throw new Error('not a test');
  const [race] = checkTest(solver, program, builtInModel('ptx-9.4')).expectations;
  return `${race?.reason}; ${race?.advice}`;
}

/** Threads other than the first leave. */
const FIRST = 'setp.ne.u32 %p1, %r1, 0; @%p1 bra E;';
const WAIT = (parity: number): string =>
  `W${parity}: mbarrier.try_wait.parity.shared.b64 %p2, [bar], ${parity}; @!%p2 bra W${parity};`;

describe('a race of a run', () => {
  it('says where both write one value, and is a race all the same', () => {
    expect(raceOf('st.global.u32 [%rd1], 7;')).toContain('both write 7 there, which is a race all the same');
    expect(raceOf('st.global.u32 [%rd1], %r1;')).not.toContain('both write');
  });

  it('says for which phase of an mbarrier a thread has waited last, from the initialization on', () => {
    const told = raceOf(
      `${FIRST} mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.shared.b64 _, [bar]; ${WAIT(0)}
       mbarrier.arrive.shared.b64 _, [bar]; ${WAIT(1)} E: st.global.u32 [%rd1], %r1;`,
    );
    expect(told).toMatch(/K cta 0, tid 0 has waited last at k\.ptx:\d+, for the 2nd phase/);
  });

  it('says across proxies what a GPU was seen to do without the fence', () => {
    const copied = raceOf(
      `${FIRST} st.shared.u32 [s], 1; cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16;
       cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; E:`,
    );
    expect(copied).toMatch(/ordered, but not across their proxies: .*an H100 was seen to copy what was there before/);
  });

  it('says that a fence is of another CTA than the asynchronous access', () => {
    const copied = raceOf(
      `${FIRST} mov.u32 %r2, %ctaid.x; setp.ne.u32 %p2, %r2, 0; @%p2 bra C; st.global.u32 [%rd1], 1;
       fence.proxy.async; st.release.gpu.global.u32 [%rd1 + 128], 1; bra E;
       C: ld.acquire.gpu.global.u32 %r3, [%rd1 + 128]; setp.eq.u32 %p3, %r3, 0; @%p3 bra C;
       mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
       cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 16, [bar]; ${WAIT(0)} E:`,
      2,
    );
    expect(copied).toMatch(/not across their proxies: the fence\.proxy\.async between them is of another CTA/);
  });
});
