import { existsSync } from 'node:fs';
import { exploreProgram } from '../check/check-operationally.js';
import { checkTest } from '../check/check-test.js';
import { reasonsFor } from '../check/order-reasons.js';
import { isBroken, isUndecided, mayDeadlock, type TestResult } from '../check/result.js';
import { DIAGNOSTIC_CODES, type DiagnosticCode } from '../diagnostics/codes.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { REMEDIES } from '../diagnostics/remedies.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { explainResult, toExplain } from '../library/explain-test.js';
import { describeRun, describeWaiting } from '../report/describe-run.js';
import { limitsOf } from '../suite/limits.js';
import { startSolver } from '../suite/start-solver.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { theOne } from './option.js';
import { COLOR, DEFAULT_MODEL, ONE_TEST, WITHOUT } from './options.js';
import { readOneModel, readOneTest } from './read-input.js';
import { styleFor } from './style.js';

const POSITIONALS = { path: theOne('a file, - for standard input, or the code of a message') };
const OPTIONS = { ...ONE_TEST.options, ...WITHOUT, ...COLOR };
type ExplainArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof OPTIONS>;

export const explainCommand = defineCommand({
  usage: 'explain <path>',
  describe: 'say why outcomes are allowed or forbidden, and what is missing',
  positionals: POSITIONALS,
  options: OPTIONS,
  run: runExplain,
});

/** Says why each condition of a test is as it is, or what a message is about. */
async function runExplain(args: ExplainArguments): Promise<ExitCode> {
  if (/^[Ll]\d{4}$/.test(args.path) && !existsSync(args.path)) return explainCode(args.path.toUpperCase());
  const starting = startSolver(args.solver);
  const program = await readOneTest('explain', args);
  const model = readOneModel(args.model, args);
  if (program === undefined || model === undefined) return EXIT_CODES.usage;
  const result = checkTest(await starting, program, model, {
    unroll: args.unroll,
    ...limitsOf(args),
    ...toExplain(program, args.maxThreads),
  });
  const reasons = reasonsFor(program, result, limitsOf(args));
  process.stdout.write(`${explainResult(model, result, styleFor(args.color), reasons)}\n`);
  if (mayDeadlock(result)) process.stdout.write(storyOfDeadlock(result, args));
  return isBroken(result) ? EXIT_CODES.broken : isUndecided(result) ? EXIT_CODES.undecided : EXIT_CODES.good;
}

/** The machine's shortest run to where threads wait for ever; '' where it has none. It runs the default model only. */
function storyOfDeadlock({ program, model, expectations }: TestResult, args: ExplainArguments): string {
  if (model.name !== DEFAULT_MODEL) return '';
  const explored = exploreProgram(program, model, { unroll: args.unroll, ...limitsOf(args) });
  if ('kind' in explored || explored.deadlock === undefined) return '';
  const steps = describeRun(explored.deadlock);
  // What an expectation tells of the state at the end need not be told again.
  const told = expectations.some(({ expectation: { finding } }) => finding === 'deadlock');
  const lines = [...steps, ...(told ? [] : describeWaiting(explored.deadlock))];
  return `\nHow it comes to that, by a shortest run of the machine:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function explainCode(text: string): ExitCode {
  const codes = Object.keys(DIAGNOSTIC_CODES);
  if (!isCode(text)) throw new UsageError(`no message has the code ${text}${hinted(didYouMean(text, codes))}`);
  process.stdout.write(`${text}: ${DIAGNOSTIC_CODES[text]}\n\n${REMEDIES[text]}\n`);
  return EXIT_CODES.good;
}

const isCode = (text: string): text is DiagnosticCode => Object.hasOwn(DIAGNOSTIC_CODES, text);
const hinted = (hint: string | undefined): string => (hint === undefined ? '' : `: ${hint}`);
