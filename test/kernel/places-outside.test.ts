import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';

const DECLARED = '.shared .align 16 .b8 s[136]; .shared .align 8 .b64 m; .local .align 4 .b32 l[2];';

/** What is said of a launch whose last lane does something, where it comes to that. */
function answers(instruction: string, threads: number, guard = 'setp.ne.u32 %p1, %r1, 31;'): readonly string[] {
  const body = `${guard} @%p1 bra E;\n${instruction}\nE:`;
  const text = `PTX t
{ .global .align 16 .u32 x[4] = {1, 2, 3, 4}; }
launch K "k.ptx" (x) @ grid 1, block ${threads}
expect no-undefined
`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ declared: DECLARED, body }) } };
  const { value = [], diagnostics } = loadTests({ path: 'k.litmus', text, modules });
  const [program] = value;
  if (program === undefined) return diagnostics.map(({ message }) => message);
  const { expectations, undefinedBy } = checkTest(solver, program, builtInModel('ptx-9.4'), { follow: true });
  return [...expectations.map(({ outcome }) => outcome), ...(undefinedBy === undefined ? [] : [undefinedBy.rule])];
}

/** Constant offsets are judged where they are executed, as those in registers are: nvcc makes them of `s[t + 3]`. */
describe('an access of a kernel at a constant offset', () => {
  const OUTSIDE = ['broken', 'outside-memory'];
  const MISALIGNED = ['broken', 'alignment'];
  it.each([
    ['behind the end of a variable', 'st.shared.u32 [s + 136], %r1;', OUTSIDE],
    ['across its end', 'ld.shared.u64 %rd3, [s + 132];', OUTSIDE],
    ['of a vector across its end', 'ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [s + 128];', OUTSIDE],
    ['before it', 'ld.shared.u32 %r2, [s - 4];', OUTSIDE],
    ['of local memory', 'st.local.u32 [l + 8], %r1;', OUTSIDE],
    ['of an atomic', 'atom.shared.add.u32 %r2, [s + 136], 1;', OUTSIDE],
    ['that is not aligned', 'ld.shared.u32 %r2, [s + 2];', OUTSIDE],
    ['of an mbarrier that is not aligned', 'mbarrier.init.shared::cta.b64 [m + 4], 1;', OUTSIDE],
    ['of a copy that is not aligned', 'cp.async.cg.shared.global [s + 8], [%rd1], 16;', MISALIGNED],
    ['of a copy behind the end', 'cp.async.cg.shared.global [s + 144], [%rd1], 16;', OUTSIDE],
  ] as const)('%s', (_, instruction, said) => {
    expect(answers(instruction, 32)).toEqual(said);
    expect(answers(instruction, 64)).toEqual(said);
    expect(answers(instruction, 64, 'setp.ne.u32 %p1, %r1, 99;')).toEqual(['met']);
  });

  it('in another state space stays a mistake', () => {
    expect(answers('ld.global.u32 %r2, [s + 16];', 32).join()).toContain('.global is used for s, which is .shared');
  });
});
