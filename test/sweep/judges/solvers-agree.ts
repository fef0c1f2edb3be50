import { expect } from 'vitest';
import { checkTest } from '../../../src/check/check-test.js';
import type { TestResult } from '../../../src/check/result.js';
import { SWEEP_ALL } from '../../shares.js';
import { builtInModel, solver } from '../../support.js';
import type { Judge } from '../judge.js';
import { startZ3 } from './confirmation.js';

/** Counters at addresses that were read: z3 does not end within a minute. */
const TOO_LARGE = /^compiled\/hist\./;
/** Values that may be anything, of which it enumerates many; and bodies of some hundred instructions. */
const SLOW = /^(regions\/discard\+two-loads|bodies\/carry\+mixed|warp\/shfl\.idx\+absent|compiled\/(opswitch|bits)\.)/;

const verdictsOf = ({ undefinedBy, conditions, expectations, states }: TestResult): unknown => ({
  undefinedBy: undefinedBy !== undefined,
  conditions: conditions.map(({ reachable, holds, forbiddenBy }) => [reachable, holds, forbiddenBy?.inferred]),
  expectations: expectations.map(({ outcome, inferred }) => [outcome, inferred]),
  // Of more than can be listed each solver finds others.
  states: states?.incomplete === undefined ? states?.list.map(({ state }) => [...state]) : 'some',
});

/** Our search finds no reason of it, z3 does: its values are too many to follow (explanations.ts). */
const WITHOUT_REASON = /mul-add\+exact-product/;

export const solversAgree: Judge = {
  name: 'our solver and z3 find the same verdicts, states and rules',
  // z3 takes its time, and confirms refutations for another judge.
  every: 24,
  async judge({ file, program }, count) {
    if (TOO_LARGE.test(file) || WITHOUT_REASON.test(file) || (!SWEEP_ALL && SLOW.test(file))) return;
    const [ours, theirs] = [solver, await startZ3()].map((one) =>
      verdictsOf(checkTest(one, program, builtInModel('ptx-9.4'), { states: true, reasons: true, timeout: 60_000 })),
    );
    expect(ours).toEqual(theirs);
    count('compared');
  },
};
