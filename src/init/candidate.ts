import type { Dimensions } from '../syntax/launch-ast.js';
import { isMap, type KernelFacts, type MemoryUse, type Slot } from './kernel-facts.js';

/** What an array begins with: anything, zeros, or small numbers that grow: `(i * factor) % modulo`. */
export type Contents = 'open' | 'zero' | { readonly factor: number; readonly modulo: number };

/** A launch that may be one to start from. */
export interface Candidate {
  readonly grid: Dimensions;
  readonly block: Dimensions;
  readonly cluster: Dimensions | undefined;
  /** Bytes of `.extern .shared` arrays. */
  readonly shared: number;
  readonly cooperative: boolean;
  /** By slot: of integers. */
  readonly values: ReadonlyMap<string, bigint>;
  /** By slot: of pointers. */
  readonly contents: ReadonlyMap<string, Contents>;
  /** By slot: how many bytes a box of a tensor map has. */
  readonly boxes: ReadonlyMap<string, number>;
}

export const keyOf = ({ parameter, at }: Slot): string => `${parameter}+${at}`;

export const threadsOf = ({ grid, block }: Candidate): number => [...grid, ...block].reduce((a, b) => a * b);

/** In bytes: of an array while it is looked for how much of it a launch touches. */
const LARGE = 1 << 20;
const KNOWN = 1 << 14;
const LISTED = 2048;

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
    if (slot.kind === 'map') return mapOf(name, candidate.boxes.get(keyOf(slot)) ?? 0, slot.rank, sizes);
    const contents = candidate.contents.get(keyOf(slot)) ?? 'open';
    return [arrayOf(name, slot.use, contents, sizes.get(name))];
  });
}

const ALIGN = 16;

function arrayOf(name: string, { element, isFloat, largest }: MemoryUse, contents: Contents, size?: number): Line {
  const bytes = Math.min(8, element);
  const known = contents === 'zero' ? KNOWN : LISTED * bytes;
  const elements = Math.ceil((size ?? (contents === 'open' ? LARGE : known)) / bytes);
  const type = `${isFloat && bytes >= 4 ? 'f' : 'u'}${8 * bytes}`;
  const align = Math.max(ALIGN, largest);
  const initial =
    contents === 'open' ? ' = ?' : contents === 'zero' ? '' : ` = {${listed(elements, contents).join(', ')}}`;
  const what =
    contents === 'open'
      ? undefined
      : contents === 'zero'
        ? 'begins as 0: a guess'
        : 'a guess: small numbers, since places or ways depend on them';
  return { text: `.global .align ${align} .${type} ${name}[${Math.max(1, elements)}]${initial};`, comment: what };
}

const listed = (elements: number, { factor, modulo }: Exclude<Contents, string>): readonly number[] =>
  Array.from({ length: elements }, (_, i) => (i * factor) % modulo);

/** A tensor whose boxes have so many bytes, with some of them along each side. */
function mapOf(name: string, box: number, rank: number, sizes: Sizes): readonly Line[] {
  const elements = Math.max(4, box / 4);
  const inner = Math.min(elements, rank === 1 ? 256 : 32);
  const boxes = Array.from({ length: rank }, (_, i) => (i === 0 ? inner : i === 1 ? Math.ceil(elements / inner) : 1));
  const dims = boxes.map((one, i) => one * (i < 2 ? 4 : 2));
  const strides = dims.slice(0, -1).reduce<number[]>((all, dim) => [...all, (all.at(-1) ?? 4) * dim], []);
  const bytes = dims.reduce((a, b) => a * b, 4);
  const shape = [
    `dims {${dims.join(', ')}}`,
    ...(strides.length === 0 ? [] : [`strides {${strides.join(', ')}}`]),
    `box {${boxes.join(', ')}}`,
  ];
  return [
    { text: `.global .align 128 .u32 ${name}[${(sizes.get(name) ?? bytes) / 4}] = ?;`, comment: undefined },
    { text: `map_${name} = tensormap(.u32, ${name}, ${shape.join(', ')});`, comment: 'a guess: type, sizes, box' },
  ];
}

/** What the kernel is given for its parameters. */
export function argumentsOf({ entry, slots }: KernelFacts, candidate: Candidate, names: Names): readonly string[] {
  return entry.parameters.map((parameter, index) => {
    const own = slots.filter((slot) => slot.parameter === index);
    if (parameter.elements === undefined || isMap(parameter))
      return own.map((slot) => valueOf(slot, candidate, names)).join('');
    return fieldsOf(own, candidate, names);
  });
}

function valueOf(slot: Slot, { values }: Candidate, names: Names): string {
  const name = names.arrays.get(keyOf(slot));
  if (slot.kind === 'map') return `map_${name}`;
  if (name !== undefined) return `&${name}`;
  if (slot.kind === 'unused') return '?';
  if (slot.kind === 'float') return slot.bytes === 8 ? 'f64 1.0' : slot.bytes === 4 ? 'f32 1.0' : '0';
  return String(values.get(keyOf(slot)) ?? 1n);
}

/** The fields of a structure, with what fills the places between them. */
function fieldsOf(slots: readonly Slot[], candidate: Candidate, names: Names): string {
  const [first] = slots;
  if (first?.kind === 'unused' || first === undefined) return '?';
  const fields: string[] = [];
  let end = 0;
  for (const slot of slots) {
    const from = Math.floor(end / slot.bytes) * slot.bytes === end ? end : Math.ceil(end / slot.bytes) * slot.bytes;
    for (let at = from; at < slot.at; at += slot.at - at >= 4 && at % 4 === 0 ? 4 : 1)
      fields.push(slot.at - at >= 4 && at % 4 === 0 ? '?' : 'u8 0');
    const value = valueOf(slot, candidate, names);
    const isNumber = slot.kind === 'integer' || value === '0';
    fields.push(isNumber ? `u${8 * slot.bytes} ${value}` : value);
    end = slot.at + slot.bytes;
  }
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

const sizeOf = ([x, y, z]: Dimensions): string => (z > 1 ? `(${x}, ${y}, ${z})` : y > 1 ? `(${x}, ${y})` : `${x}`);

/** A test as short as it can be, for following it. */
export function trialText(facts: KernelFacts, candidate: Candidate, names: Names, sizes: Sizes): string {
  const memory = declarationsOf(facts, candidate, names, sizes).map(({ text }) => text);
  const given = argumentsOf(facts, candidate, names).join(', ');
  return `PTX k\n{\n${memory.join('\n')}\n}\nlaunch K "m" :: ${facts.entry.name} (${given})\n @ ${placeOf(candidate)}\n`;
}
