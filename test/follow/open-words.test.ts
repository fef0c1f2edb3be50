import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countOf, cutOf, madeOfAll, type OfWord, type OpenWord } from '../../src/follow/open-words.js';
import { isWithin } from '../../src/follow/value-bounds.js';
import type { Code } from '../../src/kernel/code.js';

const CODE = { statements: [] } as unknown as Code;
const RUNS = { numRuns: 3_000, seed: 20261130 };

const WORD: fc.Arbitrary<OpenWord> = fc
  .record({ first: fc.bigInt(0n, 255n), count: fc.bigInt(1n, 256n), step: fc.constantFrom(1n, 2n, 4n) })
  .map(({ first, count, step }) => {
    const last = first + (count - 1n) * step;
    const end = last > 255n ? 255n - ((255n - first) % step) : last;
    return {
      word: 'a',
      memory: '0 0',
      offset: 0,
      bytes: 1,
      name: 'a',
      first,
      last: end,
      step: first === end ? 0n : step,
    };
  });

/** A condition on a word. */
const CONDITION: fc.Arbitrary<(value: bigint) => bigint> = fc
  .record({ mask: fc.constantFrom(255n, 255n, 3n, 7n, 1n), add: fc.bigInt(0n, 255n), below: fc.bigInt(0n, 256n) })
  .map(
    ({ mask, add, below }) =>
      (value) =>
        (((value & mask) + add) & 255n) < below ? 1n : 0n,
  );

const of = (from: OpenWord, made: (value: bigint) => bigint): OfWord => ({ from, now: from.first, of: made });
const valuesOf = (word: OpenWord): readonly bigint[] =>
  Array.from({ length: Number(countOf(word)) }, (_, i) => word.first + BigInt(i) * word.step);

describe('an open word', () => {
  it('is cut into two sides, of which each of its values is on one', () => {
    let cuts = 0;
    fc.assert(
      fc.property(WORD, CONDITION, (word, condition) => {
        const sides = cutOf(CODE, of(word, condition), [])?.map(valuesOf);
        if (sides === undefined) return;
        cuts += 1;
        expect(sides.every((some) => some.length > 0 && some.every((one) => isWithin(one, word)))).toBe(true);
        expect(sides.flat().sort((a, b) => Number(a - b))).toEqual(valuesOf(word));
      }),
      RUNS,
    );
    expect(cuts).toBeGreaterThan(RUNS.numRuns / 10);
  });

  it('makes the same of all values where it is said to', () => {
    fc.assert(
      fc.property(WORD, CONDITION, (word, condition) => {
        const all = new Set(valuesOf(word).map(condition));
        expect(madeOfAll(of(word, condition))).toBe(all.size === 1 ? [...all][0] : undefined);
      }),
      RUNS,
    );
  });

  it('is cut where a condition becomes another one', () => {
    const place = { word: 'n', memory: '0 0', offset: 0, bytes: 4, name: 'n' };
    const word = { ...place, first: 0n, last: 0xffff_ffffn, step: 1n };
    const between = { first: 1000n, last: 1000n, step: 0n };
    const cut = (condition: (value: bigint) => boolean) =>
      cutOf(
        CODE,
        of(word, (value) => (condition(value) ? 1n : 0n)),
        [between],
      )?.map(({ first, last, step }) => `${first}..${last} by ${step}`);
    expect(cut((value) => value < 77n)).toEqual(['0..76 by 1', '77..4294967295 by 1']);
    expect(cut((value) => value === 1000n)).toEqual(['0..999 by 1', '1000..4294967295 by 1']);
    expect(cut((value) => value === 0n)).toEqual(['0..0 by 0', '1..4294967295 by 1']);
    expect(cut((value) => value % 4n === 1n)).toEqual(['0..4294967294 by 2', '1..4294967295 by 2']);
    expect(cut(() => true)).toBeUndefined();
    // What no number that is tried tells.
    expect(cut((value) => value === 123_456n)).toBeUndefined();
  });
});
