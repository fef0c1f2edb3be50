import { describe, expect, it } from 'vitest';
import type { OpenWord } from '../../src/follow/open-words.js';
import { firstUncovered } from '../../src/order/recheck-classes.js';

/** One of two words of 8 bits, between some numbers. */
const word = (name: 'a' | 'b', first: bigint, last: bigint, step = 1n): OpenWord => ({
  ...{ word: name, memory: '0 0', offset: name === 'a' ? 0 : 1, bytes: 1, name, first, last },
  step: first === last ? 0n : step,
});
const [LOW, HIGH] = [word('a', 0n, 99n), word('a', 100n, 255n)];

describe('the second look at classes of open words', () => {
  it('agrees where each execution is of one', () => {
    expect(firstUncovered([[]])).toBeUndefined();
    expect(firstUncovered([[LOW], [HIGH]])).toBeUndefined();
    expect(firstUncovered([[LOW], [HIGH, word('b', 0n, 0n)], [HIGH, word('b', 1n, 255n)]])).toBeUndefined();
    const [even, odd] = [word('a', 0n, 254n, 2n), word('a', 1n, 255n, 2n)];
    expect(firstUncovered([[even], [odd]])).toBeUndefined();
    expect(firstUncovered([[even], [word('a', 1n, 253n, 4n)], [word('a', 3n, 255n, 4n)]])).toBeUndefined();
  });

  it('names a word where some are of none, or of two', () => {
    expect(firstUncovered([[LOW]])).toBe('a');
    expect(firstUncovered([[LOW], [word('a', 101n, 255n)]])).toBe('a');
    expect(firstUncovered([[LOW], [word('a', 99n, 255n)]])).toBe('a');
    // As many as there are, and 99 twice.
    expect(firstUncovered([[LOW], [word('a', 99n, 254n)]])).toBe('a');
    expect(firstUncovered([[word('a', 0n, 254n, 2n)], [word('a', 0n, 254n, 2n)]])).toBe('a');
    expect(firstUncovered([[word('a', 0n, 254n, 2n)], [word('a', 0n, 255n, 2n)]])).toBe('a');
    expect(firstUncovered([[LOW], [HIGH, word('b', 0n, 7n)]])).toBe('a');
    expect(firstUncovered([[LOW], [HIGH], [HIGH, word('b', 0n, 7n)]])).toBe('a');
  });
});
