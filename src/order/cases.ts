import type { Choice, Chosen } from '../follow/choices.js';
import type { ComesLast } from '../follow/comes-last.js';
import { OF_ANY_LANE } from '../follow/elected-lane.js';
import type { Case } from '../follow/held-back.js';
import { OPEN_ADDRESS } from '../follow/lane-place.js';
import { CONTENTS, type Contents, NOT_CONTESTED } from '../follow/memory-image.js';
import type { Setting } from '../follow/setting.js';
import { beginsKnown } from '../program/locations.js';
import { type CheckBudget, inTime } from '../program/undecided.js';
import { type FollowedTest, type Look, look } from './look.js';
import { type Looked, lookAll } from './look-all.js';
import { lookOnWays } from './look-on-ways.js';
import { linesOf, withRacesOf } from './races-of-run.js';
import { firstWrongRenaming } from './recheck-renamings.js';
import { RenamedClusters, type Renaming } from './renamed-clusters.js';
import { tornRuns } from './torn-loads.js';
import { hasRaces, isLikeEvery, type OpenConflict } from './whole-run.js';

/** Cases of one test that are followed at most; of short runs so many that all together have so many steps. */
const MOST_CASES = 64;
const MOST_SHORT_CASES = 1024;
const STEPS_OF_SHORT = 200_000;

/** Where a wait is followed round for round: so many times the steps of a run without these, and some. */
const LONGER = 2;
const FEW_STEPS = 2000;

/** Of coherence orders. */
const LOOSENESS = 16;

/** Of more cases than these so many that all have a race are enough to know that there is one. */
const FEW_CASES = 8;
const MOST_WRONG = 3;

/** What is chosen in a case, one after the other, and by place what may come instead. */
interface ChosenInRun<T> {
  readonly taken: readonly T[];
  readonly others: readonly (readonly T[])[];
}

/** Cases that a run tells of: of what, how much of that its run begins with, and how each of them is decided. */
interface CasesOf<T> {
  readonly begin: (taken: readonly T[]) => Case;
  readonly chosen: (look: Look) => ChosenInRun<T> | undefined;
  readonly decide: (looked: Looked, taken: readonly T[]) => readonly FollowedTest[];
  /** Each choice comes in every run, whatever is chosen: so many cases there are. */
  readonly areAlways?: true;
  /** By so much the product of what may come next at each place may be more than all cases. */
  readonly looseness?: number;
}

/**
 * The cases of a test, each followed once: where something depends on which of several atomics comes last, one for each
 * of them; where it depends on the order of all, one for each coherence order of their word; and one for each choice
 * that PTX leaves to the hardware, where something depends on that.
 */
export class Cases {
  /** How many more cases are followed. */
  private left: number;

  constructor(
    private readonly setting: Setting,
    private readonly checkBudget: CheckBudget,
    private readonly kept: (look: Look) => FollowedTest,
    /** It is known what may happen: these are to be shown where they do. */
    private readonly shown: readonly OpenConflict[] | undefined,
    private readonly first: Looked,
  ) {
    const short = Math.floor(STEPS_OF_SHORT / Math.max(1, first.best.followed.steps));
    this.left = Math.max(MOST_CASES, Math.min(short, MOST_SHORT_CASES));
  }

  /** The runs of all cases; with one that is open, if these are not all. */
  of(looked = this.first, given: Case = {}): readonly FollowedTest[] {
    const { best, oneIsLast } = looked;
    if (this.shown !== undefined && best.run.conflicts.some(isSure)) return [this.withoutAll(best)];
    const anybody = this.byAnybody(looked, given);
    if (anybody !== undefined) return [anybody];
    const chosen = this.byHardware(looked, given);
    if (chosen !== undefined) return chosen;
    if (isNew(oneIsLast, given) && oneIsLast.length <= this.left) return this.byLast(looked, given);
    const inOrder = isLikeEvery(best.run) ? undefined : this.inEachOrder(looked, given);
    if (inOrder !== undefined) return inOrder;
    const found = isEmpty(given) ? undefined : lookOnWays(this.setting, this.checkBudget, looked, given);
    const onWays = found && this.kept(found);
    if (onWays !== undefined && !hasRaces(onWays.run)) return [onWays];
    const one = this.alone(looked, given);
    if (onWays !== undefined && !isLikeEvery(one.run)) return [{ ...onWays, run: withRacesOf(onWays.run, one.run) }];
    // A race that no run has shown yet is shown in some order, or there is none.
    const isDoubtful =
      isLikeEvery(one.run) && one.run.conflicts.some(({ kind, isCertain }) => kind === 'race' && !isCertain);
    const others = isDoubtful ? (this.inEachOrder(looked, given) ?? this.inEachOrderOfLocks(given)) : undefined;
    return others ?? [one];
  }

