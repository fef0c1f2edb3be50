import { askedBy, namesPlaces } from '../build/asked.js';
import type { Diagnosed } from '../diagnostics/diagnostic.js';
import { isSelection } from '../follow/asked-threads.js';
import { areCompared, buildInTime, buildTest } from '../follow/build-test.js';
import { areFew, type BuildOptions, DEFAULT_MOST_THREADS } from '../follow/choose-threads.js';
import { ENDLESS } from '../follow/launched-threads.js';
import { NOT_CONTESTED } from '../follow/memory-image.js';
import type { OpenWord } from '../follow/open-words.js';
import { type Setting, settingOf } from '../follow/setting.js';
import type { Watch } from '../follow/watch.js';
import { isAboutAll } from '../kernel/grid.js';
import { planLaunches } from '../kernel/plan-launches.js';
import type { Program } from '../program/program.js';
import { type CheckBudget, inTime, within } from '../program/undecided.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { Cases } from './cases.js';
import { endsOf, valueOf } from './final-states.js';
import type { FollowedTest, Look } from './look.js';
import { type Looked, lookAll } from './look-all.js';
import { lookOnRounds } from './look-on-rounds.js';
import { lookOnWays } from './look-on-ways.js';
import { withRacesOf } from './races-of-run.js';
import type { OrderedPair } from './reasons.js';
import { firstUncovered } from './recheck-classes.js';
import { remarksOfAll } from './remarks.js';
import {
  type FinalState,
  hasRaces,
  isEveryRun,
  isLikeEvery,
  type PlaceInLaunch,
  statesOf,
  type UnlikeRounds,
  type WholeRun,
} from './whole-run.js';
import { classesOf, partsOf } from './word-classes.js';

export { isAboutAll };

/** A test that is about all threads of its launches, or about some among all. */
export interface WholeTest {
  /** The same test with what its threads do; undefined where that cannot be read, or these are too many. */
  readonly withThreads: (checkBudget: CheckBudget) => Program | undefined;
  /** One run of all threads; they are followed once. `how`: what lanes exchange may be taken to order their memory. */
  readonly follow: (checkBudget: CheckBudget, how?: 'exchanges order memory') => WholeRun;
  /** What orders accesses to the same bytes in a run, which is followed anew: it is large, and nothing keeps it. */
  readonly reasons: (checkBudget: CheckBudget) => readonly OrderedPair[];
  /** A part of the launches with these threads. */
  readonly withOnly: (threads: readonly PlaceInLaunch[], checkBudget: CheckBudget) => Program | undefined;
}

/**
 * Reads a test whose launches can be followed, if it is about all of their threads: where it writes no other threads
 * out, names none of theirs to run, and leaves no execution out. Where one run of all says what is asked, and no more
 * is wanted, what single threads do is left out.
 */
export function readWhole(
  file: LitmusFile,
  checkBudget: CheckBudget,
  /** For following the launches. */
  followBudget: CheckBudget,
  options: BuildOptions,
  watch?: Watch,
): { readonly built: Diagnosed<Program>; readonly whole: WholeTest | undefined } {
  const { mostThreads = DEFAULT_MOST_THREADS } = options;
  const allThreads = (): Diagnosed<Program> =>
    buildInTime(file, checkBudget, followBudget, { ...options, isOutline: false });
  if (!isFollowed(file, options)) return { built: allThreads(), whole: undefined };
  const threads = (budget: CheckBudget): Diagnosed<Program> => buildThreads(file, budget, options);
  const followed = once((budget) => follow(file, budget, watch, false));
  const exchanging = once((budget) => follow(file, budget, undefined, true));
  const whole = (program: Program, withThreads: WholeTest['withThreads']): WholeTest => ({
    withThreads,
    follow: (budget, how) => runOf((how === undefined ? followed : exchanging)(budget), program, budget),
    reasons: (budget) => lookAll(settingOf(file, planLaunches(file), budget), budget, NOT_CONTESTED, {}).best.reasons(),
    withOnly: (of, budget) => buildThreads(file, budget, { ...options, shown: ofEachLaunch(file, of) }).value,
  });
  const isNamed = namesPlaces(file.clauses);
  const told = (built: Diagnosed<Program>): ReturnType<typeof readWhole> => {
    const { value: program } = built;
    const isTold = isNamed || program?.launches.every(({ run, threads: all }) => run.length === all) === true;
    return { built, whole: program === undefined || !isTold ? undefined : whole(program, () => program) };
  };
  if (file.launches.some(isSelection)) {
    const { outline, withThreads } = readSelection(file, options, checkBudget);
    const { value } = outline ?? {};
    if (outline !== undefined && value !== undefined) return { built: outline, whole: whole(value, withThreads) };
    return { built: allThreads(), whole: undefined };
  }
  if (options.isOutline === true && isNamed) {
    const plan = planLaunches(file);
    const isSmall = areFew(plan, options);
    const run = (program: Program): WholeRun => runOf(followed(followBudget), program, followBudget);
    const outline = outlineOf(file, options, isSmall ? run : undefined, checkBudget);
    // What only names threads is never without what knows their answers.
    const withThreads = (budget: CheckBudget): Program | undefined => {
      const program = inTime(() => threads(budget))?.value;
      return program !== undefined && program.threads.length > mostThreads ? undefined : program;
    };
    const hasThreads = isSmall || areCompared(file, plan, options);
    if (outline?.value !== undefined)
      return { built: outline, whole: whole(outline.value, hasThreads ? withThreads : () => undefined) };
    // Where threads go on and on for following alone, what the run says stands.
    const made = inTime(() => threads(followBudget));
    const isTooLong = made === undefined || made.diagnostics.some(({ message }) => message === ENDLESS);
    const rest = isTooLong ? outlineOf(file, options, undefined, checkBudget) : undefined;
    if (rest?.value !== undefined) return { built: rest, whole: whole(rest.value, () => undefined) };
    if (made !== undefined) return told(made);
  }
  return told(allThreads());
}

