import { volume } from '../kernel/grid.js';
import type { Dimensions } from '../syntax/launch-ast.js';
import { type Candidate, keyOf, valueIn } from './candidate.js';
import type { Contents } from './contents.js';
import type { KernelFacts, Slot } from './kernel-facts.js';
import type { Index } from './shapes.js';
import { allSized, deciding, firstSized, scaled, valuesOf, withValue } from './sizes.js';

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
  const values = facts.slots.flatMap((slot) => {
    if (slot.kind !== 'integer') return [];
    const said = hint?.values.get(slot.parameter);
    if (said !== undefined && said <= 1n << 16n) return [[keyOf(slot), said] as const];
    return slot.isStride || (slot.decides && !slot.isFlag) ? [] : [[keyOf(slot), 1n] as const];
  });
  const contents = facts.slots.flatMap((slot) =>
    isOfContents(slot) ? [[keyOf(slot), contentsOf(slot)[0] ?? 'open'] as const] : [],
  );
  const boxes = facts.slots.flatMap((slot) =>
    slot.kind === 'map' ? [[keyOf(slot), facts.boxes[0] ?? 1024] as const] : [],
  );
  const candidate: Candidate = {
    ...{ grid, block, cluster: clusters },
    shared: facts.hasDynamicShared ? (hint?.shared ?? 16_384) : 0,
    cooperative: facts.isCooperative,
    values: new Map(values),
    contents: new Map(contents),
    boxes: new Map(boxes),
  };
  return { ...candidate, values: new Map([...firstSized(facts, candidate).values, ...values]) };
}

/** Along which axes a thread asks where it is; where none is read all may be, as a rank, or a CTA of a cluster. */
function readAxes({ special }: KernelFacts, of: Index): readonly [boolean, boolean, boolean] {
  const reads = (axis: string): boolean =>
    special.has(`${of}.${axis}`) || (of === 'ctaid' && special.has(`clusterid.${axis}`));
  const own = [reads('x'), reads('y'), reads('z')] as const;
  return own.some((one) => one) ? own : [true, true, true];
}

/** CTAs that do not know which they are do the same, at the same places; but that may be what they meet for. */
const isOfOne = (facts: KernelFacts): boolean => asksNoCta(facts) && facts.meets === undefined;

export const asksNoCta = ({ special }: KernelFacts): boolean =>
  !['ctaid', 'clusterid', 'nctaid'].some((name) => [...special].some((one) => one.startsWith(name)));

function gridsOf(
  facts: KernelFacts,
  hint: LaunchHint | undefined,
): { readonly clusters: Dimensions | undefined; readonly grids: readonly Dimensions[] } {
  const { entry, isOfClusters, gridDimensions } = facts;
  const required = entry.bounds.get('reqnctapercluster');
  const cluster: Dimensions | undefined =
    required === undefined
      ? isOfClusters
        ? [2, 1, 1]
        : undefined
      : [required[0] ?? 1, required[1] ?? 1, required[2] ?? 1];
  const [x, y, z] = cluster ?? [1, 1, 1];
  const [two, three] = [gridDimensions > 1 || y > 1, gridDimensions > 2 || z > 1];
  const isOne = isOfOne(facts);
  const [across] = readAxes(facts, 'ctaid');
  const of = (count: number): Dimensions => [x * (across ? count : 1), y * (two ? count : 1), z * (three ? count : 1)];
  const said = hint?.grid?.map((size, i) => {
    const unit = [x, y, z][i] ?? 1;
    return Math.min(size, Math.max(1, Math.floor(LARGEST_CTAS / unit)) * unit);
  });
  const own: readonly Dimensions[] = said === undefined ? [] : [[said[0] ?? 1, said[1] ?? 1, said[2] ?? 1]];
  return {
    clusters: required === undefined ? cluster : undefined,
    grids: [
      ...own,
      ...(isOne ? [of(1)] : []),
      of(2),
      of(4),
      of(3),
      of(1),
      ...(across ? [[11 * x, y, z] as const] : []),
    ],
  };
}

export function blocksOf(facts: KernelFacts, hint: LaunchHint | undefined): readonly Dimensions[] {
  const { entry, sizes, dimensions, tiles, strides } = facts;
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
  const [width = []] = tiles;
  const [steps = []] = strides;
  const tiled = tiledBlocks(facts);
  const edges = [...width.filter((x) => sizes.includes(x)), ...steps].map((x): Dimensions => [x, 1, 1]);
  // Threads that do not know which they are may each be meant to be alone.
  const alone: readonly Dimensions[] = asksThread(facts)
    ? []
    : [
        [64, 1, 1],
        [1, 1, 1],
      ];
  const planes = [...tiled, ...(dimensions > 2 ? cube : []), ...plane].filter((block) => volume(block) <= most);
  const all = dimensions > 1 && planes.length > 0 ? planes : [...edges, ...line];
  const reads = readAxes(facts, 'tid');
  const meant = all.map(([x, y, z]): Dimensions => [reads[0] ? x : 1, reads[1] ? y : 1, reads[2] ? z : 1]);
  const shapes = new Map([...said, ...alone, ...meant].map((block) => [block.join(), block]));
  return [...shapes.values()].filter((block) => volume(block) <= most);
}

