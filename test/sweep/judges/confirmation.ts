import { createHash } from 'node:crypto';
import { expect, vi } from 'vitest';
import { WrongRefutation } from '../../../src/axiomatic/confirmation/wrong-refutation.js';
import { Cdcl } from '../../../src/axiomatic/solver/cdcl.js';
import { ConflictAnalysis } from '../../../src/axiomatic/solver/conflict-analysis.js';
import type { ProofLog } from '../../../src/axiomatic/solver/proof-log.js';
import type { SecondParty } from '../../../src/axiomatic/solver/second-party.js';
import { Z3 } from '../../../src/axiomatic/solver/z3.js';
import { checkTest } from '../../../src/check/check-test.js';
import type { TestResult } from '../../../src/check/result.js';
import { TIMEOUT } from '../../../src/program/undecided.js';
import { builtInModel } from '../../support.js';
import { type Count, fewerOfLarge, type Judge } from '../judge.js';
import type { Opened } from '../opened.js';

/** One that never comes through. */
const IDLE: SecondParty = { version: 'idle', decide: () => ({ unknown: TIMEOUT }) };

let started: Promise<Z3> | undefined;
export function startZ3(): Promise<Z3> {
  started ??= Z3.start();
  return started;
}

/** z3 is asked about everything, also where a proof is short. */
const z3 = async (): Promise<SecondParty> => {
  const one = await startZ3();
  return { version: one.version, wantsAll: true, decide: (query, deadline) => one.decide(query, deadline) };
};

const confirmedBy = (party: SecondParty, { program }: Opened): TestResult =>
  checkTest(new Cdcl(party), program, builtInModel('ptx-9.4'));

export const z3Confirms: Judge = {
  name: 'z3 confirms what is refuted',
  every: 12,
  async judge(test, count) {
    const { confirmation } = confirmedBy(await z3(), test);
    if (confirmation === undefined) return count('nothing is refuted');
    expect([confirmation.proof, confirmation.open]).toEqual([0, 0]);
    count('refutations', confirmation.z3);
  },
};

export const proofConfirms: Judge = {
  name: 'its proof confirms what is refuted',
  every: 12,
  judge(test, count) {
    const { confirmation } = confirmedBy(IDLE, test);
    if (confirmation === undefined) return count('nothing is refuted');
    expect([confirmation.z3, confirmation.open]).toEqual([0, 0]);
    count('refutations', confirmation.proof);
  },
};

/** A search one learned clause in two of which is a literal too short gives no wrong answer that is confirmed. */
export const corruptedForZ3: Judge = {
  name: 'z3 confirms nothing wrong of a corrupted search',
  every: fewerOfLarge(24),
  async judge(test, count) {
    judgeCorrupted(await z3(), test, count);
  },
};
export const corruptedForProof: Judge = {
  name: 'a proof confirms nothing wrong of a corrupted search',
  every: fewerOfLarge(24),
  judge: (test, count) => judgeCorrupted(IDLE, test, count),
};

function judgeCorrupted(party: SecondParty, test: Opened, count: Count): void {
  const right = verdictsOf(test.result());
  const { program } = test;
  const corrupted = corrupt(test.file, 2);
  try {
    // What else notices, such as the run of an execution that was found, throws another error.
    const attempt = (solver: Cdcl): unknown => {
      try {
        return verdictsOf(checkTest(solver, program, builtInModel('ptx-9.4')));
      } catch (thrown) {
        return thrown;
      }
    };
    // Without somebody who confirms, wrong answers would get out.
    const alone = attempt(new Cdcl());
    if (!(alone instanceof Error) && JSON.stringify(alone) !== JSON.stringify(right)) count('would be wrong');
    const found = attempt(new Cdcl(party));
    if (found instanceof WrongRefutation) count('caught');
    else if (!(found instanceof Error)) expect(found).toEqual(right);
  } finally {
    count('wrong clauses', corrupted.end());
  }
}

/** As a mistake in the search would do: it believes the clause, and says that it follows from what it was made of. */
function corrupt(file: string, oneIn: number): { end(): number } {
  let drawn = (createHash('sha256').update(file).digest().readUInt32BE() % 2_147_483_646) + 1;
  let wrong = 0;
  const learn = ConflictAnalysis.prototype.learn;
  const spy = vi.spyOn(ConflictAnalysis.prototype, 'learn').mockImplementation(function (
    this: ConflictAnalysis,
    conflict,
  ) {
    const learned = learn.call(this, conflict);
    drawn = (drawn * 48_271) % 2_147_483_647;
    if (drawn % oneIn !== 0 || learned.literals.length < 2) return learned;
    wrong += 1;
    const literals = learned.literals.slice(0, -1);
    const { log } = this as unknown as { readonly log: ProofLog | undefined };
    return { literals, proof: log?.step(literals, [learned.proof]) ?? 0 };
  });
  return {
    end: () => {
      spy.mockRestore();
      return wrong;
    },
  };
}

const verdictsOf = ({ undefinedBy, conditions, expectations }: TestResult): unknown => ({
  undefinedBy: undefinedBy !== undefined,
  conditions: conditions.map(({ reachable, avoidable }) => [reachable, avoidable]),
  expectations: expectations.map(({ outcome }) => outcome),
});
