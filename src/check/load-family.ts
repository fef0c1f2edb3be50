import { type Diagnosed, type Diagnostic, hasErrors } from '../diagnostics/diagnostic.js';
import type { Watch } from '../follow/watch.js';
import type { Program } from '../program/program.js';
import type { CheckBudget } from '../program/undecided.js';
import { describeValues } from '../ranges/describe-values.js';
import { type Family, instanceOf } from '../ranges/family.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';

/** A test of many sizes, and what each of them is. */
export interface LoadedFamily {
  readonly family: Family;
  /** One of them; `watch` hears how it is followed. */
  readonly at: (index: number, checkBudget: CheckBudget, watch?: Watch) => Diagnosed<Program>;
}

/** By the programs that stand for them. */
const FAMILIES = new WeakMap<Program, LoadedFamily>();

/** The tests that a program stands for; undefined for a test of one size. */
export const familyOfProgram = (program: Program): LoadedFamily | undefined => FAMILIES.get(program);

/**
 * A test of many sizes as a program, of which nothing is known but what `checkTest` finds for its sizes. What is wrong
 * with the smallest and the largest ones is wrong with it.
 */
export function loadFamily(
  { value: family, diagnostics }: Diagnosed<Family>,
  built: (file: LitmusFile, checkBudget: CheckBudget, watch?: Watch) => Diagnosed<Program>,
  checkBudget: CheckBudget,
): Diagnosed<Program> {
  if (family === undefined) return { value: undefined, diagnostics };
  const at: LoadedFamily['at'] = (index, budget, watch) => built(instanceOf(family, index), budget, watch);
  const corners = cornersOf(family);
  const loaded = corners.map((index) => at(index, checkBudget));
  const found = toldOf(
    family,
    corners,
    loaded.map((one) => one.diagnostics),
  );
  const program = loaded[0]?.value;
  if (program === undefined || hasErrors(found)) return { value: undefined, diagnostics: found };
  const value: Program = { ...program, unknown: { kind: 'size', what: 'it has many sizes' } };
  FAMILIES.set(value, { family, at });
  return { value, diagnostics: found };
}

/** Ranges are tried at both ends, as many of them as this. */
const MOST_ENDS = 3;

/** The tests where each range has its smallest or its largest value; the first test is the first of them. */
function cornersOf({ ranges }: Family): readonly number[] {
  let corners: readonly number[] = [0];
  ranges.forEach(({ values }, i) => {
    const last = values.length - 1;
    const ends = i < MOST_ENDS && last > 0 ? [0, last] : [0];
    corners = corners.flatMap((at) => ends.map((end) => at * values.length + end));
  });
  return corners;
}

/** What is wrong with some sizes only says with which. */
function toldOf(
  family: Family,
  corners: readonly number[],
  found: readonly (readonly Diagnostic[])[],
): readonly Diagnostic[] {
  const told = new Map<string, { readonly one: Diagnostic; readonly indices: number[] }>();
  found.forEach((diagnostics, i) => {
    for (const one of diagnostics) {
      const key = `${one.span.start} ${one.span.end} ${one.message}`;
      const known = told.get(key) ?? { one, indices: [] };
      known.indices.push(corners[i] ?? 0);
      told.set(key, known);
    }
  });
  return [...told.values()].map(({ one, indices }) => {
    if (new Set(indices).size === corners.length) return one;
    const values = describeValues(family, [Math.min(...indices)]);
    return { ...one, message: `for ${values}: ${one.message}` };
  });
}
