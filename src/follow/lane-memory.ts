import type { MemoryOperand, ReadEffect, Result, UpdateEffect, WriteEffect } from '../effects/effect.js';
import { mannerOf } from '../effects/event-tags.js';
import type { Code } from '../kernel/code.js';
import { atomicArithmetic } from '../program/integer.js';
import { initialValue, type Manner } from '../program/locations.js';
import { registersRead } from '../program/operands.js';
import type { Operand } from '../program/operation.js';
import { type MadeOf, madeBy } from './derived-words.js';
import { type LaneAccess, placeFor, type Spread, spreadFor } from './lane-place.js';
import { at, each, type LaneValue } from './lane-value.js';
import { lanesIn } from './lanes.js';
import { within } from './made-tickets.js';
import type { MemoryImage, Place } from './memory-image.js';
import type { DrawnFromQueue } from './queue-rounds.js';
import type { Accessing, Recorder } from './recorder.js';
import type { TornVectors } from './torn-vectors.js';
import type { AccessKind } from './trace.js';
import type { Turn } from './turn.js';
import { commutesAs, updated } from './updates.js';
import { greatest } from './value-bounds.js';
import type { Derived } from './warp.js';
import type { WhichRun } from './which-run.js';

/** What is written by what reads. */
const NOTHING: readonly bigint[] = [];

/** The size of a generic address. */
const POINTER_BYTES = 8;

/** Reads and writes memory for the lanes of a warp, and takes down where. */
export class LaneMemory {
  constructor(
    private readonly image: MemoryImage,
    private readonly recorder: Recorder,
    private readonly torn: TornVectors,
    /** Words that atomics count upwards, if they do, and how far; each thread is taken to count others once. */
    private readonly which: Pick<WhichRun, 'counted' | 'areTicketsOpen'> = {},
  ) {}

  read(turn: Turn, index: number, { at: where, results, tags, scope, when }: ReadEffect): void {
    if (when !== undefined) throw turn.notFollowed('a read under a condition');
    const { count, bytes } = partsOf(turn, where);
    const found = results.map((): (bigint | undefined)[] => []);
    const made = results.map((): (MadeOf | undefined)[] => []);
    const numbers = results.map((): (number | undefined)[] => []);
    const { numbering } = turn.warp;
    const what = { reads: true, writes: false, tags, scope };
    const isStrong = !tags.includes('WEAK');
    this.eachPlace(turn, where, mannerOf(new Set(tags), false), this.kindsBy(turn, index, what), (lane, place, row) => {
      const { piece, offset, unit } = place;
      const elements = { piece, offset, count, bytes };
      const old = (part: number): bigint | undefined =>
        isStrong ? this.torn.find(turn.warp.threads[lane]?.id ?? 0, row, elements, part) : undefined;
      if (unit !== undefined) return NOTHING;
      for (let part = 0; part < found.length; part++) {
        const [own, start] = [found[part] ?? [], offset + part * bytes];
        own[lane] = old(part) ?? this.image.read(piece, start, bytes);
        const written = own[lane] === undefined ? this.image.madeAt(piece, start, bytes) : undefined;
        const known = turn.rounds === undefined ? written : turn.rounds.told(turn, lane, written);
        if (known !== undefined) (made[part] ?? [])[lane] = known;
        if (own[lane] === undefined && numbering !== undefined)
          (numbers[part] ?? [])[lane] = this.image.numberAt(piece, start, bytes, numbering);
      }
      return NOTHING;
    });
    this.giveAll(turn, results.slice(0, count), found, 8 * bytes);
    for (const [part, result] of results.slice(0, count).entries())
      if (result !== undefined) {
        turn.made(result, made[part] ?? [], 8 * bytes);
        turn.number(result, numbers[part] ?? [], 8 * bytes);
      }
  }