  /** The runs of all cases of coherence orders of a word of which it is open what its atomics find. */
  inEachOrder({ best, openWords } = this.first, given: Case = {}): readonly FollowedTest[] | undefined {
    const word = openWords.find((one) => given.coherence?.has(one) !== true);
    return word === undefined ? undefined : this.byCoherence(best, word, given);
  }

  /** The runs of all cases of who takes locks in which order, and of coherence orders besides, if these say all. */
  inEachOrderOfLocks(given: Case = {}): readonly FollowedTest[] | undefined {
    const hasLocks = this.first.best.followed.trace.synchronizations.some(({ kind }) => kind === 'take');
    if (!hasLocks || !isEmpty(given)) return undefined;
    const inCase = { areLocksOrdered: true } as const;
    const looked = lookAll(this.setting, this.checkBudget, NOT_CONTESTED, inCase);
    const all = this.inEachOrder(looked, inCase) ?? [this.kept(looked.best)];
    return all.every(({ run }) => isLikeEvery(run)) ? all : undefined;
  }

  /** One run for all cases of which atomics come last, if whoever makes them does the same. */
  private byAnybody({ best }: Looked, given: Case): FollowedTest | undefined {
    const anybody = given.anybody === undefined && !isLikeEvery(best.run) ? best.lasts() : [];
    if (anybody.length === 0) return undefined;
    const found = inTime(() => lookAll(this.setting, this.checkBudget, NOT_CONTESTED, { ...given, anybody }))?.best;
    return found !== undefined && !hasRaces(found.run) && isLikeEvery(found.run) ? this.kept(found) : undefined;
  }

  /** One case for each atomic that may come last. */
  private byLast({ best, oneIsLast, known }: Looked, given: Case): readonly FollowedTest[] {
    const { setting, checkBudget, shown } = this;
    this.left -= oneIsLast.length - 1;
    const made: FollowedTest[] = [];
    for (const one of oneIsLast) {
      const own = inTime((): readonly FollowedTest[] => {
        const of = { ...given, last: [...lastOf(given), one] };
        // What conflicts may be in order, where it is known which is last.
        return this.of(lookAll(setting, checkBudget, { ...NOT_CONTESTED, results: known.results }, of), of);
      });
      made.push(...(own ?? []));
      const isWrong = made.length > 0 && made.every(({ run }) => run.conflicts.some(isSure));
      const isEnough = isWrong && (shown !== undefined || (oneIsLast.length > FEW_CASES && made.length >= MOST_WRONG));
      if (own === undefined || isEnough) return [...made, this.withoutAll(best)];
    }
    return made;
  }

  /** One case for each coherence order of the atomics of a word. */
  private byCoherence(best: Look, word: string, given: Case): readonly FollowedTest[] | undefined {
    const inOrder = (threads: readonly number[]): Case => ({
      ...given,
      coherence: new Map([...(given.coherence ?? []), [word, threads]]),
    });
    const renamings: Renaming[] = [];
    const chosen = ({ coherence, followed: { trace } }: Look): ChosenInRun<number> | undefined => {
      const order = coherence.get(word);
      if (order === undefined) return undefined;
      const renamed = new RenamedClusters(this.setting, trace, given);
      const others = order.threads.map((one, at) =>
        renamed.of([one, ...(order.choices[at] ?? [])], order.threads.slice(0, at)).slice(1),
      );
      renamings.push(...renamed.renamings);
      return { taken: order.threads, others };
    };
    const decide = (looked: Looked, threads: readonly number[]) => this.of(looked, inOrder(threads));
    const made = this.byEach(best, { begin: inOrder, chosen, decide, looseness: LOOSENESS });
    if (renamings.length === 0) return made;
    const wrong = firstWrongRenaming(this.setting, renamings);
    return made?.map((one) => asOfAny(one, wrong));
  }

