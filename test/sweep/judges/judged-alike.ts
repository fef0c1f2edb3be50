import { expect } from 'vitest';
import { Claims } from '../../../src/axiomatic/confirmation/claims.js';
import { FALSE } from '../../../src/axiomatic/formula/formula.js';
import { mayBeJudgedDifferently } from '../../../src/axiomatic/session/judged-differently.js';
import { AxiomaticSession } from '../../../src/axiomatic/session/session.js';
import type { Program } from '../../../src/program/program.js';
import { builtInModel, modelOf, solver } from '../../support.js';
import type { Judge } from '../judge.js';

const ptx = builtInModel('ptx-9.4');
const same = modelOf(ptx.source.text, 'ptx-9.4');
const limits = () => ({
  unroll: 3,
  deadline: { remaining: () => 60_000 },
  mostStates: 2000,
  claims: new Claims(undefined),
});

/** What a comparison of two models asks first (src/axiomatic/session/judged-differently.ts). */
export const judgedAlike: Judge = {
  name: 'a model of the same text judges it alike, as is seen without deciding it',
  every: 24,
  judge(test, count) {
    const { undefinedBy, open } = test.findings();
    // Only what lies beyond the bound or outside of memory is left to the full comparison.
    if (undefinedBy !== undefined || open.length > 0 || mayLeaveMemory(test.program))
      return count('left to the full comparison');
    expect(mayBeJudgedDifferently(solver, test.program, ptx, same, limits())).toBe(false);
    count('judged alike');
  },
};

/** As far as can be told before the test is decided. */
function mayLeaveMemory(program: Program): boolean {
  const session = AxiomaticSession.open(solver, program, ptx, limits());
  if ('unknown' in session) return true;
  const { outside } = session.encoding.addresses;
  session.dispose();
  return outside !== FALSE;
}
