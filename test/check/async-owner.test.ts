import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkOperationally } from '../../src/check/check-operationally.js';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, checkProgram, programOf, ROOT, solver } from '../support.js';

/** What the choice async-cta says (docs/decisions/issuer-of-asynchronous-operations.md): engines, and launches. */
const VALUES = ['owner', 'issuer'] as const;
const modelOf = (value: string) => builtInModel('ptx-9.4', new Set([`async-cta=${value}`]));
const raceIn = ({ expectations }: TestResult): string | undefined =>
  expectations.find(({ expectation }) => expectation.finding === 'race')?.outcome;

const TESTS = [
  'async/bulk.g2s.cluster-wait-s2g',
  'async/bulk.s2g-arrive.cluster-wait-g2s.cluster',
  // The fence is between a generic access and an asynchronous one, and goes by the issuer in either case.
  'proxies/async.WAR+ld-fence.async.shared.cluster-remote-g2s',
] as const;

describe.each(TESTS)('%s', (name) => {
  const path = join(ROOT, 'litmus', `${name}.litmus`);
  const read = readFileSync(path, 'utf8');
  const text = read.includes('expect no-race')
    ? read
    : `${read}expect no-race
`;

  it.each(VALUES)('races under %s only where two CTAs go through the async proxy', async (value) => {
    const wanted = value === 'issuer' && name.startsWith('async/') ? 'broken' : 'met';
    const result = await checkProgram(programOf(text, path), modelOf(value), {});
    expect(raceIn(result)).toBe(wanted);
    expect(raceIn(checkOperationally(programOf(text, path), modelOf(value)))).toBe(wanted);
  });
});

/** One thread of the first CTA copies to both, each CTA copies out what it got, and in they come again. */
const body = (fence: string): string => `
  .shared .align 8 .b64 full; .shared .align 8 .b64 done; .reg .b16 %rs<2>;
  mov.u32 %r8, %cluster_ctarank; setp.ne.u32 %p3, %r1, 0; setp.ne.u32 %p5, %r8, 0; mov.u16 %rs1, 3;
  @%p3 bra I;
  mbarrier.init.shared::cta.b64 [full], 1; mbarrier.init.shared::cta.b64 [done], 2;
I:
  barrier.cluster.arrive; barrier.cluster.wait;
  @%p3 bra E;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 128;
  @%p5 bra A;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [%rd1], 128, [full], %rs1;
A:
W: mbarrier.try_wait.parity.shared::cta.b64 %p4, [full], 0; @!%p4 bra W;
  mul.wide.u32 %rd3, %r8, 128; add.s64 %rd3, %rd1, %rd3; add.s64 %rd3, %rd3, 256;
  cp.async.bulk.global.shared::cta.bulk_group [%rd3], [s], 128; cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  mov.u32 %r12, done; mapa.shared::cluster.u32 %r12, %r12, 0;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12];
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 128;
  @%p5 bra B;
V: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [done], 0; @!%p4 bra V;
  ${fence}
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [%rd1], 128, [full], %rs1;
B:
U: mbarrier.try_wait.parity.shared::cta.b64 %p4, [full], 1; @!%p4 bra U;
E:
  barrier.cluster.arrive; barrier.cluster.wait;`;

function launched(fence: string, value: string): TestResult {
  const text =
    'PTX k\n{ .global .align 16 .u32 x[128] = 1; }\nlaunch K "k.ptx" (x) @ grid 2, block 32, cluster 2\n' +
    'expect no-race\nexpect no-undefined\nrequire (x[64] == 1)\n';
  const declared = '.shared .align 16 .u32 s[32];';
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ target: 'sm_90', declared, body: body(fence) }) } };
  const { value: tests, diagnostics } = loadTests({ path: 'k.litmus', text, modules }, {});
  const [program] = tests ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return checkTest(solver, program, modelOf(value), { reasons: true });
}

describe('a launch that copies to both CTAs of a cluster, out of each, and again', () => {
  it('is in order as of the CTAs whose memory it is, and says so', () => {
    const result = launched('', 'owner');
    expect(raceIn(result)).toBe('met');
    expect(result.followed?.orderedBy).toContain('async-owner');
    expect(result.expectations[0]?.inferred).toContain('in-owner');
  });

  it('races as of the CTAs that issue it, and does nothing else that is wrong', () => {
    const result = launched('', 'issuer');
    expect(result.expectations.map(({ outcome }) => outcome)).toEqual(['broken', 'met']);
    expect(result.conditions[0]?.expectation).toBe('met');
    const [race] = result.expectations;
    expect(race?.events).toHaveLength(2);
  });
});
