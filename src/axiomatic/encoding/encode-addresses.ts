import type { EventUniverse } from '../../execution/candidate-execution.js';
import type { MemoryRange } from '../../program/locations.js';
import { overlapPartially, overlappingAt } from '../../semantics/cells.js';
import type { PossibleTarget, ValueAnalysis } from '../../semantics/value-analysis.js';
import type { BitDomain } from '../formula/bits.js';
import { FALSE, type Formula, type FormulaBuilder, not } from '../formula/formula.js';
import { remembered } from '../formula/remembered.js';
import type { ThreadEncoding } from './encode-threads.js';

/** Where the accesses of an execution go, among the places that the value analysis leaves possible. */
export interface AddressEncoding {
  targetsOf(event: number): readonly PossibleTarget[];
  /** The event is executed and goes to that place. */
  accesses(event: number, target: PossibleTarget): Formula;
  /** Those of its places that have a byte in common with another one. */
  targetsMeeting(event: number, range: MemoryRange): readonly PossibleTarget[];
  /** Both are executed and their bytes intersect. */
  overlaps(a: number, b: number): Formula;
  /** Some access goes to an address outside of every location. */
  readonly outside: Formula;
  /** The same, access by access. */
  readonly accessesOutside: ReadonlyMap<number, Formula>;
  /** Some pair of accesses may overlap partially, one of them a write. */
  readonly mixedSizes: boolean;
}

/** Encodes which access goes where. */
export function encodeAddresses(
  builder: FormulaBuilder,
  bits: BitDomain,
  universe: EventUniverse,
  analysis: ValueAnalysis,
  { runs, executed }: ThreadEncoding,
): AddressEncoding {
  const known = new Map<number, Map<bigint, Formula>>();
  const targetsOf = (event: number): readonly PossibleTarget[] => analysis.targets.get(event) ?? [];
  const encode = (event: number, { virtualAddress }: PossibleTarget): Formula => {
    const address = runs[event]?.address;
    if (address === undefined) return FALSE;
    return builder.and(executed[event] ?? FALSE, bits.equal(address, bits.constant(virtualAddress, 64)));
  };
  const accesses = (event: number, target: PossibleTarget): Formula => {
    const ofEvent = remembered(known, event, () => new Map<bigint, Formula>());
    return remembered(ofEvent, target.virtualAddress, () => encode(event, target));
  };
  const targetsMeeting = overlappingAt(targetsOf, (target) => target);
  const knownOverlaps = new Map<number, Formula>();
  const encodeOverlaps = (a: number, b: number): Formula =>
    builder.any(
      targetsOf(a).flatMap((x) => targetsMeeting(b, x).map((y) => builder.and(accesses(a, x), accesses(b, y)))),
    );
  const overlaps = (a: number, b: number): Formula =>
    remembered(knownOverlaps, a * universe.events.length + b, () => encodeOverlaps(a, b));
  const accessesOutside = new Map<number, Formula>();
  for (const event of analysis.outside) {
    const somewhere = builder.any(targetsOf(event).map((target) => accesses(event, target)));
    accessesOutside.set(event, builder.and(executed[event] ?? FALSE, not(somewhere)));
  }
  return {
    targetsOf,
    accesses,
    targetsMeeting,
    overlaps,
    outside: builder.any([...accessesOutside.values()]),
    accessesOutside,
    mixedSizes: mayOverlapPartially(universe, analysis),
  };
}

function mayOverlapPartially({ events }: EventUniverse, { targets }: ValueAnalysis): boolean {
  const accesses = [...targets].filter(([event]) => ['read', 'write'].includes(events[event]?.kind ?? ''));
  const meeting = overlappingAt(
    (event) => targets.get(event) ?? [],
    (target) => target,
  );
  return accesses.some(([a, some]) =>
    accesses.some(
      ([b]) =>
        a < b &&
        (events[a]?.kind === 'write' || events[b]?.kind === 'write') &&
        some.some((x) => meeting(b, x).some((y) => overlapPartially(x, y))),
    ),
  );
}