const buildThreads = (file: LitmusFile, checkBudget: CheckBudget, options: BuildOptions): Diagnosed<Program> =>
  buildTest(file, checkBudget, { ...options, isOutline: false });

/** Whether all threads of a test are followed: where it writes none out, and leaves no thread and no execution out. */
function isFollowed(file: LitmusFile, { isWhole }: BuildOptions): boolean {
  const { launches, threads, clauses } = file;
  if (isWhole === true || launches.length === 0 || threads.length > 0) return false;
  if (clauses.some(({ kind }) => kind === 'filter')) return false;
  if (launches.every(({ runs }) => isAboutAll(runs))) return true;
  const areTold = namesPlaces(file.clauses) || launches.every(isSelection);
  return areTold && launches.every((one) => isAboutAll(one.runs) || isSelection(one));
}

/** A test that names threads of its launches: what it asks, and all threads of these if they are few. */
function readSelection(
  file: LitmusFile,
  options: BuildOptions,
  checkBudget: CheckBudget,
): Pick<WholeTest, 'withThreads'> & { readonly outline: Diagnosed<Program> | undefined } {
  return {
    outline:
      options.isOutline === true
        ? outlineOf(file, options, undefined, checkBudget)
        : buildThreads(file, checkBudget, options),
    withThreads: (budget) =>
      areFew(planLaunches(file), options) ? inTime(() => buildThreads(file, budget, options))?.value : undefined,
  };
}

/** Threads by the launches of a test. */
const ofEachLaunch = (
  { launches }: LitmusFile,
  threads: readonly PlaceInLaunch[],
): readonly (readonly PlaceInLaunch[])[] => launches.map(({ name }) => threads.filter(({ launch }) => launch === name));

/** What is made once; where there was no time for it, there is none the second time. */
function once<T>(make: (checkBudget: CheckBudget) => T): (checkBudget: CheckBudget) => T {
  let known: { readonly value: T } | { readonly thrown: unknown } | undefined;
  return (checkBudget) => {
    if (known === undefined)
      try {
        known = { value: make(checkBudget) };
      } catch (thrown) {
        known = { thrown };
      }
    if ('thrown' in known) throw known.thrown;
    return known.value;
  };
}

/** What a test asks, where one run answers it, or nothing else can. */
function outlineOf(
  file: LitmusFile,
  options: BuildOptions,
  /** Of launches whose threads could be decided together. */
  follow: ((program: Program) => WholeRun) | undefined,
  checkBudget: CheckBudget,
): Diagnosed<Program> | undefined {
  const built = buildTest(file, checkBudget, { ...options, isOutline: true });
  const { value } = built;
  if (value === undefined || follow === undefined) return value === undefined ? undefined : built;
  return inTime(() => {
    const run = follow(value);
    // That there is a race is known without what single threads do.
    if (value.conditions.length === 0 && run.conflicts.some(({ isCertain }) => isCertain)) return built;
    const isKnown = value.conditions.length === 0 || statesOf(run, value.observed) !== undefined;
    return isEveryRun(run) && isKnown ? built : undefined;
  });
}