  write(turn: Turn, index: number, { at: where, data, tags, scope }: WriteEffect): void {
    const { count, bytes } = partsOf(turn, where);
    if (data.kind === 'moved') throw turn.notFollowed('a copy');
    const values = Array.from({ length: count }, (_, part): LaneValue => {
      if (data.kind === 'zero') return 0n;
      return data.kind === 'operands' ? valueOf(turn, data.operands[part], 8 * bytes) : undefined;
    });
    const { numbering } = turn.warp;
    const operands = numbering === undefined || data.kind !== 'operands' ? [] : data.operands;
    const numbers = numbering && operands.map((operand) => turn.numbered(operand, 8 * bytes, numbering));
    const what = { reads: false, writes: true, tags, scope };
    const isStrong = !tags.includes('WEAK');
    this.eachPlace(turn, where, mannerOf(new Set(tags), true), this.kindsBy(turn, index, what), (lane, place, row) => {
      const stored = values.map((value) => (turn.rounds === undefined ? at(value, lane) : undefined));
      if (isStrong && place.unit === undefined)
        this.torn.store(turn.warp.threads[lane]?.id ?? 0, row, { ...place, count, bytes }, stored);
      for (const [part, value] of values.entries()) {
        if (bytes === POINTER_BYTES) this.mustNotHandOn(turn, lane, at(value, lane), place);
        const operand = data.kind === 'operands' ? data.operands[part] : undefined;
        const made = at(value, lane) === undefined ? madeFrom(turn, lane, operand, 8 * bytes) : undefined;
        if (typeof made?.derived?.from === 'number') this.recorder.derived.set(row + part, made.derived);
        this.put(turn, place, part * bytes, bytes, stored[part], made);
        const number = stored[part] === undefined && place.unit === undefined ? numbers?.[part]?.[lane] : undefined;
        if (typeof number !== 'number') continue;
        if (!turn.isPossible) this.image.number(place.piece, place.offset + part * bytes, bytes, number);
        this.recorder.accesses.numbers.set(row + part, number);
      }
      return stored;
    });
  }

  /** What the accesses of an effect are, each looked up once for all lanes. */
  private kindsBy(
    turn: Turn,
    index: number,
    what: Accessing,
    groupOf: (lane: number, place: Accessed) => string | undefined = () => undefined,
  ): (lane: number, place: Accessed) => AccessKind {
    const kinds = new Map<string | undefined, AccessKind>();
    return (lane, place) => {
      const commutes = groupOf(lane, place);
      const { unit } = place;
      const key = unit === undefined ? commutes : `${commutes} somewhere`;
      const kind = kinds.get(key) ?? this.recorder.kind(turn, index, { ...what, commutes, unit });
      kinds.set(key, kind);
      return kind;
    };
  }

  /** Writes what is written in any case, or may be. */
  private put(turn: Turn, place: Accessed, at: number, bytes: number, value?: bigint, made?: MadeOf): void {
    const { piece, offset, unit, parts } = place;
    if (unit !== undefined)
      for (const { from, extent } of parts) this.image.mayWrite(piece, offset + from, extent, undefined);
    else if (turn.isPossible) this.image.mayWrite(piece, offset + at, bytes, value);
    else this.image.write(piece, offset + at, bytes, value, made);
  }

  /** A generic address of the own memory means nothing to others, who would find their own there. */
  private mustNotHandOn(turn: Turn, lane: number, value: bigint | undefined, { piece }: Place): void {
    const who = turn.warp.accessors[lane];
    if (value === undefined || value === 0n || who === undefined) return;
    const space = this.image.locate(value, 1, 'generic', 'reads', who)?.piece.object.space;
    const isFar = piece.object.space === 'global' || (piece.object.space === 'shared' && space === 'local');
    if (isFar && (space === 'shared' || space === 'local'))
      throw turn.notFollowed(`an address of ${space} memory, which others may read`);
  }

