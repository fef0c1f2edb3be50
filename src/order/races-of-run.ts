import { type AccessKind, fencedSpaceOf, kindOf, type Trace, threadOf } from '../follow/trace.js';
import { lazily } from '../program/remembered.js';
import { isFenceNeeded } from './access-kinds.js';
import type { Before } from './before.js';
import type { Conflict } from './conflict.js';
import { mayBeSeen, type Remote } from './exits.js';
import type { Late } from './mbarrier-phases.js';
import { MustOrder } from './must-order.js';
import { RunOrder } from './run-order.js';
import { isAsked, type OpenConflict, type WholeRun } from './whole-run.js';

/** What the run itself does, whatever is known of others. */
export interface OfRun {
  /** Nothing there orders two accesses. */
  readonly isRace: (conflict: Conflict) => boolean;
  /** Nor does anything in any execution. */
  readonly isAlwaysRace: (conflict: Conflict) => boolean;
  /** What is between the proxies of two accesses that something there may order. */
  readonly forProxies: (conflict: Conflict) => OpenConflict['forProxies'];
  /** No thread of a CTA knows there, when it exits, that something is over that another one does in its memory. */
  readonly isTooLate: (remote: Remote) => boolean;
  /** Arrivals that nothing orders before the end of their mbarriers: another execution has them behind it. */
  readonly afterEnd: () => readonly Late[];
}

/** Tells of the run itself, of which it is known what is ordered in every one. */
export function ofRun(trace: Trace, found: readonly Conflict[], known: MustOrder): OfRun {
  // On one of several ways, and for whoever comes last, more may be in order than is known behind all of them.
  const isApart = ({ way, isLastOfAll }: Trace['threads'][number]): boolean =>
    way !== undefined || isLastOfAll === true;
  if (trace.hands || trace.threads.some(isApart))
    return {
      ...{ isRace: () => false, isAlwaysRace: () => false, forProxies: () => undefined },
      ...{ isTooLate: () => false, afterEnd: () => [] },
    };
  const tagsOf = (row: number): AccessKind['tags'] => kindOf(trace, row).tags;
  /** What observes a strong write comes after it (PTX ISA 8.9.2, 8.9.5). */
  const isStrong = (row: number): boolean => kindOf(trace, row).writes && !tagsOf(row).has('WEAK');
  /** Tensor memory is ordered by execution, whatever accesses find. */
  const mayBeOrdered = ([a, b]: Conflict['first']): boolean =>
    trace.tensors.has(b) && (trace.observes || known.mayBeOrdered(a, b));
  /** What an mbarrier.init does more may be in order than is known here. */
  const isFencedInit = (row: number): boolean => trace.fencesInits && tagsOf(row).has('OPAQUE');
  /** Both are made in any case, and nothing that accesses do could order them. */
  const areMade = ({ first, mayBeRelayed }: Conflict): boolean =>
    !first.some((row) => kindOf(trace, row).isPossible || isFencedInit(row)) &&
    !trace.retold.has(first[0]) &&
    !mayBeRelayed &&
    !mayBeOrdered(first);
  const isPlain = (one: Conflict): boolean => areMade(one) && !trace.handsByAccesses && !one.first.some(isStrong);
  const inRun = lazily(() => orderInRun(trace, found));
  const mayBeInOrder = ({ first }: Conflict): boolean => inRun().fenced.has(first.join(' '));
  const forProxies = (one: Conflict): OpenConflict['forProxies'] => {
    const key = one.first.join(' ');
    if (!one.isFirstOrdered && (isPlain(one) || !inRun().ordered.has(key))) return undefined;
    return inRun().fencedAnywhere.has(key) ? 'another fence' : 'no fence';
  };
  /** That no fence is between their proxies is not all that is known of fences: one in the run may be found to be. */
  const isUnfenced = (one: Conflict): boolean => !one.isFirstOrdered || !mayBeInOrder(one);
  const isPlainRace = (one: Conflict): boolean => isPlain(one) && isUnfenced(one);
  const byAccesses = trace.handsByAccesses || trace.observes;
  const isTooLate = (remote: Remote): boolean =>
    !mayBeSeen(trace, remote) && !(trace.handsByAccesses ? inRun().order : known).isOver(remote);
  const afterEnd = (): readonly Late[] => (byAccesses && known.afterEnd.length > 0 ? inRun().order : known).afterEnd;
  if (found.every(isPlain)) return { isRace: isUnfenced, isAlwaysRace: isUnfenced, forProxies, isTooLate, afterEnd };
  // The first look of a wait is none of the run; of the proxies of textures and tensor maps nothing is said here.
  const isByKnownProxy = (row: number): boolean => tagsOf(row).has('GEN') || tagsOf(row).has('ASYNC');
  const isOfRun = (row: number): boolean =>
    !kindOf(trace, row).isPoll && isByKnownProxy(row) && (!tagsOf(row).has('ASY') || tagsOf(row).has('WEAK'));
  return {
    isRace: (one) => {
      const [a, b] = one.first;
      const mayBeOfRun = areMade(one) && !one.isReadBetween && isOfRun(a) && isOfRun(b);
      return isPlain(one) ? isUnfenced(one) : mayBeOfRun && !mayBeInOrder(one);
    },
    isAlwaysRace: isPlainRace,
    forProxies,
    isTooLate,
    afterEnd,
  };
}

