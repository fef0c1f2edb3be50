import { maskedAddress } from '../build/initial-contents.js';
import { type DataType, typeIn } from '../program/data-type.js';
import { integer } from '../syntax/chunk-nodes.js';
import type { Initial, ListedValue, LocationDeclaration } from '../syntax/litmus-ast.js';
import type { ModuleFile, ModuleVariable } from '../syntax/module-ast.js';
import { addressesIn } from './initial-addresses.js';

/** The addresses of functions of a module. */
type Functions = ReadonlyMap<string, bigint>;

/** What the variables of a module are in the memory of a test. */
export interface ModuleMemory {
  readonly declarations: readonly LocationDeclaration[];
  /** Names of the module that mean another one: arrays whose size a launch gives share one place. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** Wide enough for the swizzles of the async proxy (PTX ISA, Swizzling Modes). */
const DYNAMIC_ALIGNMENT = 1024n;

/**
 * The variables of a module that a text of it names, or that these lead to, with their initial values; `sharedBytes`:
 * the size of its `.extern .shared` arrays (PTX ISA, .extern).
 */
export function moduleMemory(
  { variables }: ModuleFile,
  mentions: (name: string) => boolean,
  sharedBytes: number,
  functions: Functions,
): ModuleMemory {
  const byName = new Map(variables.map((one) => [one.variable.name, one]));
  const named = new Map<ModuleVariable, LocationDeclaration>();
  const left = variables.filter(({ variable }) => mentions(variable.name));
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (named.has(one)) continue;
    const declaration = declared(one, sharedBytes, functions);
    named.set(one, declaration);
    left.push(...addressesIn(declaration.initial).flatMap(({ value }) => byName.get(value.name) ?? []));
  }
  // In the order of the module, so that an address does not depend on what leads to it.
  const used = variables.filter((one) => named.has(one));
  const dynamic = used.filter(isDynamic);
  const [first] = dynamic;
  const declarations = used.flatMap((one) => (one === first || !isDynamic(one) ? (named.get(one) ?? []) : []));
  const renamed = new Map(
    dynamic.slice(1).map(({ variable }) => [variable.name, first?.variable.name ?? variable.name]),
  );
  return { declarations, renamed };
}

/** A variable that there is once on each GPU, as one of them has it. */
export interface Instance {
  readonly variable: string;
  readonly gpu: number;
  readonly name: string;
}

/** The memory of a module that several GPUs launch: global variables exist once on each. */
export function onGpu(
  { declarations, renamed }: ModuleMemory,
  gpu: number,
  isTaken: (name: string) => boolean,
): ModuleMemory & { readonly instances: readonly Instance[] } {
  const isOnce = ({ directives }: LocationDeclaration): boolean => directives.some(({ name }) => name === 'global');
  const named = (variable: string): string => {
    let name = `${variable}_gpu${gpu}`;
    while (isTaken(name)) name += '_';
    return name;
  };
  const instances = declarations
    .filter(isOnce)
    .map(({ name }): Instance => ({ variable: name, gpu, name: named(name) }));
  const names = new Map(instances.map(({ variable, name }) => [variable, name]));
  const pointed = <T extends ListedValue>(value: T): T =>
    typeof value === 'object' ? { ...value, name: names.get(value.name) ?? value.name } : value;
  const own = declarations.map((one): LocationDeclaration => {
    const { initial, name } = one;
    const place = { ...one, name: names.get(name) ?? name };
    if (initial?.kind === 'address') return { ...place, initial: { ...pointed(initial), kind: 'address' } };
    return initial?.kind === 'array'
      ? { ...place, initial: { ...initial, values: initial.values.map(pointed) } }
      : place;
  });
  return { declarations: own, renamed: new Map([...renamed, ...names]), instances };
}

const isDynamic = ({ isExternal, variable }: ModuleVariable): boolean =>
  isExternal && variable.directives.some(({ name }) => name === 'shared');

