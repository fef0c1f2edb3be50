import type { OrderedPair } from '../order/reasons.js';
import type { Program } from '../program/program.js';
import { checkDeadline, within } from '../program/undecided.js';
import { type NamedPlace, placeIn } from './found-by-following.js';
import { DEFAULT_LIMITS, deadlineOf, type Limits } from './limits.js';
import { wholeTest } from './load-tests.js';
import type { TestResult } from './result.js';

/** Something on a chain: by what it comes about, who comes to it, and who is behind it, where that is one thread. */
export interface NamedLink {
  readonly kind: OrderedPair['chain'][number]['kind'];
  readonly from: NamedPlace | undefined;
  readonly to: NamedPlace | undefined;
}

/** Two accesses to common bytes, and the chain that orders them in every execution. */
export interface NamedOrder {
  readonly threads: readonly NamedPlace[];
  readonly bytes: string;
  readonly chain: readonly NamedLink[];
}

/**
 * What orders accesses to the same bytes, where that is what a launch is decided by; nothing where there is no time for
 * it.
 */
export function reasonsFor(
  program: Program,
  { followed }: Pick<TestResult, 'followed'>,
  limits: Partial<Limits>,
): readonly NamedOrder[] {
  if (followed === undefined) return [];
  const deadline = deadlineOf({ ...DEFAULT_LIMITS, ...limits });
  const pairs = within(
    () => wholeTest(program)?.reasons(() => checkDeadline(deadline)) ?? [],
    () => [],
  );
  return pairs.map(({ threads, bytes, chain }) => ({
    ...{ threads: threads.map(placeIn), bytes },
    chain: chain.map(({ kind, from, to }) => ({ kind, from: from && placeIn(from), to: to && placeIn(to) })),
  }));
}
