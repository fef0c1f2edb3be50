import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';

const BARRIER = 'barrier.cluster.arrive; barrier.cluster.wait;';
/** A store to the word of the thread in the shared memory of the other CTA; the last barrier keeps that there. */
const STORE =
  'mov.u32 %r2, %cluster_ctarank; xor.b32 %r2, %r2, 1; mov.u32 %r3, s; mapa.shared::cluster.u32 %r3, %r3, %r2; ' +
  `mad.lo.u32 %r3, %r1, 4, %r3; st.shared::cluster.u32 [%r3], 1; ${BARRIER}`;
/** Only when the other CTA has set its flag. */
const FLAG =
  'mov.u32 %r4, %ctaid.x; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd1, %rd2; st.release.gpu.global.u32 [%rd2], 1; ' +
  'xor.b32 %r4, %r4, 1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd1, %rd2; ' +
  'L: ld.acquire.gpu.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r5, 0; @%p1 bra L;';

/** What no-undefined rests on in a cluster of two CTAs, of so many threads each. */
function restsOn(before: string, threads: number): string | undefined {
  const module = kernelModule({ body: `${before} ${STORE}` });
  // Nothing before the barrier, not even what asks for the number of the thread.
  const text = module
    .replace('.visible', '.shared .align 16 .u32 s[64];\n.visible')
    .replace(/ {2}(ld\.param|mov\.u32 %r1)/, `${before === 'first' ? BARRIER : ''}\n  $1`)
    .replace('first ', '');
  const modules = { 'k.ptx': { path: 'k.ptx', text } };
  const place = `grid 2, block ${threads}, cluster 2`;
  const test = `PTX k\n{ .global .u32 x[2] = 0; }\nlaunch K "k.ptx" (x) @ ${place}\nexpect no-undefined\n`;
  const read = loadTests({ path: 'k.litmus', text: test, modules });
  const [program] = read.value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(read.diagnostics));
  const [answer] = checkTest(solver, program, builtInModel('ptx-9.4'), { timeout: 20_000 }).expectations;
  expect(answer?.outcome).toBe('met');
  return answer?.provided;
}

describe('shared memory of another CTA', () => {
  it.each([1, 40])('is there if that has started, by %i threads', (threads) => {
    expect(restsOn('', threads)).toMatch(/^if CTA 1 has started when CTA 0 accesses its shared memory at k\.ptx:\d+:/);
    expect(restsOn(BARRIER, threads)).toBeUndefined();
    expect(restsOn('first', threads)).toBeUndefined();
  });

  it('is there for whoever has found what a thread of that has written', () => {
    expect(restsOn(FLAG, 1)).toBeUndefined();
  });
});
