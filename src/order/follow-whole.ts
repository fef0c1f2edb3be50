import { askedBy } from '../build/asked.js';
import type { Diagnosed } from '../diagnostics/diagnostic.js';
import { buildTest } from '../follow/build-test.js';
import { areFew, type BuildOptions } from '../follow/choose-threads.js';
import type { ComesLast } from '../follow/held-back.js';
import { ENDLESS } from '../follow/launched-threads.js';
import { CONTENTS, type Contents, type Contested, NOT_CONTESTED } from '../follow/memory-image.js';
import { type Setting, settingOf } from '../follow/setting.js';
import type { Watch } from '../follow/watch.js';
import type { WhichRun } from '../follow/which-run.js';
import { isAboutAll } from '../kernel/grid.js';
import { planLaunches } from '../kernel/plan-launches.js';
import { beginsKnown } from '../program/locations.js';
import type { Observable, Program } from '../program/program.js';
import { type CheckBudget, within } from '../program/undecided.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { joined } from './contested-bytes.js';
import { type FollowedTest, type Look, look } from './look.js';
import { withRacesOf } from './races-of-run.js';
import { remarksOfAll } from './remarks.js';
import { isEveryRun, isLikeEvery, type OpenConflict, type WholeRun } from './whole-run.js';

export { isAboutAll };

/** A test that is about all threads of its launches. */
export interface WholeTest {
  /** The same test with what its threads do; undefined where that cannot be read, or these are too many. */
  readonly withThreads: (checkBudget: CheckBudget) => Program | undefined;
  /** One run of all threads; they are followed once. */
  readonly follow: (checkBudget: CheckBudget) => WholeRun;
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
  const isFollowed =
    options.isWhole !== true &&
    file.launches.length > 0 &&
    file.threads.length === 0 &&
    !file.clauses.some(({ kind }) => kind === 'filter') &&
    file.launches.every(({ runs }) => isAboutAll(runs));
  const threads = (budget: CheckBudget): Diagnosed<Program> =>
    buildTest(file, budget, { ...options, isOutline: false });
  if (!isFollowed) return { built: threads(checkBudget), whole: undefined };
  const followed = once((budget) => follow(file, budget, watch));
  const whole = (program: Program, withThreads: WholeTest['withThreads']): WholeTest => ({
    withThreads,
    follow: (budget) => runOf(followed(budget), program, budget),
  });
  // A thread by its number is one of those that are run: where not all are, it has no meaning for all.
  const isNamed = askedBy(file.clauses).registers.every(({ thread }) => thread.includes('['));
  const told = (built: Diagnosed<Program>): ReturnType<typeof readWhole> => {
    const { value: program } = built;
    const isTold = isNamed || program?.launches.every(({ run, threads: all }) => run.length === all) === true;
    return { built, whole: program === undefined || !isTold ? undefined : whole(program, () => program) };
  };
  if (options.isOutline === true && isNamed) {
    const isSmall = areFew(planLaunches(file), options);
    const outline = outlineOf(file, options, isSmall ? () => followed(followBudget) : undefined, checkBudget);
    const inTime = (budget: CheckBudget): Diagnosed<Program> | undefined =>
      within<Diagnosed<Program> | undefined>(
        () => threads(budget),
        () => undefined,
      );
    // What only names threads is never without what knows their answers.
    const withThreads = (budget: CheckBudget): Program | undefined => inTime(budget)?.value;
    if (outline?.value !== undefined)
      return { built: outline, whole: whole(outline.value, isSmall ? withThreads : () => undefined) };
    // Where threads go on and on for following alone, what the run says stands.
    const made = inTime(followBudget);
    const isTooLong = made === undefined || made.diagnostics.some(({ message }) => message === ENDLESS);
    const rest = isTooLong ? outlineOf(file, options, undefined, checkBudget) : undefined;
    if (rest?.value !== undefined) return { built: rest, whole: whole(rest.value, () => undefined) };
    if (made !== undefined) return told(made);
  }
  return told(threads(checkBudget));
}

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
  followed: (() => FollowedTests) | undefined,
  checkBudget: CheckBudget,
): Diagnosed<Program> | undefined {
  const built = buildTest(file, checkBudget, { ...options, isOutline: true });
  const { value } = built;
  if (value === undefined || followed === undefined) return value === undefined ? undefined : built;
  return within<Diagnosed<Program> | undefined>(
    () => {
      const run = runOf(followed(), value, checkBudget);
      // That there is a race is known without what single threads do.
      if (value.conditions.length === 0 && run.conflicts.some(({ isCertain }) => isCertain)) return built;
      const isKnown = value.conditions.length === 0 || value.observed.every((one) => run.valueOf(one) !== undefined);
      return isEveryRun(run) && isKnown ? built : undefined;
    },
    () => undefined,
  );
}

