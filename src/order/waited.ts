import type { Span } from '../diagnostics/source.js';
import type { Step } from '../follow/trace.js';
import type { Alternatives } from './acquisitions.js';
import { changedByAll, reachableBy } from './reachable-values.js';
import type { Write } from './variable-writes.js';

/** A poll that is over, and what may still come to it in other executions. */
export interface Waited {
  /** Its access: the read of a loop, or an atomic that comes last. */
  readonly read: number;
  readonly step: Step;
  readonly isUsed: boolean;
  readonly isOpen: boolean;
  readonly ends: (value: bigint) => boolean | undefined;
  readonly why?: (() => string) | undefined;
  readonly span: Span;
  /** Atomics all of which it has waited for, and what they come to; those that may come before it as well. */
  readonly all: readonly Write[];
  readonly value: bigint | undefined;
  readonly later: Write[];
  /** What it has found. */
  readonly alternatives: Alternatives;
  /** Of stores: all that it may find, beside what was there before. */
  readonly sources: Write[];
  readonly base: bigint | undefined;
  /** Ways that are gone by what it has found, and the stores that lead there. */
  readonly learned: { readonly leads: (value: bigint) => boolean; readonly of: readonly Write[] }[];
  /** Whether it is morally strong with a write. */
  readonly isStrongWith: (write: Write) => boolean;
}

/** What is found by who waits, and of which atomics all are. */
export type Found = Pick<Waited, 'all' | 'value' | 'alternatives'> & {
  readonly base?: bigint;
  readonly beside?: readonly Write[];
  /** Those that come behind all of these, and end the wait as well. */
  readonly later?: readonly Write[];
};
export type Waits = Omit<Waited, keyof Found | 'later' | 'sources' | 'learned'>;

export const ORDER = 'what depends on the order of atomics';

/** Atomics that together alone end a poll, where others come behind all of these, and end it as well. */
export function foundBeforeLate(
  beside: readonly Write[],
  base: bigint,
  { ends, isUsed }: Waits,
  isBefore: (a: Write, b: Write) => boolean,
): Found | undefined {
  for (let from = beside.length - 1; from > 0 && !isUsed; from--) {
    const [all, later] = [beside.slice(0, from), beside.slice(from)];
    if (!all.every((one) => isBefore(one, later[0] as Write))) return undefined;
    const value = changedByAll(base, all);
    const [fewer, more] = [reachableBy(base, all, true), value === undefined ? undefined : reachableBy(value, later)];
    if (value === undefined || fewer === undefined || more === undefined) return undefined;
    if ([...fewer].some((one) => ends(one) !== false) || [...more].some((one) => ends(one) !== true)) continue;
    return { alternatives: [all], all, value, later };
  }
  return undefined;
}

/** What an atomic finds whose place in coherence order is known: it observes all behind the last store. */
export function foundInOrder(
  before: readonly Write[],
  beside: readonly Write[],
  base: bigint,
  { ends }: Waits,
): Found | string {
  if (beside.length > 0 || ends(base) !== true) return ORDER;
  const last = before.findLastIndex(({ kind }) => kind.change === 'set');
  const observed = before.slice(Math.max(last, 0));
  return { alternatives: observed.length === 0 ? [] : [observed], all: [], value: base, base };
}