  /** Gives the first of its accesses. */
  update(turn: Turn, index: number, effect: UpdateEffect): number {
    const first = this.recorder.accesses.count;
    const { at: where, data, operation, compared, function: of, results, tags, readTags, writeTags, scope } = effect;
    const { count, bytes } = partsOf(turn, where);
    const width = 8 * bytes;
    const arithmetic = atomicArithmetic(operation, where.type);
    const given = Array.from({ length: count }, (_, part) =>
      data.kind === 'operands' ? valueOf(turn, data.operands[part], width) : undefined,
    );
    const expected = compared === undefined ? undefined : turn.value(compared, width);
    const found = given.map((): (bigint | undefined)[] => []);
    const derived: (Derived | undefined)[] = [];
    const drawn: (Drawn | undefined)[] = [];
    const isUsedResult = results.some((result) => result !== undefined && isUsed(turn.warp.code, result.register));
    const isSet = arithmetic === undefined && of === undefined && compared === undefined;
    const change = isSet ? 'set' : (arithmetic ?? 'unknown');
    const all = { reads: true, writes: true, tags: [...tags, ...readTags, ...writeTags], scope, change } as const;
    /** What some executions count, and others do not, nobody knows. */
    const isHidden = isUsedResult && turn.isPossible && this.which.counted !== undefined;
    const isOpenTo = (place: Accessed): boolean => turn.warp.queue !== undefined || this.image.isOpenTo(place);
    /** What comes to the same in any order, if nobody knows what it finds. */
    const groupOf = (lane: number, place: Accessed): string | undefined => {
      if (of !== undefined || arithmetic === undefined) return undefined;
      const isKnown = isUsedResult && !isHidden && place.unit === undefined;
      if (isKnown && (count > 1 || !isOpenTo(place))) return undefined;
      const own = at(given[0], lane);
      return commutesAs(effect) ?? (own === undefined ? undefined : `${operation} ${own}`);
    };
    const kindAt = this.kindsBy(turn, index, all, groupOf);
    this.eachPlace(turn, where, 'synchronizes', kindAt, (lane, place, row) => {
      const isOpen = isUsedResult && isOpenTo(place);
      for (const [part, column] of found.entries()) {
        const isSpread = place.unit !== undefined;
        const offset = place.offset + part * bytes;
        const old = isSpread ? undefined : this.image.read(place.piece, offset, bytes);
        const own = at(given[part], lane);
        column[lane] = isOpen || isHidden ? undefined : old;
        if (isUsedResult && count === 1 && column[lane] === undefined && operation === 'add')
          drawn[lane] = isSpread ? undefined : this.draw(turn, lane, place, row, bytes, own);
        if (isUsedResult && drawn[lane] === undefined) turn.rounds?.mustKnow(turn);
        const isAsInRun = drawn[lane] === undefined || this.which.areTicketsOpen !== true;
        if (isOpen && old !== undefined && isAsInRun) derived[lane] = { from: row, now: old, of: (result) => result };
        const value = old === undefined ? undefined : updated(effect, old, own, at(expected, lane));
        this.put(turn, place, part * bytes, bytes, turn.rounds === undefined ? (isSet ? own : value) : undefined);
      }
      return given.map((value) => at(value, lane));
    });
    this.giveAll(turn, results, found, width);
    const [result] = results;
    if (result === undefined) return first;
    if (derived.length > 0) turn.derive(result, derived, width);
    const [bounds, tickets] = [drawn.map((one) => one?.bounds), drawn.map((one) => one?.ticket)];
    turn.bound(result, bounds, width);
    turn.draw(result, tickets, width);
    return first;
  }

  /**
   * What an atomic finds that counts upwards: no other one finds the same. That others do so too, and how far, is
   * looked at in the end.
   */
  private draw(
    turn: Turn,
    lane: number,
    place: Place,
    from: number,
    bytes: number,
    step: bigint | undefined,
  ): Drawn | undefined {
    const { piece, offset } = place;
    const first = initialValue(piece.object, offset, bytes);
    const { counted } = this.which;
    if (counted === undefined || first === undefined || step === undefined || step === 0n) return undefined;
    const word = `${piece.id} ${offset}`;
    const drawn = turn.warp.queue?.draw(turn, lane, place, from, [first, step]);
    if (drawn !== undefined) {
      const { most } = drawn;
      this.recorder.counts.set(word, { word, piece, offset, bytes, most, unit: step, isOfQueue: true });
      return drawn;
    }
    const ofThreads = { most: first + step * BigInt(this.recorder.threads.length), unit: 1n };
    const { most, unit } = counted.get(word) ?? ofThreads;
    this.recorder.counts.set(word, { word, piece, offset, bytes, most, unit });
    const count = ((greatest(most - step, first) - first) / unit) * unit;
    const bounds = { first, last: first + count, step: count === 0n ? 0n : unit };
    return { bounds, ticket: { from, first, scale: 1n, count, unit, growth: undefined } };
  }