/**
 * What one run on all ways says, or all cases. What conflicts on a way may not come about; of cases it is known which
 * conflicts do.
 */
function runOf({ onWays, cases }: FollowedTests, program: Program, checkBudget: CheckBudget): WholeRun {
  const own = onWays && ofAll([onWays], program);
  const isClear = own?.conflicts.every(({ kind }) => kind === 'strong') === true;
  if (own !== undefined && isClear && program.observed.every((one) => own.valueOf(one) !== undefined)) return own;
  if (own === undefined) return ofAll(cases(checkBudget), program);
  const all = within<WholeRun | undefined>(
    () => ofAll(cases(checkBudget), program),
    () => undefined,
  );
  if (all === undefined) return own;
  return isLikeEvery(all) ? all : withRacesOf(own, all);
}

/** What all cases say: what is the same in each, and what happens in one. */
function ofAll(cases: readonly FollowedTest[], program: Program): WholeRun {
  const [first] = cases;
  if (first === undefined) throw new Error('a test without a run');
  const runs = cases.map(({ run }) => run);
  return {
    ...first.run,
    edges: new Set(runs.flatMap(({ edges }) => [...edges])),
    findings: runs.flatMap(({ findings }) => findings),
    uninitialized: runs.flatMap(({ uninitialized }) => uninitialized),
    conflicts: runs.flatMap(({ conflicts }) => conflicts),
    byOwner: runs.flatMap(({ byOwner }) => byOwner),
    waits: {
      pairs: runs.flatMap(({ waits }) => waits.pairs),
      hasTurns: runs.some(({ waits }) => waits.hasTurns),
    },
    remarks: remarksOfAll(runs.map(({ remarks }) => remarks)),
    activeTogether: [...new Set(runs.flatMap(({ activeTogether }) => activeTogether))],
    isSettled: runs.every(({ isSettled }) => isSettled),
    open: runs.find(({ open }) => open !== undefined)?.open,
    unconfirmed: runs.find(({ unconfirmed }) => unconfirmed !== undefined)?.unconfirmed,
    valueOf: (observable) => {
      const values = cases.map(({ followed, setting }) => valueOf(observable, followed, setting, program));
      return values.every((value) => value === values[0]) ? values[0] : undefined;
    },
  };
}

/** How often a test is followed, each time without more of what it is not known of; and how many cases there are. */
const MOST_LOOKS = 3;
const MOST_CASES = 64;

/** A test that is followed. */
interface FollowedTests {
  /** One run on all ways that what is found leads to, if that is like every execution. */
  readonly onWays: FollowedTest | undefined;
  /** Its runs, one for each case of what comes last. */
  readonly cases: (checkBudget: CheckBudget) => readonly FollowedTest[];
}

/**
 * Follows a test; where accesses conflict, once more without what is in those bytes, to see what depends on it; where
 * something depends on what is found, once on all ways that this leads to.
 */
