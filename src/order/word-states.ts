import { changed } from './reachable-values.js';
import type { Write } from './variable-writes.js';

/** What a word may hold at some time, and who has written it by then. */
export interface WordState {
  readonly value: bigint;
  /** By thread, how many of its writes have been made; and how many had when something else was put there last. */
  readonly made: readonly number[];
  readonly since: readonly number[];
}

/** All states of a word that its writes may lead to, each thread making its own one after the other. */
export interface WordStates {
  readonly chains: readonly (readonly Write[])[];
  readonly all: readonly WordState[];
}

const MOST_STATES = 4096;
const MOST_WRITES = 512;

/**
 * All that a word may hold behind a value, if each of several writes is made at most once, in whatever order that is
 * not excluded; undefined where these are too many, or not known.
 */
export function statesOf(
  first: bigint,
  writes: readonly Write[],
  isBefore: (a: Write, b: Write) => boolean,
  /** Whether a write may be made that finds a value; undefined where that is not known. */
  mayFind: (write: Write, value: bigint) => boolean | undefined,
): WordStates | undefined {
  if (writes.length > MOST_WRITES) return undefined;
  const chains = chainsOf(writes);
  const needs = chains.map((chain) => chain.map((write) => chains.map((other) => countBefore(other, write, isBefore))));
  const none = chains.map(() => 0);
  const start: WordState = { value: first, made: none, since: none };
  const states = new Map([[keyOf(start), start]]);
  for (const { value, made, since } of states.values())
    for (const [of, chain] of chains.entries()) {
      const [at = 0, write] = [made[of], chain[made[of] ?? 0]];
      if (write === undefined || needs[of]?.[at]?.some((count, i) => count > (made[i] ?? 0)) === true) continue;
      const isMade = mayFind(write, value);
      if (isMade === false) continue;
      const after = changed(value, write);
      if (isMade === undefined || after === undefined || states.size > MOST_STATES) return undefined;
      const next = made.map((count, i) => (i === of ? count + 1 : count));
      const begun = write.kind.change === 'set' ? next.map((count, i) => (i === of ? at : count)) : since;
      const state = { value: after, made: next, since: begun };
      states.set(keyOf(state), state);
    }
  return { chains, all: [...states.values()] };
}

const keyOf = ({ value, made, since }: WordState): string => `${value} ${made.join()} ${since.join()}`;

function chainsOf(writes: readonly Write[]): readonly (readonly Write[])[] {
  const chains = new Map<number, Write[]>();
  for (const write of writes) {
    const own = chains.get(write.thread.id);
    if (own === undefined) chains.set(write.thread.id, [write]);
    else own.push(write);
  }
  return [...chains.values()];
}

/** How many of the writes of a thread come before another write. */
function countBefore(chain: readonly Write[], write: Write, isBefore: (a: Write, b: Write) => boolean): number {
  return chain.findLastIndex((one) => one !== write && isBefore(one, write)) + 1;
}

/** The writes that are found in each of some states: behind the last that puts something else there. */
export function observedIn({ chains }: WordStates, states: readonly WordState[]): readonly Write[] {
  return chains.flatMap((chain, of) => {
    const from = Math.max(...states.map(({ since }) => since[of] ?? 0));
    const to = Math.min(...states.map(({ made }) => made[of] ?? 0));
    return states.length === 0 ? [] : chain.slice(from, Math.max(from, to));
  });
}
