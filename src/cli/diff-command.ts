import { mayBeJudgedDifferently } from '../axiomatic/session/judged-differently.js';
import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import { deadlineOf } from '../check/limits.js';
import { executionChoices } from '../check/open-choices.js';
import type { ModelComparison } from '../compare/compare-models.js';
import { synthesize } from '../compare/synthesize.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { CYCLE_FAMILIES, FAMILIES, type Family } from '../generate/families.js';
import { compareModels } from '../library/compare-models.js';
import type { Program } from '../program/program.js';
import {
  type ComparedTest,
  jsonModelDifferences,
  type ModelPair,
  reportModelDifferences,
  reportSynthesis,
} from '../report/comparison.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode, worst } from './exit-codes.js';
import { limitsOf } from './limits.js';
import { COLOR, DECIDING, number, PROGRESS, TEXT_OR_JSON, whole } from './options.js';
import { Progress } from './progress.js';
import { readOneModel, readTests } from './read-input.js';
import { startSolver } from './start-solver.js';
import { styleFor } from './style.js';

const MOST_OUTCOMES = 2000;

const POSITIONALS = {
  paths: { type: 'string', array: true, default: [] as string[], describe: 'files, folders, globs, @list, or -' },
} as const;
const OPTIONS = {
  ...DECIDING,
  model: {
    alias: 'm',
    type: 'string',
    array: true,
    nargs: 1,
    default: [] as string[],
    describe: 'two of them: built-in models or .cat files',
  },
  synthesize: { type: 'boolean', default: false, describe: 'look for a small test that tells them apart' },
  events: {
    coerce: whole('events', 2),
    requiresArg: true,
    default: 6,
    describe: 'of --synthesize: the most events of a cycle',
  },
  tests: {
    coerce: whole('tests', 1),
    requiresArg: true,
    default: 9000,
    describe: 'of --synthesize: the most tests to compare',
  },
  seconds: {
    coerce: number('seconds', 0.1),
    requiresArg: true,
    default: 60,
    describe: 'of --synthesize: the longest search',
  },
  seed: {
    coerce: whole('seed', 0),
    requiresArg: true,
    default: 1,
    describe: 'of --synthesize: the same seed draws the same tests',
  },
  family: {
    choices: FAMILIES,
    array: true,
    nargs: 1,
    default: [] as Family[],
    describe: 'of --synthesize: draw from this family only; may be repeated',
  },
  ...TEXT_OR_JSON,
  ...COLOR,
  ...PROGRESS,
} as const;
type DiffArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof OPTIONS>;

export const diffCommand = defineCommand({
  usage: 'diff [paths..]',
  describe: 'find the tests that two models judge differently',
  positionals: POSITIONALS,
  options: OPTIONS,
  run: runDiff,
});

/** The tests that two models judge differently: of those given, or a small one that is looked for. */
async function runDiff(args: DiffArguments): Promise<ExitCode> {
  const [nameOfA, nameOfB, third] = args.model;
  if (nameOfA === undefined || nameOfB === undefined || third !== undefined)
    throw new UsageError('diff compares two models: give --model twice, as in --model ptx-9.4 --model mine.cat');
  if (args.synthesize === args.paths.length > 0)
    throw new UsageError(
      args.synthesize
        ? '--synthesize makes its own tests: leave the paths away'
        : 'no tests given: name files or folders, or --synthesize one',
    );
  const starting = startSolver(args.solver, !args.synthesize && args.paths.length === 1);
  const [a, b] = [readOneModel(nameOfA, args), readOneModel(nameOfB, args)];
  if (a === undefined || b === undefined) return EXIT_CODES.usage;
  // Two versions of one model may have one name.
  const models: ModelPair = a.name === b.name ? { A: nameOfA, B: nameOfB } : { A: a.name, B: b.name };
  return args.synthesize ? search(await starting, a, b, models, args) : compareTests(starting, a, b, models, args);
}

function compared(solver: SatSolver, program: Program, a: Model, b: Model, args: DiffArguments): ModelComparison {
  const options = { unroll: args.unroll, mostOutcomes: MOST_OUTCOMES, ...limitsOf(args) };
  const engine = { unroll: args.unroll, deadline: deadlineOf(options), mostStates: MOST_OUTCOMES };
  if (!mayBeJudgedDifferently(solver, program, a, b, { ...engine, ...executionChoices(a) }))
    return { differences: [], open: [] };
  return compareModels(solver, program, a, b, options);
}

async function compareTests(
  starting: Promise<SatSolver>,
  a: Model,
  b: Model,
  models: ModelPair,
  args: DiffArguments,
): Promise<ExitCode> {
  const { programs, unreadable } = await readTests(args.paths, args);
  const solver = await starting;
  const progress = new Progress(args.progress, programs.length);
  const tests = programs.map((program): ComparedTest => {
    progress.next(program.name);
    return { program, comparison: compared(solver, program, a, b, args) };
  });
  progress.clear();
  const text =
    args.reporter === 'json'
      ? JSON.stringify(jsonModelDifferences(tests, models), undefined, 2)
      : reportModelDifferences(tests, models, styleFor(args.color));
  process.stdout.write(`${text}\n`);
  return worst([
    ...(unreadable.length > 0 ? [EXIT_CODES.usage] : []),
    ...(tests.some(({ comparison }) => comparison.differences.length > 0) ? [EXIT_CODES.broken] : []),
    ...(tests.some(({ comparison }) => comparison.open.length > 0) ? [EXIT_CODES.undecided] : []),
  ]);
}

function search(solver: SatSolver, a: Model, b: Model, models: ModelPair, args: DiffArguments): ExitCode {
  const start = performance.now();
  const result = synthesize((program) => compared(solver, program, a, b, args), {
    seed: args.seed,
    families: args.family.length === 0 ? [...CYCLE_FAMILIES].reverse() : args.family,
    mostEvents: args.events,
    mostTests: args.tests,
    remaining: () => start + args.seconds * 1000 - performance.now(),
  });
  if (args.reporter === 'json') {
    const { found, ...searched } = result;
    const [test] =
      found === undefined ? [] : (jsonModelDifferences([found], models) as { readonly tests: readonly object[] }).tests;
    const shown = found === undefined ? null : { text: found.text, ...test };
    process.stdout.write(`${JSON.stringify({ schemaVersion: 1, models, found: shown, ...searched }, undefined, 2)}\n`);
  } else process.stdout.write(`${reportSynthesis(result, models, styleFor(args.color))}\n`);
  if (result.found !== undefined) return EXIT_CODES.broken;
  return result.outOfTime || result.undecided > 0 ? EXIT_CODES.undecided : EXIT_CODES.good;
}
