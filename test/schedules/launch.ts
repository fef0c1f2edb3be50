import type { Extent } from './module.js';
import { splitList } from './operands.js';
import type { TensorMap } from './tensors.js';
import { bitsOf, elementSizeOf, type Initial } from './variables.js';

/** A kernel test as far as it says what runs: memory and launches. Conditions are not read. */
export interface KernelTest {
  readonly name: string;
  readonly memory: readonly Declared[];
  readonly maps: readonly TensorMap[];
  readonly launches: readonly Launched[];
  /** Short names of variables of modules. */
  readonly aliases: ReadonlyMap<string, string>;
}

export interface Declared {
  readonly name: string;
  readonly space: 'global' | 'shared' | 'const';
  readonly type: string;
  readonly size: number;
  readonly elementSize: number;
  readonly align: number;
  /** `open`: any bytes. */
  readonly initial: readonly Initial[] | 'open';
  /** Arrivals that an mbarrier expects which is ready from the start. */
  readonly arrivals: number | undefined;
}

export type Argument =
  | { readonly kind: 'bits'; readonly value: bigint; readonly size: number | undefined }
  | { readonly kind: 'address'; readonly name: string; readonly offset: number }
  | { readonly kind: 'open' }
  | { readonly kind: 'fields'; readonly fields: readonly Argument[] };

export interface Launched {
  readonly name: string;
  readonly path: string;
  readonly entry: string | undefined;
  readonly arguments: readonly Argument[];
  readonly grid: Extent;
  readonly block: Extent;
  readonly cluster: Extent | undefined;
  readonly shared: number;
  readonly gpu: number;
  readonly cooperative: boolean;
  readonly after: readonly string[];
  readonly dependentOn: readonly string[];
  /** Where `run exactly` stands: the threads that there are. */
  readonly exactly: readonly Selection[] | undefined;
}

export interface Selection {
  readonly threads: readonly number[];
  /** All, where it is `undefined`. */
  readonly ctas: readonly number[] | undefined;
}

/** What this reader does not know: the test is not run, and the reason is told. */
export class Unsupported extends Error {}

function withoutComments(text: string): string {
  return text.replace(/"[^"]*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\(\*[\s\S]*?\*\)/g, (found) =>
    found.startsWith('"') ? found : ' ',
  );
}

/** Where the bracket that opens at `start` closes. */
function closing(text: string, start: number): number {
  const open = text[start]!;
  const close = open === '{' ? '}' : ')';
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === open) depth++;
    if (text[i] === close && --depth === 0) return i;
  }
  throw new Unsupported(`no ${close} for the ${open} at ${text.slice(start, start + 30)}`);
}

function initialOf(text: string, type: string, size: number, elementSize: number): Declared['initial'] {
  if (text === '?') return 'open';
  const isList = text.startsWith('{');
  const parts = isList ? splitList(text.slice(1, -1)) : [text];
  const values = parts.map((part): Initial => {
    const value = bitsOf(part.trim(), type);
    if (value !== undefined) return { kind: 'bits', value };
    const [, name, offset] = /^&?([\w$.]+)(?:\s*\+\s*(\d+))?$/.exec(part.trim()) ?? [];
    if (name === undefined) throw new Unsupported(`a value that is not known: ${part}`);
    return { kind: 'address', name, offset: Number(offset ?? 0) };
  });
  // One value fills an array; a list is continued by zeros.
  return isList ? values : new Array<Initial>(size / elementSize).fill(values[0]!);
}

function declared(text: string): Declared {
  let rest = text;
  let space: Declared['space'] = 'global';
  let type = 'u32';
  let align = 0;
  for (let found = /^\.(\w+)\s*/.exec(rest); found !== null; found = /^\.(\w+)\s*/.exec(rest)) {
    const word = found[1]!;
    rest = rest.slice(found[0].length);
    if (word === 'global' || word === 'shared' || word === 'const') space = word;
    else if (word === 'align') {
      const [number = ''] = /^\d+\s*/.exec(rest) ?? [];
      align = Number(number);
      rest = rest.slice(number.length);
    } else if (elementSizeOf(word) > 0) type = word;
    else throw new Unsupported(`.${word} in ${text}`);
  }
  const [, name, , count, value] = /^([\w$.]+)\s*(\[\s*(\d+)\s*\])?\s*(?:=\s*([\s\S]*))?$/.exec(rest.trim()) ?? [];
  if (name === undefined) throw new Unsupported(`a declaration that is not known: ${text}`);
  const elementSize = elementSizeOf(type);
  const size = elementSize * Number(count ?? 1);
  const barrier = /^mbarrier\s*\(\s*(\d+)\s*\)$/.exec(value ?? '');
  const initial = barrier !== null || value === undefined ? [] : initialOf(value, type, size, elementSize);
  const arrivals = barrier === null ? undefined : Number(barrier[1]);
  return { name, space, type, size, elementSize, align: Math.max(align, elementSize), initial, arrivals };
}

function argument(text: string): Argument {
  if (text === '?') return { kind: 'open' };
  if (text.startsWith('{')) return { kind: 'fields', fields: splitList(text.slice(1, -1)).map(argument) };
  const [, type = '', digits = text] = /^([usf]\d+)\s+(.*)$/.exec(text) ?? [];
  const value = bitsOf(digits.trim(), type);
  if (value !== undefined) return { kind: 'bits', value, size: type === '' ? undefined : elementSizeOf(type) };
  const [, name, offset] = /^&?([\w$.]+)(?:\s*\+\s*(\w+))?$/.exec(text) ?? [];
  if (name === undefined) throw new Unsupported(`an argument that is not known: ${text}`);
  return { kind: 'address', name, offset: Number(offset ?? 0) };
}