interface InRun {
  readonly order: MustOrder;
  /** The conflicts that something may order, all of them but for their proxies. */
  readonly ordered: ReadonlySet<string>;
  readonly fenced: ReadonlySet<string>;
  /** Those that would be ordered if a fence counted wherever it is. */
  readonly fencedAnywhere: ReadonlySet<string>;
}

/** What may order accesses in the run. */
export function orderInRun(trace: Trace, found: readonly Pick<Conflict, 'first'>[]): InRun {
  const seconds = new Map<number, number[]>();
  for (const { first: pair } of found) seconds.set(pair[1], [...(seconds.get(pair[1]) ?? []), pair[0]]);
  const [ordered, fenced, fencedAnywhere] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const order = new MustOrder(trace, (...of) => new RunOrder(...of), true);
  // In shared memory two of the async proxy may count as of one CTA (decisions/issuer-of-asynchronous-operations.md).
  const needsFence = (first: number, row: number): boolean =>
    isFenceNeeded(trace, first, row) &&
    (kindOf(trace, first).tags.has('GEN') || fencedSpaceOf(trace, row) === 'global');
  // The end of a grid is a fence as well, and one of either CTA of a pair counts.
  const needsNoneOfItsCta = (first: number, row: number): boolean =>
    threadOf(trace, first).launch !== threadOf(trace, row).launch || kindOf(trace, row).tags.has('CTA_PAIR');
  const mayBeFenced = (first: number, row: number, before: Before): boolean =>
    before.mayBeFenced(first) || (needsNoneOfItsCta(first, row) && before.isFenced(first));
  order.replay((row, before) => {
    for (const first of seconds.get(row) ?? []) {
      if (!before.isOrdered(first)) continue;
      ordered.add(`${first} ${row}`);
      if (!needsFence(first, row) || mayBeFenced(first, row, before)) fenced.add(`${first} ${row}`);
      if (before.mayBeFenced(first, 'any CTA')) fencedAnywhere.add(`${first} ${row}`);
    }
  });
  return { order, ordered, fenced, fencedAnywhere };
}

/** Where a conflict is, and whether the test asks about those who have it. */
export const linesOf = ({ threads }: Pick<OpenConflict, 'threads'>): string =>
  [...threads.map(({ span }) => `${span.source.path} ${span.start}`).sort(), threads.some(isAsked)].join();

/**
 * What is known of all executions by one run, with the races that another run certainly has. Of whether these are of
 * writes of the same value the first of the two knows more.
 */
export function withRacesOf<Run extends Pick<WholeRun, 'conflicts'>>(
  run: Run,
  other: Pick<WholeRun, 'conflicts'>,
): Run {
  const certain = other.conflicts.filter((one) => one.isCertain);
  const isOne = (one: OpenConflict, found: OpenConflict): boolean =>
    linesOf(one) === linesOf(found) && (one.isSameValue !== false || found.isSameValue !== true);
  const conflicts = run.conflicts.map((found) => {
    const one = found.kind === 'race' && !found.isCertain && certain.find((own) => isOne(own, found));
    return one ? { ...one, isSameValue: found.isSameValue } : found;
  });
  const more = certain.filter((one) => !run.conflicts.some((found) => isOne(one, found)));
  return { ...run, conflicts: [...conflicts, ...more.map((one) => ({ ...one, isSameValue: false }))] };
}