  /** Cases of what is left to the hardware, if that matters; undefined if not, or if these are too many. */
  private byHardware({ best }: Looked, given: Case): readonly FollowedTest[] | undefined {
    const { findings, conflicts, open } = best.run;
    const { requests, threads } = best.followed.trace;
    const of = (kind: 'cancellations' | 'leaders', isAll: boolean) => (taken: readonly Chosen[]) => ({
      ...given,
      [kind]: { chosen: taken, isAll },
    });
    if (requests.length > 0 && findings.length === 0 && !conflicts.some(isSure))
      return this.byEach(best, {
        begin: of('cancellations', false),
        chosen: (look) => chosenIn(look, ['start', 'request']),
        // Who requests what may be another one in other orders of atomics.
        decide: (looked, taken) => [this.alone(looked, of('cancellations', true)(taken))],
      });
    const isOfOne = OF_ANY_LANE.has(open?.what ?? '') || open?.what === OPEN_ADDRESS;
    if (!isOfOne || !threads.some(({ isElected }) => isElected)) return undefined;
    return this.byEach(best, {
      begin: of('leaders', false),
      chosen: (look) => chosenIn(look, ['leader']),
      decide: (looked, taken) => this.of(looked, of('leaders', true)(taken)),
      areAlways: true,
    });
  }

  /**
   * One case for each way in which something may be chosen: each run says what may come instead, and that is followed
   * next. Undefined if there are too many.
   */
  private byEach<T>(
    best: Look,
    { begin, chosen, decide, areAlways, looseness }: CasesOf<T>,
  ): readonly FollowedTest[] | undefined {
    const made: FollowedTest[] = [];
    const waiting: (readonly T[])[] = [[]];
    for (let first = waiting.pop(); first !== undefined; first = waiting.pop()) {
      const begun = first;
      const looked = inTime(() => lookAll(this.setting, this.checkBudget, NOT_CONTESTED, begin(begun)));
      const run = looked && chosen(looked.best);
      if (looked === undefined || run === undefined) return this.ifWrong(made, best);
      const { taken, others } = run;
      const least = areAlways === true ? waysOf(others, 0) : 1;
      if (made.length === 0 && least > this.left) return this.ifWrong([this.alone(looked, begin(taken))], best);
      for (let at = begun.length; at < taken.length; at++)
        for (const other of others[at] ?? []) waiting.push([...taken.slice(0, at), other]);
      const isTooMany = looseness !== undefined && waysOf(others, begun.length) > looseness * this.left;
      if (waiting.length >= this.left || isTooMany) return this.ifWrong(made, best);
      this.left -= 1;
      const own = decide(looked, taken);
      made.push(...own);
      // One that is open leaves all open, and shows nothing more.
      const isOpen = own.some(({ run }) => run.open !== undefined);
      if (own.some(({ run }) => !isLikeEvery(run)))
        return [isOpen ? this.kept(best) : this.withoutOrders(best), ...made];
    }
    return made;
  }

  /** Cases that are not all, if one of them shows what is wrong. */
  private ifWrong(made: readonly FollowedTest[], best: Look): readonly FollowedTest[] | undefined {
    const isWrong = made.some(({ run }) => run.conflicts.some(isSure) || run.findings.length > 0);
    return isWrong ? [this.withoutOrders(best), ...made] : undefined;
  }

  /** A case that is not told apart further. */
  private alone({ best, known }: Looked, of: Case): FollowedTest {
    const { setting, checkBudget } = this;
    const others = (['last', 'in turns', 'before fences', 'behind atomics'] as const).map(
      (schedule) => (): Look => look(setting, checkBudget, { without: known, ...of, schedule }),
    );
    const lines = this.shown && new Set(this.shown.map(linesOf));
    const inTurn = (one: FollowedTest): FollowedTest =>
      others.reduce<FollowedTest>((all, other) => withOther(all, other, lines), one);
    if (!isEmpty(of)) return inTurn(this.kept(best));
    const given = givenContents(setting).flatMap((contents) =>
      (['first', 'last'] as const).map(
        (schedule) => (): Look => look(setting, checkBudget, { given: contents, schedule }),
      ),
    );
    const withAny = (one: FollowedTest): FollowedTest => given.reduce<FollowedTest>(withGiven, one);
    // No schedule tells whether an access is made that is open because of what is in memory.
    const isByContents = best.run.conflicts.every(({ isPossible }) => isPossible);
    const withRuns = isByContents ? inTurn(withAny(this.kept(best))) : withAny(inTurn(this.kept(best)));
    const withCopies = withLate(withRuns, () => look(setting, checkBudget, { schedule: 'late copies' }));
    // Who waits there may go round for ever.
    const toldRounds = { schedule: 'told rounds', steps: LONGER * best.followed.steps + FEW_STEPS } as const;
    const withRounds = withTold(withCopies, setting, () => look(setting, checkBudget, toldRounds));
    return withTorn(withRounds, () => tornRuns(setting, checkBudget));
  }

  /** A run, where it is not known what all are like: not each case was followed. */
  private withoutAll(best: Look, what = 'not each case of which atomic comes last'): FollowedTest {
    const { run } = best;
    const span = run.open?.span ?? run.conflicts[0]?.threads[0].span;
    if (span === undefined) throw new Error('cases of atomics that conflict with nothing');
    return { ...this.kept(best), run: { ...run, open: { span, what } } };
  }

