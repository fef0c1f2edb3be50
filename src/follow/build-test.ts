import { namesPlaces, rootsOf } from '../build/asked.js';
import { buildProgram, type TestBuilder, toldOnce } from '../build/build-program.js';
import { type Diagnosed, hasErrors } from '../diagnostics/diagnostic.js';
import { sliced, sliceOf, slotsOfAllocations } from '../flow/slice.js';
import { isAboutAll } from '../kernel/grid.js';
import { type LaunchPlan, planLaunches } from '../kernel/plan-launches.js';
import type { Program, Thread } from '../program/program.js';
import { type CheckBudget, within } from '../program/undecided.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { areFew, type BuildOptions, DEFAULT_MOST_THREADS } from './choose-threads.js';
import { LaunchedThreads } from './launched-threads.js';
import { isSymmetric } from './recheck-symmetry.js';
import type { RunThread } from './run-threads.js';
import { symmetricThreads, unlikeThreads } from './symmetric-threads.js';

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

/**
 * The same in the time that there is for the threads of launches, which may take long however short their source is;
 * where that is too short the test is unknown.
 */
export function buildInTime(
  file: LitmusFile,
  checkBudget: CheckBudget,
  threadsBudget: CheckBudget,
  options: BuildOptions,
): Diagnosed<Program> {
  if (file.launches.length === 0) return buildTest(file, checkBudget, options);
  const both: CheckBudget = () => {
    checkBudget();
    threadsBudget();
  };
  return within(
    () => buildTest(file, both, options),
    (unknown) => {
      const { value, diagnostics } = buildTest(file, checkBudget, { ...options, isOutline: true });
      return { value: value && { ...value, unknown }, diagnostics };
    },
  );
}

/** Of more threads than so many it is not asked which are alike. */
const MOST_COMPARED = 1024;

/** Threads of launches; where all are meant, of many those alone that no others are like, if these are few. */
const buildLaunches = (file: LitmusFile, checkBudget: CheckBudget, options: BuildOptions): Diagnosed<Program> =>
  buildChosen(file, checkBudget, { ...options, symmetric: symmetricIn(file, checkBudget, options) });

/** Whether it is asked which threads are alike: all are meant, more than are decided together, and not too many. */
export function areCompared(file: LitmusFile, plan: LaunchPlan, options: BuildOptions): boolean {
  const areAllMeant =
    options.isWhole !== true && namesPlaces(file.clauses) && file.launches.every(({ runs }) => isAboutAll(runs));
  return areAllMeant && !areFew(plan, options) && areFew(plan, { mostThreads: MOST_COMPARED });
}

/** By launch, threads that do what all do, if more are meant than are decided together, and these are no more. */
export function symmetricIn(
  file: LitmusFile,
  checkBudget: CheckBudget,
  options: BuildOptions,
): BuildOptions['symmetric'] {
  const { mostThreads = DEFAULT_MOST_THREADS, isOutline = false, shown } = options;
  if (isOutline || shown !== undefined || !areCompared(file, planLaunches(file), options)) return undefined;
  // One of each way tells how many at least are like no others.
  const some = buildChosen(file, checkBudget, { ...options, shown: file.launches.map(() => []) }).value;
  if (some === undefined || unlikeThreads(some) > mostThreads) return undefined;
  const { value: all } = buildChosen(file, checkBudget, { ...options, mostThreads: MOST_COMPARED });
  const like = all && symmetricThreads(all);
  if (all === undefined || like === undefined || like.size > mostThreads || !isSymmetric(all, like)) return undefined;
  return all.launches.map(({ name }) =>
    all.threads.flatMap(({ index, launched }): readonly RunThread[] => {
      const others = like.get(index);
      if (launched?.launch !== name || others === undefined) return [];
      const represents = others.flatMap((other) => all.threads[other]?.launched?.tid ?? []);
      return [{ cta: launched.cta, tid: launched.tid, represents }];
    }),
  );
}

function buildChosen(file: LitmusFile, checkBudget: CheckBudget, options: BuildOptions): Diagnosed<Program> {
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
