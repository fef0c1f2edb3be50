import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { crossCheck } from '../../src/check/cross-check.js';
import { loadTests } from '../../src/check/load-tests.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';
import { IN_ORDER } from '../twins.js';

const model = builtInModel('ptx-9.4');

/** Two lanes read words that nobody knows, and perhaps exit before a barrier that is aligned. */
function programOf(way: string) {
  const text =
    'PTX exits\n{ .global .u32 in[2] = ?; .global .u32 out[4] = 0; }\n' +
    'launch K "k.ptx" (in, out) @ grid 1, block 2, gpu 0\nexpect no-undefined\nexpect no-deadlock\n';
  const body =
    'mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3; ld.global.u32 %r2, [%rd4]; ' +
    `setp.ne.u32 %p1, %r2, 0; ${way} bar.sync 0; st.global.u32 [%rd5], 1;`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ pointers: 2, body }) } };
  const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, 'all threads').value ?? [];
  if (program === undefined) throw new Error('it is refused');
  return program;
}

describe('a lane that perhaps exits before an aligned barrier', () => {
  it.each([
    ['has left, if it has done nothing since it parted from the others', '@%p1 exit;', 'met'],
    ['has gone past the barrier, if it has', '@!%p1 bra L; st.global.u32 [%rd5 + 8], 2; exit; L:', 'broken'],
    [
      'has gone past it, if it alone has done what all may do',
      '@%p1 st.global.u32 [%rd5 + 8], 2; @%p1 exit;',
      'broken',
    ],
  ])('%s', (_, way, undefinedOutcome) => {
    const program = programOf(way);
    const outcomes = checkTest(solver, program, model, { follow: false }).expectations.map(({ outcome }) => outcome);
    expect(outcomes).toEqual([undefinedOutcome, 'met']);
    expect(crossCheck(solver, program, model, IN_ORDER).differences).toEqual([]);
  });
});
