/** A small generator of pseudo-random numbers (mulberry32), so that a seed gives the same tests on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to below `bound`. */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * bound);
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new Error('nothing to pick from');
    return choice;
  }

  /** Two of the choices; one, where both picks are the same. */
  pickTwo<T>(choices: readonly T[]): readonly T[] {
    return [...new Set([this.pick(choices), this.pick(choices)])];
  }

  /** One of the choices, as often as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.below(choices.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, choice] of choices) {
      if (left < weight) return choice;
      left -= weight;
    }
    throw new Error('nothing to pick from');
  }

  /** One of the words, as often as its weight says; their order counts. */
  weightedWord<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K {
    return this.weighted((Object.keys(weights) as K[]).map((word) => [weights[word] ?? 0, word]));
  }
}
