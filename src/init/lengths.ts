import { type Candidate, keyOf, type Sizes, valueIn } from './candidate.js';
import type { Trials } from './trial.js';

interface Length {
  readonly name: string;
  readonly element: number;
  readonly count: number;
}

/**
 * Arrays that are as long as what a launch touches of them, where a size says less, and another array has as much: what
 * goes wrong if they are no longer. An overrun is not seen otherwise.
 */
export function longerIn(trials: Trials, candidate: Candidate, sizes: Sizes): readonly string[] {
  const { facts, names } = trials;
  const lengths = facts.slots.flatMap((slot): readonly Length[] => {
    const name = names.arrays.get(keyOf(slot));
    const bytes = name === undefined ? undefined : sizes.get(name);
    if (slot.kind !== 'pointer' || name === undefined || bytes === undefined) return [];
    const element = Math.min(8, slot.use.element);
    return [{ name, element, count: bytes / element }];
  });
  const numbers = facts.slots.flatMap((slot) =>
    slot.kind === 'integer' && slot.decides ? [Number(valueIn(facts, candidate, slot))] : [],
  );
  return lengths.flatMap(({ name, element, count }) => {
    const said = numbers.find((number) => number < count && count < 2 * number);
    const like = lengths.find((other) => other.count === said);
    if (said === undefined || like === undefined) return [];
    const { finding } = trials.follow(candidate, new Map([...sizes, [name, said * element]]));
    const others = `with ${said}, as ${like.name} has, it ends in ${finding}`;
    return finding === undefined ? [] : [`that ${name} has ${count} elements, as many as are touched: ${others}`];
  });
}
