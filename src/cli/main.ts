#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import yargs, { type Argv } from 'yargs';
import { hideBin } from 'yargs/helpers';
import { MOST_STATES } from '../check/check-operationally.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { CYCLE_SYNTAX } from '../generate/cycle-syntax.js';
import { FAMILIES, type Family } from '../generate/families.js';
import { MOST_EVENTS } from '../generate/generate-tests.js';
import { SCOPES } from '../program/placement.js';
import { type CheckArguments, ENGINES, REPORTERS, runCheck } from './check-command.js';
import { FORMATS, runConvert } from './convert-command.js';
import { EXIT_CODES, type ExitCode, UsageError } from './exit-codes.js';
import { PLAIN_ORDERS, runGen } from './gen-command.js';
import { internalError } from './internal-error.js';
import { runModel } from './model-command.js';
import { runSimulate } from './simulate-command.js';

const DEFAULT_MODEL = 'ptx-9.4';
const DEFAULT_UNROLL = 3;
const DEFAULT_TIMEOUT_SECONDS = 60;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };

const number =
  (name: string, least: number) =>
  (value: unknown): number => {
    if (Array.isArray(value)) throw new UsageError(`--${name} is given more than once`);
    const read = Number(value);
    if (!Number.isFinite(read) || read < least) throw new UsageError(`--${name} takes a number of at least ${least}, found "${String(value)}"`);
    return read;
  };
const whole =
  (name: string, least: number) =>
  (value: unknown): number => {
    const read = number(name, least)(value);
    if (!Number.isInteger(read)) throw new UsageError(`--${name} takes a whole number, found "${String(value)}"`);
    return read;
  };

function checkOptions(command: Argv) {
  return command
    .positional('paths', { type: 'string', array: true, describe: 'files, folders, globs, @list, or - for standard input', default: [] as string[] })
    .option('model', { alias: 'm', type: 'string', array: true, nargs: 1, default: [DEFAULT_MODEL], describe: 'a built-in model or a .cat file; may be repeated' })
    .option('include', { alias: 'I', type: 'string', array: true, nargs: 1, default: [] as string[], describe: 'a folder in which models look for included files' })
    .option('variant', { type: 'string', array: true, nargs: 1, default: [] as string[], describe: 'a value of a choice that the ISA leaves open, such as proxy-fence=lenient' })
    .option('variants', { type: 'boolean', default: false, describe: 'say which verdicts depend on such a choice' })
    .option('engine', { alias: 'e', choices: ENGINES, default: 'axiomatic' as const, describe: 'the axioms, the operational machine, or both and whether they agree' })
    .option('reporter', { alias: 'f', choices: REPORTERS, default: 'text' as const, describe: 'how to print the results' })
    .option('states', { type: 'boolean', default: false, describe: 'list all final states' })
    .option('witnesses', { coerce: whole('witnesses', 0), requiresArg: true, describe: 'executions to show for each condition (default 1 for a single test)' })
    .option('condition', { type: 'string', requiresArg: true, describe: "a condition in place of the tests' own, such as 'exists (P1:r0 == 1)'" })
    .option('unroll', { coerce: whole('unroll', 1), requiresArg: true, default: DEFAULT_UNROLL, describe: 'how often a loop body is executed at most' })
    .option('timeout', { coerce: number('timeout', 0.001), requiresArg: true, default: DEFAULT_TIMEOUT_SECONDS, describe: 'seconds for each test' })
    .option('emit-smt2', { type: 'string', requiresArg: true, describe: 'a folder for the queries in SMT-LIB' })
    .option('color', { choices: ['auto', 'always', 'never'] as const, default: 'auto' as const, describe: 'colours' })
    .option('quiet', { alias: 'q', type: 'boolean', default: false, describe: 'print problems only' })
    .option('verbose', { alias: 'v', type: 'boolean', default: false, describe: 'print every test in full' })
    .option('progress', { type: 'boolean', default: true, describe: 'a counter while a terminal watches' });
}

