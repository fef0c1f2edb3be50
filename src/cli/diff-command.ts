import type { Model } from '../cat/model.js';
import { synthesize } from '../compare/synthesize.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { CYCLE_FAMILIES, FAMILIES } from '../generate/families.js';
import {
  jsonComparison,
  jsonModelDifferences,
  type ModelPair,
  type ReportedComparison,
  reportModelDifferences,
  reportSynthesis,
} from '../report/comparison.js';
import { compareBriefly, type DiffSettings } from '../suite/jobs/diff.js';
import { limitsOf } from '../suite/limits.js';
import { startSolver } from '../suite/start-solver.js';
import { tasksOf } from './ask-suite.js';
import { chosenVariants } from './chosen-variants.js';
import { askAndFinish, type Collected, logFor } from './collect-answers.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode, worst } from './exit-codes.js';
import { findTests } from './find-tests.js';
import { anyNumber, count, flag, quantity, someOf, texts } from './option.js';
import { COLOR, DECIDING, DEFAULT_MODEL, REPORT_OR_LOG, SUITE } from './options.js';
import { readOneModel } from './read-input.js';
import { styleFor } from './style.js';

const POSITIONALS = { paths: anyNumber('files, folders, globs, @list, or -') };
const OPTIONS = {
  ...DECIDING,
  without: texts('an axiom that is left out: of both models, or with one model of that with which it is compared'),
  model: texts('two of them: built-in models or .cat files; with --without one is enough', 'm'),
  synthesize: flag('look for a small test that tells them apart'),
  events: { ...count('events', 2, 'of --synthesize: the most events of a cycle'), default: 6 },
  tests: { ...count('tests', 1, 'of --synthesize: the most tests to compare'), default: 9000 },
  seconds: { ...quantity('seconds', 0.1, 'of --synthesize: the longest search'), default: 60 },
  seed: { ...count('seed', 0, 'of --synthesize: the same seed draws the same tests'), default: 1 },
  family: someOf(FAMILIES, 'of --synthesize: draw from this family only; may be repeated'),
  ...REPORT_OR_LOG,
  ...COLOR,
  ...SUITE,
};
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
  if (args.synthesize === args.paths.length > 0)
    throw new UsageError(
      args.synthesize
        ? '--synthesize makes its own tests: leave the paths away'
        : 'no tests given: name files or folders, or --synthesize one',
    );
  if (args.synthesize) refuseSuite(args);
  const asked = askedModels(args);
  const [a, b] = asked.map(({ name, without }) => readOneModel(name, { ...args, without }));
  if (a === undefined || b === undefined) return EXIT_CODES.usage;
  // Two versions of one model may have one name.
  const models: ModelPair = a.name === b.name ? { A: asked[0].name, B: asked[1].name } : { A: a.name, B: b.name };
  return args.synthesize ? search(a, b, models, args) : compareTests(a, b, models, args);
}

interface AskedModel {
  readonly name: string;
  readonly without: readonly string[];
}

/** Two models; or one, and the same without some axioms. */
function askedModels({ model, without }: DiffArguments): readonly [AskedModel, AskedModel] {
  const [first, second, third] = model.length === 0 && without.length > 0 ? [DEFAULT_MODEL] : model;
  if (first === undefined || third !== undefined || (second === undefined && without.length === 0))
    throw new UsageError(
      'diff compares two models: give --model twice, as in --model ptx-9.4 --model mine.cat, or --without AXIOM',
    );
  return [
    { name: first, without: second === undefined ? [] : without },
    { name: second ?? first, without },
  ];
}

async function compareTests(a: Model, b: Model, shown: ModelPair, args: DiffArguments): Promise<ExitCode> {
  const { unroll, timeout, memory, solver, include, reporter } = args;
  const sources = await findTests(args.paths, args);
  const options = { unroll, timeout, memory, solver, variants: [...chosenVariants(args.variant)], shown };
  const settings: DiffSettings = {
    ...options,
    include,
    models: { A: a.source.path, B: b.source.path },
    omitted: { A: [...a.omitted], B: [...b.omitted] },
    sources: [...a.sources, ...b.sources],
  };
  return askAndFinish(
    { job: 'diff', settings, models: [a, b], tasks: tasksOf(sources), given: options, log: logFor(reporter) },
    args,
    (collected) => finishDiff(collected, shown, args),
  );
}

/** Prints what is different. */
export function finishDiff(
  { found, codes }: Collected<ReportedComparison>,
  models: ModelPair,
  { reporter, color }: Pick<DiffArguments, 'reporter' | 'color'>,
): ExitCode {
  if (reporter === 'json')
    process.stdout.write(`${JSON.stringify(jsonModelDifferences(found, models), undefined, 2)}\n`);
  if (reporter === 'text') process.stdout.write(`${reportModelDifferences(found, models, styleFor(color))}\n`);
  return worst([
    ...codes,
    ...(found.some(({ differences }) => differences.length > 0) ? [EXIT_CODES.broken] : []),
    ...(found.some(({ open }) => open.length > 0) ? [EXIT_CODES.undecided] : []),
  ]);
}

/** A search makes its tests one after the other, each from what was found before. */
function refuseSuite({ jobs, shard, cache, reporter }: DiffArguments): void {
  if (jobs !== undefined || shard !== undefined || cache !== undefined || reporter === 'ndjson')
    throw new UsageError('--jobs, --shard, --cache and -f ndjson are for tests that are given, not for --synthesize');
}

async function search(a: Model, b: Model, models: ModelPair, args: DiffArguments): Promise<ExitCode> {
  const start = performance.now();
  const place = { solver: await startSolver(args.solver), limits: limitsOf(args) };
  const result = synthesize((program) => compareBriefly(program, a, b, args.unroll, place), {
    seed: args.seed,
    families: args.family.length === 0 ? [...CYCLE_FAMILIES].reverse() : args.family,
    mostEvents: args.events,
    mostTests: args.tests,
    remaining: () => start + args.seconds * 1000 - performance.now(),
  });
  if (args.reporter === 'json') {
    const { found, ...searched } = result;
    const shown = found === undefined ? null : { text: found.text, ...jsonComparison(found, models) };
    process.stdout.write(`${JSON.stringify({ schemaVersion: 1, models, found: shown, ...searched }, undefined, 2)}\n`);
  } else process.stdout.write(`${reportSynthesis(result, models, styleFor(args.color))}\n`);
  if (result.found !== undefined) return EXIT_CODES.broken;
  return result.outOfTime || result.undecided > 0 ? EXIT_CODES.undecided : EXIT_CODES.good;
}
