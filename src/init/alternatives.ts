import { volume } from '../kernel/grid.js';
import type { Dimensions } from '../syntax/launch-ast.js';
import { type Candidate, type Contents, keyOf, threadsOf } from './candidate.js';
import type { KernelFacts, Slot } from './kernel-facts.js';

/** What a program says of a launch: of the place, and by parameter. */
export interface LaunchHint {
  readonly grid: Dimensions | undefined;
  readonly block: Dimensions | undefined;
  readonly shared: number | undefined;
  readonly values: ReadonlyMap<number, bigint>;
}

const LARGEST_CTAS = 4;

/** The first guess: what a program says, what the module says, and what is often so. */
export function firstCandidate(facts: KernelFacts, hint: LaunchHint | undefined): Candidate {
  const block = blocksOf(facts, hint)[0] ?? [64, 1, 1];
  const { clusters, grids } = gridsOf(facts, hint);
  const grid = grids[0] ?? [2, 1, 1];
  const isLine = block[1] === 1 && grid[1] === 1;
  const threads = isLine ? volume(grid) * volume(block) : grid[0] * block[0];
  const values = facts.slots.flatMap((slot) => {
    if (slot.kind !== 'integer') return [];
    const said = hint?.values.get(slot.parameter);
    return [
      [keyOf(slot), said !== undefined && said <= 1n << 16n ? said : slot.decides ? BigInt(threads - 3) : 1n] as const,
    ];
  });
  const contents = facts.slots.flatMap((slot) =>
    slot.kind === 'pointer' ? [[keyOf(slot), contentsOf(slot)[0] ?? 'open'] as const] : [],
  );
  const boxes = facts.slots.flatMap((slot) =>
    slot.kind === 'map' ? [[keyOf(slot), facts.boxes[0] ?? 1024] as const] : [],
  );
  return {
    ...{ grid, block, cluster: clusters },
    shared: facts.hasDynamicShared ? (hint?.shared ?? 16_384) : 0,
    cooperative: facts.isCooperative,
    values: new Map(values),
    contents: new Map(contents),
    boxes: new Map(boxes),
  };
}

function gridsOf(
  { entry, special, isOfClusters, gridDimensions }: KernelFacts,
  hint: LaunchHint | undefined,
): { readonly clusters: Dimensions | undefined; readonly grids: readonly Dimensions[] } {
  const required = entry.bounds.get('reqnctapercluster');
  const cluster: Dimensions | undefined =
    required === undefined
      ? isOfClusters
        ? [2, 1, 1]
        : undefined
      : [required[0] ?? 1, required[1] ?? 1, required[2] ?? 1];
  const [x, y, z] = cluster ?? [1, 1, 1];
  const [two, three] = [gridDimensions > 1 || y > 1, gridDimensions > 2 || z > 1];
  // CTAs that do not know which they are do the same, at the same places.
  const isOne = !['ctaid', 'clusterid', 'nctaid'].some((name) => [...special].some((one) => one.startsWith(name)));
  const of = (count: number): Dimensions => [x * count, y * (two ? count : 1), z * (three ? count : 1)];
  const said = hint?.grid?.map((size, i) => {
    const unit = [x, y, z][i] ?? 1;
    return Math.min(size, Math.max(1, Math.floor(LARGEST_CTAS / unit)) * unit);
  });
  const own: readonly Dimensions[] = said === undefined ? [] : [[said[0] ?? 1, said[1] ?? 1, said[2] ?? 1]];
  return {
    clusters: required === undefined ? cluster : undefined,
    grids: [...own, ...(isOne ? [of(1)] : []), of(2), of(4), of(3), of(1), [11 * x, y, z]],
  };
}

export function blocksOf(
  { entry, sizes, dimensions }: KernelFacts,
  hint: LaunchHint | undefined,
): readonly Dimensions[] {
  const required = entry.bounds.get('reqntid');
  if (required !== undefined) return [[required[0] ?? 1, required[1] ?? 1, required[2] ?? 1]];
  const most = (entry.bounds.get('maxntid') ?? [1024]).reduce((a, b) => a * b);
  const said = hint?.block === undefined ? [] : [hint.block];
  const line = [...sizes, 64, 128, 256, 32, 512, 1024, 96, 192, 384].map((size): Dimensions => [size, 1, 1]);
  const plane: readonly Dimensions[] = [
    [16, 16, 1],
    [8, 8, 1],
    [32, 8, 1],
    [32, 4, 1],
    [32, 32, 1],
    [64, 2, 1],
    [32, 2, 1],
  ];
  const cube: readonly Dimensions[] = [
    [8, 4, 4],
    [4, 4, 4],
    [8, 8, 4],
  ];
  const all = dimensions > 2 ? [...cube, ...plane] : dimensions > 1 ? [...plane, ...line] : line;
  return [...said, ...all].filter((block) => volume(block) <= most);
}