/** Whether a thread asks which of its CTA, or of its warp, it is. */
export const asksThread = ({ special }: KernelFacts): boolean =>
  [...special].some((name) => name.startsWith('tid.') || name === 'laneid' || name === 'warpid');

/** The blocks of a plane for which the code is made, by its tiles and steps. */
function tiledBlocks({ dimensions, tiles, strides }: KernelFacts): readonly Dimensions[] {
  if (dimensions !== 2) return [];
  const [width = [], height = []] = tiles;
  const rows = (strides[0] ?? []).flatMap((x) => [4, 8, 2].map((y): Dimensions => [x, y, 1]));
  return [...width.flatMap((x) => height.flatMap((y) => blocksFor(x, y))), ...rows];
}

/** Blocks that are tried; where a tile is known, others only for lines that it does not show. */
function blocksToTry(facts: KernelFacts, isShown: boolean): readonly Dimensions[] {
  const all = blocksOf(facts, undefined);
  const tiled = new Set(tiledBlocks(facts).map((block) => block.join()));
  const meant = all.filter((block) => tiled.has(block.join()));
  return isShown && meant.length > 0 ? meant : all;
}

/** Blocks for a tile: of as many threads, or of fewer that take several rows each. */
function blocksFor(x: number, y: number): readonly Dimensions[] {
  const few = Math.max(1, Math.floor(FEW_THREADS / x));
  const whole: Dimensions = [x, y, 1];
  if (x * y < LEAST_THREADS) return [];
  return x * y <= FEW_THREADS || few >= y ? [whole] : [[x, few, 1], whole, [x, Math.ceil(few / 2), 1]];
}

const [LEAST_THREADS, FEW_THREADS] = [64, 256];

/** Whether it leads to an array in which anything may be; pointers are what they are. */
export const isOfContents = ({ kind, use }: Slot): boolean => kind === 'pointer' && use.points === undefined;

/** What an array may begin with, the likeliest first. */
function contentsOf({ use }: Slot): readonly Contents[] {
  // What has to be there for an exchange to succeed; other numbers in flags would tell what nobody told.
  if (use.isCounter) return ['zero', ...(use.expected.some((one) => one !== 0) ? BOTH_SIDES : []), 'ones', 'open'];
  if (use.decides === 'nothing') return ['open'];
  const sides = use.compared.length > 0 ? BOTH_SIDES : [];
  if (use.isOfRows) return ['rows', 'rows for a CTA', 'small', 'open', 'zero'];
  if (use.decides === 'branch') return ['open', ...sides, 'zero', 'small', 'every third', 'ones'];
  // Places that are only read are an input: one place for all of them shows nothing.
  const same: readonly Contents[] = use.writes ? ['zero'] : [];
  return ['small', ...sides, 'rows', 'rows for a CTA', 'open', 'every third', 'all different', ...same];
}

const BOTH_SIDES: readonly Contents[] = ['both sides'];

/** `isShown`: threads come to all lines already, and go round all loops. */
type Part = (facts: KernelFacts, candidate: Candidate, isShown: boolean) => readonly Candidate[];

/** Of numbers that all sizes may be at once. */
const AT_ONCE = 16;

/** What is changed of a launch, a part at a time. */
export const PARTS: readonly Part[] = [
  (facts, candidate) => {
    const slots = deciding(facts);
    if (slots.length === 0) return [];
    const [first] = slots;
    const equal = first === undefined || slots.length === 1 ? [] : valuesOf(facts, candidate, first).slice(0, AT_ONCE);
    return [...allSized(facts, candidate), ...equal.map((value) => withValue(candidate, slots, value))];
  },
  // A plane of threads is mostly made for one tile.
  (facts, candidate, isShown) =>
    facts.dimensions > 1
      ? blocksToTry(facts, isShown).flatMap((block) => {
          const other = { ...candidate, block };
          return [firstSized(facts, other), other];
        })
      : [],
  (facts, candidate, isShown) => blocksToTry(facts, isShown).map((block) => scaled(facts, candidate, block)),
  (facts, candidate) => {
    const slots = deciding(facts).map((slot) => ({ slot, values: valuesOf(facts, candidate, slot) }));
    const most = Math.max(0, ...slots.map(({ values }) => values.length));
    // The likeliest of each first.
    return Array.from({ length: most }, (_, i) =>
      slots.flatMap(({ slot, values }) => values.slice(i, i + 1).map((value) => withValue(candidate, [slot], value))),
    ).flat();
  },
  (facts, candidate) =>
    facts.slots.flatMap((slot) =>
      slot.isFlag ? [withValue(candidate, [slot], 1n - valueIn(facts, candidate, slot))] : [],
    ),
  (facts, candidate, isShown) =>
    facts.slots.flatMap((slot) =>
      // What is counted in, or waited for, is something else at first only if otherwise lines are not reached.
      !isOfContents(slot) || (isShown && slot.use.isCounter)
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
  (facts, candidate, isShown) =>
    isShown && isOfOne(facts) ? [] : gridsOf(facts, undefined).grids.map((grid) => ({ ...candidate, grid })),
  (facts, candidate) =>
    facts.hasDynamicShared ? [1024, 4096, 49_152, 102_400, 229_376].map((shared) => ({ ...candidate, shared })) : [],
  (facts, candidate) => (facts.isCooperative ? [{ ...candidate, cooperative: !candidate.cooperative }] : []),
];
