import { WINDOWS } from '../program/locations.js';
import type { ModuleFile } from '../syntax/module-ast.js';

/** Functions have no bytes here: addresses that differ are enough. */
const MOST_FUNCTIONS = 1n << 20n;
const ALIGNMENT = 16n;

/**
 * The functions of a module whose address it takes, in an instruction or in a variable, with an address for each
 * (PTX ISA, mov, Initializers); `number`: that of the module among those of a test.
 */
export function functionAddresses(
  { source, functions, variables }: ModuleFile,
  number: number,
): ReadonlyMap<string, bigint> {
  const names = new Set(functions.filter(({ isDefined }) => isDefined).map(({ name }) => name));
  if (names.size === 0) return new Map();
  const moved = [...source.text.matchAll(/\bmov\.[bus]64\s+%?[\w$]+\s*,\s*([\w$]+)\s*;/g)].map(([, name]) => name);
  const listed = variables.flatMap(({ initial = '' }) => initial.match(/[A-Za-z_$][\w$]*/g) ?? []);
  const taken = new Set([...moved, ...listed]);
  const first = WINDOWS.code + BigInt(number) * MOST_FUNCTIONS * ALIGNMENT;
  return new Map([...names].filter((name) => taken.has(name)).map((name, i) => [name, first + BigInt(i) * ALIGNMENT]));
}
