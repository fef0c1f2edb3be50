import { volume } from '../kernel/grid.js';
import { asksNoCta, asksThread, blocksOf } from './alternatives.js';
import { type Candidate, keyOf, sizeOf, valueIn } from './candidate.js';
import { type Contents, isNumbered } from './contents.js';
import type { Slot } from './kernel-facts.js';
import { LITTLE, LONG_LIST, OF_RESHAPING, OF_SHOWING, type Search, SHOWN } from './search.js';
import { deciding, firstSized, otherwiseLong, scaled, withValue } from './sizes.js';
import { type Faults, sizeNamed, wrongIn } from './trial.js';

/** Of blocks that are tried against races. */
const MOST_SHAPES = 7;
/** What is added to a number that another parameter has, too. */
const APART = [3n, -3n, 5n, -2n, 1n, 8n, 13n, 32n];
const FEW = [1n, 2n, 3n, 4n, 8n, 11n, 19n, 32n, 35n, 64n];
/** Of other blocks that are tried for what goes wrong. */
const MOST_BLOCKS = 3;
/** Of two sizes that are tried the other way round. */
const MOST_PAIRS = 6;

/**
 * What looks like a block that the kernel is not for: 2 where threads read what nothing has written, 1 where they race,
 * and 0 otherwise.
 */
const misfit = (faults: Faults | undefined): 0 | 1 | 2 =>
  faults === undefined ? 0 : faults.unwritten.size > 0 ? 2 : faults.races.size > 0 ? 1 : 0;

/**
 * Another block, if the kernel does not look made for this one, and the other shows as much: one in which nothing is
 * read that was not written, or a plane in which no two threads race. Of a line a race says nothing of the size: a
 * block that has none may only be too small for a mistake to show.
 */
export function reshape(search: Search): void {
  const { trials } = search;
  const fits = trials.facts.dimensions > 1 || !asksThread(trials.facts) ? 0 : 1;
  const first = search.best.candidate;
  let worst = misfit(trials.faults(first));
  for (const block of blocksOf(trials.facts, undefined).slice(0, MOST_SHAPES)) {
    if (worst <= fits) return;
    const { candidate } = search.best;
    const others = [firstSized(trials.facts, { ...candidate, block }), scaled(trials.facts, candidate, block)];
    for (const other of [...others, { ...candidate, block }]) {
      const own = search.asGood(other, OF_RESHAPING);
      const wrong = own === undefined ? worst : misfit(trials.faults(other));
      if (own === undefined || wrong >= worst) continue;
      worst = wrong;
      search.take(own);
      const here = wrongIn(trials.faults(other));
      const gone = [...wrongIn(trials.faults(first))].filter((one) => !here.has(one));
      search.left = gone.map(leftAt(`the block is ${sizeOf(first.block)}`));
      break;
    }
  }
}

const leftAt =
  (where: string) =>
  (one: string): string =>
    `no ${one.replace(/^a /, '')}: there is one where ${where}`;

/**
 * Takes half of what a loop doubles up to, or begins with, if then less goes wrong: it may be as many as there are
 * threads, or twice that.
 */
export function fitDoubled(search: Search): void {
  const { trials } = search;
  for (const slot of deciding(trials.facts).filter(({ isDoubled }) => isDoubled)) {
    const { candidate } = search.best;
    const wrong = wrongIn(trials.faults(candidate));
    const now = valueIn(trials.facts, candidate, slot);
    if (wrong.size === 0 || now < 2n) continue;
    const half = search.asGood(withValue(candidate, [slot], now / 2n), OF_SHOWING);
    const faults = half && trials.faults(half.candidate);
    if (half === undefined || faults === undefined || wrongIn(faults).size >= wrong.size) continue;
    search.take(half);
    const gone = [...wrong].filter((one) => !wrongIn(faults).has(one));
    search.left = [...search.left, ...gone.map(leftAt(`${sizeNamed(trials, slot)} is ${now}`))];
  }
}

/**
 * One CTA where several do not ask which they are, only count together, and something goes wrong between them: what
 * they do at the same places may be meant for one.
 */
