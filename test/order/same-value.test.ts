import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { Random } from '../../src/generate/random.js';
import { isLikeEvery } from '../../src/order/whole-run.js';
import { halfOf } from '../shares.js';
import { builtInModel, solver } from '../support.js';
import { SAME_VALUE_KERNELS } from './same-value-kernels.js';
import { racesOf, sameValues, storesInPhases } from './same-values.js';
import { runOf } from './small-kernel.js';

const CASES = Number(process.env['FUZZ_CASES'] ?? halfOf(60));
const PHASED = 5 * CASES;
const SEED = Number(process.env['FUZZ_SEED'] ?? 20261130);

/** By kernel: whether what its races write is the same; what two put there, of which one is read, is not. */
const SAID: Readonly<Record<string, readonly boolean[]>> = {
  'zeros of all lanes in one word': [true],
  'numbers of lanes in one word': [false],
  'a word that all have loaded, in one word': [true],
  'words of their own, in one word': [false],
  'sums of a warp, in one word': [true],
  'maxima of a warp, in one word': [true],
  'sums of all but one step of a warp': [false, true],
  'whole numbers, and their difference last': [false, true],
  'sums of two warps, in one word': [false, true],
  'sums of .f64, of which one may be a NaN': [false],
  'a sum that lanes have taken from one word': [true],
  'a word that is written over in between': [false, true],
  'what atomics find in words of their own, in one word': [false],
  'a clock of each lane, in one word': [false],
  'a word or the own one, by a branch that lanes may go if they are eq': [false],
  'a word or the own one, by a branch that lanes may go if they are ne': [false],
  'a word that is open only on a way that lanes may go': [false],
  'a word that is loaded while another one stores to it': [false],
  'a word in which another value was before, which is read in between': [false, true],
  'values of each round, the last of which another thread stores, too': [false, true],
  'a word in which another value was before, in order': [true],
  'halves of one value, and the whole of it': [false, true],
  'the value of an atomic beside that of a store': [false, true],
  'a branch on a word into which all have put the same': [true],
};

describe('writes that race', () => {
  it.each(SAME_VALUE_KERNELS.map((kernel) => [kernel.name, kernel] as const))('%s', (name, kernel) => {
    const { conflicts, unconfirmed } = runOf(kernel);
    const said = conflicts.map(({ isSameValue }) => isSameValue);
    expect([...new Set(said)].sort()).toEqual(SAID[name]);
    expect(unconfirmed).toBeUndefined();
  });

  it('put the same value there in every execution where it is said so', () => {
    let [alike, unlike, unknown, count] = [0, 0, 0, 0];
    for (const { name, text, modules } of sameValues(SEED)) {
      if (count++ >= CASES) break;
      const source = { path: `${name}.litmus`, text, modules };
      const [program] = loadTests(source, {}, 'answers').value ?? [];
      const run = program && wholeTest(program)?.follow(() => undefined);
      const [all] = loadTests(source, {}, 'all threads').value ?? [];
      if (run === undefined || all === undefined) throw new Error(`${name} cannot be read`);
      const races = run.conflicts.filter(({ kind }) => kind === 'race');
      if (!isLikeEvery(run) || races.length === 0) continue;
      const areSame = races.every(({ isSameValue }) => isSameValue === true);
      const { states } = checkTest(solver, all, builtInModel('ptx-9.4'), {
        ...{ follow: false, states: true, timeout: 20_000, clock: () => performance.now() },
      });
      if (states === undefined || states.incomplete !== undefined) continue;
      // Each thread has looked whether its value is still where it has put it: 1, or else 2.
      const isFound = states.list.every(({ state }) => [...state.values()].every((value) => value === 1n));
      if (areSame) expect(isFound, `${name}\n${modules['k.ptx']?.text}`).toBe(true);
      if (areSame) alike += 1;
      else if (isFound) unknown += 1;
      else unlike += 1;
    }
    if (process.env['FUZZ_CASES'] !== undefined) console.log({ alike, unlike, unknown, count });
    expect(alike).toBeGreaterThan(CASES / 10);
    expect(unlike).toBeGreaterThan(CASES / 10);
  });

  it('are told apart by what they put there, of stores of known values in phases', () => {
    const random = new Random(SEED);
    const found = new Set<string>();
    for (let count = 0; count < PHASED; count++) {
      const { steps, body } = storesInPhases(random);
      const run = runOf({ name: 'phases', place: 'grid 1, block 64', body, isEndAsked: false });
      const said = run.conflicts.flatMap(({ kind, isSameValue }) => (kind === 'race' ? [isSameValue === true] : []));
      const expected = [...racesOf(steps)].sort();
      // Beside a race of other values it does not matter whether there is one of the same.
      const told = [...new Set(said)].filter((one) => !one || !expected.includes(false));
      expect(told, body).toEqual(expected.includes(false) ? [false] : expected);
      expect(run.unconfirmed, body).toBeUndefined();
      found.add(expected.join());
    }
    expect([...found].sort()).toEqual(['', 'false', 'false,true', 'true']);
  });
});
