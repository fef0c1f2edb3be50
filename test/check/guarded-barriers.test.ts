import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';

/** What is said of `no-undefined` where some lanes do something, by order and by the engines, if these take so many. */
function answers(body: string, block: number): readonly (string | undefined)[] {
  const launch = `launch K "k.ptx" (x) @ grid 1, block ${block}`;
  const text = `PTX t\n{ .global .u32 x[64] = 0; }\n${launch}\nexpect no-undefined\n`;
  const some = `setp.lt.u32 %p1, %r1, ${block - 3}; and.b32 %r3, %r1, 32; setp.eq.u32 %p2, %r3, 0;`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ body: `${some} ${body}` }) } };
  const ways = block > 32 ? (['answers'] as const) : (['answers', 'all threads'] as const);
  return ways.map((wants) => {
    const [program] = loadTests({ path: 't.litmus', text, modules }, {}, wants).value ?? [];
    if (program === undefined) throw new Error(body);
    const follow = wants === 'answers';
    return checkTest(solver, program, builtInModel('ptx-9.4'), { follow, timeout: 30_000 }).expectations[0]?.outcome;
  });
}

describe('lanes of a kernel that a guard lets past an aligned barrier', () => {
  it.each([
    ['have not exited, though they end behind it', '@%p1 bar.sync 0;', 'broken'],
    ['nor where a value is reduced', '@%p1 bar.red.popc.u32 %r2, 0, %p1;', 'broken'],
    ['nor where they only arrive', '@%p1 bar.arrive 1, 32;', 'broken'],
    [
      'nor at the barrier of a cluster',
      '@%p1 barrier.cluster.arrive.aligned; @%p1 barrier.cluster.wait.aligned;',
      'broken',
    ],
    ['have left where they end at once', '@!%p1 bra E; bar.sync 0; E:', 'met'],
    ['need not be there where they have left', '@!%p1 ret; @%p1 bar.sync 0;', 'met'],
    ['need not be there where it is not aligned', '@%p1 barrier.sync 0;', 'met'],
    ['are all of a warp', '@%p2 bar.sync 0;', 'met'],
  ] as const)('%s', (_, body, said) => {
    expect(answers(body, 6)).toEqual([said, said]);
    expect(answers(body, 64)).toEqual([said]);
  });
});
