import { checkTest } from '../check/check-test.js';
import { isBroken, isUndecided } from '../check/result.js';
import { explainCondition } from '../explain/explain-condition.js';
import { reportTestExplanation } from '../report/explanation.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { type ModelArguments, readOneModel, readOneTest, startZ3 } from './read-input.js';
import { type Color, styleFor } from './style.js';

export interface OneTestArguments extends ModelArguments {
  readonly path: string;
  readonly model: string;
  readonly condition: string | undefined;
  readonly unroll: number;
  /** In seconds. */
  readonly timeout: number;
}

export interface ExplainArguments extends OneTestArguments {
  readonly color: Color;
}

/** Says why each condition of a test is as it is. */
export async function runExplain(args: ExplainArguments): Promise<ExitCode> {
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
