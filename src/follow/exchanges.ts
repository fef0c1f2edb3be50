import type { BarrierOperation } from '../program/operation.js';
import { remembered } from '../program/remembered.js';
import { collectiveResult } from '../semantics/collective-result.js';
import { CONCRETE_VALUES } from '../semantics/concrete-values.js';
import { type MadeOf, madeBy } from './derived-words.js';
import { each, type LaneValue } from './lane-value.js';
import { lowBitsOf, within } from './made-tickets.js';
import type { Turn } from './turn.js';
import type { Bounds } from './value-bounds.js';
import type { Numbered } from './value-numbers.js';
import type { Derived } from './warp.js';

export type Reduction = NonNullable<BarrierOperation['reduction']>;

/** What a lane gives; of an exchange also which lane's word it asks for, which may be known where its own is open. */
export interface GivenBits {
  readonly lane: number;
  readonly bits: bigint | undefined;
  readonly asks?: number | undefined;
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
  const given = new Map(own.map((one) => [one.lane, one]));
  return each(lanes, (lane) => {
    const { bits: mine, asks } = given.get(lane) ?? {};
    const asked = mine === undefined ? asks : askedIn(mine);
    if (asked === undefined) return undefined;
    if (!given.has(asked)) return 0n;
    const found = given.get(asked)?.bits;
    return found === undefined ? undefined : taken(found);
  });
}

const askedIn = (given: bigint): number => Number(BigInt.asUintN(8, given >> BigInt(WORD)));

/** A word, and above it a 1: it is there. */
const taken = (given: bigint): bigint => (1n << BigInt(WORD)) | BigInt.asUintN(WORD, given);

/** What the lanes of an exchange ask for, where what they give is open, as far as that is known. */
export function asking(turn: Turn, { operation, value, width }: Reduction, given: readonly GivenBits[]): GivenBits[] {
  if (!EXCHANGES.has(operation)) return [...given];
  return given.map((one) => {
    if (one.bits !== undefined) return one;
    const { first, last } = turn.bounds(value, one.lane, width);
    return first >> BigInt(WORD) === last >> BigInt(WORD) ? { ...one, asks: askedIn(first) } : one;
  });
}

/** What is known besides of the words that lanes take, where they are open: what they are made of, and may be. */
export function takeFacts(turn: Turn, reduction: Reduction, given: readonly GivenBits[]): void {
  const { operation, value, width, target, resultWidth } = reduction;
  if (!EXCHANGES.has(operation)) return;
  const byLane = new Map(given.map((one) => [one.lane, one]));
  const made: MadeOf[] = [];
  const numbers: Numbered[] = [];
  const { numbering } = turn.warp;
  const numbered = numbering === undefined ? [] : turn.numbered(value, width, numbering);
  for (const { lane, bits, asks } of given) {
    const from = byLane.get(bits === undefined ? (asks ?? -1) : askedIn(bits));
    if (from === undefined || from.bits !== undefined) continue;
    if (numbering !== undefined) numbers[lane] = numbering.taken(numbered[from.lane] ?? 0n, WORD, width);
    const own = turn.handedOn(value, from.lane);
    const drawn = turn.fact(turn.warp.tickets, value, from.lane);
    const whole = drawn && within(drawn, width);
    const ticket = whole && lowBitsOf(whole, WORD);
    const { first, last, step } = turn.bounds(value, from.lane, width);
    const one = {
      derived: own && takenOf(own),
      ticket: ticket && { ...ticket, first: taken(ticket.first) },
      bounds: from.asks === undefined ? undefined : { first: taken(first), last: taken(last), step },
    };
    const known = turn.rounds === undefined ? one : turn.rounds.told(turn, lane, one);
    if (known !== undefined) made[lane] = known;
  }
  turn.made({ register: target, signed: false }, made, resultWidth);
  turn.number({ register: target, signed: false }, numbers, resultWidth);
}

const TAKEN = new WeakMap<Derived, Derived>();

/** What lanes take is one thing: they share it. */
const takenOf = (own: Derived): Derived => remembered(TAKEN, own, () => madeBy(own, taken));

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
export function reducedForAll(turn: Turn, reduction: Reduction, own: readonly GivenBits[]): bigint | undefined {
  // Of another warp that draws from a queue it tells how many rounds there are.
  if (turn.rounds !== undefined) return undefined;
  const [first] = own;
  return first && reducedBy(reduction, own)(first.lane);
}
