import { rootsOf } from '../build/asked.js';
import { buildProgram, type TestBuilder, toldOnce } from '../build/build-program.js';
import { type Diagnosed, hasErrors } from '../diagnostics/diagnostic.js';
import { sliced, sliceOf, slotsOfAllocations } from '../flow/slice.js';
import type { Program, Thread } from '../program/program.js';
import type { CheckBudget } from '../program/undecided.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import type { BuildOptions } from './choose-threads.js';
import { LaunchedThreads } from './launched-threads.js';

/** Gives a test its meaning, whether its threads are written out or launched; all errors of it at once. */
export function buildTest(
  file: LitmusFile,
  checkBudget: CheckBudget = () => undefined,
  options: BuildOptions = {},
): Diagnosed<Program> {
  return file.launches.length === 0
    ? buildProgram(file, checkBudget, options.isWhole)
    : buildLaunches(file, checkBudget, options);
}

function buildLaunches(file: LitmusFile, checkBudget: CheckBudget, options: BuildOptions): Diagnosed<Program> {
  const launched = new LaunchedThreads(file, options, checkBudget);
  if (hasErrors(launched.diagnostics)) return { value: undefined, diagnostics: toldOnce(launched.diagnostics) };
  const test = launched.test();
  const { aliases } = launched.plan;
  const threads = test.file.threads.flatMap(({ launched: place }, index) =>
    place === undefined ? [test.writtenThread(index)] : (launched.thread(index, test) ?? []),
  );
  const { value: program, diagnostics } = test.program(
    options.isWhole === true ? threads : withoutUnasked(threads, test, aliases),
    { parties: launched.parties(test.placements), facts: launched.facts(), aliases, diagnostics: launched.diagnostics },
  );
  const recursion = diagnostics.find(({ code }) => code === 'L0215');
  if (program === undefined || recursion === undefined) return { value: program, diagnostics };
  return {
    value: { ...program, unknown: { kind: 'recursion', what: `recursion: ${recursion.message}` } },
    diagnostics,
  };
}

/** The threads without what only makes values that nobody asks for. */
function withoutUnasked(
  threads: readonly Thread[],
  { file, memory }: TestBuilder,
  aliases: ReadonlyMap<string, string>,
): readonly Thread[] {
  const { locations } = memory;
  const found = sliceOf(threads, locations, rootsOf(file.clauses, threads, locations, aliases));
  const left = threads.map((thread) => ({ ...thread, ...sliced(thread, locations, found) }));
  memory.blank(found.idle, true);
  memory.blank(slotsOfAllocations(left, locations), false);
  return left;
}
