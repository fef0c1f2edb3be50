import type { Model } from '../cat/model.js';
import { overrideCondition } from '../check/override-condition.js';
import { type Diagnosed, hasErrors } from '../diagnostics/diagnostic.js';
import { renderDiagnostics } from '../diagnostics/render.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { loadModel } from '../files/load-model.js';
import type { Reading } from '../files/read-modules.js';
import type { Program } from '../program/program.js';
import type { LimitArguments } from '../suite/limits.js';
import { loadSource } from '../suite/test-source.js';
import { chosenVariants } from './chosen-variants.js';
import { findTests } from './find-tests.js';

/** Shows what is wrong with a text on standard error; its value, if there is no error. */
export function shown<T>({ value, diagnostics }: Diagnosed<T>): T | undefined {
  if (diagnostics.length > 0) process.stderr.write(`${renderDiagnostics(diagnostics)}\n`);
  return hasErrors(diagnostics) ? undefined : value;
}

/** The one test that a path names, with another condition if one is given; undefined if its text has errors. */
export async function readOneTest(
  command: string,
  {
    path,
    condition,
    ...limits
  }: LimitArguments & Reading & { readonly path: string; readonly condition?: string | undefined },
  /** Without what threads of launches do, where following them is enough for answers. */
  wants: 'threads' | 'answers' = 'threads',
): Promise<Program | undefined> {
  const [source, another] = await findTests([path], limits);
  if (source === undefined || another !== undefined)
    throw new UsageError(`${command} takes one test; ${path === '@-' ? 'standard input' : path} holds several`);
  const programs = shown(loadSource(source, limits, wants));
  const [program] = programs ?? [];
  if (programs !== undefined && programs.length > 1)
    throw new UsageError(`${command} takes one test; ${path} holds ${programs.length}`);
  return program === undefined || condition === undefined ? program : shown(overrideCondition(program, condition));
}

export interface ModelArguments {
  readonly include: readonly string[];
  readonly variant: readonly string[];
  readonly without?: readonly string[];
}

/** A built-in model, or one in a file; undefined if its text has errors. */
export function readOneModel(name: string, { include, variant, without = [] }: ModelArguments): Model | undefined {
  return shown(loadModel(name, include, chosenVariants(variant), [], without));
}
