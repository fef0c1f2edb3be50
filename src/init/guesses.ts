import type { Dimensions } from '../syntax/launch-ast.js';
import { type Candidate, keyOf, type Names, valueIn } from './candidate.js';
import type { KernelFacts } from './kernel-facts.js';

/** Something of a launch that is guessed, and may be said. */
export interface Guess {
  readonly what: string;
  readonly value: string;
  /** What it is of: a slot, or a word of the place. */
  readonly key: string;
  /** What an answer looks like. */
  readonly form: string;
  /** The launch with another value; undefined where that is none. */
  readonly with: (candidate: Candidate, answer: string) => Candidate | undefined;
}

/** What is guessed of a launch: its place, and numbers. */
export function guessesIn(facts: KernelFacts, candidate: Candidate, names: Names): readonly Guess[] {
  const size = (what: 'grid' | 'block'): Guess => ({
    what,
    key: what,
    form: 'one to three whole numbers of at least 1, such as 4 or 2, 2',
    value: candidate[what].join(', ').replace(/(, 1)+$/, ''),
    with: (one, answer) => {
      const numbers = answer.split(/[\s,x]+/).map(Number);
      const [x = 1, y = 1, z = 1] = numbers;
      const isSize = numbers.length <= 3 && numbers.every((number) => Number.isInteger(number) && number > 0);
      return isSize ? { ...one, [what]: [x, y, z] satisfies Dimensions } : undefined;
    },
  });
  const bytes: Guess = {
    what: 'shared (bytes)',
    key: 'shared',
    form: 'a whole number',
    value: String(candidate.shared),
    with: (one, answer) => (/^\d+$/.test(answer) ? { ...one, shared: Number(answer) } : undefined),
  };
  const values = facts.slots.flatMap((slot): readonly Guess[] => {
    if (slot.kind !== 'integer') return [];
    const [key, parameter] = [keyOf(slot), names.parameters[slot.parameter] ?? ''];
    const isField = facts.entry.parameters[slot.parameter]?.elements !== undefined;
    return [
      {
        what: isField ? `${parameter}, at byte ${slot.at}` : parameter,
        key,
        form: 'a whole number, decimal or from 0x on',
        value: String(valueIn(facts, candidate, slot)),
        with: (one, answer) =>
          /^-?(\d+|0x[\da-f]+)$/i.test(answer)
            ? { ...one, values: new Map([...one.values, [key, BigInt(answer)]]) }
            : undefined,
      },
    ];
  });
  const isFixed = facts.entry.bounds.has('reqntid');
  return [size('grid'), ...(isFixed ? [] : [size('block')]), ...(facts.hasDynamicShared ? [bytes] : []), ...values];
}