  private giveAll(
    turn: Turn,
    results: readonly (Result | undefined)[],
    found: readonly (readonly (bigint | undefined)[])[],
    width: number,
  ): void {
    results.forEach((result, part) => {
      const column = found[part] ?? [];
      if (result !== undefined)
        turn.give(
          result,
          each(turn.size, (lane) => column[lane]),
          width,
        );
    });
  }

  /** Takes down the accesses of each lane, and calls with where they are; what is nowhere is undefined behavior. */
  private eachPlace(
    turn: Turn,
    where: MemoryOperand,
    manner: Manner,
    kindAt: (lane: number, place: Accessed) => AccessKind,
    /** Gives what is written. */
    of: (lane: number, place: Accessed, row: number) => readonly (bigint | undefined)[],
  ): void {
    const { address, alignment, what } = where;
    const { count, bytes } = partsOf(turn, where);
    const base = turn.value(address.base, 64);
    const access = {
      base,
      address,
      bytes: count * bytes,
      alignment: alignment ?? bytes,
      manner,
      isOnObject: what === 'mbarrier',
    };
    for (const lane of count * bytes === 0 ? [] : lanesIn(turn.lanes)) {
      const place = this.placeOf(turn, lane, access, bytes);
      const kind = kindAt(lane, place);
      const { accesses } = this.recorder;
      const row = accesses.count;
      if (place.unit !== undefined) this.recorder.somewhere(turn, lane, kind, place, { address, bytes: access.bytes });
      else for (let part = 0; part < count; part++) this.recorder.access(turn, lane, kind, place, part * bytes, bytes);
      const values = of(lane, place, row);
      if (place.unit === undefined && bytes <= 8 && values.length > 0)
        for (const [part, value] of values.entries()) accesses.values.set(row + part, value);
    }
    this.recorder.advance(turn);
  }

  private placeOf(turn: Turn, lane: number, access: LaneAccess, element: number): Accessed {
    const { bytes } = access;
    if (at(access.base, lane) === undefined) return { ...spreadFor(this.image, turn, lane, access), unit: element };
    const { piece, offset, range } = placeFor(this.image, this.recorder, turn, lane, access);
    return { piece, offset, range, extent: bytes, parts: [], unit: undefined };
  }
}

type Drawn = Pick<DrawnFromQueue, 'bounds' | 'ticket'>;

/** Where an access is; of one whose address is open, where it may be, and the size of its elements. */
type Accessed = Spread & { readonly unit: number | undefined };

const READ = new WeakMap<Code, ReadonlySet<string>>();

/** Whether some instruction reads a register, or it is asked for at the end. */
function isUsed(code: Code, register: string): boolean {
  const read =
    READ.get(code) ??
    new Set([
      ...code.statements.flatMap(({ operation, guard }) => [
        ...registersRead(operation),
        ...(guard === undefined ? [] : [guard.register]),
      ]),
      ...code.liveAt(code.statements.length).flatMap((index) => code.names[index] ?? []),
    ]);
  READ.set(code, read);
  return read.has(register);
}

const valueOf = (turn: Turn, operand: Operand | undefined, width: number): LaneValue =>
  operand === undefined ? undefined : turn.value(operand, width);

/** What so many bits of an operand are made of in a lane, where they are open, as far as that may be handed on. */
function madeFrom(turn: Turn, lane: number, operand: Operand | undefined, width: number): MadeOf | undefined {
  if (operand === undefined) return undefined;
  const own = turn.handedOn(operand, lane);
  const drawn = turn.fact(turn.warp.tickets, operand, lane);
  const ticket = drawn && within(drawn, width);
  if (own === undefined && ticket === undefined) return undefined;
  const derived = own && madeBy(own, (bits) => BigInt.asUintN(width, bits));
  return { derived, ticket, bounds: turn.bounds(operand, lane, width) };
}

/** The elements of an access, and their size; a region is one. */
function partsOf(turn: Turn, { parts, type, bytes, tensor }: MemoryOperand): { count: number; bytes: number } {
  if (tensor !== undefined) throw turn.notFollowed('tensor memory');
  if (typeof parts === 'number' && type !== undefined) return { count: parts, bytes: type.width / 8 };
  if (parts !== 'moved' || bytes === undefined) throw turn.notFollowed('a copy');
  return { count: 1, bytes: Number(turn.uniform(bytes, 32, 'a size')) };
}
