import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { kernelModule } from '../kernel-module.js';
import { answerLines, checkProgram } from '../support.js';

/** A thread writes by one name of some memory; behind a barrier another one reads by a second name, and tells what. */
async function answersOf(second: 'x' | 'y', fence = ''): Promise<readonly unknown[]> {
  const body = `setp.ne.u32 %p1, %r1, 0; @%p1 bra $READ; st.global.u32 [%rd1], 1; $READ: ${fence} bar.sync 0; ${fence}
  setp.ne.u32 %p2, %r1, 1; @%p2 bra $END; ld.global.u32 %r3, [%rd2]; st.global.u32 [%rd3], %r3; $END:`;
  const text = `PTX names\n{ .global .u32 x = 0; .global .u32 y aliases x; .global .u32 found = 7; }
launch K "k.ptx" (x, ${second}, found) @ grid 1, block 2\nrequire (found == 1)\n`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ pointers: 3, body }) } };
  const { value: [program] = [] } = loadTests({ path: 'k.litmus', text, modules });
  const run = program === undefined ? undefined : wholeTest(program)?.follow(() => undefined);
  if (program === undefined || run === undefined) throw new Error('refused');
  return [run.conflicts.map(({ kind }) => kind), answerLines(await checkProgram(program, 'ptx-9.4'))];
}

/** Of two virtual addresses base causality is kept where a fence of their proxy is on the way (PTX ISA 8.9.5). */
describe('memory of two names, with a barrier between what is done by each', () => {
  it('is as memory of one, if it is accessed by one', async () => {
    expect(await answersOf('x')).toEqual([[], ['met']]);
  });

  it('may be found as it was by the other one, unless it is fenced', async () => {
    expect(await answersOf('y')).toEqual([['proxies'], ['broken']]);
    expect((await answersOf('y', 'fence.proxy.alias;'))[1]).toEqual(['met']);
  });
});