function declared(variable: ModuleVariable, sharedBytes: number, functions: Functions): LocationDeclaration {
  const { name, span, directives, elements } = variable.variable;
  if (isDynamic(variable))
    return {
      kind: 'location',
      name,
      span,
      directives: [
        { name: 'shared', span },
        { name: 'align', span, argument: DYNAMIC_ALIGNMENT },
        { name: 'b8', span },
      ],
      elements: Math.max(1, sharedBytes),
      initial: { kind: 'uninitialized' },
    };
  // An object that a host makes: its address stands for it, and nothing is known of it.
  if (directives.some(isOpaque))
    return {
      kind: 'location',
      name,
      span,
      directives: directives.map((one) => (isOpaque(one) ? { ...one, name: 'b64' } : one)),
      ...(elements === undefined ? {} : { elements }),
      initial: { kind: 'unknown' },
    };
  const isShared = directives.some((one) => one.name === 'shared');
  const initial: Initial | undefined = isShared
    ? { kind: 'uninitialized' }
    : variable.isExternal
      ? { kind: 'unknown' }
      : initialOf(variable.initial, typeOf(variable), functions);
  return {
    kind: 'location',
    name,
    span,
    directives,
    // Of an array without a size there are as many elements as values.
    ...(elements === undefined
      ? {}
      : { elements: elements || (initial?.kind === 'array' ? initial.values.length : 1) }),
    ...(initial === undefined ? {} : { initial }),
  };
}

/** Textures, samplers and surfaces (PTX ISA, Texture Sampler and Surface Types). */
export const isOpaque = ({ name }: { readonly name: string }): boolean => /^(tex|sampler|surf)ref$/.test(name);

const typeOf = ({ variable: { directives } }: ModuleVariable): DataType =>
  typeIn(directives) ?? { kind: 'b', width: 32 };

/** What stands behind `=`: numbers, and addresses of variables and of functions (PTX ISA, Initializers). */
function initialOf(text: string | undefined, type: DataType, functions: Functions): Initial | undefined {
  if (text === undefined) return undefined;
  const values = text
    .replace(/[{}]/g, '')
    .split(',')
    .map((word) => valueOf(word.trim(), type, functions));
  if (values.includes(undefined)) return { kind: 'unknown' };
  if (text.startsWith('{')) return { kind: 'array', values: values as readonly ListedValue[] };
  const [value = 0n] = values;
  return typeof value === 'object' ? { kind: 'address', ...value } : { kind: 'number', value };
}

/** `generic(x)+4`, and `0xFF00(generic(x)+4)`, its second byte (PTX ISA, Initializers). */
const ADDRESS = /^(generic\s*\(\s*)?([a-z_$%][\w$%.]*)(?:\s*\))?(?:\s*\+\s*(-?\w+))?$/i;
const MASKED = /^(0x[0-9a-f]+)\s*\((.*)\)$/i;

function valueOf(word: string, type: DataType, functions: Functions): ListedValue | undefined {
  const number = numberOf(word);
  if (number !== undefined) return BigInt.asUintN(type.width, number);
  // Constants with a point or an exponent are numbers of double precision (PTX ISA, Floating-Point Constants).
  if (FRACTION.test(word)) return type.kind === 'f' && type.width >= 32 ? Number(word) : undefined;
  const [, mask, inner = word] = MASKED.exec(word) ?? [];
  const [, , name, addition = '0'] = ADDRESS.exec(inner.trim()) ?? [];
  const offset = numberOf(addition);
  if (name === undefined || offset === undefined) return undefined;
  const bits = mask === undefined ? undefined : BigInt(mask);
  const code = functions.get(name);
  if (code !== undefined) return maskedAddress(code + offset, bits);
  return { name, offset, ...(bits === undefined ? {} : { mask: bits }) };
}

const FRACTION = /^-?(?:\d+\.\d*|\.\d+|\d+(?=e))(?:e[+-]?\d+)?$/i;
const INTEGER = /^-?(?:0[fd][0-9a-f]+|0x[0-9a-f]+|0b[01]+|0[0-7]*|[1-9]\d*)U?$/i;

const numberOf = (word: string): bigint | undefined => (INTEGER.test(word) ? integer(word) : undefined);
