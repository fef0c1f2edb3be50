import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';

/** Each CTA stores a word and counts itself; all threads of the last one read what the others have stored. */
function raceIn(before: string): string | undefined {
  const body = [
    'mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd1, %rd2; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;',
    `st.global.u32 [%rd2], 7; ${before} atom.relaxed.gpu.global.add.u32 %r3, [%rd1 + 128], 1; fence.sc.gpu;`,
    'st.shared.u32 [s], %r3; L: bar.sync 0; ld.shared.u32 %r4, [s]; setp.ne.u32 %p2, %r4, 1; @%p2 bra E;',
    'ld.global.u32 %r5, [%rd1]; ld.global.u32 %r6, [%rd1 + 4]; E:',
  ].join(' ');
  const text = 'PTX k\n{ .global .u32 x[64] = 0; }\nlaunch K "k.ptx" (x) @ grid 2, block 64\nexpect no-race\n';
  const module = kernelModule({ declared: '.shared .u32 s;', body: body.replaceAll('; ', ';\n') });
  const modules = { 'k.ptx': { path: 'k.ptx', text: module } };
  const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, 'answers').value ?? [];
  if (program === undefined) throw new Error('not read');
  return checkTest(solver, program, builtInModel('ptx-9.4')).expectations[0]?.outcome;
}

describe('a race that a fence.sc of another thread orders in most runs', () => {
  it('is shown by one in which that comes late', () => {
    expect(raceIn('')).toBe('broken');
    expect(raceIn('fence.sc.gpu;')).toBe('met');
  });
});