/** What a test does: what rounds of a queue say, if no execution does more than these, or all classes of open words. */
function runOf({ inRounds, classes }: FollowedLaunches, program: Program, checkBudget: CheckBudget): WholeRun {
  const looked = inTime(() => inRounds(checkBudget));
  const rounds = inTime(() => {
    if (looked === undefined || 'unlike' in looked) return undefined;
    const { runs } = looked;
    // None of them need be an execution.
    return { ...ofAll(runs, program, checkBudget), rounds: runs.length - 1, states: [(): undefined => undefined] };
  });
  if (rounds !== undefined && statesOf(rounds, program.observed) !== undefined) return rounds;
  const all = runOfClasses(classes, program, checkBudget);
  if (looked !== undefined && 'unlike' in looked) return { ...all, unlikeRounds: looked.unlike };
  const isWrong = all.findings.length > 0 || all.conflicts.some(({ isCertain }) => isCertain);
  return rounds === undefined || isLikeEvery(all) || isWrong ? all : rounds;
}

/** What the runs of all classes of what is in open words say. */
function runOfClasses(classes: FollowedClasses, program: Program, checkBudget: CheckBudget): WholeRun {
  const runs: WholeRun[] = [];
  const words: (readonly OpenWord[])[] = [];
  for (const one of classes(checkBudget)) {
    words.push(one.words);
    runs.push(runOfClass(one.tests, program, checkBudget));
  }
  const [first, ...others] = runs;
  if (first !== undefined && others.length === 0) return first;
  const all = joinedRuns(runs);
  const wrong = firstUncovered(words);
  return wrong === undefined ? all : { ...all, unconfirmed: `which values of ${wrong} were followed` };
}

/**
 * What one run on all ways says, or all cases. What conflicts on a way may not come about; of cases it is known which
 * conflicts do.
 */
function runOfClass(tests: FollowedTests, program: Program, checkBudget: CheckBudget): WholeRun {
  const { onWays, cases } = tests;
  const own = onWays && ofAll([onWays], program, checkBudget);
  const isKnown = (run: WholeRun): boolean => statesOf(run, program.observed) !== undefined;
  if (own !== undefined && !hasRaces(own) && isKnown(own)) return own;
  const runIn = (of: () => readonly FollowedTest[] | undefined): WholeRun | undefined =>
    inTime(() => {
      const all = of();
      return all && ofAll(all, program, checkBudget);
    });
  const all = own === undefined ? ofAll(cases(checkBudget), program, checkBudget) : runIn(() => cases(checkBudget));
  const best = own === undefined ? all : all === undefined ? own : isLikeEvery(all) ? all : withRacesOf(own, all);
  if (best === undefined) throw new Error('a test without a run');
  if (!isLikeEvery(best) || isKnown(best)) return best;
  const inOrder = runIn(() => tests.inEachOrder(checkBudget));
  // For whom threads wait is known without that: who waits for a lock does so for whoever has it.
  return inOrder !== undefined && isLikeEvery(inOrder) && isKnown(inOrder) ? { ...inOrder, waits: best.waits } : best;
}

/** What all cases say. */
function ofAll(cases: readonly FollowedTest[], program: Program, checkBudget: CheckBudget): WholeRun {
  const [first] = cases;
  if (first === undefined) throw new Error('a test without a run');
  const { setting } = first;
  const ends = () => endsOf(setting, program, checkBudget);
  const runs = cases.map(({ followed, setting: own, run }): WholeRun => {
    // Where threads wait for ever there is no final state.
    const hasNone = isLikeEvery(run) && run.findings.length > 0;
    const state: FinalState = (observable) => valueOf(observable, followed, own, program);
    return { ...run, ends, states: hasNone ? [] : [state] };
  });
  return { ...joinedRuns(runs), ends };
}

