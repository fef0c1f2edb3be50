import { type Advice, advise } from '../advise/advise.js';
import { Judge } from '../advise/verdicts.js';
import { parseTests } from '../check/load-tests.js';
import { overrideCondition } from '../check/override-condition.js';
import { UsageError } from '../diagnostics/usage-error.js';
import type { Program } from '../program/program.js';
import { jsonAdvice, reportAdvice } from '../report/advice.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { COLOR, ONE_TEST, TEXT_OR_JSON } from './options.js';
import { readOneModel, readOneTest, startZ3 } from './read-input.js';
import { styleFor } from './style.js';

const OPTIONS = { ...ONE_TEST.options, ...TEXT_OR_JSON, ...COLOR };
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
  const starting = startZ3(true);
  const program = readOneTest('advise', args.path, args.condition);
  const model = readOneModel(args.model, args);
  if (program === undefined || model === undefined) return EXIT_CODES.usage;
  if (program.source.path.endsWith('.test'))
    throw new UsageError(
      'advise changes the text of litmus files; convert this one first: ptx-litmus convert --to litmus',
    );
  const [file] = parseTests(program.source).value ?? [];
  if (file === undefined) throw new Error('the test was read, and cannot be read again');
  const asked = (variant: Program): Program =>
    args.condition === undefined ? variant : (overrideCondition(variant, args.condition).value ?? variant);
  const judge = new Judge(await starting, model, program.source, asked, {
    unroll: args.unroll,
    timeout: args.timeout * 1000,
    clock: () => performance.now(),
  });
  const advice = advise(program, file, judge);
  const text =
    args.reporter === 'json'
      ? JSON.stringify(jsonAdvice(program, advice, judge.checks), undefined, 2)
      : reportAdvice(program, advice, judge.checks, styleFor(args.color));
  process.stdout.write(`${text}\n`);
  return codeOf(advice);
}

function codeOf(advice: Advice): ExitCode {
  return advice.kind === 'repair' ? EXIT_CODES.broken : EXIT_CODES.good;
}