function genOptions(command: Argv) {
  return command
    .positional('cycles', {
      type: 'string',
      array: true,
      describe: "cycles such as 'PodWW Rel.gpu Rfe Acq.gpu PodRR Fre'; without any, tests are drawn at random",
      default: [] as string[],
    })
    .option('count', { coerce: whole('count', 1), requiresArg: true, default: 20, describe: 'how many tests to draw' })
    .option('seed', { coerce: whole('seed', 0), requiresArg: true, default: 1, describe: 'the same seed draws the same tests' })
    .option('family', { choices: FAMILIES, array: true, nargs: 1, default: [] as Family[], describe: 'draw from this family only; may be repeated' })
    .option('events', { coerce: whole('events', 2), requiresArg: true, default: MOST_EVENTS, describe: 'the most events of a cycle to draw' })
    .option('order', { choices: Object.keys(PLAIN_ORDERS), requiresArg: true, default: 'weak', describe: 'of the events of a given cycle that have no annotation' })
    .option('scope', { choices: SCOPES, requiresArg: true, default: 'gpu' as const, describe: 'the scope that goes with --order relaxed' })
    .option('place', { type: 'string', requiresArg: true, describe: 'where the threads of a given cycle are: same-cta, one-cluster, two-ctas, two-gpus, or such as 01.2_3__4' })
    .option('shared', { type: 'boolean', default: false, describe: 'locations of a given cycle in shared memory, where one cluster holds their threads' })
    .option('out', { alias: 'o', type: 'string', requiresArg: true, describe: 'a folder for the tests, a file each; without it one test is printed, several are listed' })
    .epilogue(CYCLE_SYNTAX);
}

function simulateOptions(command: Argv) {
  return command
    .positional('path', { type: 'string', demandOption: true, describe: 'a file, or - for standard input' })
    .option('find', { type: 'string', requiresArg: true, describe: "print the shortest run to a condition, such as 'P1:r0 == 1', or to a deadlock, a race or undefined behaviour" })
    .option('step', { type: 'boolean', default: false, describe: 'choose the steps by hand' })
    .option('random', { coerce: whole('random', 1), requiresArg: true, describe: 'so many runs at random, with how often each ended how' })
    .option('seed', { coerce: whole('seed', 0), requiresArg: true, default: 1, describe: 'of the random runs' })
    .option('trace', { type: 'string', requiresArg: true, describe: 'a file for the run found, in the Informal Trace Format' })
    .option('variant', { type: 'string', array: true, nargs: 1, default: [] as string[], describe: 'a value of a choice that the ISA leaves open' })
    .option('unroll', { coerce: whole('unroll', 1), requiresArg: true, default: DEFAULT_UNROLL, describe: 'how often a loop body is executed at most' })
    .option('states', { coerce: whole('states', 1), requiresArg: true, default: MOST_STATES, describe: 'states to explore at most' })
    .option('timeout', { coerce: number('timeout', 0.001), requiresArg: true, default: DEFAULT_TIMEOUT_SECONDS, describe: 'seconds' });
}

