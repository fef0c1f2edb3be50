import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { kernelModule } from '../kernel-module.js';

/** What is wrong with a launch of a kernel. */
function wrongWith(body: string): readonly string[] {
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ body }) } };
  const text = 'PTX t\n{ .global .u32 x[4] = 0; }\nlaunch K "k.ptx" (x) @ grid 1, block 64\nexpect no-race\n';
  return loadTests({ path: 'k.litmus', text, modules }, {}, 'answers').diagnostics.map(({ message }) => message);
}

describe('a label of a kernel', () => {
  const LOOP = 'L: ld.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 5; @%p1 bra L;';

  it('stands once in its scope, as ptxas has it', () => {
    expect(wrongWith(`${LOOP} ${LOOP}`)).toEqual(['label L is defined twice']);
    expect(wrongWith(`{ ${LOOP} } { ${LOOP} } ${LOOP}`)).toEqual([]);
  });

  it('is one that a branch names', () => {
    expect(wrongWith('@%p1 bra M;')).toEqual(['unknown label M']);
  });
});
