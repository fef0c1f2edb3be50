import type { Span } from '../diagnostics/source.js';
import {
  type FollowedThread,
  kindOf,
  type Step,
  type Synchronization,
  stepOf,
  type Trace,
  threadOf,
} from '../follow/trace.js';
import { fencesBetween, startOf } from './chain-ends.js';
import { bytesOf } from './encounters.js';
import { Chains, type Hop } from './recheck-chains.js';
import type { Claims } from './recheck-links.js';
import type { PlaceInLaunch } from './whole-run.js';

/** Something on a chain: by what it comes about, who comes to it, and who is behind it. */
export interface ChainLink {
  readonly kind: Synchronization['kind'];
  /** Undefined where a launch has ended, or a copy is complete. */
  readonly from: PlaceInLaunch | undefined;
  /** Undefined where a launch begins. */
  readonly to: PlaceInLaunch | undefined;
}

/** Two accesses to common bytes, one of them a write, of different threads, and what orders them in every execution. */
export interface OrderedPair {
  readonly threads: readonly [PlaceInLaunch, PlaceInLaunch];
  readonly bytes: string;
  readonly chain: readonly ChainLink[];
}

/** So many pairs are looked at, and of an access so many of its words. */
const MOST_PAIRS = 16;
const MOST_WORDS = 64;
const WORD = 4;

/**
 * Of two lines whose accesses share bytes, the first two accesses of different threads of which nothing else stands
 * between, and the chain that orders them. Those that are in order by something else, such as tickets, have none here.
 */
export function reasonsOf(
  trace: Trace,
  claims: Claims,
  placeOf: (thread: FollowedThread, span: Span) => PlaceInLaunch,
): readonly OrderedPair[] {
  const chains = new Chains(trace, claims);
  return neighborsIn(trace).flatMap(([a, b]): readonly OrderedPair[] => {
    const hops = chainBetween(trace, chains, a, b);
    if (hops === undefined) return [];
    const threads = [a, b].map((row) => placeOf(threadOf(trace, row), kindOf(trace, row).span));
    const chain = hops.map((hop) => linkOf(trace, hop, placeOf));
    return [{ threads: threads as [PlaceInLaunch, PlaceInLaunch], bytes: bytesOf(trace, a, b), chain }];
  });
}

/** By two kinds of accesses, the first two that stand beside each other in some bytes. */
function neighborsIn(trace: Trace): readonly (readonly [number, number])[] {
  const { count, pieces, starts, sizes, kinds, threads } = trace.accesses;
  const cells = new Map<string, { write: number | undefined; reads: number[] }>();
  const pairs = new Map<string, readonly [number, number]>();
  for (let row = 0; row < count && pairs.size < MOST_PAIRS; row++) {
    const { writes } = kindOf(trace, row);
    const first = Math.floor(starts.at(row) / WORD);
    const end = Math.min(first + MOST_WORDS, Math.ceil((starts.at(row) + sizes.at(row)) / WORD));
    for (let at = first; at < end; at++) {
      const key = `${pieces.at(row)} ${at}`;
      const cell = cells.get(key) ?? { write: undefined, reads: [] };
      cells.set(key, cell);
      for (const other of [cell.write, ...(writes ? cell.reads : [])]) {
        if (other === undefined || threads.at(other) === threads.at(row)) continue;
        if ([other, row].every((one) => !kindOf(trace, one).tags.has('WEAK'))) continue;
        const pair = `${kinds.at(other)} ${kinds.at(row)}`;
        if (!pairs.has(pair)) pairs.set(pair, [other, row]);
      }
      if (writes) Object.assign(cell, { write: row, reads: [] });
      else cell.reads.push(row);
    }
  }
  return [...pairs.values()];
}

function chainBetween(trace: Trace, chains: Chains, a: number, b: number): readonly Hop[] | undefined {
  if (trace.accesses.ranges.at(a) !== trace.accesses.ranges.at(b)) return undefined;
  for (const fence of fencesBetween(trace, a, b)) {
    const chain = chains.chain(startOf(trace, a), stepOf(trace, b), fence);
    if (chain !== undefined && chain.length > 0) return chain;
  }
  return undefined;
}

function linkOf(
  trace: Trace,
  { link: { of }, arrival, waiter }: Hop,
  placeOf: (thread: FollowedThread, span: Span) => PlaceInLaunch,
): ChainLink {
  if (of === undefined) throw new Error('a link of nothing');
  const at = (step: Step): PlaceInLaunch | undefined => {
    const thread = trace.threads[step.thread];
    const span = spanAt(trace, step, of);
    return thread === undefined || span === undefined ? undefined : placeOf(thread, span);
  };
  // Who is behind it is so from its next step on.
  const to = at({ ...waiter, position: Math.max(0, waiter.position - 1) }) ?? at(waiter);
  return { kind: of.kind, from: arrival && at(arrival), to };
}

/** What a thread does at a step: what synchronizes it there, or else its access. */
function spanAt(trace: Trace, { thread, position }: Step, of: Synchronization): Span | undefined {
  if ('barrier' in of) return of.span;
  const isThere = (steps: readonly Step[]): boolean =>
    steps.some((one) => one.thread === thread && one.position === position);
  for (const one of trace.synchronizations)
    if ('span' in one && (('steps' in one && isThere(one.steps)) || ('step' in one && isThere([one.step as Step]))))
      return one.span;
  const { count, threads, positions } = trace.accesses;
  for (let row = 0; row < count; row++)
    if (threads.at(row) === thread && positions.at(row) === position) return kindOf(trace, row).span;
  return 'span' in of ? of.span : undefined;
}
