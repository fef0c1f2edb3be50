import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';

function checked(body: string, place: string, clauses: string, options = {}): TestResult {
  const text = `PTX k\n{ .global .u32 x[64] = 0; }\nlaunch K "k.ptx" (x) @ ${place}\n${clauses}\n`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ body: body.replaceAll('; ', ';\n') }) } };
  const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, 'answers').value ?? [];
  if (program === undefined) throw new Error('not read');
  return checkTest(solver, program, builtInModel('ptx-9.4'), options);
}

/** The lanes of a warp count themselves, and store how many are active. */
const COUNT =
  'activemask.b32 %r2; popc.b32 %r3, %r2; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; ' +
  'st.global.u32 [%rd2], %r3;';
const IF = /^if the lanes of a warp that come to k\.ptx:\d+ by the same way are active there together$/;

describe('answers about lanes that ask which of them are active', () => {
  it('hold if those that come there together are', () => {
    const { expectations, conditions } = checked(COUNT, 'grid 1, block 64', 'expect no-race\nrequire (x[40] == 32)');
    expect(expectations.map(({ outcome, provided }) => [outcome, IF.test(provided ?? '')])).toEqual([['met', true]]);
    expect(conditions.map(({ expectation, provided }) => [expectation, IF.test(provided ?? '')])).toEqual([
      ['met', true],
    ]);
  });

  it('hold without that where no other lane is left', () => {
    const { expectations } = checked(COUNT, 'grid 2, block 1', 'expect no-undefined');
    expect(expectations.map(({ outcome, provided }) => [outcome, provided])).toEqual([['met', undefined]]);
  });

  it('hold likewise of few threads that do more than the engines take', () => {
    const often = COUNT + ' st.global.u32 [%rd2], %r3;'.repeat(80);
    const { expectations } = checked(often, 'grid 1, block 32', 'expect no-race\nexpect no-deadlock');
    expect(expectations.map(({ outcome, provided }) => [outcome, IF.test(provided ?? '')])).toEqual([
      ['met', true],
      ['met', true],
    ]);
    const racing = `${often} st.global.u32 [%rd1], %r1;`;
    const undecided = checked(racing, 'grid 1, block 32', 'expect no-race\nexpect no-deadlock');
    expect(undecided.expectations.map(({ outcome }) => outcome)).toEqual(['broken', 'met']);
  });

  it('are broken by what the run shows, whatever other executions do', () => {
    const racing = `${COUNT} st.global.u32 [%rd1 + 252], %r1;`;
    const { expectations, conditions } = checked(racing, 'grid 1, block 64', 'expect no-race\nrequire (x[40] == 7)');
    expect(expectations.map(({ outcome, provided }) => [outcome, provided])).toEqual([['broken', undefined]]);
    expect(conditions.map(({ expectation }) => expectation)).not.toContain('met');
  });

  it('say nothing of what other executions may have, and nothing without the condition', () => {
    const clauses = 'permit (x[40] == 7)\npermit (x[40] == 32)\nforbid (x[40] == 7)\nforbid (x[40] == 32)';
    const { conditions } = checked(COUNT, 'grid 1, block 64', clauses);
    expect(conditions.map(({ expectation, provided }) => [expectation, provided !== undefined])).toEqual([
      ['undecided', false],
      ['met', false],
      ['met', true],
      ['broken', false],
    ]);
  });

  it('say of final states that there may be others', () => {
    const { states } = checked(COUNT, 'grid 1, block 64', 'locations [x[40];]\nexpect no-race', { states: true });
    expect(states?.incomplete).toMatchObject({ kind: 'coverage' });
  });

  it('are known where one lane of any is elected by itself: each is a case', () => {
    const alone = `elect.sync %r2|%p1, -1; @!%p1 bra E; ${COUNT} E: bar.warp.sync -1;`;
    const { expectations } = checked(alone, 'grid 1, block 64', 'expect no-race');
    expect(expectations.map(({ outcome }) => outcome)).toEqual(['met']);
  });
});
