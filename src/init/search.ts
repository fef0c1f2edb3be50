import { volume } from '../kernel/grid.js';
import { type Candidate, keyOf, threadsOf } from './candidate.js';
import { bytesOf, isNumbered, writtenOf } from './contents.js';
import { NOTHING } from './memory-use.js';
import { narrowIn } from './sizes.js';
import { type Outcome, TOO_LONG, type Trials } from './trial.js';

/** How long is searched. */
export interface SearchLimits {
  readonly mostTrials: number;
  /** In milliseconds: a last limit, on machines where that takes long. */
  readonly remaining: () => number;
}

/** A launch that was followed. */
export interface Tried {
  readonly candidate: Candidate;
  readonly outcome: Outcome;
}

/** How much of the work goes into looking for a launch; the rest into making it smaller, and its sizes different. */
const OF_SEARCHING = 0.6;
/** Where all lines are reached: launches of one part that are tried for comparisons that go both ways. */
const MOST_IN_VAIN = 16;

/** The best launch so far, and what was tried. */
export class Search {
  private readonly seen = new Set<string>();
  private readonly tooLong: Candidate[] = [];
  readonly everywhere = new Set<string>();
  /** How many launches have shown no more than one before. */
  private since = 0;
  private found: (Tried & { readonly score: readonly number[] }) | undefined;
  isCut = false;
  /** What went wrong with a block that was left for another one, in words. */
  left: readonly string[] = [];

  constructor(
    readonly trials: Trials,
    private readonly limits: SearchLimits,
  ) {}

  get best(): Tried {
    if (this.found === undefined) throw new Error('a search begins with a guess');
    return this.found;
  }

  /** Whether so much of the work is done that may be done. */
  isSpent(share = 1): boolean {
    const { found, limits, trials } = this;
    if (found === undefined) return false;
    if (limits.remaining() <= 0) this.isCut = true;
    return this.isCut || trials.work >= share * trials.limits.allWork;
  }

  private get isOver(): boolean {
    return this.seen.size >= this.limits.mostTrials || this.isSpent(OF_SEARCHING);
  }

  improve(alternatives: (candidate: Candidate, isShown: boolean) => readonly Candidate[]): void {
    this.since = 0;
    const { score = [] } = this.found ?? {};
    for (const one of alternatives(this.best.candidate, score[0] === 0 && score[1] === 0)) {
      if (this.isDone || this.isOver) return;
      this.offer(one);
    }
  }

  /** Nothing that matters is left to be shown, and what would be nice is not found. */
  private get isDone(): boolean {
    const score = this.found?.score ?? [];
    const isAll = score[0] === 0 && score[1] === 0;
    return isAll && (score.slice(2, SHOWN).every((one) => one === 0) || this.since > MOST_IN_VAIN);
  }

  /** Takes a launch if it shows more than all before. */
  offer(candidate: Candidate): void {
    const key = JSON.stringify({
      ...candidate,
      values: [...candidate.values].map(String),
      maps: [...candidate.boxes],
      contents: [...candidate.contents],
    });
    if ((this.found !== undefined && this.isOver) || this.seen.has(key) || threadsOf(candidate) > MOST_THREADS) return;
    this.seen.add(key);
    if (this.tooLong.some((less) => isMore(candidate, less))) return;
    const own = this.tried(candidate);
    if (own.outcome.problem === TOO_LONG) this.tooLong.push(candidate);
    if (volume(candidate.grid) > 1)
      for (const [line, count] of own.outcome.ctasAt) if (count === volume(candidate.grid)) this.everywhere.add(line);
    this.since += 1;
    if (this.found !== undefined && !isLess(own.score, this.found.score)) return;
    this.found = own;
    this.since = 0;
  }

