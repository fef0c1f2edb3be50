import type { Code } from '../kernel/code.js';
import type { MemoryObject } from '../program/locations.js';
import { constantsIn } from '../program/operands.js';
import { remembered } from '../program/remembered.js';
import type { MadeOf } from './derived-words.js';
import { type Bounds, boundsOfWidth } from './value-bounds.js';
import type { Derived } from './warp.js';

/** A word of memory whose contents before the launch are open, and which numbers it is one of in the run. */
export interface OpenWord extends Bounds {
  /** It, among all words, and the memory that it is in: an object, and who has that. */
  readonly word: string;
  readonly memory: string;
  readonly offset: number;
  readonly bytes: number;
  /** As answers name it: `n` or `x[2]`. */
  readonly name: string;
}

/** Which words of open contents have which values in a run, and whether of all others it is known what is made. */
export interface WordsInRun {
  readonly words: readonly OpenWord[];
  readonly areNamed: boolean;
}

/** The same word twice: in each execution it is one of the numbers of either. */
export type Cut = readonly [OpenWord, OpenWord];

/** What is made of an open word. */
export type OfWord = Derived & { readonly from: OpenWord };

export const isOfWord = (derived: Derived | undefined): derived is OfWord =>
  derived !== undefined && typeof derived.from === 'object' && 'word' in derived.from;

/** Of so few values what is made of a word is computed for each. */
const FEW = 256n;

/** What is made of a word in every execution of the run, where that is the same. */
export function madeOfAll({ from, of }: OfWord): bigint | undefined {
  const { first, last, step } = from;
  if (countOf(from) > FEW) return undefined;
  const made = of(first);
  for (let value = first + step; value <= last && step > 0n; value += step) if (of(value) !== made) return undefined;
  return made;
}

/** How many numbers there are within some bounds. */
export const countOf = ({ first, last, step }: Bounds): bigint => (step === 0n ? 1n : (last - first) / step + 1n);

interface Place {
  readonly object: MemoryObject;
  readonly owner: number;
}

/** Words of memory that begin with open contents. */
export class OpenWords {
  private readonly known = new Map<string, MadeOf>();

  constructor(private readonly inRun: WordsInRun = { words: [], areNamed: false }) {}

  /** A word that nothing has written, as what is made of it; undefined where nothing is known of it, or asked. */
  at(place: Place, offset: number, bytes: number): MadeOf | undefined {
    const { words, areNamed } = this.inRun;
    if (words.length === 0 && !areNamed) return undefined;
    const memory = memoryOf(place);
    const word = `${memory} ${offset} ${bytes}`;
    const known = this.known.get(word);
    if (known !== undefined) return known;
    const given = words.find((one) => one.word === word);
    if (given === undefined && !areNamed) return undefined;
    const name = nameOf(place.object, offset, bytes);
    const from = given ?? { word, memory, offset, bytes, name, ...boundsOfWidth(8 * bytes) };
    const made = { derived: { from, now: from.first, of: (value: bigint) => value }, bounds: from };
    this.known.set(word, made);
    return made;
  }

  /** The words of an object of which something is known. */
  in(place: Place): readonly OpenWord[] {
    const { words } = this.inRun;
    return words.length === 0 ? words : words.filter(({ memory }) => memory === memoryOf(place));
  }
}

const memoryOf = ({ object, owner }: Place): string => `${object.id} ${owner}`;

/** Whether two words share bytes, and are not the same. */
export const overlap = (a: OpenWord, b: OpenWord): boolean =>
  a.word !== b.word && a.memory === b.memory && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;

/** What words are in a run, such as `n is 7`, `x[2] is 0 to 6`, or `x[2] is 1 to 255 in steps of 2`. */
export const namesOf = (inRun: WordsInRun | undefined): readonly string[] =>
  (inRun?.words ?? []).map(({ name, first, last, step }) => {
    const steps = step > 1n ? ` in steps of ${step}` : '';
    return `${name} is ${first === last ? first : `${first} to ${last}${steps}`}`;
  });

function nameOf({ name, size, elementType }: MemoryObject, offset: number, bytes: number): string {
  const element = elementType.width / 8;
  if (size === bytes) return name;
  return bytes === element && offset % element === 0 ? `${name}[${offset / element}]` : `${name}+${offset}`;
}

/** So many low bits may decide a condition. */
const MOST_BITS = 4n;

/**
 * Where a condition on an open word is another one: by its low bits, or below a number and from there on. Numbers that
 * the code names are tried, and what the condition is said to tell of the word.
 */
export function cutOf(code: Code, made: OfWord, told: readonly Bounds[]): Cut | undefined {
  const { from: word, of } = made;
  const { first, last, step } = word;
  if (first === last) return undefined;
  if (isByLowBits(made)) return inTurns(word);
  const named = [...remembered(NAMED, code, numbersIn), ...told.flatMap((one) => [one.first, one.last])];
  const near = named.flatMap((one) => [one - 1n, one, one + 1n]).map((one) => BigInt.asUintN(8 * word.bytes, one));
  const small = Array.from({ length: 17 }, (_, i) => first + BigInt(i) * step);
  const tried = [...new Set([first, ...small, ...near, last])]
    .map((one) => first + ((one - first) / step) * step)
    .filter((one) => one >= first && one <= last)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  for (let i = 1; i < tried.length; i++) {
    const [below = first, above = last] = [tried[i - 1], tried[i]];
    const [was, is] = [of(below), of(above)];
    if (was === undefined || is === undefined || was === is) continue;
    const at = changeBetween(made, below, above);
    return [limited(word, first, at - step), limited(word, at, last)];
  }
  return undefined;
}

const limited = (word: OpenWord, first: bigint, last: bigint): OpenWord => ({
  ...word,
  ...{ first, last, step: first === last ? 0n : word.step },
});

/** Every second of its numbers, and the others. */
function inTurns(word: OpenWord): Cut {
  const { first, last, step } = word;
  const half = { ...word, step: 2n * step };
  const lastFrom = (from: bigint): bigint => last - ((last - from) % half.step);
  return [limited(half, first, lastFrom(first)), limited(half, first + step, lastFrom(first + step))];
}

/** Whether a condition comes again after some steps, as far as is tried. */
function isByLowBits({ from: { first, last, step }, of }: OfWord): boolean {
  const tried = Array.from({ length: 4 << Number(MOST_BITS) }, (_, i) => first + BigInt(i) * step);
  if ((tried.at(-1) ?? last) > last) return false;
  const made = tried.map(of);
  if (new Set(made).size < 2 || made.includes(undefined)) return false;
  const period = 1 << Number(MOST_BITS);
  return made.every((one, i) => i < period || one === made[i - period]);
}

const NAMED = new WeakMap<Code, ReadonlySet<bigint>>();

/** The numbers in some code; of a few also by how much they differ, as where one is added before it is compared. */
function numbersIn({ statements }: Code): ReadonlySet<bigint> {
  const all = [...new Set(statements.flatMap(({ operation }) => constantsIn(operation)))];
  return new Set(all.length > FEW_NUMBERS ? all : all.flatMap((one) => [one, ...all.map((other) => one - other)]));
}

const FEW_NUMBERS = 32;

/** A number above one and up to another at which a function gives something else than at the one before. */
function changeBetween({ from: { step }, of }: OfWord, below: bigint, above: bigint): bigint {
  let [low, high] = [below, above];
  const begin = of(low);
  while (high - low > step) {
    const middle = low + ((high - low) / step / 2n) * step;
    if (of(middle) === begin) low = middle;
    else high = middle;
  }
  return high;
}
