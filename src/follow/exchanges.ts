import type { BarrierOperation } from '../program/operation.js';
import { collectiveResult } from '../semantics/collective-result.js';
import { CONCRETE_VALUES } from '../semantics/concrete-values.js';
import { each, type LaneValue } from './lane-value.js';
import type { Bounds } from './value-bounds.js';
import type { Derived } from './warp.js';

export type Reduction = NonNullable<BarrierOperation['reduction']>;

/** What a lane gives. */
export interface GivenBits {
  readonly lane: number;
  readonly bits: bigint | undefined;
}

/** What is given, with its width; undefined where something of it is not known. */
function givenTo({ width }: Reduction, own: readonly GivenBits[]) {
  const given = own.flatMap(({ lane, bits }) =>
    bits === undefined ? [] : [{ lane, present: true, value: { bits, width } }],
  );
  return given.length < own.length ? undefined : given;
}

/** What gives each lane the word of one that it names (semantics/collective-result.ts). */
const EXCHANGES: ReadonlySet<Reduction['operation']> = new Set([
  'shuffle-up',
  'shuffle-down',
  'shuffle-bfly',
  'shuffle-idx',
  'collective',
]);
const WORD = 32;

/** The same for all lanes at once: each takes a word, if its lane is there, and above it a 1. */
export function exchangedWords(own: readonly GivenBits[], lanes: number): LaneValue {
  const given = new Map(own.map(({ lane, bits }) => [lane, bits]));
  return each(lanes, (lane) => {
    const mine = given.get(lane);
    if (mine === undefined) return undefined;
    const asked = Number(BigInt.asUintN(8, mine >> BigInt(WORD)));
    if (!given.has(asked)) return 0n;
    const found = given.get(asked);
    return found === undefined ? undefined : (1n << BigInt(WORD)) | BigInt.asUintN(WORD, found);
  });
}

/** What lanes give that decides a vote, or bits of it, whatever the others give. */
function decidedBy({ operation, width }: Reduction, own: readonly GivenBits[]): bigint | undefined {
  const known = own.flatMap(({ bits }) => bits ?? []);
  const ones = BigInt.asUintN(width, -1n);
  if (operation === 'and') return known.reduce((all, bits) => all & bits, ones) === 0n ? 0n : undefined;
  if (operation === 'or') return known.reduce((all, bits) => all | bits, 0n) === ones ? ones : undefined;
  return undefined;
}

/** Within which bounds a ballot is of which some bits are open. */
export function boundsOfBallot({ operation }: Reduction, own: readonly GivenBits[]): Bounds | undefined {
  const open = operation === 'ballot' ? own.filter(({ bits }) => bits === undefined) : [];
  if (open.length === 0) return undefined;
  const sum = (some: readonly GivenBits[]): bigint => some.reduce((all, { lane }) => all + (1n << BigInt(lane)), 0n);
  const first = sum(own.filter(({ bits }) => bits === 1n));
  return { first, last: first + sum(open), step: 1n << BigInt(Math.min(...open.map(({ lane }) => lane))) };
}

/**
 * A vote of which it is open what it comes to, if all that is open of what lanes give is made of what accesses have
 * found. `found`: that of a lane.
 */
export function votedBy(
  { operation, width }: Reduction,
  own: readonly GivenBits[],
  found: (lane: number) => Derived | undefined,
): Derived | undefined {
  if ((operation !== 'and' && operation !== 'or') || width !== 1) return undefined;
  const decisive = operation === 'and' ? 0n : 1n;
  const open = own.flatMap(({ lane, bits }) => (bits === undefined ? [lane] : []));
  const given = open.flatMap((lane) => {
    const one = found(lane);
    return one !== undefined && typeof one.from === 'number' ? [{ ...one, from: one.from }] : [];
  });
  if (given.length === 0 || given.length < open.length) return undefined;
  const isDecided = given.some(({ of, now }) => of(now) === decisive);
  return { from: { decisive, given }, now: isDecided ? decisive : 1n - decisive, of: (bit) => bit };
}

/** By lane of those that give something: what it gets, where that follows from what is known of what all give. */
export function reducedBy(reduction: Reduction, own: readonly GivenBits[]): (lane: number) => bigint | undefined {
  const decided = decidedBy(reduction, own);
  if (decided !== undefined) return () => decided;
  const given = givenTo(reduction, own) ?? [];
  return (lane) => {
    const mine = given.find((one) => one.lane === lane);
    return mine && collectiveResult(CONCRETE_VALUES, reduction, mine, given).bits;
  };
}

/** What each lane gets. */
export function reduced(reduction: Reduction, own: readonly GivenBits[], lanes: number): LaneValue {
  if (EXCHANGES.has(reduction.operation)) return exchangedWords(own, lanes);
  const of = reducedBy(reduction, own);
  const given = new Set(own.map(({ lane }) => lane));
  return each(lanes, (lane) => (given.has(lane) ? of(lane) : undefined));
}

/** What all threads of a barrier get: a number, or whether all or any of them gave 1. */
export function reducedForAll(reduction: Reduction, own: readonly GivenBits[]): bigint | undefined {
  const [first] = own;
  return first && reducedBy(reduction, own)(first.lane);
}
