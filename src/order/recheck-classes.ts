import type { OpenWord } from '../follow/open-words.js';
import { gcd } from '../program/integer.js';

/**
 * A second look at whether each execution is of one class of what is in open words: no two of them share a value, and
 * all have as many as there are. Gives a word that is wrong.
 */
export function firstUncovered(classes: readonly (readonly OpenWord[])[]): string | undefined {
  const all = new Map(classes.flat().map((one) => [one.word, one]));
  const size = (own: readonly OpenWord[]): bigint =>
    [...all.values()].reduce((product, word) => {
      const within = own.find((one) => isOne(one, word));
      const count = within === undefined ? 1n << BigInt(8 * word.bytes) : valuesOf(within);
      return product * count;
    }, 1n);
  const areApart = (a: readonly OpenWord[], b: readonly OpenWord[]): boolean =>
    a.some((one) => b.some((other) => isOne(one, other) && !mayMeet(one, other)));
  const isTwice = classes.some((own, i) => classes.slice(i + 1).some((other) => !areApart(own, other)));
  const isAll = classes.reduce((sum, own) => sum + size(own), 0n) === size([]);
  return isTwice || !isAll ? [...all.values()][0]?.name : undefined;
}

function valuesOf({ first, last, step }: OpenWord): bigint {
  if (first === last) return 1n;
  return (last - first) % step === 0n ? (last - first) / step + 1n : 0n;
}

/** Whether a number may be of both: they overlap, and the first ones are apart by what steps of both make up. */
function mayMeet(a: OpenWord, b: OpenWord): boolean {
  const [one, other] = [a, b].map(({ first, last, step }) => (first === last ? 0n : step)) as [bigint, bigint];
  const common = gcd(one, other);
  const isEven = common === 0n ? a.first === b.first : (a.first - b.first) % common === 0n;
  return isEven && a.first <= b.last && b.first <= a.last;
}

const isOne = (a: OpenWord, b: OpenWord): boolean => a.word === b.word;
