import { joinedRanges } from '../program/joined-ranges.js';
import { addressInCta, addressInPair, type Manner } from '../program/locations.js';
import { MBARRIER_BYTES } from '../program/mbarrier-operation.js';
import type { Address, Atomic, Load } from '../program/operation.js';
import { at, type LaneValue } from './lane-value.js';
import { numbersOf } from './made-tickets.js';
import type { Accessor, MemoryImage, Place } from './memory-image.js';
import type { Recorder } from './recorder.js';
import type { Turn } from './turn.js';
import { type Bounds, readAs } from './value-bounds.js';
import type { Ticket } from './warp.js';

/** Some bytes that lanes of a turn access. */
export interface LaneAccess {
  /** The base of the address, by lane. */
  readonly base: LaneValue;
  readonly address: Address;
  readonly bytes: number;
  readonly alignment: number;
  readonly manner: Manner;
  /** It is at the same offset in the shared memory of the CTA of that rank (multicast). */
  readonly rank?: number | undefined;
  /** Or in the CTA of its pair that the address says (multicast of .cta_group::2). */
  readonly inPair?: boolean;
  /** It is by an operation on an mbarrier object. */
  readonly isOnObject?: boolean;
}

/** Why it is not followed where something goes: what atomics count may tell. */
export const OPEN_ADDRESS = 'an address that is open';

/** Some bytes of a piece, among which a lane has those of its access. */
export interface Spread extends Place {
  readonly extent: number;
  /** Its places, one by one if bytes are between them. */
  readonly parts: readonly Part[];
}

/** Some of those bytes, counted from the first of them. */
export interface Part {
  readonly from: number;
  readonly extent: number;
}

/** The places of an access of so many bytes, so far apart, among as many bytes as all of them have. */
export function partsOfSpread(extent: number, step: number, bytes: number): readonly Part[] {
  const count = step > bytes ? (extent - bytes) / step + 1 : 1;
  if (count === 1 || count > MOST_PARTS) return [{ from: 0, extent }];
  return Array.from({ length: count }, (_, i) => ({ from: i * step, extent: bytes }));
}

/** The same of what a ticket gives: those that it may be, one by one; undefined if these are too many. */
function partsOfTicket(ticket: Ticket | undefined, bounds: Bounds, bytes: number): readonly Part[] | undefined {
  const starts = ticket && numbersOf(ticket, bounds)?.map((start) => Number(start - bounds.first));
  const ranges = starts && joinedRanges(starts.map((from) => [from, from + bytes] as const));
  if (ranges === undefined || ranges.length > MOST_PARTS) return undefined;
  return ranges.map(([from, to]) => ({ from, extent: to - from }));
}

/** Of more places all bytes from the first to the last are taken. */
const MOST_PARTS = 256;

/** Where a lane accesses memory whose address is open, but for the bounds of that: all of it in one object. */
export function spreadFor(image: MemoryImage, turn: Turn, lane: number, access: LaneAccess): Spread {
  const { address, bytes, alignment, manner, isOnObject = false } = access;
  const who = turn.warp.accessors[lane];
  const { first, last, step } = readAs(turn.bounds(address.base, lane, 64), 64, false);
  const [from, unit] = [first + address.offset, BigInt(bytes)];
  const extent = Number(last - first) + bytes;
  const place = who === undefined ? undefined : image.locate(from, extent, address.window, manner, who);
  if (place === undefined || isOnObject) throw turn.notFollowed(OPEN_ADDRESS);
  if (from % BigInt(alignment) !== 0n || step % BigInt(alignment) !== 0n || step % unit !== 0n)
    throw turn.notFollowed('an address that is open, and may not be aligned');
  mustBeOfAll(turn, place);
  if (holdsObject(place, extent)) throw turn.notFollowed(OF_OBJECT);
  const ticket = turn.fact(turn.warp.tickets, address.base, lane);
  const parts = partsOfTicket(ticket, { first, last, step }, bytes) ?? partsOfSpread(extent, Number(step), bytes);
  return { ...place, extent, parts };
}

/** Where a lane accesses memory; what is nowhere, or not aligned, is undefined behavior, which is taken down. */
export function placeFor(image: MemoryImage, recorder: Recorder, turn: Turn, lane: number, access: LaneAccess): Place {
  const { base, address, bytes, alignment, manner, rank, inPair = false, isOnObject = false } = access;
  const [bits, who] = [at(base, lane), turn.warp.accessors[lane]];
  if (bits === undefined || who === undefined) throw turn.notFollowed(OPEN_ADDRESS);
  const named = address.offset === 0n ? bits : BigInt.asUintN(64, bits + address.offset);
  const own = rank === undefined ? named : (inPair ? addressInPair : addressInCta)(named, rank);
  const place = image.locate(own, bytes, address.window, manner, who);
  const start = Number(own);
  const isAligned = Number.isSafeInteger(start) ? start % alignment === 0 : own % BigInt(alignment) === 0n;
  if (place === undefined || !isAligned) {
    if (!turn.isPossible) recorder.find(turn, lane, 'outside-memory');
    throw turn.notFollowed(place === undefined ? 'an address outside of memory' : 'an address that is not aligned');
  }
  mustBeOfAll(turn, place);
  if (!isOnObject && holdsObject(place, bytes)) {
    if (!turn.isPossible) recorder.find(turn, lane, 'mbarrier-accessed');
    throw turn.notFollowed(OF_OBJECT);
  }
  return place;
}

export const OWN_MEMORY = 'what an elected lane does in its own memory';

const OF_OBJECT = 'an access to an mbarrier object';

/** What an elected lane does in memory that each lane has for itself is not followed. */
function mustBeOfAll(turn: Turn, { piece }: Place): void {
  if (turn.warp.lone !== undefined && piece.object.owner !== undefined) throw turn.notFollowed(OWN_MEMORY);
}

function holdsObject({ piece: { object, mbarriers }, offset }: Place, bytes: number): boolean {
  if (object.mbarrier !== undefined) return true;
  if (mbarriers.size === 0) return false;
  for (const start of mbarriers) if (start < offset + bytes && offset < start + MBARRIER_BYTES) return true;
  return false;
}

/** Where a lane would access memory, by what its registers hold; undefined where that is not known, or nowhere. */
export function placeBy(
  image: MemoryImage,
  who: Accessor | undefined,
  access: Load | Atomic,
  registers: ReadonlyMap<string, bigint | undefined>,
  manner: Manner,
): Place | undefined {
  const { base, offset, window } = access.address;
  const bits = base.kind === 'constant' ? base.value : registers.get(base.name);
  if (bits === undefined || who === undefined) return undefined;
  const address = BigInt.asUintN(64, bits + offset);
  const bytes = countOf(access) * (access.type.width / 8);
  if (address % BigInt(bytes) !== 0n) return undefined;
  return image.locate(address, bytes, window, manner, who);
}

/** How many elements an access has. */
export const countOf = (access: Load | Atomic): number => (access.kind === 'load' ? access.targets.length : 1);