async function main(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT_CODES.good;
  const parser = yargs([...argv])
    .scriptName('ptx-litmus')
    .usage('$0 <command>\n\nDecides litmus tests under the PTX memory consistency model.')
    .parserConfiguration({ 'duplicate-arguments-array': true, 'strip-aliased': true, 'strip-dashed': true, 'camel-case-expansion': true, 'boolean-negation': true })
    .command(['check [paths..]', '$0 [paths..]'], 'decide tests and their expectations', checkOptions, async (args) => {
      if (args.paths.length === 0) throw new UsageError('no tests given: name files or folders, or - for standard input (ptx-litmus --help)');
      if (args.quiet && args.verbose) throw new UsageError('--quiet and --verbose contradict each other');
      const { reporter, engine, emitSmt2, witnesses, condition, ...rest } = args;
      code = await runCheck({
        ...rest,
        reporter: single(reporter, 'reporter'),
        engine: single(engine, 'engine'),
        emitSmt2,
        witnesses,
        condition,
        version,
      } satisfies CheckArguments);
    })
    .command(
      'model [name]',
      'list the models and their vocabulary, or print one',
      (command) =>
        command
          .positional('name', { type: 'string', describe: 'a built-in model or a .cat file' })
          .option('list', { type: 'boolean', default: false, describe: 'list the models, sets and relations' })
          .option('axioms', { type: 'boolean', default: false, describe: 'print only the names of its axioms' })
          .option('include', { alias: 'I', type: 'string', array: true, nargs: 1, default: [] as string[], describe: 'a folder for included files' }),
      (args) => {
        code = runModel({ name: args.name, list: args.list, axioms: args.axioms, include: args.include });
      },
    )
    .command(
      'convert <paths..>',
      'print tests in another format',
      (command) =>
        command
          .positional('paths', { type: 'string', array: true, demandOption: true, describe: 'files, folders, globs, or -' })
          .option('to', { choices: FORMATS, default: 'litmus' as const, describe: 'the format' }),
      (args) => {
        code = runConvert({ paths: args.paths, to: args.to });
      },
    )
    .command('simulate <path>', 'run a test on the operational machine', simulateOptions, async (args) => {
      code = await runSimulate({ ...args, find: args.find, random: args.random, trace: args.trace });
    })
    .command('gen [cycles..]', 'make tests, from cycles as diy does or at random', genOptions, (args) => {
      code = runGen({ ...args, order: single(args.order, 'order'), scope: single(args.scope, 'scope') });
    })
    .version(version)
    .help()
    .alias('help', 'h')
    .strict()
    .exitProcess(false)
    .wrap(110)
    .fail((message, failure) => {
      throw failure ?? new UsageError(withSuggestion(message));
    });
  try {
    await parser.parseAsync();
  } catch (thrown) {
    // yargs wraps what an option's coercion throws.
    if (thrown instanceof UsageError || isFileError(thrown) || (thrown instanceof Error && thrown.name === 'YError')) {
      process.stderr.write(`ptx-litmus: ${thrown.message}\n`);
      return EXIT_CODES.usage;
    }
    process.stderr.write(internalError(thrown));
    return EXIT_CODES.internal;
  }
  return code;
}

function single<T>(value: T | readonly T[], name: string): T {
  if (!Array.isArray(value)) return value as T;
  throw new UsageError(`--${name} is given more than once`);
}

/** yargs suggests commands; for options it does not. */
function withSuggestion(message: string): string {
  const unknown = /^Unknown arguments?: (.+)$/.exec(message)?.[1]?.split(', ')[0];
  if (unknown === undefined) return message.replace(/\n\s*/g, ' ');
  const hint = didYouMean(unknown, OPTION_NAMES);
  if (process.argv.includes(unknown)) return `one argument too many: ${unknown}`;
  const written = process.argv.includes(`-${unknown}`) ? `-${unknown}` : `--${unknown}`;
  return `unknown option ${written}${hint === undefined ? '; ptx-litmus --help lists the options' : `: ${hint.replace('"', '"--')}`}`;
}

const OPTION_NAMES = [
  'model',
  'include',
  'variant',
  'variants',
  'reporter',
  'states',
  'witnesses',
  'condition',
  'unroll',
  'timeout',
  'emit-smt2',
  'color',
  'quiet',
  'verbose',
  'progress',
  'no-progress',
  'list',
  'axioms',
  'to',
  'count',
  'seed',
  'family',
  'events',
  'order',
  'scope',
  'place',
  'shared',
  'out',
  'help',
  'version',
];

function isFileError(thrown: unknown): thrown is Error {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && /^E(NOENT|ACCES|ISDIR|PERM|MFILE|NOTDIR)$/.test(thrown.code);
}

// A closed pipe, as with `| head`, is no error of ours.
process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  if (cause.code === 'EPIPE') process.exit(0);
  throw cause;
});

// yargs drops a lone -; the list file @- stands for standard input too.
process.exitCode = await main(hideBin(process.argv).map((argument) => (argument === '-' ? '@-' : argument)));