/** What is the same in all of some runs, and what happens in one. */
function joinedRuns(runs: readonly WholeRun[]): WholeRun {
  const [first] = runs;
  if (first === undefined) throw new Error('a test without a run');
  return {
    ...first,
    edges: new Set(runs.flatMap(({ edges }) => [...edges])),
    findings: runs.flatMap(({ findings }) => findings),
    registerFindings: runs.flatMap(({ registerFindings }) => registerFindings),
    uninitialized: runs.flatMap(({ uninitialized }) => uninitialized),
    mayBeUninitialized: runs.some(({ mayBeUninitialized }) => mayBeUninitialized),
    conflicts: runs.flatMap(({ conflicts }) => conflicts),
    byOwner: runs.flatMap(({ byOwner }) => byOwner),
    waits: {
      pairs: runs.flatMap(({ waits }) => waits.pairs),
      hasTurns: runs.some(({ waits }) => waits.hasTurns),
    },
    unstarted: runs.flatMap(({ unstarted }) => unstarted),
    remarks: remarksOfAll(runs.map(({ remarks }) => remarks)),
    activeTogether: [...new Set(runs.flatMap(({ activeTogether }) => activeTogether))],
    exchanges: runs.some(({ exchanges }) => exchanges),
    isSettled: runs.every(({ isSettled }) => isSettled),
    open: runs.find(({ open }) => open !== undefined)?.open,
    unconfirmed: runs.find(({ unconfirmed }) => unconfirmed !== undefined)?.unconfirmed,
    states: runs.flatMap(({ states }) => states),
    *ends() {
      for (const { ends } of runs) yield* ends();
    },
  };
}

/** The runs of a test whose open words are of one class. */
interface FollowedTests {
  /** One run on all ways that what is found leads to, if that is like every execution. */
  readonly onWays: FollowedTest | undefined;
  /** Its runs, one for each case of what comes last. */
  readonly cases: (checkBudget: CheckBudget) => readonly FollowedTest[];
  /** The same, told apart by what atomics find as well where nothing but the end depends on that. */
  readonly inEachOrder: (checkBudget: CheckBudget) => readonly FollowedTest[] | undefined;
}

/** A test that is followed. */
interface FollowedLaunches {
  /** Runs that differ in how many tickets of a queue each thread draws, if no execution does more than these. */
  readonly inRounds: (checkBudget: CheckBudget) => FollowedRounds | undefined;
  readonly classes: FollowedClasses;
}

type FollowedRounds = { readonly runs: readonly FollowedTest[] } | { readonly unlike: UnlikeRounds };

/** The same, for each class of what is in open words. */
type FollowedClasses = (
  checkBudget: CheckBudget,
) => Iterable<{ readonly words: readonly OpenWord[]; readonly tests: FollowedTests }>;

/**
 * Follows a test; where accesses conflict, once more without what is in those bytes, to see what depends on it; where
 * something depends on what is found, once on all ways that this leads to.
 */
function follow(
  file: LitmusFile,
  checkBudget: CheckBudget,
  watch: Watch | undefined,
  areExchangesOrdered: boolean,
): FollowedLaunches {
  const whole = { ...settingOf(file, planLaunches(file), checkBudget, watch), areExchangesOrdered };
  const areRegistersAsked = askedBy(file.clauses).registers.length > 0;
  const kept = (look: Look): FollowedTest => confirmed(look, areRegistersAsked);
  const plain = once((budget) => {
    const first = lookAll(whole, budget, NOT_CONTESTED, {});
    const parts = partsOf(whole, budget, first.best);
    return { parts, tests: parts.length === 0 ? followClass(whole, budget, first, kept) : undefined };
  });
  return {
    inRounds: once((budget) => {
      const looked = lookOnRounds(whole, budget);
      return looked !== undefined && 'runs' in looked ? { runs: looked.runs.map(kept) } : looked;
    }),
    *classes(budget) {
      const { parts, tests } = plain(budget);
      if (tests !== undefined) yield { words: [], tests };
      else
        for (const { setting, looked } of classesOf(parts, budget))
          yield { words: setting.words?.words ?? [], tests: followClass(setting, budget, looked, kept) };
    },
  };
}

function followClass(
  setting: Setting,
  checkBudget: CheckBudget,
  first: Looked,
  kept: (look: Look) => FollowedTest,
): FollowedTests {
  const onWays = lookOnWays(setting, checkBudget, first);
  return {
    onWays: onWays && kept(onWays),
    cases: once((budget) => new Cases(setting, budget, kept, onWays?.run.conflicts, first).of()),
    inEachOrder: once((budget) => {
      const cases = new Cases(setting, budget, kept, undefined, first);
      return cases.inEachOrder() ?? cases.inEachOrderOfLocks();
    }),
  };
}

/** A run that is looked at a second time. What else was followed is not kept: of 64 cases that is a gibibyte. */
const confirmed = (
  { run, recheck: again, remarks, setting, followed: { image, register } }: Look,
  areRegistersAsked: boolean,
): FollowedTest => ({
  setting,
  followed: { image, register: areRegistersAsked ? register : () => undefined },
  run: { ...run, remarks: remarks(), unconfirmed: within(again, () => 'there was no time for it') },
});
