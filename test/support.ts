import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cdcl } from '../src/axiomatic/solver/cdcl.js';
import type { Model } from '../src/cat/model.js';
import { readModel } from '../src/cat/resolve-model.js';
import { type CheckOptions, checkTest } from '../src/check/check-test.js';
import { loadTests } from '../src/check/load-tests.js';
import type { TestResult } from '../src/check/result.js';
import { renderDiagnostics } from '../src/diagnostics/render.js';
import { BASE_KINDS } from '../src/execution/base-relations.js';
import type { Program } from '../src/program/program.js';
import { describeUndecided } from '../src/program/undecided.js';
import { isOfShare } from './shares.js';

export const ROOT = join(import.meta.dirname, '..');
export const SHARED = join(ROOT, '../shared');

/** One solver for all tests of a file. */
export const solver = new Cdcl();

const models = new Map<string, Model>();
export function builtInModel(name: string, variants?: ReadonlySet<string>): Model {
  const key = [name, ...(variants ?? [])].join(' ');
  const known = models.get(key);
  if (known !== undefined) return known;
  const path = join(ROOT, 'models', `${name}.cat`);
  const model = modelOf(readFileSync(path, 'utf8'), name, variants);
  models.set(key, model);
  return model;
}

export function modelOf(text: string, name = 'test', variants?: ReadonlySet<string>): Model {
  const { value, diagnostics } = readModel(name, { path: `${name}.cat`, text }, BASE_KINDS, undefined, variants);
  if (value === undefined) throw new Error(renderDiagnostics(diagnostics));
  return value;
}

export function programOf(text: string, path = 'test.litmus'): Program {
  const { value, diagnostics } = loadTests({ path, text });
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return program;
}

/** The errors and warnings of a test's text, rendered. */
export function diagnosticsOf(text: string, path = 'test.litmus'): string {
  return renderDiagnostics(loadTests({ path, text }).diagnostics);
}

export async function check(
  text: string,
  model: Model | string = 'ptx-7.5',
  options: Partial<CheckOptions> = {},
): Promise<TestResult> {
  return checkProgram(programOf(text), model, options);
}

export async function checkProgram(
  program: Program,
  model: Model | string = 'ptx-7.5',
  options: Partial<CheckOptions> = {},
): Promise<TestResult> {
  return checkTest(solver, program, typeof model === 'string' ? builtInModel(model) : model, {
    unroll: 3,
    timeout: 60_000,
    clock: () => performance.now(),
    states: false,
    reasons: false,
    ...options,
  });
}

/** A test in the native format from the bodies of its threads, all in CTAs of their own. */
export function litmus(initial: string, threads: readonly string[], conditions = ''): string {
  return (
    `PTX test\n{ ${initial} ` +
    `}\n${threads.map((body, i) => `P${i} @ cta ${i}, gpu 0 { ${body} }`).join('\n')}\n${conditions}\n`
  );
}

/** The final states of a test, each as a line, sorted. */
export function stateLines(result: TestResult): readonly string[] {
  return (result.states?.list ?? [])
    .map(({ state }) => [...state].map(([name, value]) => `${name}=${value}`).join(' '))
    .sort();
}

/** What a test asks and what came of it: each condition, then each `expect` line, with a reason where it is unknown. */
export function answerLines({ conditions, expectations }: TestResult): readonly string[] {
  return [
    ...conditions.map(({ expectation }) => String(expectation)),
    ...expectations.map(
      ({ expectation, outcome, undecided }) =>
        `${expectation.expectation} ${outcome}${undecided === undefined ? '' : `: ${describeUndecided(undecided)}`}`,
    ),
  ];
}

/** The tests of litmus/, or one of every so many of them, as a question has it. */
export function litmusPrograms(every = 1, question = ''): readonly Program[] {
  const folder = join(ROOT, 'litmus');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.litmus') && !file.startsWith('kernels/launched/'))
    .filter((file) => isOfShare(file, every, question))
    .sort()
    .flatMap((file) => programOf(readFileSync(join(folder, file), 'utf8'), file));
}
