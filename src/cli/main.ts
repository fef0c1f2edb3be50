#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { didYouMean } from '../diagnostics/nearest.js';
import { runAdvise } from './advise-command.js';
import { runBaselineCheck, runBaselineWrite } from './baseline-command.js';
import { type CheckArguments, runCheck } from './check-command.js';
import { runCompare } from './compare-command.js';
import { runConvert } from './convert-command.js';
import { runDiff } from './diff-command.js';
import { EXIT_CODES, type ExitCode, UsageError } from './exit-codes.js';
import { runExplain } from './explain-command.js';
import { runGen } from './gen-command.js';
import { runGraph } from './graph-command.js';
import { internalError } from './internal-error.js';
import { runModel } from './model-command.js';
import {
  adviseOptions,
  baselineCheckOptions,
  baselineWriteOptions,
  checkOptions,
  compareOptions,
  convertOptions,
  diffOptions,
  explainOptions,
  genOptions,
  graphOptions,
  modelOptions,
  once,
  optionNames,
  simulateOptions,
} from './options.js';
import { runSimulate } from './simulate-command.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

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
    })
    .command(
      ['check [paths..]', '$0 [paths..]'],
      'decide tests and their expectations',
      once(checkOptions),
      async (args) => {
        if (args.paths.length === 0)
          throw new UsageError('no tests given: name files or folders, or - for standard input (ptx-litmus --help)');
        if (args.quiet && args.verbose) throw new UsageError('--quiet and --verbose contradict each other');
        const { engine, emitSmt2, witnesses, condition, ...rest } = args;
        code = await runCheck({
          ...rest,
          engine: single(engine, 'engine'),
          emitSmt2,
          witnesses,
          condition,
          version,
        } satisfies CheckArguments);
      },
    )
    .command('model [name]', 'list the models and their vocabulary, or print one', once(modelOptions), (args) => {
      code = runModel({ name: args.name, list: args.list, axioms: args.axioms, include: args.include });
    })
    .command('convert <paths..>', 'print tests in another format', once(convertOptions), (args) => {
      code = runConvert({ paths: args.paths, to: args.to });
    })
    .command(
      'explain <path>',
      'say why outcomes are allowed or forbidden, and what is missing',
      once(explainOptions),
      async (args) => {
        code = await runExplain({ ...args, condition: args.condition });
      },
    )
    .command('graph <path>', 'draw the executions of a test', once(graphOptions), async (args) => {
      code = await runGraph({
        ...args,
        condition: args.condition,
        show: args.showRel,
        hide: args.hideRel,
        out: args.out,
      });
    })
    .command(
      'advise <path>',
      'say which fences and qualifiers can be weakened, or what would mend a test',
      once(adviseOptions),
      async (args) => {
        code = await runAdvise({ ...args, condition: args.condition });
      },
    )
    .command('diff [paths..]', 'find the tests that two models judge differently', once(diffOptions), async (args) => {
      code = await runDiff(args);
    })
    .command('baseline', 'record what a model says of a suite, and see later what changed', (command) =>
      command
        .command(
          'write <paths..>',
          'record every outcome, flag and verdict',
          once(baselineWriteOptions),
          async (args) => {
            code = await runBaselineWrite(args);
          },
        )
        .command('check <file>', 'report what is not as recorded', once(baselineCheckOptions), async (args) => {
          code = await runBaselineCheck({ ...args, model: args.model, variant: args.variant, version });
        })
        .demandCommand(1, 'baseline needs to know what to do: write or check'),
    )
    .command(
      'compare <logs..>',
      'hold logs against a model and against each other',
      once(compareOptions),
      async (args) => {
        code = await runCompare(args);
      },
    )
    .command('simulate <path>', 'run a test on the operational machine', once(simulateOptions), async (args) => {
      code = await runSimulate({ ...args, find: args.find, random: args.random, trace: args.trace });
    })
    .command('gen [cycles..]', 'make tests, from cycles as diy does or at random', once(genOptions), (args) => {
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
      process.stderr.write(
        `ptx-litmus: ${isFileError(thrown) ? fileProblem(thrown) : String((thrown as Error).message)}\n`,
      );
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