/** What an array may begin with, the likeliest first. */
function contentsOf({ use }: Slot): readonly Contents[] {
  if (use.isCounter) return ['zero', 'ones', 'open'];
  if (use.decides === 'nothing') return ['open'];
  if (use.decides === 'branch') return ['open', 'zero', 'small', 'every third', 'ones'];
  return ['small', 'open', 'every third', 'further and further', 'its own number', 'zero'];
}

type Part = (facts: KernelFacts, candidate: Candidate) => readonly Candidate[];

export const deciding = ({ slots }: KernelFacts): readonly Slot[] =>
  slots.filter(({ kind, decides }) => kind === 'integer' && decides);

/** Numbers that an integer may be, the likeliest first. */
function valuesOf(candidate: Candidate, numbers: readonly bigint[]): readonly bigint[] {
  const threads = threadsOf(candidate);
  const block = candidate.block.reduce((a, b) => a * b);
  const [width, height] = candidate.block;
  const [columns, rows] = candidate.grid;
  const often = [
    threads - 3,
    // As many for each thread, and the last CTA has a few less.
    2 * threads - 3,
    4 * threads - 3,
    columns * width - 3,
    rows * height - 3,
    2 * threads + 5,
    5 * threads + 7,
    block,
    2 * block,
    threads,
    width,
    2 * width,
    3 * width + 1,
    height * 2,
  ];
  const found = numbers.flatMap((one) => [one, 2n * one, 3n * one, 11n * one, one + 1n]);
  const few = [1, 2, 3, 4, 5, 7, 8, 11, 16, 19, 32, 35, 64, 0];
  return [...new Set([...often.map(BigInt), ...found, ...few.map(BigInt)])].filter(
    (one) => one >= 0n && one < 1n << 16n,
  );
}

export const withValue = (candidate: Candidate, slots: readonly Slot[], value: bigint): Candidate => ({
  ...candidate,
  values: new Map([...candidate.values, ...slots.map((slot) => [keyOf(slot), value] as const)]),
});

/** Of numbers that all sizes may be at once. */
const AT_ONCE = 24;

/** What is changed of a launch, a part at a time. */
export const PARTS: readonly Part[] = [
  // All sizes at once: mostly they have to fit together.
  (facts, candidate) => {
    const slots = deciding(facts);
    if (slots.length === 0) return [];
    const numbers = [...new Set(slots.flatMap((slot) => slot.numbers))];
    return valuesOf(candidate, numbers)
      .slice(0, AT_ONCE)
      .map((value) => withValue(candidate, slots, value));
  },
  // A plane of threads is mostly made for one tile.
  (facts, candidate) =>
    facts.dimensions > 1
      ? blocksOf(facts, undefined).flatMap((block) => {
          const other = { ...candidate, block };
          return [withValue(other, deciding(facts), BigInt(candidate.grid[0] * block[0] - 3)), other];
        })
      : [],
  (facts, candidate) => blocksOf(facts, undefined).map((block) => scaled(facts, candidate, block)),
  (facts, candidate) =>
    deciding(facts).flatMap((slot) =>
      valuesOf(candidate, slot.numbers).map((value) => withValue(candidate, [slot], value)),
    ),
  (facts, candidate) =>
    facts.slots.flatMap((slot) =>
      slot.kind !== 'pointer'
        ? []
        : contentsOf(slot).map((one) => ({
            ...candidate,
            contents: new Map([...candidate.contents, [keyOf(slot), one]]),
          })),
    ),
  (facts, candidate) =>
    facts.slots.flatMap((slot) =>
      slot.kind !== 'map'
        ? []
        : facts.boxes.map((box) => ({ ...candidate, boxes: new Map([...candidate.boxes, [keyOf(slot), box]]) })),
    ),
  (facts, candidate) => gridsOf(facts, undefined).grids.map((grid) => ({ ...candidate, grid })),
  (facts, candidate) =>
    facts.hasDynamicShared ? [1024, 4096, 49_152, 102_400, 229_376].map((shared) => ({ ...candidate, shared })) : [],
  (facts, candidate) => (facts.isCooperative ? [{ ...candidate, cooperative: !candidate.cooperative }] : []),
];

/** Another block, and numbers that grow or shrink with it. */
export function scaled(facts: KernelFacts, candidate: Candidate, block: Dimensions): Candidate {
  const [now, then] = [candidate.block, block].map(volume);
  const values = deciding(facts).map((slot): readonly [string, bigint] => {
    const value = candidate.values.get(keyOf(slot)) ?? 1n;
    return [keyOf(slot), value < 32n ? value : (value * BigInt(then ?? 1)) / BigInt(now ?? 1)];
  });
  return { ...candidate, block, values: new Map([...candidate.values, ...values]) };
}