function follow(file: LitmusFile, checkBudget: CheckBudget, watch: Watch | undefined): FollowedTests {
  const setting = settingOf(file, planLaunches(file), checkBudget, watch);
  const areRegistersAsked = askedBy(file.clauses).registers.length > 0;
  const kept = (look: Look): FollowedTest => confirmed(look, areRegistersAsked);
  const first = lookAll(setting, checkBudget, NOT_CONTESTED, {});
  const onWays = lookOnWays(setting, checkBudget, first);
  return {
    onWays: onWays && kept(onWays),
    cases: once((budget) => casesOf(setting, budget, first, kept, onWays !== undefined)),
  };
}

/** Where something depends on which of several atomics comes last, follows a test once for each. */
function casesOf(
  setting: Setting,
  checkBudget: CheckBudget,
  first: Looked,
  kept: (look: Look) => FollowedTest,
  /** It is known what may happen: it is to be shown where it does. */
  isShown: boolean,
): readonly FollowedTest[] {
  let left = MOST_CASES;
  const cases = (last: readonly ComesLast[], looked: Looked): readonly FollowedTest[] => {
    const { best, oneIsLast, known } = looked;
    if (isShown && best.run.conflicts.some(isSure)) return [{ ...kept(best), run: notAllCases(best.run) }];
    const others = (['last', 'in turns', 'before fences'] as const).map(
      (schedule) => (): Look => look(setting, checkBudget, { without: known, last, schedule }),
    );
    if (oneIsLast.length === 0 || oneIsLast.length > left) {
      if (last.length > 0) return [others.reduce(withOther, kept(best))];
      const given = givenContents(setting).flatMap((contents) =>
        (['first', 'last'] as const).map(
          (schedule) => (): Look => look(setting, checkBudget, { given: contents, schedule }),
        ),
      );
      return [given.reduce(withGiven, others.reduce(withOther, kept(best)))];
    }
    left -= oneIsLast.length - 1;
    const made: FollowedTest[] = [];
    for (const one of oneIsLast) {
      // What conflicts may be in order, where it is known which is last.
      const own = within<readonly FollowedTest[] | undefined>(
        () => {
          const more = [...last, one];
          const unknown = { ...NOT_CONTESTED, results: known.results };
          return cases(more, lookAll(setting, checkBudget, unknown, { last: more }));
        },
        () => undefined,
      );
      made.push(...(own ?? []));
      const isWrong = made.length > 0 && made.every(({ run }) => run.conflicts.some(isSure));
      const isEnough = isWrong && (isShown || (oneIsLast.length > FEW_CASES && made.length >= MOST_WRONG));
      if (own === undefined || isEnough) return [...made, { ...kept(best), run: notAllCases(best.run) }];
    }
    return made;
  };
  return cases([], first);
}

/** How often more is learned of what may be found. */
const MOST_RESULTS = 4;

/**
 * Where what may be found decides what threads do, they go each way that it leads to: one run, which says what is so on
 * all of them. Gives it, if it does.
 */
function lookOnWays(setting: Setting, checkBudget: CheckBudget, first: Looked): Look | undefined {
  let { mayFind, known } = first;
  for (let times = 0; times < MOST_RESULTS && mayFind.size > 0; times++) {
    const results = mayFind;
    const looked = within<Looked | undefined>(
      () => lookAll(setting, checkBudget, { ...NOT_CONTESTED, results: known.results }, { results }),
      () => undefined,
    );
    const found = looked?.best;
    if (looked === undefined || found === undefined) return undefined;
    if (isLikeEvery(found.run)) return found;
    if (found.run.open === undefined && found.run.findings.length === 0) return undefined;
    ({ known } = looked);
    const more = [...looked.mayFind].filter(([word]) => !results.has(word));
    if (more.length === 0) return undefined;
    mayFind = new Map([...results, ...more]);
  }
  return undefined;
}

/** Of more cases than these so many that all have a race are enough to know that there is one. */
const FEW_CASES = 8;
const MOST_WRONG = 3;
const isSure = ({ isCertain }: OpenConflict): boolean => isCertain;

