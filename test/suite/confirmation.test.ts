import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WrongRefutation } from '../../src/axiomatic/confirmation/wrong-refutation.js';
import { Cdcl } from '../../src/axiomatic/solver/cdcl.js';
import { ConflictAnalysis } from '../../src/axiomatic/solver/conflict-analysis.js';
import type { ProofLog } from '../../src/axiomatic/solver/proof-log.js';
import type { SecondParty } from '../../src/axiomatic/solver/second-party.js';
import { Z3 } from '../../src/axiomatic/solver/z3.js';
import { checkTest } from '../../src/check/check-test.js';
import type { TestResult } from '../../src/check/result.js';
import { TIMEOUT } from '../../src/program/undecided.js';
import { builtInModel, programOf, ROOT, solver } from '../support.js';

const LITMUS = join(ROOT, 'litmus');
/** Without FUZZ_CASES a share of the tests, which is another one for each purpose. */
const ALL = process.env['FUZZ_CASES'] !== undefined;
const files = readdirSync(LITMUS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.litmus') && !file.startsWith('kernels/launched/'))
  .sort();
const share = (every: number, from = 0): readonly string[] => files.filter((_, i) => ALL || i % every === from);
const programIn = (file: string) => programOf(readFileSync(join(LITMUS, file), 'utf8'), file);
const decided = (party: SecondParty | undefined, file: string, strict = false): TestResult =>
  checkTest(party === undefined ? solver : new Cdcl(party), programIn(file), builtInModel('ptx-9.4'), { strict });

const verdictsOf = ({ undefinedBy, conditions, expectations }: TestResult): unknown => ({
  undefinedBy: undefinedBy !== undefined,
  conditions: conditions.map(({ reachable, avoidable }) => [reachable, avoidable]),
  expectations: expectations.map(({ outcome }) => outcome),
});

/** One that never comes through. */
const IDLE: SecondParty = { version: 'idle', decide: () => ({ unknown: TIMEOUT }) };

let z3: Z3;
beforeAll(async () => {
  z3 = await Z3.start();
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('what is refuted in litmus/', () => {
  it('is confirmed by z3', () => {
    let confirmed = 0;
    for (const file of share(8)) {
      const { confirmation } = decided(z3, file);
      expect([file, confirmation?.proof, confirmation?.open]).toEqual([file, 0, 0]);
      confirmed += confirmation?.z3 ?? 0;
    }
    expect(confirmed).toBeGreaterThan(120);
  });

  it('is confirmed by its proof, step by step, where z3 does not come through', () => {
    let confirmed = 0;
    for (const file of share(8, 1)) {
      const { confirmation } = decided(IDLE, file);
      expect([file, confirmation?.z3, confirmation?.open]).toEqual([file, 0, 0]);
      confirmed += confirmation?.proof ?? 0;
    }
    expect(confirmed).toBeGreaterThan(120);
  });

  it('is not confirmed where nobody is asked: the count says so, and a strict answer is unknown', () => {
    const file = 'classic/MP+rel.gpu+acq.gpu.litmus';
    const [plain, strict] = [decided(undefined, file), decided(undefined, file, true)];
    expect(plain.confirmation).toEqual({ z3: 0, proof: 0, open: 2 });
    expect(plain.conditions.map(({ expectation }) => expectation)).toContain('met');
    const open = strict.conditions.filter(({ undecided }) => undecided?.kind === 'unconfirmed');
    // What an execution shows stands.
    expect(open.map(({ condition }) => condition.quantifier)).toEqual(['forbid', '~exists']);
  });
});

describe('a search one learned clause in some of which is a literal too short', () => {
  /** As a mistake in the search would do: it believes the clause, and says that it follows from what it was made of. */
  const corrupt = (oneIn: number): (() => number) => {
    let [drawn, wrong] = [1, 0];
    const learn = ConflictAnalysis.prototype.learn;
    vi.spyOn(ConflictAnalysis.prototype, 'learn').mockImplementation(function (this: ConflictAnalysis, conflict) {
      const learned = learn.call(this, conflict);
      drawn = (drawn * 48_271) % 2_147_483_647;
      if (drawn % oneIn !== 0 || learned.literals.length < 2) return learned;
      wrong += 1;
      const literals = learned.literals.slice(0, -1);
      const { log } = this as unknown as { readonly log: ProofLog | undefined };
      return { literals, proof: log?.step(literals, [learned.proof]) ?? 0 };
    });
    return () => wrong;
  };

  it.each([
    ['z3', () => z3, 2],
    ['the check of its proof', () => IDLE, 3],
  ] as const)('gives no wrong answer that %s confirms', (_, party, from) => {
    const right = new Map(share(6, from).map((file) => [file, verdictsOf(decided(undefined, file))]));
    const wrong = corrupt(2);
    let [caught, wouldBeWrong] = [0, 0];
    for (const [file, verdicts] of right) {
      // What else notices, such as the run of an execution that was found, throws another error.
      const attempt = (one: SecondParty | undefined): unknown => {
        try {
          return verdictsOf(decided(one, file));
        } catch (thrown) {
          return thrown;
        }
      };
      const alone = attempt(undefined);
      if (!(alone instanceof Error) && JSON.stringify(alone) !== JSON.stringify(verdicts)) wouldBeWrong += 1;
      const found = attempt(party());
      if (found instanceof WrongRefutation) caught += 1;
      else if (!(found instanceof Error)) expect([file, found]).toEqual([file, verdicts]);
    }
    expect(wrong()).toBeGreaterThan(40);
    expect(caught).toBeGreaterThan(0);
    // Without somebody who confirms, wrong answers would get out.
    expect(wouldBeWrong).toBeGreaterThan(0);
  });
});