  /** The same of orders of atomics, if nothing else has been open. */
  private withoutOrders(best: Look): FollowedTest {
    return best.run.open === undefined ? this.withoutAll(best, 'not each order of atomics') : this.kept(best);
  }
}

/** How many ways there are from a place on, if what may come next did not depend on what came before. */
const waysOf = (others: readonly (readonly unknown[])[], from: number): number =>
  others.slice(from).reduce((product, own) => product * (own.length + 1), 1);

/** What is chosen in a run of some kinds, and what else may be. */
function chosenIn({ followed: { trace } }: Look, kinds: readonly Choice['kind'][]): ChosenInRun<Chosen> {
  const taken = trace.choices.filter(({ kind }) => kinds.includes(kind));
  const others = taken.map(({ key, options, taken: own }) =>
    options.flatMap((one) => (one === own ? [] : [{ key, taken: one }])),
  );
  return { taken, others };
}

/** Whether it matters which of some atomics comes last, and the case does not say so of one of them. */
const isNew = (some: readonly ComesLast[], given: Case): boolean => {
  const isOne = (a: ComesLast, b: ComesLast): boolean =>
    a.thread === b.thread && a.statement === b.statement && a.times === b.times;
  return some.length > 0 && !some.some((one) => lastOf(given).some((known) => isOne(one, known)));
};

const isEmpty = (of: Case): boolean => Object.keys(of).length === 0;

/** A case that others are like, whose clusters have other names: whose ids are lower is not the same in these. */
const asOfAny = ({ run, ...one }: FollowedTest, wrong: string | undefined): FollowedTest => {
  const pairs = run.waits.pairs.map((pair) => ({ ...pair, isLower: false }));
  return { ...one, run: { ...run, waits: { ...run.waits, pairs }, unconfirmed: run.unconfirmed ?? wrong } };
};

const lastOf = ({ last = [] }: Case): readonly ComesLast[] => last;

const isSure = ({ isCertain }: OpenConflict): boolean => isCertain;

/** Where a run does not have a race that nothing is known to order, another run may; `lines`: of those to be shown. */
function withOther(best: FollowedTest, other: () => Look, lines: ReadonlySet<string> | undefined): FollowedTest {
  const { conflicts, findings } = best.run;
  const isDoubtful = (one: OpenConflict): boolean =>
    one.kind === 'race' && !one.isCertain && lines?.has(linesOf(one)) !== false;
  if (findings.length > 0 || !conflicts.some(isDoubtful)) return best;
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
  const found = inTime(other);
  if (found === undefined) return best;
  return { ...best, run: { ...withRacesOf(run, found.run), findings: found.run.findings } };
}

/** Where it is open whether rounds of a wait may be left out, a run of all of them may show what is wrong. */
function withTold(best: FollowedTest, { launches }: Setting, rounds: () => Look): FollowedTest {
  const { run } = best;
  const codes = launches.flatMap(({ ranks }) => ranks.map(({ code }) => code));
  const isTold = codes.some(({ polls }) => [...polls.values()].some(({ region }) => region.tells));
  if (run.open === undefined || !isTold || run.findings.length > 0 || run.conflicts.some(isSure)) return best;
  const found = inTime(rounds);
  return found === undefined
    ? best
    : { ...best, run: { ...withRacesOf(run, found.run), findings: found.run.findings } };
}

/** Where copies are complete later, phases that count too few of them may end while others are in flight. */
function withLate(best: FollowedTest, late: () => Look): FollowedTest {
  const { run } = best;
  if (run.open === undefined || !run.edges.has('bulk-mbarrier') || run.conflicts.some(isSure)) return best;
  const found = inTime(late);
  if (found === undefined) return best;
  const findings = found.run.findings.filter(({ rule }) => rule !== 'deadlock');
  return { ...best, run: { ...withRacesOf(run, found.run), findings: [...run.findings, ...findings] } };
}

/** What is not like every run may be wrong where elements of vectors are found old. */
function withTorn(best: FollowedTest, torn: () => Iterable<Look>): FollowedTest {
  const { run } = best;
  if (isLikeEvery(run) || run.findings.length > 0 || run.conflicts.some(isSure)) return best;
  const wrong = inTime(() => [...torn()].find((one) => one.run.findings.length > 0 || one.run.conflicts.some(isSure)));
  return wrong === undefined
    ? best
    : { ...best, run: { ...withRacesOf(run, wrong.run), findings: wrong.run.findings } };
}