/** A run, where it is not known what all are like: not each case of which atomic comes last was followed. */
function notAllCases(run: Look['run']): Look['run'] {
  const span = run.open?.span ?? run.conflicts[0]?.threads[0].span;
  if (span === undefined) throw new Error('cases of atomics that conflict with nothing');
  return { ...run, open: { span, what: 'not each case of which atomic comes last' } };
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

/** Where a run does not have a race that nothing is known to order, another run may. */
function withOther(best: FollowedTest, other: () => FollowedTest): FollowedTest {
  const { conflicts, findings } = best.run;
  if (findings.length > 0 || !conflicts.some(({ kind, isCertain }) => kind === 'race' && !isCertain)) return best;
  return { ...best, run: withRacesOf(best.run, other().run) };
}

/** What may be in memory of open contents, to be tried; nothing where there is none. */
function givenContents({ memory }: Setting): readonly Contents[] {
  const isOpen = memory.locations.objects.some((object) => object.isUninitialized !== true && !beginsKnown(object));
  return isOpen ? (Object.keys(CONTENTS) as Contents[]) : [];
}

/**
 * What is open because of what nobody knows of memory may be shown where that is given: it is an execution, too. What
 * it does is told, if nothing else is found.
 */
function withGiven(best: FollowedTest, other: () => Look): FollowedTest {
  const { run } = best;
  const isDoubtful = run.open !== undefined || run.conflicts.some(({ kind }) => kind !== 'strong');
  if (!isDoubtful || run.findings.length > 0 || run.conflicts.some(isSure)) return best;
  const found = within<Look | undefined>(other, () => undefined);
  if (found === undefined) return best;
  return { ...best, run: { ...withRacesOf(run, found.run), findings: found.run.findings } };
}

interface Looked extends Pick<Look, 'oneIsLast' | 'mayFind'> {
  readonly best: Look;
  /** What is not known of memory. */
  readonly known: Contested;
}

/** Follows all threads until nothing new is found that is not known. */
function lookAll(
  setting: Setting,
  checkBudget: CheckBudget,
  first: Contested,
  which: Pick<WhichRun, 'last' | 'results'>,
): Looked {
  let [known, best] = [first, look(setting, checkBudget, { ...which, without: first })];
  for (let looks = 1; looks < MOST_LOOKS; looks++) {
    const contested = joined(known, best.contested);
    if (contested === known || best.run.open !== undefined || best.run.findings.length > 0) break;
    // What was found is found, whether there is time for more or not.
    const next = within(
      () => look(setting, checkBudget, { ...which, without: contested }),
      () => undefined,
    );
    if (next === undefined) break;
    const { oneIsLast, mayFind } = next;
    if (oneIsLast.length > 0 || mayFind.size > 0) return { best, oneIsLast, mayFind, known: contested };
    if (next.run.open !== undefined || next.run.findings.length > 0) {
      best = { ...best, run: withRacesOf(best.run, next.run) };
      break;
    }
    const isSettled = joined(contested, next.contested) === contested;
    known = contested;
    const uninitialized = [...best.run.uninitialized, ...next.run.uninitialized];
    best = { ...next, run: { ...withRacesOf(next.run, best.run), uninitialized, isSettled } };
  }
  return { best, oneIsLast: best.oneIsLast, mayFind: best.mayFind, known };
}

function valueOf(
  observable: Observable,
  { image, register }: FollowedTest['followed'],
  { memory, launches }: Setting,
  { threads }: Program,
): bigint | undefined {
  if (observable.kind === 'register') {
    const place = threads[observable.thread]?.launched;
    if (place === undefined) return undefined;
    const launch = launches.findIndex(({ planned }) => planned.launch.syntax.name === place.launch);
    return register(launch, place.cta, place.tid, observable.register);
  }
  const { object, offset, type } = observable;
  const own = memory.locations.objects.find(({ name, space }) => name === object.name && space === object.space);
  // Of memory that each CTA or thread has for itself it would have to be said whose is meant.
  if (own === undefined || own.cta !== undefined || own.owner !== undefined) return undefined;
  return image.contents(own, offset, type.width / 8);
}