  /** A launch, if it is as good as the best one in so many parts of the score. */
  asGood(candidate: Candidate, parts: number): Tried | undefined {
    if (this.isSpent() || threadsOf(candidate) > MOST_THREADS) return undefined;
    const own = this.tried(candidate);
    const isAsGood = own.score.slice(0, parts).every((one, i) => one <= (this.found?.score[i] ?? 0));
    return isAsGood ? own : undefined;
  }

  /** Takes a launch in the place of the best one. */
  take({ candidate, outcome }: Tried): void {
    this.found = { candidate, outcome, score: scoreOf(this.trials, candidate, outcome) };
  }

  private tried(candidate: Candidate): Tried & { readonly score: readonly number[] } {
    const outcome = this.trials.follow(candidate);
    return { candidate, outcome, score: scoreOf(this.trials, candidate, outcome) };
  }
}

const MOST_THREADS = 4096;

/** Whether one launch has as many threads as another, and sizes that are at least as large. */
const isMore = (one: Candidate, less: Candidate): boolean =>
  volume(one.grid) === volume(less.grid) &&
  volume(one.block) === volume(less.block) &&
  [...less.values].every(([key, value]) => (one.values.get(key) ?? 0n) >= value);

/** What it may take to order what a launch does, in accesses. */
export const LITTLE = 8192;

/** What is not shown, the worst first; the smallest is the best. */
function scoreOf({ facts, names }: Trials, candidate: Candidate, outcome: Outcome): readonly number[] {
  const { special } = facts;
  const { problem, unreached, short, finding, stopped, isShared, oneSided, missed, cost } = outcome;
  // What is listed has to be read.
  const lists = [...candidate.contents].filter(([, one]) => isNumbered(one));
  const uses = new Map(facts.slots.map((slot) => [keyOf(slot), slot.use]));
  const given = lists.reduce((all, [key, one]) => {
    const bytes = bytesOf(uses.get(key) ?? NOTHING);
    const touched = outcome.touched.get(names.arrays.get(key) ?? '') ?? 0;
    return all + Math.floor((bytes * writtenOf(one, touched / bytes)) / LONG_LIST);
  }, 0);
  const isAlone = volume(candidate.grid) === 1 && special.has('ctaid.x');
  const shown = 2 * (unreached.length + short.length) + (isAlone ? 1 : 0);
  return [
    problem === undefined ? 0 : 1,
    shown + (stopped !== undefined || finding !== undefined ? penaltyOf(outcome) : 0),
    // What other CTAs would have done where one ended all is not known.
    (finding === undefined ? apartIn(candidate, outcome).length : 0) + narrowIn(facts, candidate, 2n).length,
    oneSided + missed + OF_DOUBLING * Math.max(0, Math.round(Math.log2(cost / LITTLE))),
    // Also threads that race share something, and a block that the kernel is not for has them race.
    isShared ? 0 : 1,
    given,
  ];
}

/** So many comparisons more that go both ways are worth twice the work. */
const OF_DOUBLING = 3;

/** In bytes: of an array whose contents are a list. */
export const LONG_LIST = 640;

/**
 * Parts of a score that another block may not make worse: also a CTA that does nothing shows no race. What threads
 * share may be what they race for.
 */
export const OF_RESHAPING = 3;
/** Parts that say which lines are reached, and which loops are gone round. */
export const OF_SHOWING = 2;
/** How many parts of a score say what is shown. */
export const SHOWN = 5;

/** Lines with accesses to global memory to which threads of some CTAs come, and none of others. */
export const apartIn = ({ grid }: Candidate, { ctasAt }: Outcome): readonly string[] =>
  [...ctasAt].flatMap(([line, count]) => (count < volume(grid) ? [line] : []));

/** What a thread does wrong is an answer; where following just ends there is none. */
const penaltyOf = ({ finding, lines }: Outcome): number => Math.max(4, finding === undefined ? lines : lines / 2);

function isLess(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((one, i) => one !== b[i]);
  return at !== -1 && (a[at] ?? 0) < (b[at] ?? 0);
}
