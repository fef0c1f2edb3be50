import { type Diagnosed, error } from '../diagnostics/diagnostic.js';
import { spanOf } from '../diagnostics/source.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { type Family, familyOf, withValues } from './family.js';

/** `n=3, block=32`, by name; a sentence if it cannot be read. */
export function readChosen(text: string): ReadonlyMap<string, bigint> | string {
  const chosen = new Map<string, bigint>();
  for (const part of text.split(',')) {
    const [, name, value] = /^\s*([\w$%.]+)\s*=\s*(-?\d+|0x[0-9a-fA-F]+)\s*$/.exec(part) ?? [];
    if (name === undefined || value === undefined) return `expected NAME=NUMBER, as in n=3,block=32, and not "${part}"`;
    if (chosen.has(name)) return `${name} is given twice`;
    chosen.set(name, BigInt(value));
  }
  return chosen;
}

/** A test at values such as `n=3,block=32` of its ranges. */
export function atValues(file: LitmusFile, text: string): Diagnosed<LitmusFile> {
  const chosen = readChosen(text);
  if (typeof chosen === 'string') throw new Error(chosen);
  const { value: family, diagnostics } = familyOf(file) ?? { value: { file, ranges: [], count: 1 }, diagnostics: [] };
  return family === undefined ? { value: undefined, diagnostics } : chosenOf(family, chosen);
}

/** The one test of a family that has these values. */
function chosenOf(family: Family, chosen: ReadonlyMap<string, bigint>): Diagnosed<LitmusFile> {
  const { file, ranges } = family;
  const open = ranges.filter(({ name }) => !chosen.has(name));
  const strange = ranges.filter(({ name, values }) => chosen.has(name) && !values.includes(chosen.get(name) ?? 0n));
  const unknown = [...chosen.keys()].filter((name) => !ranges.some((one) => one.name === name));
  const diagnostics = [
    ...open.map(({ name, syntax, values }) =>
      error('L0218', syntax.span, `the value of ${name} is open`, `give it too, as in --at ${name}=${values[0]}`),
    ),
    ...strange.map(({ name, syntax }) =>
      error('L0218', syntax.span, `${name}=${chosen.get(name)} is none of these values`, 'give one of them by --at'),
    ),
    ...unknown.map((name) => {
      const names = ranges.map((one) => one.name).join(', ');
      const hint = names === '' ? 'leave out --at' : `the ranges are ${names}`;
      return error('L0218', spanOf(file.source, 0, 0), `this test has no range ${name}`, hint);
    }),
  ];
  return diagnostics.length > 0
    ? { value: undefined, diagnostics }
    : { value: withValues(family, chosen), diagnostics };
}
