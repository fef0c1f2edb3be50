import { volume } from '../kernel/grid.js';
import type { CheckBudget } from '../program/undecided.js';
import { blocksOf, deciding, firstCandidate, type LaunchHint, PARTS, scaled, withValue } from './alternatives.js';
import { type Candidate, isNumbered, keyOf, type Names, threadsOf } from './candidate.js';
import type { KernelFacts, Slot } from './kernel-facts.js';
import { misfit, type Outcome, TOO_LONG, tryLaunch } from './trial.js';

/** How long is searched. */
export interface SearchLimits {
  /** In milliseconds, for all that is left. */
  readonly remaining: () => number;
  /** For one launch. */
  readonly budget: () => CheckBudget;
  readonly mostTrials: number;
}

/** A launch that was followed. */
export interface Tried {
  readonly candidate: Candidate;
  readonly outcome: Outcome;
}

/** What a search comes to. */
export interface Found {
  readonly best: Tried;
  /** Lines to which threads of all CTAs come in some launch of several. */
  readonly everywhere: ReadonlySet<string>;
}

/**
 * Looks for a launch in which all lines of a kernel are reached, loops are gone round, and threads share memory: one
 * guess is made, and then what it has is changed, a part at a time, as long as that shows more.
 */
export function searchLaunch(
  facts: KernelFacts,
  names: Names,
  hints: readonly LaunchHint[],
  limits: SearchLimits,
): Found {
  const search = new Search(facts, names, limits);
  const starts = [...hints.map((hint) => firstCandidate(facts, hint)), firstCandidate(facts, undefined)];
  for (const start of starts) search.offer(start);
  // What is too much is tried with less.
  for (const value of LESS)
    if (search.best.outcome.problem === TOO_LONG)
      search.offer(withValue(search.best.candidate, deciding(facts), value));
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = search.best;
    for (const part of PARTS) search.improve((candidate) => part(facts, candidate));
    if (search.best === before) break;
  }
  if (hints.length === 0) search.reshape();
  search.shrink();
  search.fitShared();
  search.tellApart();
  search.fitShared();
  return { best: search.best, everywhere: search.everywhere };
}

const MOST_ROUNDS = 4;
const LESS = [35n, 5n, 3n];
/** How much of the time goes into looking for a launch; the rest into making it smaller, and its sizes different. */
const OF_SEARCHING = 0.6;
/** Of blocks that are tried against races. */
const MOST_SHAPES = 7;
/** What is added to a number that another parameter has, too. */
const APART = [3n, -3n, 5n, -2n, 1n, 8n, 13n, 32n];
/** Where all lines are reached: launches that are tried for comparisons that go both ways. */
const MOST_IN_VAIN = 30;
/** In bytes: of an array whose contents are a list. */
const LONG_LIST = 640;
const FEW = [1n, 2n, 3n, 4n, 8n, 11n, 19n, 32n, 35n, 64n];

class Search {
  private readonly seen = new Set<string>();
  readonly everywhere = new Set<string>();
  private readonly given: number;
  /** How many launches have shown no more than one before. */
  private since = 0;
  private found: (Tried & { readonly score: readonly number[] }) | undefined;

  constructor(
    private readonly facts: KernelFacts,
    private readonly names: Names,
    private readonly limits: SearchLimits,
  ) {
    this.given = limits.remaining();
  }

  get best(): Tried {
    if (this.found === undefined) throw new Error('a search begins with a guess');
    return this.found;
  }

  private get isOver(): boolean {
    const { found, limits, seen } = this;
    const share = limits.remaining() - (1 - OF_SEARCHING) * this.given;
    return found !== undefined && (seen.size >= limits.mostTrials || share <= 0);
  }

  improve(alternatives: (candidate: Candidate) => readonly Candidate[]): void {
    for (const one of alternatives(this.best.candidate)) {
      if (this.isDone || this.isOver) return;
      this.offer(one);
    }
  }

  /** Nothing that matters is left to be shown, and what would be nice is not found. */
  private get isDone(): boolean {
    const score = this.found?.score ?? [];
    const isAll = score[0] === 0 && (score[1] ?? 0) <= OF_SHARING;
    return isAll && (score.slice(1, SHOWN).every((one) => one === 0) || this.since > MOST_IN_VAIN);
  }

  /**
   * Another block, if the kernel does not look made for this one, and the other shows as much: one in which nothing is
   * read that was not written, or a plane in which no two threads race. Of a line a race says nothing of the size: a
   * block that has none may only be too small for a mistake to show.
   */
  reshape(): void {
    const { facts, names, limits } = this;
    const fits = facts.dimensions > 1 ? 0 : 1;
    let worst = misfit(facts, this.best.candidate, names, limits.budget());
    for (const block of blocksOf(facts, undefined).slice(0, MOST_SHAPES)) {
      if (worst <= fits) return;
      for (const other of [scaled(facts, this.best.candidate, block), { ...this.best.candidate, block }]) {
        const outcome = tryLaunch(facts, other, names, new Map(), limits.budget());
        const score = scoreOf(facts, other, outcome);
        if (limits.remaining() <= 0 || !this.isAsGood(score, OF_RESHAPING)) continue;
        const own = misfit(facts, other, names, limits.budget());
        if (own >= worst) continue;
        worst = own;
        this.found = { candidate: other, outcome, score };
        break;
      }
    }
  }

  private isAsGood(score: readonly number[], parts: number): boolean {
    return score.slice(0, parts).every((one, i) => one <= (this.found?.score[i] ?? 0));
  }