export function fitGrid(search: Search): void {
  const { trials } = search;
  const { candidate } = search.best;
  const isMeant = trials.facts.meets === 'lock' || candidate.cluster !== undefined;
  if (!asksNoCta(trials.facts) || isMeant || volume(candidate.grid) === 1) return;
  const wrong = wrongIn(trials.faults(candidate));
  const one = wrong.size === 0 ? undefined : search.asGood({ ...candidate, grid: [1, 1, 1] }, OF_RESHAPING);
  const faults = one && trials.faults(one.candidate);
  if (one === undefined || faults === undefined) return;
  const gone = [...wrong].filter((each) => !wrongIn(faults).has(each));
  if (gone.length === 0) return;
  search.take(one);
  search.left = [...search.left, ...gone.map(leftAt(`the grid is ${sizeOf(candidate.grid)}`))];
}

/** Takes smaller numbers where a launch does much, as long as they show the same, by as many threads. */
export function shrink(search: Search): void {
  const { facts, names } = search.trials;
  for (const slot of deciding(facts).filter(({ isDoubled }) => !isDoubled))
    for (const value of FEW) {
      const { candidate, outcome } = search.best;
      if (outcome.cost <= LITTLE || value >= valueIn(facts, candidate, slot)) break;
      const other = search.asGood(withValue(candidate, [slot], value), SHOWN);
      if (other !== undefined && other.outcome.active >= outcome.active) search.take(other);
    }
  // A list of many numbers says no more than one of a few that shows the same.
  for (const [key, one] of search.best.candidate.contents) {
    const name = names.arrays.get(key) ?? '';
    if (!isNumbered(one) || one === 'small' || (search.best.outcome.touched.get(name) ?? 0) <= LONG_LIST) continue;
    replace(search, withContents(search.best.candidate, key, 'small'));
  }
}

const withContents = (candidate: Candidate, key: string, contents: Contents): Candidate => ({
  ...candidate,
  contents: new Map([...candidate.contents, [key, contents]]),
});

/** Takes a launch in the place of the best one, if it shows no less, and nothing goes wrong that did not before. */
function replace(search: Search, candidate: Candidate, parts = SHOWN): void {
  const own = search.asGood(candidate, parts);
  if (own !== undefined) search.take(own);
}

/** As much dynamic shared memory as is touched. */
export function fitShared(search: Search): void {
  const { candidate, outcome } = search.best;
  const { shared } = outcome;
  if (search.trials.facts.hasDynamicShared && outcome.stopped === undefined && shared > 0 && shared < candidate.shared)
    replace(search, { ...candidate, shared });
}

/** Takes different numbers for different parameters, none of them a multiple of another: equal ones hide mistakes. */
export function tellApart(search: Search): void {
  const { facts } = search.trials;
  const slots = deciding(facts);
  for (const [i, slot] of slots.entries())
    for (const by of APART) {
      const valueOf = (one: Slot): bigint => valueIn(facts, search.best.candidate, one);
      const now = valueOf(slot);
      if (slot.isDoubled || search.isSpent() || now < 2n || !slots.slice(0, i).some((one) => valueOf(one) === now))
        break;
      const value = now + by;
      if (value < 2n || slots.some((one) => valueOf(one) === value)) continue;
      replace(search, withValue(search.best.candidate, [slot], value));
    }
}

/** Takes larger strides, as long as fewer threads race then: a stride is there so that rows, or planes, are apart. */
export function spread(search: Search): void {
  const { trials } = search;
  const { facts } = trials;
  const strides = facts.slots.filter(({ isStride }) => isStride);
  if (strides.length === 0) return;
  let least = raced(trials.faults(search.best.candidate));
  for (const slot of strides) {
    const now = valueIn(facts, search.best.candidate, slot);
    // Bytes of rows of larger elements, and planes of rows.
    for (const value of [4n * now, 8n * now, 2n * now * now]) {
      if (least === 0) return;
      const other = search.asGood(withValue(search.best.candidate, [slot], value), OF_RESHAPING);
      const own = other === undefined ? least : raced(trials.faults(other.candidate));
      if (other === undefined || own >= least) continue;
      least = own;
      search.take(other);
    }
  }
}

/** How many pairs of threads race. */
const raced = (faults: Faults | undefined): number =>
  [...(faults?.races.values() ?? [])].reduce((all, pairs) => all + pairs, 0);

