import type { Span } from '../diagnostics/source.js';
import { type AccessKind, areOfSameBytes, type FollowedThread, kindOf, type Trace, threadOf } from '../follow/trace.js';
import type { Conflict } from './conflict.js';
import { encounterOf } from './encounters.js';
import type { OfRun } from './races-of-run.js';
import type { OpenConflict, PlaceInLaunch } from './whole-run.js';

/** A conflict as it is told of a run: who has it, where it comes about, and what is wrong with it besides. */
export function openConflict(
  trace: Trace,
  conflict: Conflict,
  placeOf: (thread: FollowedThread, span: Span) => PlaceInLaunch,
  run: OfRun,
): OpenConflict {
  const { kind, first, pairs, isFirstOrdered, areOrdered, isSameValue } = conflict;
  const [a, b] = first;
  const isCertain = kind === 'race' && run.isRace(conflict);
  const { kinds, pieces } = trace.accesses;
  // A copy is made in parts, which other accesses tell apart: none of them is partial.
  // What a warp accesses together has no size of its own.
  const isWithoutSize = [a, b].some((row) => trace.kinds[kinds.at(row)]?.tags.has('MATRIX') === true);
  const isAsync = [a, b].some((row) => trace.kinds[kinds.at(row)]?.tags.has('ASY') === true);
  const isCopy = [a, b].some((row) => trace.kinds[kinds.at(row)]?.tags.has('COPY') === true);
  const isOfTensors = trace.tensors.has(b);
  return {
    ...{ kind: kind === 'results' || kind === 'locked' ? 'strong' : kind, pairs },
    ...{ threads: [accessAt(trace, a, placeOf), accessAt(trace, b, placeOf)] },
    isCertain,
    isSameValue,
    isPossible: first.some((row) => kindOf(trace, row).isPossible),
    encounter: isCertain ? encounterOf(trace, a, b) : undefined,
    isPartial: !isOfTensors && !isAsync && !isWithoutSize && !areOfSameBytes(trace, a, b),
    isInFlight: isCopy && !areOrdered,
    isOfTensors,
    isUninitialized:
      trace.pieces[pieces.at(b)]?.object.isUninitialized === true &&
      first.some((row) => kindOf(trace, row).reads) &&
      !(kind === 'race' && run.isAlwaysRace(conflict)),
    forProxies: isAsync && isCertain ? run.forProxies(conflict) : undefined,
    acrossProxies: isCertain && isFirstOrdered && isAsync ? proxiesOf(kindOf(trace, a), kindOf(trace, b)) : undefined,
    isTooEarly: isCertain && !isFirstOrdered && isTooEarly(kindOf(trace, a), kindOf(trace, b)),
  };
}

function proxiesOf(first: AccessKind, second: AccessKind): OpenConflict['acrossProxies'] {
  // Seen were copies.
  if (first.tags.has('ASY') || !second.tags.has('COPY')) return 'other';
  return first.writes && second.reads ? 'store then read' : first.reads && second.writes ? 'load then write' : 'other';
}

/** Whether one of two accesses in no order modifies the source of a copy, or reads its destination. */
function isTooEarly(...pair: readonly [AccessKind, AccessKind]): boolean {
  if (pair.every(({ tags }) => !tags.has('WEAK'))) return false;
  const [a, b] = pair;
  const isCopy = ({ tags }: AccessKind): boolean => tags.has('COPY') && !tags.has('RED');
  const spoils = (one: AccessKind, copy: AccessKind): boolean =>
    isCopy(copy) && ((copy.reads && one.writes) || (copy.writes && one.reads && !one.tags.has('RED')));
  return spoils(a, b) || spoils(b, a);
}

/** Where an access is, and whose it is. */
export function accessAt(
  trace: Trace,
  row: number,
  placeOf: (thread: FollowedThread, span: Span) => PlaceInLaunch,
): PlaceInLaunch {
  return placeOf(threadOf(trace, row), kindOf(trace, row).span);
}
