import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { crossCheck } from '../../src/check/cross-check.js';
import { loadTests } from '../../src/check/load-tests.js';
import { builtInModel, solver } from '../support.js';
import { IN_ORDER } from '../twins.js';

const model = builtInModel('ptx-9.4');
const waits = (thread: number, value: number): string =>
  `P${thread} @ cta ${thread} ` +
  `{ W: atom.relaxed.sys.global.add.u32 r0, [f], 0; setp.ne.u32 p, r0, ${value}; @p bra W; }`;
const adds = (thread: number): string => `P${thread} @ cta ${thread} { red.relaxed.sys.global.add.u32 [f], 1; }`;

describe('threads that wait by atomics that change nothing', () => {
  it.each([
    ['for what nobody writes', [waits(0, 3), waits(1, 3)], 'broken'],
    ['for one more than is counted', [waits(0, 2), waits(1, 2), adds(2)], 'broken'],
    ['for as much as is counted', [waits(0, 1), waits(1, 1), adds(2)], 'met'],
    ['for different counts, of which one is passed', [waits(0, 1), waits(1, 2), adds(2), adds(3)], 'broken'],
  ])('%s, wait for ever or do not', (_, threads, outcome) => {
    const text = `PTX waiting\n{ .global .u32 f = 0; }\n${threads.join('\n')}\nexpect no-deadlock\n`;
    const [program] = loadTests({ path: 'waiting.litmus', text }).value ?? [];
    if (program === undefined) throw new Error('it is refused');
    expect(checkTest(solver, program, model, {}).expectations[0]?.outcome).toBe(outcome);
    expect(crossCheck(solver, program, model, IN_ORDER).differences).toEqual([]);
  });
});
