import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import { buildTest } from '../follow/build-test.js';
import type { Program } from '../program/program.js';
import { parseLitmus } from '../syntax/parse-litmus.js';
import type { CheckOptions } from './check-test.js';
import type { TestResult } from './result.js';

/** How a test is decided under a model. */
export type Decide = (solver: SatSolver, program: Program, model: Model, options: CheckOptions) => TestResult;

/** By model: the kinds of edges that were tested, and what answers by them rest on; undefined where one fails. */
const TESTED = new WeakMap<Model, Map<string, readonly string[] | undefined>>();

/** What a small test says of a model, which is asked once; undefined where it fails, or is not decided. */
export function askedOnce(
  model: Model,
  text: string,
  ask: () => readonly string[] | undefined | 'unknown',
): readonly string[] | undefined {
  const tested = TESTED.get(model) ?? new Map<string, readonly string[] | undefined>();
  TESTED.set(model, tested);
  if (!tested.has(text)) {
    const answer = ask();
    if (answer === 'unknown') return undefined;
    tested.set(text, answer);
  }
  return tested.get(text);
}

/** The inferred rules by which all that some tests claim is so under a model; undefined where it is not. */
export function rulesUnder(texts: readonly string[], ...how: DecideArguments): readonly string[] | undefined {
  const inferred = new Set<string>();
  for (const text of texts) {
    const rules = askedOnce(how[1], text, () => answerOf(text, ...how));
    if (rules === undefined) return undefined;
    for (const rule of rules) inferred.add(rule);
  }
  return [...inferred];
}

export function decided(
  text: string,
  expected: string,
  ...[solver, model, options, decide]: DecideArguments
): TestResult {
  const source = { path: 'edge.litmus', text: `PTX edge\n${text}${expected}` };
  const { value: file } = parseLitmus(source, () => undefined);
  const program = file === undefined ? undefined : buildTest(file).value;
  if (program === undefined) throw new Error(`a test of an edge cannot be read: ${text}`);
  return decide(solver, program, model, { ...options, reasons: true, states: false });
}

export type DecideArguments = readonly [solver: SatSolver, model: Model, options: CheckOptions, decide: Decide];

function answerOf(text: string, ...how: DecideArguments): readonly string[] | undefined | 'unknown' {
  const asked = 'expect no-race\nexpect no-undefined\nexpect no-deadlock\n';
  const { conditions, expectations } = decided(text, asked, ...how);
  const outcomes = [...conditions.map(({ expectation }) => expectation), ...expectations.map(({ outcome }) => outcome)];
  if (outcomes.includes('broken')) return undefined;
  if (outcomes.includes('undecided')) return 'unknown';
  return [...expectations, ...conditions.map(({ forbiddenBy }) => forbiddenBy)].flatMap((one) => one?.inferred ?? []);
}
