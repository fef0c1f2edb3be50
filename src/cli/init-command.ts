import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { didYouMean } from '../diagnostics/nearest.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { LARGEST_MODULE } from '../files/read-modules.js';
import { readText } from '../files/read-text.js';
import { writeText } from '../files/write-text.js';
import type { Candidate } from '../init/candidate.js';
import { guessesIn } from '../init/guesses.js';
import { type FoundLaunch, findLaunch, relaunched, type Starter, starterNames, starterOf } from '../init/starter.js';
import { demangled } from '../kernel/demangle.js';
import { checkDeadline } from '../program/undecided.js';
import type { ModuleEntry } from '../syntax/module-ast.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { flag, quantity, text, theOne } from './option.js';
import { type Kernels, readKernels } from './read-kernels.js';

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
  timeout: { ...quantity('timeout', 0.001, 'seconds after which a search for a launch is cut short'), default: 60 },
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
  if (!isPrinted(out) && existsSync(out))
    throw new UsageError(`${out} is there already: name another file by -o, or - for standard output`);
  const read = readKernels(path, args.nvccArgs);
  if (read === undefined) return EXIT_CODES.usage;
  const entries = chosen(path, read, args.entry);
  const names = starterNames(entries.map(({ entry }) => entry));
  const starters: Starter[] = [];
  const isAsked = !args.yes && process.stdin.isTTY === true && process.stdout.isTTY === true;
  for (const [i, { entry, kernels }] of entries.entries()) {
    const within = limits(args.timeout);
    const found = findLaunch({ ...kernels, entry, nvcc: args.nvccArgs, name: names[i] ?? entry.name }, within);
    starters.push(starterOf(isAsked ? await askedAbout(found) : found));
  }
  const all = starters.map((one) => one.text).join('\n');
  if (isPrinted(out)) process.stdout.write(all);
  else {
    for (const kernels of new Set(entries.map((one) => one.kernels)))
      if (kernels.isExtracted) keep(kernels, dirname(out));
    writeText(out, all);
  }
  const isBeside =
    entries.every(({ kernels }) => kernels.isExtracted) || resolve(dirname(out)) === resolve(dirname(path));
  process.stderr.write(told(path, `${out}${isBeside ? '' : ` -I ${dirname(path)}`}`, out, names, starters));
  return EXIT_CODES.good;
}

/** Asks for each guess, with the guess as the answer that is taken if there is no other. */
async function askedAbout(found: FoundLaunch): Promise<FoundLaunch> {
  const { source, trials, best } = found;
  const { facts, names } = trials;
  const { createInterface } = await import('node:readline/promises');
  const questions = createInterface({ input: process.stdin, output: process.stdout });
  // Lines may come before they are asked for, as where answers are pasted.
  const lines = questions[Symbol.asyncIterator]();
  const said = new Set<string>();
  let launch = best.candidate;
  try {
    for (const { what, value, key, form, with: changed } of guessesIn(facts, launch, names)) {
      let next: Candidate | undefined;
      while (next === undefined) {
        questions.setPrompt(`${source.name}: ${what} [${value}] `);
        questions.prompt();
        const { value: line, done } = await lines.next();
        if (done === true)
          throw new UsageError('not all questions have an answer, and nothing is written: --yes takes all guesses');
        const answer = line.trim();
        next = answer === '' ? launch : changed(launch, answer);
        if (next === undefined) process.stdout.write(`  ${what} is ${form}; found "${answer}"\n`);
        else if (answer !== '') said.add(key);
      }
      launch = next;
    }
  } finally {
    questions.close();
  }
  return relaunched(found, launch, said);
}

const beside = (path: string): string => join(dirname(path), `${basename(path, extname(path))}.litmus`);

/** How a lone - reaches commands (command-line.ts). */
const isPrinted = (out: string): boolean => out === '-' || out === '@-';

/** Puts a module beside the test that launches it. */
function keep({ module, path }: Kernels, folder: string): void {
  const to = join(folder, path);
  const { text } = module.source;
  if (existsSync(to) && readText(to, LARGEST_MODULE) !== text)
    throw new UsageError(`${to} is there already, and is another module: name another folder by -o`);
  writeText(to, text);
}

interface Chosen {
  readonly entry: ModuleEntry;
  readonly kernels: Kernels;
}

/** The kernels that a name means, or all. */
function chosen(path: string, all: readonly Kernels[], wanted: string | undefined): readonly Chosen[] {
  const entries = all.flatMap((kernels) => kernels.module.entries.map((entry): Chosen => ({ entry, kernels })));
  if (entries.length === 0) throw new UsageError(`${path} has no kernel`);
  if (wanted === undefined) return entries;
  const exact = entries.filter(({ entry }) => entry.name === wanted);
  const meant = exact.length > 0 ? exact : entries.filter(({ entry }) => isMeant(demangled(entry.name), wanted));
  if (meant.length > 0) return meant;
  const names = [...new Set(entries.map(({ entry }) => demangled(entry.name)))];
  throw new UsageError(
    `${path} has no kernel ${wanted}: ${didYouMean(wanted, names) ?? `its kernels are ${names.join(', ')}`}`,
  );
}

const isMeant = (plain: string, wanted: string): boolean => plain === wanted || plain.endsWith(`::${wanted}`);

/** In seconds: what one launch that is tried may take on a slow machine. */
const OF_ONE = 20;
/** How much is tried, in steps: equal on all machines. */
const MOST_TRIALS = 300;
const [OF_LAUNCH, OF_SEARCH] = [400_000, 4_000_000];

function limits(seconds: number): Parameters<typeof findLaunch>[1] {
  // Of the processor: a machine that does much besides finds the same.
  const now = (): number => process.cpuUsage().user / 1000;
  const end = now() + 1000 * seconds;
  const remaining = (): number => end - now();
  return {
    remaining,
    mostTrials: MOST_TRIALS,
    mostWork: OF_LAUNCH,
    allWork: OF_SEARCH,
    budget: () => {
      const last = now() + 1000 * OF_ONE;
      return () => checkDeadline({ remaining: () => last - now() });
    },
  };
}

function told(
  path: string,
  /** With what the tests need to be found again. */
  checked: string,
  out: string,
  names: readonly string[],
  starters: readonly Starter[],
): string {
  const thin = starters.flatMap(({ thin: why, rests }, i) => [
    ...(why.length === 0 ? [] : [`  ${names[i]}: thin: ${why.join('; ')}`]),
    ...rests.map((one) => `  ${names[i]}: rests on a guess: ${one}`),
  ]);
  const count = starters.length === 1 ? 'one test' : `${starters.length} tests`;
  const head = `${path}: ${count}${isPrinted(out) ? '' : ` in ${out}`}; what is marked as a guess is one`;
  return `${[head, ...thin, ...(isPrinted(out) ? [] : [`next: ptx-litmus check ${checked}`])].join('\n')}\n`;
}
