import { askedBy } from '../build/asked.js';
import type { Diagnosed } from '../diagnostics/diagnostic.js';
import type { Span } from '../diagnostics/source.js';
import { buildTest } from '../follow/build-test.js';
import { areFew, type BuildOptions } from '../follow/choose-threads.js';
import { type Followed, Follower, type Schedule } from '../follow/follower.js';
import type { ComesLast } from '../follow/held-back.js';
import { ENDLESS } from '../follow/launched-threads.js';
import { type Contested, NOT_CONTESTED } from '../follow/memory-image.js';
import { type Setting, settingOf } from '../follow/setting.js';
import { type AccessKind, type FollowedThread, kindOf, type Trace, threadOf } from '../follow/trace.js';
import { isAboutAll } from '../kernel/grid.js';
import { planLaunches } from '../kernel/plan-launches.js';
import type { Observable, Program } from '../program/program.js';
import { type CheckBudget, within } from '../program/undecided.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { type Conflict, Conflicts } from './conflicts.js';
import { joined, uninitializedIn } from './contested-bytes.js';
import { edgesOf } from './edges-of-run.js';
import { exitsIn, leftBehind, remoteIn } from './exits.js';
import { Locks } from './locks.js';
import { MustOrder } from './must-order.js';
import { type OfRun, ofRun, withRacesOf } from './races-of-run.js';
import { recheck } from './recheck.js';
import { remarksOf, remarksOfAll } from './remarks.js';
import { isEveryRun, type OpenConflict, type PlaceInLaunch, type RunRemark, type WholeRun } from './whole-run.js';

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
  const followed = once((budget) => follow(file, budget));
  const whole = (program: Program, withThreads: WholeTest['withThreads']): WholeTest => ({
    withThreads,
    follow: (budget) => runOf(followed(budget), program),
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
  followed: (() => readonly FollowedTest[]) | undefined,
  checkBudget: CheckBudget,
): Diagnosed<Program> | undefined {
  const built = buildTest(file, checkBudget, { ...options, isOutline: true });
  const { value } = built;
  if (value === undefined || followed === undefined) return value === undefined ? undefined : built;
  return within<Diagnosed<Program> | undefined>(
    () => {
      const run = runOf(followed(), value);
      // That there is a race is known without what single threads do.
      if (value.conditions.length === 0 && run.conflicts.some(({ isCertain }) => isCertain)) return built;
      const isKnown = value.conditions.length === 0 || value.observed.every((one) => run.valueOf(one) !== undefined);
      return isEveryRun(run) && isKnown ? built : undefined;
    },
    () => undefined,
  );
}

/** What following the launches of a test has brought. */
interface FollowedTest {
  readonly setting: Setting;
  readonly followed: Pick<Followed, 'image' | 'register'>;
  readonly run: Omit<WholeRun, 'valueOf'>;
}

/** What all cases say: what is the same in each, and what happens in one. */
function runOf(cases: readonly FollowedTest[], program: Program): WholeRun {
  const [first] = cases;
  if (first === undefined) throw new Error('a test without a run');
  const runs = cases.map(({ run }) => run);
  return {
    ...first.run,
    edges: new Set(runs.flatMap(({ edges }) => [...edges])),
    findings: runs.flatMap(({ findings }) => findings),
    uninitialized: runs.flatMap(({ uninitialized }) => uninitialized),
    conflicts: runs.flatMap(({ conflicts }) => conflicts),
    remarks: remarksOfAll(runs.map(({ remarks }) => remarks)),
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

/**
 * Follows a test; where accesses conflict, once more without what is in those bytes, to see what depends on it; where
 * something depends on which of several atomics comes last, once for each.
 */
function follow(file: LitmusFile, checkBudget: CheckBudget): readonly FollowedTest[] {
  const setting = settingOf(file, planLaunches(file), checkBudget);
  const areRegistersAsked = askedBy(file.clauses).registers.length > 0;
  const kept = (look: Look): FollowedTest => confirmed(look, areRegistersAsked);
  let left = MOST_CASES;
  const cases = (last: readonly ComesLast[], first: Contested): readonly FollowedTest[] => {
    const { best, oneIsLast, known } = lookAll(setting, checkBudget, first, last);
    const others = (['last', 'in turns'] as const).map(
      (schedule) => (): Look => look(setting, checkBudget, known, last, schedule),
    );
    if (oneIsLast.length === 0 || oneIsLast.length > left)
      return [last.length > 0 ? kept(best) : others.reduce(withOther, kept(best))];
    left -= oneIsLast.length - 1;
    const made: FollowedTest[] = [];
    for (const one of oneIsLast) {
      // What conflicts may be in order, where it is known which is last.
      const own = within<readonly FollowedTest[] | undefined>(
        () => cases([...last, one], { ...NOT_CONTESTED, results: known.results }),
        () => undefined,
      );
      made.push(...(own ?? []));
      const isEnough =
        oneIsLast.length > FEW_CASES &&
        made.length >= MOST_WRONG &&
        made.every(({ run }) => run.conflicts.some(isSure));
      if (own === undefined || isEnough) return [...made, { ...kept(best), run: notAllCases(best.run) }];
    }
    return made;
  };
  return cases([], NOT_CONTESTED);
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

/** Follows all threads until nothing new is found that is not known. */
function lookAll(
  setting: Setting,
  checkBudget: CheckBudget,
  first: Contested,
  last: readonly ComesLast[],
): { readonly best: Look; readonly oneIsLast: readonly ComesLast[]; readonly known: Contested } {
  let [known, best] = [first, look(setting, checkBudget, first, last)];
  for (let looks = 1; looks < MOST_LOOKS; looks++) {
    const contested = joined(known, best.contested);
    if (contested === known || best.run.open !== undefined || best.run.findings.length > 0) break;
    // What was found is found, whether there is time for more or not.
    const next = within(
      () => look(setting, checkBudget, contested, last),
      () => undefined,
    );
    if (next === undefined) break;
    if (next.oneIsLast.length > 0) return { best, oneIsLast: next.oneIsLast, known: contested };
    if (next.run.open !== undefined || next.run.findings.length > 0) {
      best = { ...best, run: withRacesOf(best.run, next.run) };
      break;
    }
    const isSettled = joined(contested, next.contested) === contested;
    known = contested;
    const uninitialized = [...best.run.uninitialized, ...next.run.uninitialized];
    best = { ...next, run: { ...next.run, uninitialized, isSettled } };
  }
  return { best, oneIsLast: best.oneIsLast, known };
}

/** What one run brings, and how it is looked at a second time. */
interface Look extends FollowedTest {
  readonly followed: Followed;
  readonly contested: Contested;
  readonly oneIsLast: readonly ComesLast[];
  readonly recheck: () => string | undefined;
  readonly remarks: () => readonly RunRemark[];
}

/** Follows all threads, without what is in some bytes, and finds what conflicts. */
function look(
  setting: Setting,
  checkBudget: CheckBudget,
  without: Contested,
  last: readonly ComesLast[],
  schedule: Schedule = 'first',
): Look {
  const followed = new Follower(setting, checkBudget, without, last, schedule).run();
  const { trace, stopped } = followed;
  const order = new MustOrder(trace);
  const locks = new Locks(trace);
  const conflicts = new Conflicts(trace, without, locks);
  order.replay((row, before) => {
    if (row % 128 === 0) checkBudget();
    conflicts.add(row, before);
  });
  const nameOf = (launch: number): string => setting.launches[launch]?.planned.launch.syntax.name ?? '';
  const placeOf = ({ launch, cta, tid, isElected = false }: FollowedThread, span: Span): PlaceInLaunch => ({
    ...{ launch: nameOf(launch), cta, tid, isElected, span },
  });
  const run = ofRun(trace, [...conflicts.found.values()], order);
  const found = [...conflicts.found.values()].map((one) => openConflict(trace, one, placeOf, run));
  // Where it was not followed to its end, nothing is known of exits.
  const unknownAtExit = stopped === undefined ? remoteIn(trace).filter((one) => !order.isOver(one)) : [];
  const open =
    stopped === undefined
      ? (order.unforced ?? locks.unforced ?? conflicts.onLock ?? leftBehind(unknownAtExit))
      : { span: stopped.span, what: stopped.what };
  const isLooked = open === undefined && (found.length === 0 || without.bytes.size > 0);
  const whole = {
    threads: trace.threads.filter(({ isElected }) => isElected !== true).length,
    accesses: trace.accesses.count,
    edges: edgesOf(trace),
    findings: [...trace.findings, ...exitsIn(trace, unknownAtExit.filter(run.isTooLate))].map(
      ({ rule, thread, span }) => ({ rule, thread: placeOf(thread, span) }),
    ),
    conflicts: found,
    uninitialized: uninitializedIn(trace, conflicts.contested.bytes).map((row) => accessAt(trace, row, placeOf)),
    remarks: [],
    isSettled: found.length === 0,
    open,
    unconfirmed: undefined,
  };
  const areStrong = found.every(({ kind }) => kind === 'strong');
  const again = (): string | undefined =>
    isLooked ? recheck(trace, order.claims, without.bytes, areStrong, checkBudget) : undefined;
  const oneIsLast = stopped === undefined && trace.findings.length === 0 ? order.oneIsLast : [];
  const remarks = (): readonly RunRemark[] =>
    stopped === undefined
      ? remarksOf({ setting, trace, unreached: followed.unreached, conflicts: [...conflicts.found.values()] })
      : [];
  return { setting, followed, run: whole, contested: conflicts.contested, oneIsLast, recheck: again, remarks };
}

function openConflict(
  trace: Trace,
  conflict: Conflict,
  placeOf: (thread: FollowedThread, span: Span) => PlaceInLaunch,
  run: OfRun,
): OpenConflict {
  const { kind, first, pairs, isFirstOrdered, areOrdered } = conflict;
  const [a, b] = first;
  const isCertain = kind === 'race' && run.isRace(conflict);
  const { starts, sizes, kinds, pieces } = trace.accesses;
  // A copy is made in parts, which other accesses tell apart: none of them is partial.
  // What a warp accesses together has no size of its own.
  const isWithoutSize = [a, b].some((row) => trace.kinds[kinds.at(row)]?.tags.has('MATRIX') === true);
  const isInFlight = [a, b].some((row) => trace.kinds[kinds.at(row)]?.tags.has('ASY') === true);
  return {
    ...{ kind: kind === 'results' || kind === 'locked' ? 'strong' : kind, pairs },
    ...{ threads: [accessAt(trace, a, placeOf), accessAt(trace, b, placeOf)] },
    isCertain,
    isPartial: !isInFlight && !isWithoutSize && [starts, sizes].some((column) => column.at(a) !== column.at(b)),
    isInFlight: isInFlight && !areOrdered,
    isUninitialized:
      trace.pieces[pieces.at(b)]?.object.isUninitialized === true &&
      first.some((row) => kindOf(trace, row).reads) &&
      !(kind === 'race' && run.isAlwaysRace(conflict)),
    isTooEarly: isCertain && !isFirstOrdered && isTooEarly(kindOf(trace, a), kindOf(trace, b)),
  };
}

/** Whether one of two accesses in no order modifies the source of a copy, or reads its destination. */
function isTooEarly(...pair: readonly [AccessKind, AccessKind]): boolean {
  if (pair.every(({ tags }) => !tags.has('WEAK'))) return false;
  const [a, b] = pair;
  const isCopy = ({ tags }: AccessKind): boolean => tags.has('COPY') && !tags.has('RED');
  const spoils = (one: AccessKind, copy: AccessKind): boolean =>
    isCopy(copy) && ((copy.reads && one.writes) || (copy.writes && one.reads && !one.tags.has('RED')));
  return spoils(a, b) || spoils(b, a);
}

function accessAt(
  trace: Trace,
  row: number,
  placeOf: (thread: FollowedThread, span: Span) => PlaceInLaunch,
): PlaceInLaunch {
  return placeOf(threadOf(trace, row), kindOf(trace, row).span);
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
