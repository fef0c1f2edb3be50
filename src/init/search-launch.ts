import { firstCandidate, type LaunchHint, PARTS } from './alternatives.js';
import { bothOrders, fitDoubled, fitGrid, fitShared, reshape, rests, shrink, spread, tellApart } from './fit.js';
import { OF_SHOWING, Search, type SearchLimits, type Tried } from './search.js';
import { type Settled, settle } from './settle.js';
import { deciding, withValue } from './sizes.js';
import { TOO_LONG, type Trials } from './trial.js';

/** What a search comes to. */
export interface Found {
  readonly best: Tried;
  /** Lines to which threads of all CTAs come in some launch of several. */
  readonly everywhere: ReadonlySet<string>;
  /** What goes wrong in it and not in one with another guess, in words. */
  readonly rests: readonly string[];
  /** Why it is another one than that which showed most, if it had no answer. */
  readonly settled: Settled | undefined;
  /** The clock has ended it, so that another machine may find another launch. */
  readonly isCut: boolean;
}

/**
 * Looks for a launch in which all lines of a kernel are reached, loops are gone round, and threads share memory: one
 * guess is made, and then what it has is changed, a part at a time, as long as that shows more.
 */
export function searchLaunch(trials: Trials, hints: readonly LaunchHint[], limits: SearchLimits): Found {
  const { facts } = trials;
  const search = new Search(trials, limits);
  const starts = [...hints.map((hint) => firstCandidate(facts, hint)), firstCandidate(facts, undefined)];
  for (const start of starts) search.offer(start);
  // What is too much is tried with less.
  for (const value of LESS)
    if (search.best.outcome.problem === TOO_LONG)
      search.offer(withValue(search.best.candidate, deciding(facts), value));
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = search.best;
    for (const part of PARTS) search.improve((candidate, isShown) => part(facts, candidate, isShown));
    if (search.best === before) break;
  }
  // Where all end in the same mistake before they show more, the first guess would show most without it.
  const { finding } = search.best.outcome;
  if (finding !== undefined) {
    const same = starts.map((start) => search.asGood(start, OF_SHOWING));
    const first = same.find((one) => one?.outcome.finding === finding);
    if (first !== undefined) search.take(first);
  }
  fitShared(search);
  if (hints.length === 0) {
    reshape(search);
    fitGrid(search);
    fitDoubled(search);
  }
  shrink(search);
  tellApart(search);
  spread(search);
  bothOrders(search);
  const settled = settle(search);
  fitShared(search);
  const { everywhere, isCut } = search;
  return { best: search.best, everywhere, rests: rests(search), settled, isCut };
}

const MOST_ROUNDS = 4;
const LESS = [35n, 5n, 3n];
