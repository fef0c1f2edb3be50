import { volume } from '../kernel/grid.js';
import type { Dimensions } from '../syntax/launch-ast.js';
import type { Declaration } from '../syntax/litmus-ast.js';
import { bytesOf, type Contents, initialOf, isNumbered, isTyped, listed } from './contents.js';
import { isMap, type KernelFacts, parameterBytes, type Slot } from './kernel-facts.js';
import type { MemoryUse } from './memory-use.js';

/** A launch that may be one to start from. */
export interface Candidate {
  readonly grid: Dimensions;
  readonly block: Dimensions;
  readonly cluster: Dimensions | undefined;
  /** Bytes of `.extern .shared` arrays. */
  readonly shared: number;
  readonly cooperative: boolean;
  /** By slot: of integers; strides that are not here are as large as what they part. */
  readonly values: ReadonlyMap<string, bigint>;
  /** By slot: of pointers. */
  readonly contents: ReadonlyMap<string, Contents>;
  /** By slot: how many bytes a box of a tensor map has. */
  readonly boxes: ReadonlyMap<string, number>;
}

export const keyOf = ({ parameter, at }: Slot): string => `${parameter}+${at}`;

/** Strides that are not given are multiples of this, for accesses of several elements. */
const STRIDE = 16n;

/** Of an integer: what it is, and of a stride that nobody gives more than all sizes: what is meant apart is apart. */
export function valueIn({ slots }: KernelFacts, { values }: Candidate, slot: Slot): bigint {
  // What CTAs look up in a table of the parameters is different for two of them.
  if (slot.element !== undefined && isLookedUp(slot)) return BigInt(slot.element % 2);
  const own = values.get(keyOf({ ...slot, at: slot.group }));
  if (own !== undefined || !slot.isStride) return own ?? 1n;
  const sizes = slots.flatMap((one) => (one.decides && !one.isStride ? [values.get(keyOf(one)) ?? 1n] : []));
  const largest = sizes.reduce((a, b) => (a > b ? a : b), 1n);
  return STRIDE * (largest / STRIDE + 1n);
}

/** An element of a table in the parameters that says where to look next. */
export const isLookedUp = ({ element, decides, over }: Slot): boolean =>
  element !== undefined && decides && over.length === 0;

export const threadsOf = ({ grid, block }: Candidate): number => [...grid, ...block].reduce((a, b) => a * b);

/** In bytes: of an array while it is looked for how much of it a launch touches. */
const LARGE = 1 << 24;
const KNOWN = 1 << 14;
const LISTED = 8192;

/** In bytes, by the name of an array; where a size is not known yet there is plenty. */
export type Sizes = ReadonlyMap<string, number>;

/** The names of arrays, by the slot whose pointer leads there; and of parameters. */
export interface Names {
  readonly arrays: ReadonlyMap<string, string>;
  readonly parameters: readonly string[];
}

/** A declaration, and what is to be said of it. */
export interface Line {
  readonly text: string;
  readonly comment: string | undefined;
}

/** The memory of a launch: an array for each pointer, a map for each parameter that is one. */
export function declarationsOf(facts: KernelFacts, candidate: Candidate, names: Names, sizes: Sizes): readonly Line[] {
  return facts.slots.flatMap((slot): readonly Line[] => {
    const name = names.arrays.get(keyOf(slot));
    if (name === undefined) return [];
    if (slot.kind === 'map') return mapOf(name, candidate.boxes.get(keyOf(slot)) ?? 0, slot.rank);
    if (slot.use.points !== undefined) return pointersIn(name, slot.use.points, volume(candidate.block), sizes);
    const contents = candidate.contents.get(keyOf(slot)) ?? 'open';
    return [arrayOf(name, slot.use, contents, volume(candidate.block), sizes.get(name))];
  });
}

/** How many arrays an array of pointers leads to, while it is looked for how many a launch touches. */
const POINTERS = 16;
const POINTER = 8;

/** The names of the arrays that the pointers in an array lead to. */
export const pointedNames = (name: string, bytes = POINTERS * POINTER): readonly string[] =>
  Array.from({ length: Math.max(1, Math.floor(bytes / POINTER)) }, (_, i) => `${name}_${i}`);

/** An array of pointers, each to an array of its own. */
function pointersIn(name: string, use: MemoryUse, threads: number, sizes: Sizes): readonly Line[] {
  const others = pointedNames(name, sizes.get(name));
  const contents = use.isCounter ? 'zero' : 'open';
  return [
    ...others.map((one) => arrayOf(one, use, contents, threads, sizes.get(one))),
    {
      text: `.global .align ${ALIGN} .u64 ${name}[${others.length}] = {${others.map((one) => `&${one}`).join(', ')}};`,
      comment: 'a guess: each pointer leads to an array of its own',
    },
  ];
}

const ALIGN = 16;

function arrayOf(name: string, use: MemoryUse, contents: Contents, threads: number, size?: number): Line {
  const bytes = bytesOf(use);
  const plenty = contents === 'open' ? LARGE : isNumbered(contents) ? LISTED * bytes : KNOWN;
  const elements = Math.max(1, Math.ceil((size ?? plenty) / bytes));
  const type = `${isTyped(use) && contents !== 'ones' ? 'f' : 'u'}${8 * bytes}`;
  const { initial, comment } = initialOf(contents, elements, use, threads);
  const align = Math.max(ALIGN, use.largest);
  return { text: `.global .align ${align} .${type} ${name}[${elements}]${initial};`, comment };
}

