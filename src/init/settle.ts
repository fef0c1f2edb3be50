import { volume } from '../kernel/grid.js';
import type { Dimensions } from '../syntax/launch-ast.js';
import { blocksOf, isOfContents } from './alternatives.js';
import { type Candidate, keyOf, sizeOf, threadsOf } from './candidate.js';
import type { Contents } from './contents.js';
import type { Slot } from './kernel-facts.js';
import { OF_SHOWING, type Search } from './search.js';
import { firstSized, scaled } from './sizes.js';
import { type Faults, type Open, wrongIn } from './trial.js';

/** As many threads as are decided together where one run is not like all others. */
const FEW_THREADS = 32;
/** Blocks of such launches, the smallest first: the fewer there are the sooner is it decided. */
const SMALL_BLOCKS = [2, 4, 8, 16];

/** Why a launch is smaller than others, or has other contents. */
export interface Settled {
  readonly open: Open;
  /** With what else it ends there; undefined where the launch is small. */
  readonly where: string | undefined;
}

/**
 * Where all that is known of the best launch is no answer, takes one that shows as much and is one: with numbers in
 * arrays that were open, in a smaller block, or with so few threads that they are decided together.
 */
export function settle(search: Search): Settled | undefined {
  const { trials } = search;
  const first = search.best.candidate;
  const open = trials.openIn(first);
  if (open === undefined) return undefined;
  const known = knownIn(search, first);
  const smaller = blocksOf(trials.facts, undefined)
    .filter((block) => volume(block) < volume(first.block))
    .slice(0, MOST_BLOCKS);
  const asIs = { candidate: first, where: `the block is ${sizeOf(first.block)}` };
  const sized = smaller.flatMap((block) =>
    [asIs, ...known].map(({ candidate, where }) => ({ where, candidate: scaled(trials.facts, candidate, block) })),
  );
  const wrong = wrongIn(trials.faults(first));
  for (const { candidate, where } of [...known, ...sized]) {
    if (search.isSpent()) break;
    const other = search.asGood(candidate, OF_SHOWING);
    const faults = other && trials.faults(candidate);
    // What goes wrong in a smaller launch only may come of that.
    const isSame = candidate.block.join() === first.block.join();
    if (other === undefined || faults === undefined || (!isSame && hasMore(faults, wrong))) continue;
    if (trials.openIn(candidate) !== undefined) continue;
    search.take(other);
    return { open, where };
  }
  for (const candidate of smallOf(search, known.at(0)?.candidate ?? first)) {
    if (search.isSpent()) break;
    const other = search.asGood(candidate, OF_SHOWING);
    const faults = other && trials.faults(candidate);
    if (other === undefined || faults === undefined || hasMore(faults, wrong)) continue;
    search.take(other);
    return { open, where: undefined };
  }
  return undefined;
}

const MOST_BLOCKS = 2;

const hasMore = (faults: Faults, wrong: ReadonlySet<string>): boolean =>
  [...wrongIn(faults)].some((one) => !wrong.has(one));

/** A launch, and where it would be another one. */
interface Known {
  readonly candidate: Candidate;
  readonly where: string;
}

/** The same with numbers in arrays that were open and decide where threads go; what is written begins open, or as 0. */
function knownIn({ trials: { facts, names } }: Search, candidate: Candidate): readonly Known[] {
  const open = facts.slots.filter(
    (slot) =>
      isOfContents(slot) &&
      candidate.contents.get(keyOf(slot)) === 'open' &&
      (slot.use.decides === 'branch' || slot.use.expected.length > 0),
  );
  const inputs = open.filter(({ use }) => !use.writes || use.expected.length > 0);
  return [...new Set([inputs, open])].flatMap((slots) => {
    if (slots.length === 0) return [];
    const all = slots.map((slot) => names.arrays.get(keyOf(slot)) ?? '').join(', ');
    const of = (slot: Slot): Contents => (inputs.includes(slot) ? numbered(slot) : 'zero');
    return [{ candidate: withContents(candidate, slots, of), where: `what is in ${all} is open` }];
  });
}

const numbered = ({ use }: Slot): Contents =>
  use.expected.length > 0 || use.compared.length > 0 ? 'both sides' : 'small';

const withContents = (candidate: Candidate, slots: readonly Slot[], of: (slot: Slot) => Contents): Candidate => ({
  ...candidate,
  contents: new Map([...candidate.contents, ...slots.map((slot) => [keyOf(slot), of(slot)] as const)]),
});

/** Launches of few threads, in two CTAs where there were several. */
function smallOf({ trials: { facts } }: Search, first: Candidate): readonly Candidate[] {
  if (facts.entry.bounds.has('reqntid')) return [];
  const grid: Dimensions = first.cluster === undefined && volume(first.grid) > 1 ? [2, 1, 1] : first.grid;
  return SMALL_BLOCKS.map((x) => firstSized(facts, { ...first, grid, block: [x, 1, 1] })).filter(
    (one) => threadsOf(one) <= FEW_THREADS,
  );
}