  /** Takes different numbers for different parameters, none of them a multiple of another: equal ones hide mistakes. */
  tellApart(): void {
    const slots = deciding(this.facts);
    for (const [i, slot] of slots.entries())
      for (const by of APART) {
        const valueIn = (one: Slot): bigint => this.best.candidate.values.get(keyOf(one)) ?? 1n;
        const now = valueIn(slot);
        if (this.limits.remaining() <= 0 || now < 2n || !slots.slice(0, i).some((one) => valueIn(one) === now)) break;
        const value = now + by;
        if (value < 2n || slots.some((one) => valueIn(one) === value)) continue;
        this.replace(withValue(this.best.candidate, [slot], value));
      }
  }

  /** As much dynamic shared memory as is touched. */
  fitShared(): void {
    const { candidate, outcome } = this.best;
    const { shared } = outcome;
    if (this.facts.hasDynamicShared && outcome.stopped === undefined && shared > 0 && shared < candidate.shared)
      this.replace({ ...candidate, shared });
  }

  /** Takes a launch in the place of the best one, if it shows no less, and nothing goes wrong that did not before. */
  private replace(candidate: Candidate): void {
    const { facts, names, limits } = this;
    const outcome = tryLaunch(facts, candidate, names, new Map(), limits.budget());
    const score = scoreOf(facts, candidate, outcome);
    if (this.isAsGood(score, SHOWN)) this.found = { candidate, outcome, score };
  }

  /** Takes smaller numbers where a launch does much, as long as they show the same, by as many threads. */
  shrink(): void {
    for (const slot of deciding(this.facts))
      for (const value of FEW) {
        const { candidate, outcome } = this.best;
        const now = candidate.values.get(keyOf(slot)) ?? 1n;
        if (outcome.cost <= LITTLE || this.found === undefined || value >= now) break;
        const smaller = withValue(candidate, [slot], value);
        const other = tryLaunch(this.facts, smaller, this.names, new Map(), this.limits.budget());
        const score = scoreOf(this.facts, smaller, other);
        if (this.isAsGood(score, SHOWN) && other.active >= outcome.active)
          this.found = { candidate: smaller, outcome: other, score };
      }
    // A list of many numbers says no more than zeros that show the same.
    for (const [key, one] of this.best.candidate.contents) {
      const name = this.names.arrays.get(key) ?? '';
      if (!isNumbered(one) || (this.best.outcome.touched.get(name) ?? 0) <= LONG_LIST) continue;
      const { candidate } = this.best;
      this.offer({ ...candidate, contents: new Map([...candidate.contents, [key, 'zero']]) }, 3);
    }
  }

  /** `most`: how many parts of its score have to be as good as what was found. */
  offer(candidate: Candidate, most?: number): void {
    const key = JSON.stringify({
      ...candidate,
      values: [...candidate.values].map(String),
      maps: [...candidate.boxes],
      contents: [...candidate.contents],
    });
    if ((most === undefined && this.isOver) || this.seen.has(key) || threadsOf(candidate) > MOST_THREADS) return;
    this.seen.add(key);
    const outcome = tryLaunch(this.facts, candidate, this.names, new Map(), this.limits.budget());
    const score = scoreOf(this.facts, candidate, outcome);
    if (volume(candidate.grid) > 1)
      for (const [line, count] of outcome.ctasAt) if (count === volume(candidate.grid)) this.everywhere.add(line);
    this.since += 1;
    const isGood =
      most === undefined ? this.found === undefined || isLess(score, this.found.score) : this.isAsGood(score, most);
    if (!isGood) return;
    this.found = { candidate, outcome, score };
    this.since = 0;
  }
}

const MOST_THREADS = 4096;

/** Of a kernel whose threads share nothing, whatever its launch. */
const OF_SHARING = 2;
/** What it may take to order what a launch does, in accesses. */
const LITTLE = 8192;

/** What is not shown, the worst first; the smallest is the best. */
function scoreOf({ special }: KernelFacts, candidate: Candidate, outcome: Outcome): readonly number[] {
  const { problem, unreached, short, finding, stopped, isShared, oneSided, missed, cost } = outcome;
  const given = [...candidate.contents.values()].filter(isNumbered).length;
  const isAlone = volume(candidate.grid) === 1 && special.has('ctaid.x');
  const shown = 2 * (unreached.length + short.length) + (isShared ? 0 : OF_SHARING) + (isAlone ? 1 : 0);
  return [
    problem === undefined ? 0 : 1,
    shown + (stopped !== undefined || finding !== undefined ? penaltyOf(outcome) : 0),
    apartIn(candidate, outcome).length,
    oneSided + missed,
    given,
    Math.max(0, Math.round(Math.log2(cost / LITTLE))),
  ];
}

/** Parts of a score that another block may not make worse: also a CTA that does nothing shows no race. */
const OF_RESHAPING = 3;
/** How many parts of a score say what is shown. */
const SHOWN = 4;

/** Lines with accesses to global memory to which threads of some CTAs come, and none of others. */
export const apartIn = ({ grid }: Candidate, { ctasAt }: Outcome): readonly string[] =>
  [...ctasAt].flatMap(([line, count]) => (count < volume(grid) ? [line] : []));

/** What a thread does wrong is an answer; where following just ends there is none. */
const penaltyOf = ({ finding, lines }: Outcome): number => Math.max(4, finding === undefined ? lines : lines / 2);

function isLess(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((one, i) => one !== b[i]);
  return at !== -1 && (a[at] ?? 0) < (b[at] ?? 0);
}
