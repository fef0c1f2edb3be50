import { FLOAT_FORMATS, writeFloat } from '../program/float-format.js';
import type { ListedValue } from '../syntax/litmus-ast.js';
import type { MemoryUse } from './memory-use.js';

const [MOST_SMALL, MOST_ON_SIDES] = [64, 128];
const SMALL = [0, 1, 1, 2, 3, 0, 4, 5, 6, 7];

/** Where rows begin that stand one behind the other: a long one, short ones, and one without anything. */
function rowsOf(i: number, long: number): number {
  const lengths = [long, 3, 0, 1];
  const [whole = 0, rest = 0] = [Math.floor(i / lengths.length), i % lengths.length];
  const sum = (some: readonly number[]): number => some.reduce((a, b) => a + b, 0);
  return whole * sum(lengths) + sum(lengths.slice(0, rest));
}

/** Small numbers, and such as are equal to what they are held against, less, and more. */
function bothSides(i: number, held: readonly number[]): number {
  const around = [...new Set(held.flatMap((one) => [one, one - 1, one + 1]))];
  if (i >= MOST_ON_SIDES) return 0;
  return (i % 2 === 0 ? around[(i / 2) % around.length] : SMALL[((i - 1) / 2) % SMALL.length]) ?? 0;
}

type Numbers = (i: number, threads: number, held: readonly number[]) => number;

/** What arrays begin with whose contents decide something, by element and threads of a CTA. */
const NUMBERED = {
  'both sides': (i: number, _: number, held: readonly number[]) => bothSides(i, held),
  // A few of them are enough, and what is listed has to be read; some are the same, for threads of a warp, and of two.
  small: (i: number) => (i < MOST_SMALL ? (SMALL[i % SMALL.length] ?? 0) : 0),
  // Not that of the thread which reads it.
  'all different': (i: number) => i ^ 33,
  'every third': (i: number) => 3 * i,
  rows: (i: number) => rowsOf(i, 5),
  'rows for a CTA': (i: number, threads: number) => rowsOf(i, threads + 5),
} as const satisfies Readonly<Record<string, Numbers>>;
export type Numbered = keyof typeof NUMBERED;

/** What an array begins with. */
export type Contents = 'open' | 'zero' | 'ones' | Numbered;

export const isNumbered = (contents: Contents): contents is Numbered => contents in NUMBERED;

/** What numbers in an array are held against, and how they are written. */
type Element = Pick<MemoryUse, 'element' | 'float' | 'compared' | 'expected'>;

/** What numbers stand in an array, as a test declares it. */
export function listed(elements: number, contents: Numbered, use: Element, threads: number): readonly ListedValue[] {
  const held = [...use.expected, ...use.compared];
  const numbers: Numbers = NUMBERED[contents];
  return Array.from({ length: elements }, (_, i) => valueOf(numbers(i, threads, held), use));
}

/** How many numbers of such an array are written, of so many. */
export function writtenOf(contents: Contents, elements: number): number {
  if (contents === 'small') return Math.min(MOST_SMALL, elements);
  if (contents === 'both sides') return Math.min(MOST_ON_SIDES, elements);
  return isNumbered(contents) ? elements : 0;
}

/** A whole number as an element: of floating-point numbers that number, and not its bits. */
function valueOf(number: number, use: Pick<MemoryUse, 'element' | 'float'>): ListedValue {
  const { float } = use;
  // Bytes have no larger ones.
  const width = 8 * bytesOf(use);
  if (float === undefined)
    return number < 0 ? BigInt.asIntN(width, BigInt(number)) : BigInt.asUintN(width, BigInt(number));
  if (isTyped(use)) return number;
  // A declaration has no such numbers: their bits, once or for each half.
  const { width: each } = FLOAT_FORMATS[float];
  const magnitude = BigInt(Math.abs(number));
  const bits = writeFloat({ kind: 'finite', negative: number < 0, magnitude, exponent: 0 }, float, 'rn') ?? 0n;
  const times = Math.max(1, width / each);
  return Array.from({ length: times }, () => bits).reduce((all, one) => (all << BigInt(each)) | one, 0n);
}

/** Of an element. */
export const bytesOf = ({ element }: Pick<MemoryUse, 'element'>): number => Math.min(8, element);

/** Whether elements are declared with a type of floating-point numbers. */
export const isTyped = ({ element, float }: Pick<MemoryUse, 'element' | 'float'>): boolean =>
  float !== undefined && element >= 4 && FLOAT_FORMATS[float].width === 8 * bytesOf({ element });

/** What stands behind an array, and what is said of that. */
export function initialOf(
  contents: Contents,
  elements: number,
  use: Element & Pick<MemoryUse, 'writes'>,
  threads: number,
): { readonly initial: string; readonly comment: string | undefined } {
  if (isNumbered(contents)) {
    const bits = use.float === undefined || isTyped(use) ? '' : `, as bits of ${use.float}`;
    const comment = `a guess: ${WHAT[contents]}${bits}, for places or ways depend on them`;
    const numbers = listed(elements, contents, use, threads);
    const last = numbers.findLastIndex((one) => Number(one) !== 0);
    return {
      initial: ` = {${numbers
        .slice(0, Math.max(1, last + 1))
        .map(written(bits !== ''))
        .join(', ')}}`,
      comment,
    };
  }
  switch (contents) {
    case 'open':
      return { initial: ' = ?', comment: undefined };
    case 'zero':
      // What is only read is an input.
      return {
        initial: ' = 0',
        comment: `a guess: ${use.writes ? 'it begins as 0' : 'zeros, for ways depend on them'}`,
      };
    case 'ones':
      return { initial: ` = 0x${'ff'.repeat(bytesOf(use))}`, comment: 'a guess: it begins as -1' };
  }
}

const WHAT: Readonly<Record<Numbered, string>> = {
  small: 'small numbers',
  'both sides': 'numbers on both sides of what they are compared with',
  'all different': 'different numbers',
  'every third': 'numbers that are apart',
  rows: 'where rows begin',
  'rows for a CTA': 'where rows begin',
};

const written =
  (areBits: boolean) =>
  (one: ListedValue): string =>
    typeof one === 'number'
      ? one.toFixed(1)
      : areBits && typeof one === 'bigint' && one !== 0n
        ? `0x${one.toString(16)}`
        : String(one);
