import type { ModuleFile } from '../syntax/module-ast.js';
import { type DataFlow, numbersOf, type Step } from './data-flow.js';

/** A register that says which thread of its CTA one is, or which CTA of its grid. */
export type Index = 'tid' | 'ctaid';
const AXES = ['x', 'y', 'z'] as const;
export type Axis = (typeof AXES)[number];

/**
 * Along each axis: numbers by which CTA numbers are multiplied where thread numbers are added, the edge of the tile
 * that a block is for.
 */
export type Tiles = readonly (readonly number[])[];

/** As many as are read for themselves: a rank among all, as cooperative groups make it, says nothing of shapes. */
export function dimensionsOf(of: Index, flow: DataFlow): number {
  const isRead = (axis: 'y' | 'z'): boolean =>
    flow.steps.some((step) => flow.specialsOf(step).includes(`${of}.${axis}`) && !isOfRank(of, flow, step));
  return isRead('z') ? 3 : isRead('y') ? 2 : 1;
}

/** Whether a step makes a part of a rank: z * sizes + y, y * size + x, or what is 0 for the first of all. */
function isOfRank(of: Index, flow: DataFlow, step: Step): boolean {
  const { mnemonic, sources } = step;
  if (mnemonic === 'mov' || mnemonic === 'cvt' || mnemonic === 'neg') return true;
  const read = flow.specialsOf(step);
  const [among, scale] = of === 'tid' ? [/^n?tid\./, 'ntid.'] : [/^n?ctaid\./, 'nctaid.'];
  if (!read.every((one) => among.test(one))) return false;
  if (['mad', 'mul'].includes(mnemonic)) return read.some((one) => one.startsWith(scale));
  return (mnemonic === 'add' || mnemonic === 'or') && sources.every((one) => isMadeOf(of, flow, one));
}

/** Whether an operand is made of such numbers alone, by a few sums. */
function isMadeOf(of: Index, flow: DataFlow, one: Step['sources'][number], depth = 5): boolean {
  if (one.kind !== 'name' || depth === 0) return false;
  const writing = flow.writersOf(one.name);
  if (writing.length === 0) return one.name.startsWith(`${of}.`);
  return writing.every((step) => {
    const { mnemonic, sources } = step;
    if (mnemonic === 'mul' || mnemonic === 'mad') return isOfRank(of, flow, step);
    const isSum = ['mov', 'cvt', 'neg', 'add', 'or'].includes(mnemonic);
    return isSum && sources.every((next) => isMadeOf(of, flow, next, depth - 1));
  });
}

/** Along each axis: by how much threads go on in loops that begin with their own numbers, the smallest first. */
export function stridesIn(flow: DataFlow): Tiles {
  return AXES.map((axis) => {
    const steps = flow.steps.flatMap(({ mnemonic, words, sources, targets }) => {
      if (mnemonic !== 'add' || !sources.some((one) => one.kind === 'name' && targets.includes(one.name))) return [];
      const behind = flow.specialsBehind(targets);
      return behind.has(`tid.${axis}`) && !behind.has(`ntid.${axis}`)
        ? numbersOf(mnemonic, words, sources).map(Number)
        : [];
    });
    // An unrolled loop goes on by several steps at once.
    const [least, ...others] = [...new Set(steps)].filter((step) => step >= WARP).sort((a, b) => a - b);
    return least === undefined ? [] : [least, ...others.filter((step) => step % least !== 0)];
  });
}

const WARP = 32;

/** The edges of tiles, of which each CTA has one and each thread of it a place. */
export function tilesIn(flow: DataFlow): Tiles {
  return AXES.map((axis) => {
    const sums = flow.steps.filter(
      (step) => ['add', 'or', 'mad'].includes(step.mnemonic) && flow.specialsOf(step).includes(`tid.${axis}`),
    );
    const edges = sums.flatMap((step) => (step.mnemonic === 'mad' ? edgeIn(flow, step) : partsOf(flow, step)));
    return [...new Set(edges)].filter((edge) => edge > 1 && edge <= 1024);
  });
}

const partsOf = (flow: DataFlow, { sources }: Step): readonly number[] =>
  sources.flatMap((one) => (one.kind === 'name' ? flow.writersOf(one.name).flatMap((by) => edgeIn(flow, by)) : []));

/** The number by which a step multiplies the number of a CTA. */
const edgeIn = (flow: DataFlow, step: Step): readonly number[] =>
  ['shl', 'mul', 'mad'].includes(step.mnemonic) && flow.specialsOf(step).some((one) => one.startsWith('ctaid.'))
    ? numbersOf(step.mnemonic, step.words, step.sources.slice(0, 2)).map(Number)
    : [];

/** Sizes of shared arrays in elements, and what numbers of threads are compared with. */
export function sizesIn({ variables }: ModuleFile, flow: DataFlow): readonly number[] {
  const arrays = variables.flatMap(({ variable: { directives, elements }, isExternal }) => {
    if (isExternal || elements === undefined || !directives.some(({ name }) => name === 'shared')) return [];
    return [elements / 4, elements / 8, elements].filter((size) => Number.isInteger(size));
  });
  const threads = flow.steps.filter(
    ({ mnemonic, sources: [from] }) => mnemonic === 'mov' && from?.kind === 'name' && /^tid\.x$/.test(from.name),
  );
  const reached = flow.reachedFrom(threads.flatMap(({ targets }) => targets));
  const compared = [...reached].flatMap((step) =>
    step.mnemonic === 'setp' ? numbersOf(step.mnemonic, step.words, step.sources).map(Number) : [],
  );
  // A tree of additions begins with the lower half.
  const halves = compared.flatMap((size) =>
    [size, size + 1].flatMap((one) => (one > 1 && Number.isInteger(Math.log2(one)) ? [2 * one] : [])),
  );
  const largest = [...halves].sort((a, b) => b - a);
  const sizes = [...largest, ...compared.flatMap((size) => [size, size + 1]), ...arrays].filter((size) => size >= 32);
  return [...new Set(sizes)].filter((size) => size <= 1024 && size % 32 === 0);
}
