import { existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { UsageError } from '../diagnostics/usage-error.js';
import { compileProgram, isProgram } from '../files/compile-program.js';
import { fileProblem } from '../files/file-problem.js';
import { LARGEST_MODULE } from '../files/read-modules.js';
import { readText } from '../files/read-text.js';
import { writeText } from '../files/write-text.js';
import type { SearchLimits } from '../init/search.js';
import { type Starter, starterNames, starterOf } from '../init/starter.js';
import { demangled } from '../kernel/demangle.js';
import { checkDeadline } from '../program/undecided.js';
import type { ModuleEntry, ModuleFile } from '../syntax/module-ast.js';
import { parseModule } from '../syntax/parse-module.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { flag, quantity, text, theOne } from './option.js';
import { shown } from './read-input.js';

const POSITIONALS = {
  path: theOne('a program (.cu), a module (.ptx), or an executable with PTX in it'),
  entry: {
    type: 'string',
    describe: 'the kernel, by its name in the module or in the program; without it, all',
  } as const,
};
const OPTIONS = {
  out: text('the file to write, or - for standard output (default: beside the module, as .litmus)', 'o'),
  'nvcc-args': text('what nvcc is given besides, such as "-arch=sm_100a -DN=4"'),
  timeout: { ...quantity('timeout', 0.001, 'seconds to look for a launch of each kernel'), default: 10 },
  yes: flag('take all guesses without asking', 'y'),
};
type InitArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof OPTIONS>;

export const initCommand = defineCommand({
  usage: 'init <path> [entry]',
  describe: 'write a kernel test to start from, with a launch that shows much of the kernel; guesses are marked',
  positionals: POSITIONALS,
  options: OPTIONS,
  run: runInit,
});

/** Writes tests to start from for the kernels of a program or a module. */
async function runInit(args: InitArguments): Promise<ExitCode> {
  const { path, out = beside(path) } = args;
  if (out !== '@-' && out !== '-' && existsSync(out))
    throw new UsageError(`${out} is there already: name another file by -o, or - for standard output`);
  const read = readKernels(
    path,
    (args.nvccArgs ?? '').split(/\s+/).filter((word) => word !== ''),
  );
  if (read === undefined) return EXIT_CODES.usage;
  const { module, program } = read;
  const entries = chosen(module, args.entry);
  const names = starterNames(entries);
  const starters = entries.map((entry, i) =>
    starterOf({ module, entry, path: basename(path), program, name: names[i] ?? entry.name }, limits(args.timeout)),
  );
  const all = starters.map((one) => one.text).join('\n');
  if (out === '-' || out === '@-') process.stdout.write(all);
  else writeText(out, all);
  process.stderr.write(told(path, out, names, starters));
  return EXIT_CODES.good;
}

const beside = (path: string): string => join(dirname(path), `${basename(path, extname(path))}.litmus`);

interface Kernels {
  readonly module: ModuleFile;
  /** The text of the program that it was compiled from, where there is one. */
  readonly program: string | undefined;
}

function readKernels(path: string, nvccArgs: readonly string[]): Kernels | undefined {
  const text = textOf(path);
  if (!isProgram(path)) {
    const program = path.replace(/\.ptx$/, '.cu');
    const module = shown(parseModule({ path, text }));
    return module && { module, program: program !== path && existsSync(program) ? textOf(program) : undefined };
  }
  const compiled = compileProgram(path, nvccArgs);
  if ('problem' in compiled) throw new UsageError(`${path}: ${compiled.problem}`);
  const module = shown(parseModule({ path: compiled.path, text: compiled.text }));
  return module && { module, program: text };
}

function textOf(path: string): string {
  try {
    return readText(path, LARGEST_MODULE);
  } catch (thrown) {
    const problem = fileProblem(thrown);
    throw problem === undefined ? thrown : new UsageError(`${path}: ${problem}`);
  }
}

/** The kernels that a name means, or all. */
function chosen({ entries, source }: ModuleFile, wanted: string | undefined): readonly ModuleEntry[] {
  if (entries.length === 0) throw new UsageError(`${source.path} has no kernel`);
  if (wanted === undefined) return entries;
  const exact = entries.filter(({ name }) => name === wanted);
  const meant = exact.length > 0 ? exact : entries.filter(({ name }) => isMeant(demangled(name), wanted));
  if (meant.length > 0) return meant;
  const names = entries.map(({ name }) => demangled(name)).join(', ');
  throw new UsageError(`${source.path} has no kernel ${wanted}: its kernels are ${names}`);
}

const isMeant = (plain: string, wanted: string): boolean => plain === wanted || plain.endsWith(`::${wanted}`);

/** In seconds: what one launch that is tried may take. */
const OF_ONE = 1.5;
const MOST_TRIALS = 300;

function limits(seconds: number): SearchLimits {
  const end = performance.now() + 1000 * seconds;
  const remaining = (): number => end - performance.now();
  return {
    remaining,
    mostTrials: MOST_TRIALS,
    budget: () => {
      const last = performance.now() + 1000 * OF_ONE;
      return () => checkDeadline({ remaining: () => last - performance.now() });
    },
  };
}

function told(path: string, out: string, names: readonly string[], starters: readonly Starter[]): string {
  const thin = starters.flatMap(({ thin: why }, i) =>
    why.length === 0 ? [] : [`  ${names[i]}: thin: ${why.join('; ')}`],
  );
  const isPrinted = out === '-' || out === '@-';
  const count = starters.length === 1 ? 'one test' : `${starters.length} tests`;
  const head = `${path}: ${count}${isPrinted ? '' : ` in ${out}`}; what is marked as a guess is one`;
  return `${[head, ...thin, ...(isPrinted ? [] : [`next: ptx-litmus check ${out}`])].join('\n')}\n`;
}
