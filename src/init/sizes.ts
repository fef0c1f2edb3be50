import { volume } from '../kernel/grid.js';
import type { Dimensions } from '../syntax/launch-ast.js';
import { type Candidate, isLookedUp, keyOf, valueIn } from './candidate.js';
import type { KernelFacts, Slot } from './kernel-facts.js';
import type { Index } from './shapes.js';

/** Integers that say how much there is to do. */
export const deciding = ({ slots }: KernelFacts): readonly Slot[] =>
  slots.filter(
    (slot) =>
      slot.kind === 'integer' &&
      slot.decides &&
      !slot.isStride &&
      !slot.isFlag &&
      !isLookedUp(slot) &&
      !(Number(slot.element) > 0),
  );

/** How many threads, or CTAs, are told apart by what a size is held against: by the comparison that tells most. */
function unitsOf({ tiles }: KernelFacts, { grid, block }: Candidate, { over, isDoubled }: Slot): bigint {
  if (isDoubled) return BigInt(2 ** Math.floor(Math.log2(volume(block))));
  const units = over.map((own) => {
    const isOfBoth = isMadeOf(own, 'ctaid') && isMadeOf(own, 'tid');
    const along = AXES.map((axis, i): number => {
      const [ctas = 1, threads = 1] = [grid[i], block[i]];
      const tile = isOfBoth ? Math.max(threads, ...(tiles[i] ?? [])) : threads;
      return (own.has(`ctaid.${axis}`) ? ctas : 1) * (own.has(`tid.${axis}`) ? tile : 1);
    });
    return along.reduce((x, y) => x * y);
  });
  return BigInt(Math.max(1, ...units));
}

const isMadeOf = (numbers: ReadonlySet<string>, of: Index): boolean =>
  AXES.some((axis) => numbers.has(`${of}.${axis}`));

const AXES = ['x', 'y', 'z'] as const;

/** Of one for each unit: all but the last, more rounds with an end that is not whole; of few units a few more. */
const OF_MANY: readonly ((units: bigint) => bigint)[] = [
  (units) => units - 3n,
  (units) => 2n * units - 3n,
  (units) => 4n * units - 3n,
  (units) => 2n * units + 5n,
  (units) => 3n * units + 1n,
  (units) => 5n * units + 7n,
  (units) => units,
  (units) => 2n * units,
  (units) => 4n * units,
];
const OF_FEW: readonly ((units: bigint) => bigint)[] = [
  (units) => units + 1n,
  (units) => 2n * units + 1n,
  (units) => 4n * units + 1n,
  (units) => 2n * units + 5n,
  (units) => units + 2n,
  (units) => 5n * units + 7n,
  (units) => units,
  (units) => 2n * units,
  (units) => 4n * units,
];
/** Of what is doubled, or halved, in a loop: as far as that goes over all threads of a block, or two for each. */
const OF_DOUBLED: readonly ((units: bigint) => bigint)[] = [
  (units) => 2n * units,
  (units) => units,
  (units) => 4n * units,
  (units) => units / 2n,
  (units) => 8n * units,
  (units) => units / 4n,
];
const FEW_UNITS = 6n;
const [ONE_ROUND, ROUNDS] = [0, 1];

/** Different numbers for different sizes: equal ones hide mistakes. */
function sizeFor({ isDoubled }: Slot, units: bigint, which: number, index: number): bigint {
  if (isDoubled) return OF_DOUBLED[which % OF_DOUBLED.length]?.(units) ?? units;
  const size = (units > FEW_UNITS ? OF_MANY : OF_FEW)[which]?.(units) ?? units;
  return units > FOR_APART ? size - 2n * BigInt(index % MOST_APART) : size;
}

const FOR_APART = 12n;
const MOST_APART = 4;