function extentOf(text: string): Extent {
  const [x = 1, y = 1, z = 1] = text.replace(/[()]/g, '').split(',').map(Number);
  return [x, y, z];
}

const CLAUSE = new RegExp(
  `\\s*(?:${[
    '(grid|block|cluster)\\s*(\\d+|\\([\\d,\\s]*\\))',
    '(shared|gpu)\\s+(\\d+)',
    '(cooperative)',
    '(after|dependent\\s+on)\\s+(\\w+)',
  ].join('|')})\\s*`,
  'y',
);

/** The clauses after `@`; tells where they end. */
function placeOf(text: string, start: number) {
  const place = {
    ...{ grid: [1, 1, 1] as Extent, block: [1, 1, 1] as Extent, cluster: undefined as Extent | undefined },
    ...{ shared: 0, gpu: 0, cooperative: false, after: [] as string[], dependentOn: [] as string[] },
  };
  let end = start;
  do {
    CLAUSE.lastIndex = end;
    const found = CLAUSE.exec(text);
    if (found === null) throw new Unsupported(`a place that is not known: ${text.slice(end, end + 40).trim()}`);
    const [all, extent, size = '', number, count, cooperative, order, of = ''] = found;
    if (extent !== undefined) place[extent as 'grid'] = extentOf(size);
    else if (number !== undefined) place[number as 'shared'] = Number(count);
    else if (cooperative !== undefined) place.cooperative = true;
    else if (order === 'after') place.after.push(of);
    else place.dependentOn.push(of);
    end += all.length;
  } while (text[end] === ',' && end++ > 0);
  return { place, end };
}

function numbersOf(text: string): readonly number[] {
  return splitList(text).flatMap((part) => {
    const range = /^(\d+)\s*\.\.\s*(\d+)(?:\s*step\s+(\d+))?$/.exec(part);
    if (range === null) {
      if (!/^\d+$/.test(part)) throw new Unsupported(`threads that are not known: ${part}`);
      return [Number(part)];
    }
    const [, from, to, step] = range.map(Number);
    return Array.from({ length: Math.floor((to! - from!) / (step || 1)) + 1 }, (_, i) => from! + i * (step || 1));
  });
}

function selectionsOf(block: string): readonly Selection[] | undefined {
  if (!/\brun\s+exactly\b/.test(block)) return undefined;
  return [...block.matchAll(/run\s+(?:exactly\s+)?tid\s+([^;]*?)(?:\s+of\s+cta\s+([^;]*?))?\s*;/g)].map(
    ([, threads = '', ctas]) => ({
      threads: numbersOf(threads),
      ctas: ctas === undefined ? undefined : numbersOf(ctas),
    }),
  );
}

function launchesOf(text: string): readonly Launched[] {
  const launches: Launched[] = [];
  for (const found of text.matchAll(/\blaunch\s+(\w+)\s+"([^"]*)"(?:\s*::\s*([\w$]+))?\s*\(/g)) {
    const [head, name = '', path = '', entry] = found;
    const open = found.index + head.length - 1;
    const close = closing(text, open);
    const at = /\s*@/y;
    at.lastIndex = close + 1;
    const { place, end } = at.test(text) ? placeOf(text, at.lastIndex) : placeOf('grid 1', 0);
    const exactly = text[end] === '{' ? selectionsOf(text.slice(end, closing(text, end))) : undefined;
    const list = splitList(text.slice(open + 1, close)).map(argument);
    launches.push({ name, path, entry, arguments: list, ...place, exactly });
  }
  return launches;
}

const MAP = /^(\w+)\s*=\s*tensormap\s*\(\s*\.(\w+)\s*,\s*&?([\w$.]+)(?:\s*\+\s*(\d+))?\s*,([\s\S]*)\)$/;

function mapOf(text: string): TensorMap[] {
  const found = MAP.exec(text);
  if (found === null) return [];
  const [, name = '', type = '', location = '', offset, rest = ''] = found;
  const list = (word: string): number[] =>
    splitList(new RegExp(`\\b${word}\\s*\\{([^}]*)\\}`).exec(rest)?.[1] ?? '').map(Number);
  const sizes = { dims: list('dims'), strides: list('strides'), box: list('box') };
  return [{ name, location, offset: Number(offset ?? 0), elementSize: elementSizeOf(type), ...sizes }];
}

export function readKernelTest(source: string): KernelTest {
  const text = withoutComments(source);
  const [head = '', name = ''] = /^\s*PTX\s+(\S+)(?:\s*"[^"]*")*\s*/.exec(text) ?? [];
  if (head === '') throw new Unsupported('no test: PTX NAME is missing');
  let rest = text.slice(head.length);
  let memory: readonly Declared[] = [];
  let maps: readonly TensorMap[] = [];
  if (rest.startsWith('{')) {
    const end = closing(rest, 0);
    const declarations = rest
      .slice(1, end)
      .split(';')
      .map((one) => one.trim());
    memory = declarations.filter((one) => one !== '' && !MAP.test(one)).map(declared);
    maps = declarations.flatMap(mapOf);
    rest = rest.slice(end + 1);
  }
  if (/^\s*P\d+\s*@[^{]*\{/m.test(rest)) throw new Unsupported('threads beside the launches');
  const launches = launchesOf(rest);
  if (launches.length === 0) throw new Unsupported('no launch');
  const aliases = new Map([...rest.matchAll(/\balias\s+(\S+)\s*=\s*([\w$]+)\s*;/g)].map(([, a, b]) => [a!, b!]));
  return { name, memory, maps, launches, aliases };
}
