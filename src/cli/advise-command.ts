import { type Advice, advise } from '../advise/advise.js';
import { Judge, type JudgeOptions, type Verdicts } from '../advise/verdicts.js';
import type { Model } from '../cat/model.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { jsonAdvice, reportAdvice } from '../report/advice.js';
import { CacheKeys } from '../suite/cache-keys.js';
import { limitsOf } from '../suite/limits.js';
import { sourcePrograms } from '../suite/source-programs.js';
import { startSolver } from '../suite/start-solver.js';
import { parseCondition } from '../syntax/parse-condition.js';
import { openCache } from './ask-suite.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { flag } from './option.js';
import { COLOR, ONE_TEST, PROGRESS, SUITE, TEXT_OR_JSON, TIMEOUT } from './options.js';
import { Progress } from './progress.js';
import { readOneModel, readOneTest } from './read-input.js';
import { StopSignal } from './stop-signal.js';
import { styleFor } from './style.js';

const OPTIONS = {
  ...ONE_TEST.options,
  timeout: { ...TIMEOUT.timeout, describe: 'seconds for all variants of the test together' },
  compile: {
    ...flag('write repairs of kernels into their programs and compile these, where nvcc is on the PATH'),
    default: true,
  },
  ...TEXT_OR_JSON,
  ...COLOR,
  cache: SUITE.cache,
  ...PROGRESS,
};
type AdviseArguments = ArgumentsOf<typeof ONE_TEST.positionals> & ArgumentsOf<typeof OPTIONS>;

export const adviseCommand = defineCommand({
  usage: 'advise <path>',
  describe: 'say which fences and qualifiers can be weakened, or what would mend a test',
  positionals: ONE_TEST.positionals,
  options: OPTIONS,
  run: runAdvise,
});

/** Says which fences and qualifiers a test can do without, or what would mend it. */
async function runAdvise(args: AdviseArguments): Promise<ExitCode> {
  const starting = startSolver(args.solver);
  const program = await readOneTest('advise', args, 'answers');
  const model = readOneModel(args.model, args);
  if (program === undefined || model === undefined) return EXIT_CODES.usage;
  if (program.source.path.endsWith('.test'))
    throw new UsageError(
      'advise changes the text of litmus files; convert this one first: ptx-litmus convert --to litmus',
    );
  if (program.allowances.some(({ lines }) => lines.some(({ file }) => file === undefined || file.endsWith('.ptx'))))
    throw new UsageError(
      'advise puts instructions in, so that lines move, and this test accepts findings at lines of it: take those ' +
        'clauses out',
    );
  // That it can be read was seen with the test.
  const condition = args.condition === undefined ? undefined : parseCondition({ path: '', text: args.condition }).value;
  const progress = new Progress(args.progress, 2);
  const stop = new StopSignal(true);
  const judge = new Judge(await starting, model, {
    ...(condition && { condition }),
    unroll: args.unroll,
    ...limitsOf(args),
    onCheck: (checks) => progress.say(`${checks} variants decided`),
    signal: stop.aborted,
    ...(await knownVerdicts(model, args)),
  });
  const advice = await advise(program, judge, await sourcePrograms(args.compile));
  progress.clear();
  const text =
    args.reporter === 'json'
      ? JSON.stringify(jsonAdvice(program, advice, judge), undefined, 2)
      : reportAdvice(program, advice, judge, styleFor(args.color));
  process.stdout.write(`${text}\n`);
  const code = judge.outOfTime && isEmpty(advice) ? EXIT_CODES.undecided : codeOf(advice);
  return stop.end(`${judge.checks} variants were decided`) ?? code;
}

/** What the cache has of variants, if there is one. */
async function knownVerdicts(model: Model, args: AdviseArguments): Promise<Pick<JudgeOptions, 'known'>> {
  const cache = await openCache(args.cache);
  if (cache === undefined) return {};
  const { unroll, timeout, memory, solver, condition } = args;
  const settings = { unroll, timeout, memory, solver, condition };
  const keys = new CacheKeys('advise', settings, [model]);
  const keyOf = (text: string): string => keys.exact({ source: { path: '', text } });
  return {
    known: {
      find: (text) => {
        const found = cache.find(keyOf(text));
        return found === undefined ? undefined : (JSON.parse(found) as Verdicts);
      },
      keep: (text, verdicts) => cache.keep(keyOf(text), JSON.stringify(verdicts)),
    },
  };
}

function isEmpty(advice: Advice): boolean {
  return advice.kind === 'weaken' ? advice.alone.length === 0 : advice.kind === 'repair' && advice.repairs.length === 0;
}

function codeOf(advice: Advice): ExitCode {
  return advice.kind === 'repair' ? EXIT_CODES.broken : EXIT_CODES.good;
}
