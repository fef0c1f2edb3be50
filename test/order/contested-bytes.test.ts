import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { kernelModule } from '../kernel-module.js';
import { EXPECT, holdToEngines } from './law.js';

const OWN = 'mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2;';
const OTHER = 'xor.b32 %r5, %r1, 1; mad.lo.u32 %r4, %r5, 4, %r2;';
const READ = 'ld.shared.u32 %r6, [%r3];';
const RACE = 'st.shared.u32 [%r3], %r1; st.shared.u32 [%r4], %r1;';

function source(body: string, block: number): Parameters<typeof loadTests>[0] {
  const text = `PTX k\n{ .global .u32 x[64] = 0; }\nlaunch K "k.ptx" (x) @ grid 1, block ${block}\n${EXPECT}\n`;
  const module = kernelModule({ declared: '.shared .align 16 .u32 s[64];', body: OWN + OTHER + body });
  return { path: 'k.litmus', text, modules: { 'k.ptx': { path: 'k.ptx', text: module } } };
}

describe('bytes without a value that conflict', () => {
  it.each<[string, string, boolean]>([
    ['are read where that does not race', `${READ} bar.sync 0; ${RACE}`, true],
    ['are read in a race', `st.shared.u32 [%r4], %r1; ${READ}`, false],
    ['are written before', `st.shared.u32 [%r3], 1; ${READ} bar.sync 0; ${RACE}`, false],
  ])('%s', (name, body, isOpen) => {
    const [program] = loadTests(source(body, 64), {}, 'answers').value ?? [];
    const run = program === undefined ? undefined : wholeTest(program)?.follow(() => undefined);
    expect(run?.mayBeUninitialized).toBe(isOpen);
    expect(run?.uninitialized).toEqual([]);
    expect(holdToEngines(source(body, 2), name)).toBeDefined();
  });
});
