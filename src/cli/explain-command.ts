import { checkTest } from '../check/check-test.js';
import { isBroken, isUndecided } from '../check/result.js';
import { explainCondition } from '../explain/explain-condition.js';
import { reportTestExplanation } from '../report/explanation.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { COLOR, ONE_TEST } from './options.js';
import { readOneModel, readOneTest, startZ3 } from './read-input.js';
import { styleFor } from './style.js';

const OPTIONS = { ...ONE_TEST.options, ...COLOR };
type ExplainArguments = ArgumentsOf<typeof ONE_TEST.positionals> & ArgumentsOf<typeof OPTIONS>;

export const explainCommand = defineCommand({
  usage: 'explain <path>',
  describe: 'say why outcomes are allowed or forbidden, and what is missing',
  positionals: ONE_TEST.positionals,
  options: OPTIONS,
  run: runExplain,
});

/** Says why each condition of a test is as it is. */
async function runExplain(args: ExplainArguments): Promise<ExitCode> {
  const starting = startZ3(true);
  const program = readOneTest('explain', args.path, args.condition);
  const model = readOneModel(args.model, args);
  if (program === undefined || model === undefined) return EXIT_CODES.usage;
  const result = checkTest(await starting, program, model, {
    unroll: args.unroll,
    timeout: args.timeout * 1000,
    clock: () => performance.now(),
    states: false,
    reasons: true,
    core: true,
  });
  const explanations =
    result.undefinedBy === undefined ? result.conditions.map((condition) => explainCondition(model, condition)) : [];
  process.stdout.write(`${reportTestExplanation(result, explanations, styleFor(args.color))}\n`);
  return isBroken(result) ? EXIT_CODES.broken : isUndecided(result) ? EXIT_CODES.undecided : EXIT_CODES.good;
}
