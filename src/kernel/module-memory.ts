import { typeIn } from '../program/data-type.js';
import type { Initial, LocationDeclaration } from '../syntax/litmus-ast.js';
import type { ModuleFile, ModuleVariable } from '../syntax/module-ast.js';

/** What the variables of a module are in the memory of a test. */
export interface ModuleMemory {
  readonly declarations: readonly LocationDeclaration[];
  /** Names of the module that mean another one: arrays whose size a launch gives share one place. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** Wide enough for the swizzles of the async proxy (PTX ISA, Swizzling Modes). */
const DYNAMIC_ALIGNMENT = 1024n;

/**
 * The variables of a module that a text of it names, with their initial values; `sharedBytes`: the size of its
 * `.extern .shared` arrays (PTX ISA, .extern).
 */
export function moduleMemory(
  { variables }: ModuleFile,
  mentions: (name: string) => boolean,
  sharedBytes: number,
): ModuleMemory {
  const used = variables.filter(({ variable }) => mentions(variable.name));
  const dynamic = used.filter(isDynamic);
  const [first] = dynamic;
  const declarations = used.filter((one) => one === first || !isDynamic(one)).map((one) => declared(one, sharedBytes));
  const renamed = new Map(
    dynamic.slice(1).map(({ variable }) => [variable.name, first?.variable.name ?? variable.name]),
  );
  return { declarations, renamed };
}

const isDynamic = ({ isExternal, variable }: ModuleVariable): boolean =>
  isExternal && variable.directives.some(({ name }) => name === 'shared');

function declared(variable: ModuleVariable, sharedBytes: number): LocationDeclaration {
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
  const isShared = directives.some((one) => one.name === 'shared');
  const initial: Initial | undefined = isShared
    ? { kind: 'uninitialized' }
    : variable.isExternal
      ? { kind: 'unknown' }
      : initialOf(variable.initial, bytesOf(variable));
  return {
    kind: 'location',
    name,
    span,
    directives,
    ...(elements === undefined ? {} : { elements: Math.max(1, elements) }),
    ...(initial === undefined ? {} : { initial }),
  };
}

const bytesOf = ({ variable: { directives } }: ModuleVariable): number => (typeIn(directives)?.width ?? 32) / 8;

/** What stands behind `=`: numbers, and addresses of variables (PTX ISA, Initializers). */
function initialOf(text: string | undefined, bytes: number): Initial | undefined {
  if (text === undefined) return undefined;
  const words = text.replace(/^\{|\}$/g, '').split(',');
  const values = words.map((word) => numberOf(word.trim(), bytes));
  if (values.some((value) => value === undefined)) {
    const [, name] = /^(?:generic\s*\(\s*)?([\w$%]+)\)?$/.exec(text.trim()) ?? [];
    return name === undefined ? { kind: 'unknown' } : { kind: 'address', name };
  }
  return text.trim().startsWith('{')
    ? { kind: 'array', values: values as readonly bigint[] }
    : { kind: 'number', value: values[0] ?? 0n };
}

function numberOf(word: string, bytes: number): bigint | undefined {
  const float = /^0[fd]([0-9a-f]+)$/i.exec(word);
  if (float !== null) return BigInt(`0x${float[1]}`);
  if (!/^-?(0x[0-9a-f]+|\d+)U?$/i.test(word)) return undefined;
  const digits = word.replace(/U$/i, '');
  const value = digits.startsWith('-') ? -BigInt(digits.slice(1)) : BigInt(digits);
  return BigInt.asUintN(8 * bytes, value);
}
