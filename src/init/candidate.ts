import type { Dimensions } from '../syntax/launch-ast.js';
import type { Declaration } from '../syntax/litmus-ast.js';
import { bytesOf, isMap, type KernelFacts, type MemoryUse, type Slot } from './kernel-facts.js';

/** What arrays begin with whose contents decide something, by element: small numbers, or places that grow. */
export const NUMBERED = {
  small: (i: number) => i % 8,
  'its own number': (i: number) => i,
  'every third': (i: number) => 3 * i,
  'further and further': (i: number) => (i * (i - 1)) / 2,
} as const satisfies Readonly<Record<string, (i: number) => number>>;
export type Numbered = keyof typeof NUMBERED;

/** What an array begins with. */
export type Contents = 'open' | 'zero' | 'ones' | Numbered;

export const isNumbered = (contents: Contents): contents is Numbered => contents in NUMBERED;

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
    const contents = candidate.contents.get(keyOf(slot)) ?? 'open';
    return [arrayOf(name, slot.use, contents, sizes.get(name))];
  });
}

const ALIGN = 16;

function arrayOf(name: string, { element, isFloat, largest }: MemoryUse, contents: Contents, size?: number): Line {
  const bytes = Math.min(8, element);
  const plenty = contents === 'open' ? LARGE : isNumbered(contents) ? LISTED * bytes : KNOWN;
  const elements = Math.max(1, Math.ceil((size ?? plenty) / bytes));
  const type = `${isFloat && bytes >= 4 && contents !== 'ones' ? 'f' : 'u'}${8 * bytes}`;
  const { initial, comment } = initialOf(contents, elements, bytes);
  const align = Math.max(ALIGN, largest);
  return { text: `.global .align ${align} .${type} ${name}[${elements}]${initial};`, comment };
}

/** What stands behind an array, and what is said of that. */
function initialOf(
  contents: Contents,
  elements: number,
  bytes: number,
): { readonly initial: string; readonly comment: string | undefined } {
  if (isNumbered(contents)) {
    const comment = 'a guess: small numbers, for places or ways depend on them';
    return { initial: ` = {${listed(elements, contents).join(', ')}}`, comment };
  }
  switch (contents) {
    case 'open':
      return { initial: ' = ?', comment: undefined };
    case 'zero':
      return { initial: ' = 0', comment: 'a guess: it begins as 0' };
    case 'ones':
      return { initial: ` = 0x${'ff'.repeat(bytes)}`, comment: 'a guess: it begins as -1' };
  }
}

const listed = (elements: number, contents: Numbered): readonly number[] =>
  Array.from({ length: elements }, (_, i) => NUMBERED[contents](i));

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
export function argumentsOf({ entry, slots }: KernelFacts, candidate: Candidate, names: Names): readonly string[] {
  return entry.parameters.map((parameter, index) => {
    const own = slots.filter((slot) => slot.parameter === index);
    if (parameter.elements === undefined || isMap(parameter))
      return own.map((slot) => valueOf(slot, candidate, names)).join('');
    return fieldsOf(own, candidate, names, bytesOf(parameter));
  });
}

function valueOf(slot: Slot, { values }: Candidate, names: Names): string {
  const name = names.arrays.get(keyOf(slot));
  if (slot.kind === 'map') return name ?? '?';
  if (name !== undefined) return `&${name}`;
  if (slot.kind === 'unused') return '?';
  if (slot.kind === 'float') return slot.bytes === 8 ? 'f64 1.0' : slot.bytes === 4 ? 'f32 1.0' : '0';
  return String(values.get(keyOf(slot)) ?? 1n);
}

/** The fields of a structure, with what fills the places between them. */
function fieldsOf(slots: readonly Slot[], candidate: Candidate, names: Names, whole: number): string {
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

const sizeOf = ([x, y, z]: Dimensions): string => (z > 1 ? `(${x}, ${y}, ${z})` : y > 1 ? `(${x}, ${y})` : `${x}`);

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
  declarations: readonly Declaration[],
  { contents }: Candidate,
  names: Names,
  sizes: Sizes,
): readonly Declaration[] {
  const numbered = new Map(
    [...contents].flatMap(([key, one]) => (isNumbered(one) ? [[names.arrays.get(key) ?? '', one] as const] : [])),
  );
  return declarations.map((one) => {
    const own = one.kind === 'location' ? numbered.get(one.name) : undefined;
    if (one.kind !== 'location' || own === undefined) return one;
    const elements = sizes.has(one.name) ? (one.elements ?? 1) : LISTED;
    const values = listed(elements, own).map(BigInt);
    return { ...one, elements, initial: { kind: 'array', values } };
  });
}