/** A tensor whose boxes have so many bytes, with some of them along each side. */
function mapOf(name: string, box: number, rank: number): readonly Line[] {
  const elements = Math.max(4, box / 4);
  const inner = Math.min(elements, rank === 1 ? 256 : 32);
  const boxes = Array.from({ length: rank }, (_, i) => (i === 0 ? inner : i === 1 ? Math.ceil(elements / inner) : 1));
  const dims = boxes.map((one, i) => one * (i < 2 ? 4 : 2));
  const strides = dims.slice(0, -1).map((_, i) => dims.slice(0, i + 1).reduce((a, b) => a * b, 4));
  const bytes = dims.reduce((a, b) => a * b, 4);
  const shape = [
    `dims {${dims.join(', ')}}`,
    ...(strides.length === 0 ? [] : [`strides {${strides.join(', ')}}`]),
    `box {${boxes.join(', ')}}`,
  ];
  return [
    { text: `.global .align 128 .u32 ${name}_data[${bytes / 4}] = ?;`, comment: undefined },
    { text: `${name} = tensormap(.u32, ${name}_data, ${shape.join(', ')});`, comment: 'a guess: type, sizes, box' },
  ];
}

/** What the kernel is given for its parameters. */
export function argumentsOf(facts: KernelFacts, candidate: Candidate, names: Names): readonly string[] {
  const { entry, slots } = facts;
  return entry.parameters.map((parameter, index) => {
    const own = slots.filter((slot) => slot.parameter === index);
    if (parameter.elements === undefined || isMap(parameter))
      return own.map((slot) => valueOf(facts, slot, candidate, names)).join('');
    return fieldsOf(facts, own, candidate, names, parameterBytes(parameter));
  });
}

function valueOf(facts: KernelFacts, slot: Slot, candidate: Candidate, names: Names): string {
  const name = names.arrays.get(keyOf(slot));
  if (slot.kind === 'map') return name ?? '?';
  if (name !== undefined) return `&${name}`;
  if (slot.kind === 'unused') return '?';
  if (slot.kind === 'float') return slot.bytes === 8 ? 'f64 1.0' : slot.bytes === 4 ? 'f32 1.0' : '0';
  return String(valueIn(facts, candidate, slot));
}

/** The fields of a structure, with what fills the places between them. */
function fieldsOf(
  facts: KernelFacts,
  slots: readonly Slot[],
  candidate: Candidate,
  names: Names,
  whole: number,
): string {
  const [first] = slots;
  if (first?.kind === 'unused' || first === undefined) return '?';
  const fields: string[] = [];
  let end = 0;
  for (const slot of slots) {
    const from = Math.floor(end / slot.bytes) * slot.bytes === end ? end : Math.ceil(end / slot.bytes) * slot.bytes;
    for (let at = from; at < slot.at; at += slot.at - at >= 4 && at % 4 === 0 ? 4 : 1)
      fields.push(slot.at - at >= 4 && at % 4 === 0 ? '?' : 'u8 0');
    const value = valueOf(facts, slot, candidate, names);
    const isNumber = slot.kind === 'integer' || value === '0';
    fields.push(isNumber ? `u${8 * slot.bytes} ${value}` : value);
    end = slot.at + slot.bytes;
  }
  // What the kernel does not load of the end.
  if (end < whole) fields.push('?');
  return `{ ${fields.join(', ')} }`;
}

/** Where the launch is, as a test says it. */
export function placeOf({ grid, block, cluster, shared, cooperative }: Candidate): string {
  return [
    `grid ${sizeOf(grid)}`,
    `block ${sizeOf(block)}`,
    ...(cluster === undefined ? [] : [`cluster ${sizeOf(cluster)}`]),
    ...(shared === 0 ? [] : [`shared ${shared}`]),
    ...(cooperative ? ['cooperative'] : []),
  ].join(', ');
}

/** Of a grid or a block. */
export const sizeOf = ([x, y, z]: Dimensions): string =>
  z > 1 ? `(${x}, ${y}, ${z})` : y > 1 ? `(${x}, ${y})` : `${x}`;

/** A test as short as it can be, for following it; what is in arrays of numbers is put in where it is read. */
export function trialText(facts: KernelFacts, candidate: Candidate, names: Names, sizes: Sizes): string {
  const contents = [...candidate.contents].map(([key, one]) => [key, isNumbered(one) ? 'zero' : one] as const);
  const plain = { ...candidate, contents: new Map(contents) };
  const memory = declarationsOf(facts, plain, names, sizes).map(({ text }) => text);
  const given = argumentsOf(facts, candidate, names).join(', ');
  const launch = `launch K "m" :: ${facts.entry.name} (${given})\n @ ${placeOf(candidate)}`;
  return `PTX k\n{\n${memory.join('\n')}\n}\n${launch}\n`;
}

/** The declarations of such a test, with what is in its arrays. */
export function withNumbers(
  { slots }: KernelFacts,
  declarations: readonly Declaration[],
  { contents, block }: Candidate,
  names: Names,
  sizes: Sizes,
): readonly Declaration[] {
  const numbered = new Map(
    slots.flatMap((slot) => {
      const one = contents.get(keyOf(slot)) ?? 'open';
      return isNumbered(one) ? [[names.arrays.get(keyOf(slot)) ?? '', { contents: one, use: slot.use }] as const] : [];
    }),
  );
  return declarations.map((one) => {
    const own = one.kind === 'location' ? numbered.get(one.name) : undefined;
    if (one.kind !== 'location' || own === undefined) return one;
    const elements = sizes.has(one.name) ? (one.elements ?? 1) : LISTED;
    const values = listed(elements, own.contents, own.use, volume(block));
    return { ...one, elements, initial: { kind: 'array', values } };
  });
}
