import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { describeShownEnd } from '../../src/report/describe-state.js';
import { kernelModule } from '../kernel-module.js';
import { builtInModel, solver } from '../support.js';

/** What is said of a condition on the word that all threads of some launch write, each its number. */
function said(condition: string, body = 'st.relaxed.gpu.global.u32 [%rd1], %r1;', model = 'ptx-9.4'): string {
  const launch = 'launch K "k.ptx" (x) @ grid 1, block 64';
  const text = `PTX k\n{ .global .u32 x[64] = 0; }\n${launch}\nexpect no-race\n${condition}\n`;
  const modules = { 'k.ptx': { path: 'k.ptx', text: kernelModule({ body }) } };
  const [program] = loadTests({ path: 'k.litmus', text, modules }).value ?? [];
  if (program === undefined) throw new Error('it cannot be read');
  const { conditions } = checkTest(solver, program, builtInModel(model), { clock: () => performance.now() });
  const [one] = conditions;
  const shown = one?.shownBy === undefined ? '' : `: ${describeShownEnd(one.shownBy).join(' ')}`;
  return `${one?.expectation}${shown}`;
}

describe('what a single run shows', () => {
  it('breaks what is required of all', () => {
    expect(said('require (x == 3)')).toBe('broken: a run of all threads ends with x[0] = 63');
    expect(said('forbid (x == 63)')).toBe('broken: a run of all threads ends with x[0] = 63');
    expect(said('require (x == 3)', undefined, 'sc')).toBe('broken: a run of all threads ends with x[0] = 63');
  });

  it('meets what is permitted', () => {
    expect(said('permit (x == 63)')).toBe('met: a run of all threads ends with x[0] = 63');
  });

  it('is nothing where each run is as it should be, though others may not be', () => {
    expect(said('require (x < 64)')).toBe('undecided');
    expect(said('permit (x == 3)')).toBe('undecided');
  });

  it('names of a conjunction what does not hold, and of a disjunction all', () => {
    expect(said('require (x[1] == 0 /\\ x == 3)')).toBe('broken: a run of all threads ends with x[0] = 63');
    expect(said('require (x[1] == 7 \\/ x == 3)')).toBe('broken: a run of all threads ends with x[1] = 0, x[0] = 63');
    expect(said('require (x[1] == 7 \\/ x < 64)')).toBe('undecided');
  });

  it('is told as well where all runs end alike', () => {
    const own = 'mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r1;';
    expect(said('require (x[3] == 4)', own)).toBe('broken: a run of all threads ends with x[3] = 3');
    expect(said('require (x[3] == 3)', own)).toBe('met');
  });
});
