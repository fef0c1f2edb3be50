#!/usr/bin/env node
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { didYouMean } from '../diagnostics/nearest.js';
import { NoSuchFile, UsageError } from '../diagnostics/usage-error.js';
import { addCommand } from './command.js';
import { COMMANDS, commandNames, optionNames } from './commands.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { internalError } from './internal-error.js';
import { VERSION } from './version.js';

async function main(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT_CODES.good;
  const parser = yargs([...argv])
    .scriptName('ptx-litmus')
    .usage('$0 <command>\n\nDecides litmus tests under the PTX memory consistency model.')
    .parserConfiguration({
      'duplicate-arguments-array': true,
      'strip-aliased': true,
      'strip-dashed': true,
      'camel-case-expansion': true,
      'boolean-negation': true,
    });
  for (const command of COMMANDS)
    addCommand(parser, command, (result) => {
      code = result;
    });
  parser
    .version(VERSION)
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

/** What the user did wrong, in words; undefined for a bug of ours. */
function mistakeIn(thrown: unknown): string | undefined {
  if (isFileError(thrown)) return fileProblem(thrown);
  if (thrown instanceof NoSuchFile) {
    const command = didYouMean(thrown.path, commandNames());
    return command === undefined ? thrown.message : `${thrown.message}; ${command}`;
  }
  // yargs wraps what an option's coercion throws.
  if (thrown instanceof UsageError || (thrown instanceof Error && thrown.name === 'YError')) return thrown.message;
  return undefined;
}

/** yargs suggests commands; for options it does not. */
function withSuggestion(message: string): string {
  const missing = /^(Not enough non-option arguments|Missing required argument|Not enough arguments following)/.exec(
    message,
  );
  if (missing !== null)
    return `${missingArgument(message)}; ptx-litmus ${process.argv[2] ?? ''} --help shows what the command takes`;
  const unknown = /^Unknown arguments?: (.+)$/.exec(message)?.[1]?.split(', ')[0];
  if (unknown === undefined) return message.replace(/\n\s*/g, ' ');
  const hint = didYouMean(unknown, optionNames());
  if (process.argv.includes(unknown)) return `one argument too many: ${unknown}`;
  const written = process.argv.includes(`-${unknown}`) ? `-${unknown}` : `--${unknown}`;
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

const ATTEMPTS: Readonly<Record<string, string>> = { mkdir: 'make the folder', scandir: 'read the folder' };

/** What the system says of a file, in words: `cannot open g: it is a folder`. */
function fileProblem(
  thrown: Error & { readonly code?: unknown; readonly path?: unknown; readonly syscall?: unknown },
): string {
  const why = FILE_PROBLEMS[String(thrown.code)] ?? thrown.message;
  const what = ATTEMPTS[String(thrown.syscall)] ?? 'open';
  return `cannot ${what} ${String(thrown.path)}: ${why}`;
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'it is not permitted',
  EPERM: 'it is not permitted',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'there is a file of that name',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

function isFileError(thrown: unknown): thrown is Error {
  return thrown instanceof Error && 'code' in thrown && 'syscall' in thrown && typeof thrown.code === 'string';
}

// A closed pipe, as with `| head`, is no error of ours.
process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  if (cause.code === 'EPIPE') process.exit(0);
  throw cause;
});

// yargs drops a lone -; the list file @- stands for standard input too.
process.exitCode = await main(hideBin(process.argv).map((argument) => (argument === '-' ? '@-' : argument)));