/** A launch in which one of two sizes is the larger one that was the smaller one, and which these are. */
interface Turned {
  readonly candidate: Candidate;
  readonly sizes: readonly [Slot, Slot];
}

function turned({ trials: { facts }, best: { candidate } }: Search): readonly Turned[] {
  const slots = deciding(facts).filter(({ isDoubled }) => !isDoubled);
  const pairs = slots.flatMap((one, i) => slots.slice(i + 1).map((other) => [one, other] as const));
  const exchanged = pairs.slice(0, MOST_PAIRS).flatMap((sizes): readonly Turned[] => {
    const [a, b] = sizes.map((slot) => valueIn(facts, candidate, slot));
    if (a === undefined || b === undefined || a === b || a < 2n || b < 2n) return [];
    return [{ sizes, candidate: withValue(withValue(candidate, [sizes[0]], b), [sizes[1]], a) }];
  });
  const other = otherwiseLong(facts, candidate);
  const isLess = (one: Candidate, [a, b]: Turned['sizes']): boolean => valueIn(facts, one, a) < valueIn(facts, one, b);
  const sizes = other && pairs.find((pair) => isLess(other, pair) !== isLess(candidate, pair));
  return other === undefined || sizes === undefined ? exchanged : [...exchanged, { sizes, candidate: other }];
}

/** Takes two sizes the other way round where more goes wrong so: what confuses rows and columns shows in one order. */
export function bothOrders(search: Search): void {
  const { trials } = search;
  let most = wrongIn(trials.faults(search.best.candidate)).size;
  for (const { candidate } of turned(search)) {
    const other = search.asGood(candidate, OF_RESHAPING);
    const own = other === undefined ? 0 : wrongIn(trials.faults(candidate)).size;
    if (other === undefined || own <= most) continue;
    most = own;
    search.take(other);
    return;
  }
}

/** What goes wrong in the launch and not in one with another guess that shows as much. */
export function rests(search: Search): readonly string[] {
  const { trials, best } = search;
  const { names, facts } = trials;
  const wrong = wrongIn(trials.faults(best.candidate));
  if (wrong.size === 0) return search.left;
  const nameOf = (slot: Slot): string => names.arrays.get(keyOf(slot)) ?? sizeNamed(trials, slot);
  const other = facts.slots.flatMap((slot) =>
    slot.kind === 'pointer' && slot.use.decides === 'address' && best.candidate.contents.get(keyOf(slot)) !== DIFFERENT
      ? [
          {
            candidate: withContents(best.candidate, keyOf(slot), DIFFERENT),
            where: `the numbers in ${nameOf(slot)} are all different`,
          },
        ]
      : [],
  );
  const orders = turned(search).map(({ candidate, sizes: [a, b] }) => {
    const word = valueIn(facts, candidate, a) < valueIn(facts, candidate, b) ? 'less' : 'greater';
    return { candidate, where: `${nameOf(a)} is ${word} than ${nameOf(b)}` };
  });
  const blocks = facts.dimensions > 1 ? blocksOf(facts, undefined).slice(0, MOST_BLOCKS) : [];
  const shapes = blocks
    .filter((block) => block.join() !== best.candidate.block.join())
    .map((block) => {
      const candidate = firstSized(facts, { ...best.candidate, block });
      return { candidate, where: `the block is ${sizeOf(block)}` };
    });
  const isOfCtas = volume(best.candidate.grid) > 1 && asksNoCta(facts) && best.candidate.cluster === undefined;
  const alone = isOfCtas
    ? [{ candidate: { ...best.candidate, grid: [1, 1, 1] as const }, where: 'the grid is 1' }]
    : [];
  const made = [...other, ...orders, ...shapes, ...alone].flatMap(({ candidate, where }) => {
    const faults = search.asGood(candidate, OF_RESHAPING) === undefined ? undefined : trials.faults(candidate);
    if (faults === undefined) return [];
    const own = wrongIn(faults);
    const gone = [...wrong].filter((one) => !own.has(one));
    return gone.length === 0 ? [] : [`${gone.join(', ')}: not there where ${where}`];
  });
  return [...search.left, ...made];
}

const DIFFERENT: Contents = 'all different';