/** What a size is at first: a round for threads of all CTAs, two where threads go round by themselves. */
function firstSize(facts: KernelFacts, candidate: Candidate, slot: Slot, index: number): bigint {
  if (slot.isDoubled) return sizeFor(slot, unitsOf(facts, candidate, slot), ONE_ROUND, index);
  const isOfCtas = slot.over.some((own) => isMadeOf(own, 'ctaid'));
  const isOfThreads = slot.over.some((own) => isMadeOf(own, 'tid'));
  return sizeFor(slot, unitsOf(facts, candidate, slot), isOfThreads && !isOfCtas ? ROUNDS : ONE_ROUND, index);
}

/** Numbers that a size may be, the likeliest first. */
export function valuesOf(facts: KernelFacts, candidate: Candidate, slot: Slot): readonly bigint[] {
  const units = unitsOf(facts, candidate, slot);
  const often = OF_MANY.map((_, which) => sizeFor(slot, units, which, 0));
  if (slot.isDoubled) return [...new Set([...often, ...POWERS])].filter((one) => one > 0n);
  const found = slot.numbers.flatMap((one) => [one, 2n * one, 3n * one, 11n * one, one + 1n]);
  const few = [1n, 2n, 3n, 4n, 5n, 7n, 8n, 11n, 16n, 19n, 32n, 35n, 64n, 0n];
  return [...new Set([...often, ...found, ...few])].filter((one) => one >= 0n && one < 1n << 16n);
}

const POWERS = [16n, 8n, 32n, 4n, 64n, 2n, 1n];

/** Sizes that loops double up to, or halve, with which these go over less than so many threads for each of a block. */
export const narrowIn = (facts: KernelFacts, candidate: Candidate, by: bigint): readonly Slot[] =>
  deciding(facts).filter(
    (slot) => slot.isDoubled && valueIn(facts, candidate, slot) < by * unitsOf(facts, candidate, slot),
  );

export const withValue = (candidate: Candidate, slots: readonly Slot[], value: bigint): Candidate => ({
  ...candidate,
  values: new Map([...candidate.values, ...slots.map((slot) => [keyOf(slot), value] as const)]),
});

/** All sizes at once, each by its own units: mostly they have to fit together. */
const sized = (facts: KernelFacts, candidate: Candidate, which: number): Candidate =>
  deciding(facts).reduce(
    (one, slot, index) => withValue(one, [slot], sizeFor(slot, unitsOf(facts, candidate, slot), which, index)),
    candidate,
  );

/** Launches with other sizes, all at once, the likeliest first. */
export const allSized = (facts: KernelFacts, candidate: Candidate): readonly Candidate[] =>
  OF_MANY.map((_, which) => sized(facts, candidate, which));

/** The same with the sizes that they have at first. */
export const firstSized = (facts: KernelFacts, candidate: Candidate): Candidate =>
  deciding(facts).reduce(
    (one, slot, index) => withValue(one, [slot], firstSize(facts, candidate, slot, index)),
    candidate,
  );

/** Of a plane of CTAs that is wider than it is high one that is higher than wide, and the other way round. */
export function otherwiseLong(facts: KernelFacts, candidate: Candidate): Candidate | undefined {
  if (facts.gridDimensions < 2) return undefined;
  const { grid, block } = candidate;
  const edge = (i: 0 | 1): number => (facts.tiles[i]?.length === 0 ? block[i] : Math.max(...(facts.tiles[i] ?? [])));
  const [width, height] = [grid[0] * edge(0), grid[1] * edge(1)];
  const other: Dimensions =
    width < height
      ? [Math.floor(height / edge(0)) + 1, grid[1], grid[2]]
      : [grid[0], Math.floor(width / edge(1)) + 1, grid[2]];
  return firstSized(facts, { ...candidate, grid: other });
}

/** Another block, and sizes that grow or shrink with it. */
export function scaled(facts: KernelFacts, candidate: Candidate, block: Dimensions): Candidate {
  const other = { ...candidate, block };
  const values = deciding(facts).map((slot): readonly [string, bigint] => {
    const value = valueIn(facts, candidate, slot);
    const [now, then] = [candidate, other].map((one) => unitsOf(facts, one, slot));
    return [keyOf(slot), value < 32n ? value : (value * (then ?? 1n)) / (now ?? 1n)];
  });
  return { ...other, values: new Map([...candidate.values, ...values]) };
}
