import { citedLines, convertLaunches } from '../convert/convert-launches.js';
import { slicedOf } from '../convert/slice-written.js';
import type { Diagnosed } from '../diagnostics/diagnostic.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { buildTest } from '../follow/build-test.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { printSyntaxJson } from '../syntax/print-json.js';
import { printLitmus } from '../syntax/print-litmus.js';
import { printNvlitmus } from '../syntax/print-nvlitmus.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { convertToKernels } from './convert-to-kernels.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { findTests, parseFound } from './find-tests.js';
import { atLeastOne, flag, oneOf, text } from './option.js';
import { AT, INCLUDE, MAX_THREADS } from './options.js';
import { shown } from './read-input.js';

const POSITIONALS = { paths: atLeastOne('files, folders, globs, or -') };
const OPTIONS = {
  to: oneOf(['litmus', 'nvlitmus', 'json', 'kernel'], 'litmus', 'the format'),
  out: text(
    'with --to kernel, a folder for the modules and the tests that launch them; without it they are printed',
    'o',
  ),
  slice: flag('leave out what the answers do not need'),
  ...INCLUDE,
  ...MAX_THREADS,
  ...AT,
};
export type ConvertArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof OPTIONS>;

export const convertCommand = defineCommand({
  usage: 'convert <paths..>',
  describe: 'print tests in another format',
  positionals: POSITIONALS,
  options: OPTIONS,
  run: runConvert,
});

/** A test without launches, or why it is none. */
function converted(file: LitmusFile, maxThreads: number | undefined): Diagnosed<LitmusFile> {
  const refused = citedLines(file);
  return refused.length === 0
    ? convertLaunches(file, () => undefined, maxThreads)
    : { value: undefined, diagnostics: refused };
}

/** Prints tests in another format; what that format cannot say is an error, never left out. */
async function runConvert(args: ConvertArguments): Promise<ExitCode> {
  const { paths, to, slice, maxThreads } = args;
  if (to === 'kernel') return convertToKernels(args);
  if (args.out !== undefined) throw new UsageError('--out goes with --to kernel, which writes two files a test');
  let code: ExitCode = EXIT_CODES.good;
  const trees: string[] = [];
  for (const source of await findTests(paths, args)) {
    const parsed = parseFound(source);
    const built = (parsed.value ?? []).map((file) => buildTest(file, () => undefined, { mostThreads: maxThreads }));
    const diagnostics = [parsed, ...built].flatMap((one) => one.diagnostics);
    const files = shown({ value: parsed.value, diagnostics });
    if (files === undefined) code = EXIT_CODES.usage;
    for (const read of files ?? []) {
      const written = to === 'json' ? read : shown(converted(read, maxThreads));
      if (written === undefined) {
        code = EXIT_CODES.usage;
        continue;
      }
      const file = slice && to !== 'json' ? slicedOf(written) : written;
      if (to === 'json') {
        trees.push(printSyntaxJson(file));
        continue;
      }
      const printed = to === 'litmus' ? printLitmus(file) : printNvlitmus(file);
      if (typeof printed === 'string') {
        process.stdout.write(`${printed}\n`);
      } else {
        process.stderr.write(`${source.path}: cannot be written as nvlitmus: ${printed.cannot}\n`);
        code = EXIT_CODES.usage;
      }
    }
  }
  // One test is one JSON value, several are an array.
  if (trees.length > 0) process.stdout.write(`${trees.length === 1 ? trees[0] : `[\n${trees.join(',\n')}\n]`}\n`);
  return code;
}
