import yargs from 'yargs';
import { didYouMean } from '../diagnostics/nearest.js';
import { NoSuchFile, UsageError } from '../diagnostics/usage-error.js';
import { fileProblem } from '../files/file-problem.js';
import { VERSION } from '../files/version.js';
import { internalError } from '../suite/internal-error.js';
import { addCommand } from './command.js';
import { COMMANDS, commandNames, optionNames, optionsWithValues } from './commands.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { readProject } from './project.js';
import { withDefaults } from './project-defaults.js';

/** Does what the arguments say, prints to the streams of the process, and gives the code that it is to end with. */
export async function runCommandLine(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT_CODES.good;
  // yargs drops a lone -; the list file @- stands for standard input too.
  const parser = yargs(withCompilerArguments(withApplication(argv)).map((one) => (one === '-' ? '@-' : one)))
    .scriptName('ptx-litmus')
    .usage('$0 <command>\n\nDecides litmus tests under the PTX memory consistency model.')
    .parserConfiguration({
      'duplicate-arguments-array': true,
      'strip-aliased': true,
      'strip-dashed': true,
      'camel-case-expansion': true,
      'boolean-negation': true,
    });
  parser
    .version(VERSION)
    .help()
    .alias('help', 'h')
    .strict()
    .exitProcess(false)
    .wrap(110)
    .fail((message, failure) => {
      throw failure ?? new UsageError(withSuggestion(message, argv));
    });
  try {
    const project = readProject(COMMANDS);
    for (const command of COMMANDS)
      addCommand(
        parser,
        command,
        (name, options) => withDefaults(name, options, project),
        (result) => {
          code = result;
        },
      );
    mustNotSwitchOff(argv);
    await parser.parseAsync();
  } catch (thrown) {
    const mistake = mistakeIn(thrown);
    if (mistake !== undefined) {
      process.stderr.write(`ptx-litmus: ${mistake}\n`);
      return EXIT_CODES.usage;
    }
    process.stderr.write(internalError(thrown));
    return EXIT_CODES.internal;
  }
  return code;
}

/** What stands behind `--` is an application's, word by word: yargs would read numbers in it. */
function withApplication(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  if (argv[0] !== 'record' || end < 0) return argv;
  return [...argv.slice(0, end), ...argv.slice(end + 1).map((word) => `--application=${word}`)];
}

/** What the compiler is given begins with a dash, as `-arch=sm_100a`: yargs would take it for an option. */
function withCompilerArguments(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf('--nvcc-args');
  const given = at < 0 ? undefined : argv[at + 1];
  return given === undefined ? argv : [...argv.slice(0, at), `--nvcc-args=${given}`, ...argv.slice(at + 2)];
}

/** Options that take a value are not switched off; yargs would hand `false` over as one. */
function mustNotSwitchOff(argv: readonly string[]): void {
  const end = argv.indexOf('--');
  for (const argument of end < 0 ? argv : argv.slice(0, end)) {
    const name = /^--no-([^=]+)/.exec(argument)?.[1];
    if (name !== undefined && optionsWithValues().has(name))
      throw new UsageError(`unknown option ${argument}: --${name} takes a value; leave it out to do without`);
  }
}

/** What the user did wrong, in words; undefined for a bug of ours. */
function mistakeIn(thrown: unknown): string | undefined {
  const problem = fileProblem(thrown);
  if (problem !== undefined) return problem;
  if (thrown instanceof NoSuchFile) {
    const command = didYouMean(thrown.path, commandNames());
    return command === undefined ? thrown.message : `${thrown.message}; ${command}`;
  }
  // yargs wraps what an option's coercion throws.
  if (thrown instanceof UsageError || (thrown instanceof Error && thrown.name === 'YError')) return thrown.message;
  return undefined;
}

/** yargs suggests commands; for options it does not. */
function withSuggestion(message: string, argv: readonly string[]): string {
  const missing = /^(Not enough non-option arguments|Missing required argument|Not enough arguments following)/.exec(
    message,
  );
  if (missing !== null)
    return `${missingArgument(message)}; ptx-litmus ${argv[0] ?? ''} --help shows what the command takes`;
  const named = /^Unknown arguments?: (.+)$/.exec(message)?.[1]?.split(', ')[0];
  // yargs tells of --max-threads as maxThreads.
  const withDashes = named?.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const isWritten = argv.some((one) => one.split('=')[0] === `--${withDashes}`);
  const unknown = isWritten ? withDashes : named;
  if (unknown === undefined) return message.replace(/\n\s*/g, ' ');
  const hint = didYouMean(unknown, optionNames());
  if (argv.includes(unknown)) return `one argument too many: ${unknown}`;
  if (optionNames().includes(unknown))
    return `--${unknown} is no option of this command; its --help lists what it takes`;
  const written = argv.includes(`-${unknown}`) ? `-${unknown}` : `--${unknown}`;
  return (
    'unknown option ' +
    `${written}${hint === undefined ? '; ptx-litmus --help lists the options' : `: ${hint.replace('"', '"--')}`}`
  );
}

function missingArgument(message: string): string {
  const option = /^(?:Missing required argument|Not enough arguments following): (\S+)$/m.exec(message)?.[1];
  if (option === undefined) return 'a file or another argument is missing';
  return message.startsWith('Missing') ? `--${option} is missing` : `--${option} needs a value`;
}
