import { truncate } from '../program/integer.js';
import {
  allows,
  initialValue,
  inWindow,
  type LocationTable,
  type Manner,
  type MemoryObject,
  type VirtualRange,
  type Window,
} from '../program/locations.js';
import type { Placement } from '../program/placement.js';
import { firstAbove } from '../program/sorted.js';
import { KnownWords, type MadeOf } from './derived-words.js';
import { isOfWord, OpenWords, type WordsInRun } from './open-words.js';
import { type Page, PieceMemory } from './piece-memory.js';
import { isWithin } from './value-bounds.js';
import type { ValueNumbers } from './value-numbers.js';

/** A thread, as far as an address means something else to it than to others. */
export interface Accessor {
  /** Where the code of its CTA's rank was decoded for. */
  readonly placement: Placement;
  /** Its cluster among all that are followed: each has shared memory of its own at the same addresses. */
  readonly cluster: number;
  /** Its number among all threads: each has local memory of its own. */
  readonly thread: number;
}

/**
 * A memory object as some threads have it: there is one of global memory, one for each cluster of what is shared, one
 * for each thread of what is local.
 */
export interface Piece {
  readonly id: number;
  readonly object: MemoryObject;
  /** The cluster or the thread that has it for itself; 0 where all share it. */
  readonly owner: number;
  readonly memory: PieceMemory;
  /** Where mbarrier objects are in use. */
  readonly mbarriers: Set<number>;
}

/** Bytes of pieces, by the piece: runs from one place to another. What is not known of memory has them in order. */
export type BytesOfPieces = ReadonlyMap<number, readonly (readonly [from: number, to: number])[]>;

/**
 * Bytes that are open; those that are whatever is written there; those that have no value yet; those that have one in
 * some executions; those of which it is known what they hold in the run, and what that is made of.
 */
const OPEN = 1;
const CONTESTED = 2;
const UNINITIALIZED = 3;
const PERHAPS_WRITTEN = 4;
const DERIVED = 5;
/** Those that are open, and that nothing has written. */
const INITIAL = 6;

/** Of these, reads that nothing orders may find different values. */
const UNLIKE: ReadonlySet<number> = new Set([CONTESTED, UNINITIALIZED, PERHAPS_WRITTEN]);

/** What is not known of memory. */
export interface Contested {
  /** Bytes of which it is not known what is there. */
  readonly bytes: BytesOfPieces;
  /** Those of words that atomics access in no order: what these find is not known, but what they come to is. */
  readonly results: BytesOfPieces;
  /**
   * Those into which writes in no order may put the same value: then it does not matter which comes last. To see that,
   * open values are numbered.
   */
  readonly sameValue: BytesOfPieces;
}

export const NOT_CONTESTED: Contested = { bytes: new Map(), results: new Map(), sameValue: new Map() };

/** What may be in memory whose contents are open: by the number of an element, and its bytes. */
export const CONTENTS = {
  '0': () => 0n,
  'its own number': (at: number) => BigInt(at),
  '0 and 1 in turns': (at: number) => BigInt(at % 2),
  'all bits set': () => -1n,
} as const satisfies Readonly<Record<string, (at: number) => bigint>>;
export type Contents = keyof typeof CONTENTS;

/** Whether nothing has written one of some bytes of memory that begins without a value. */
export function uninitializedAt({ object, memory }: Piece, offset: number, count: number): 'no' | 'perhaps' | 'yes' {
  if (object.isUninitialized !== true) return 'no';
  let found: 'no' | 'perhaps' = 'no';
  for (let at = offset; at < offset + count; at++) {
    const state = memory.stateAt(at);
    if (state === UNINITIALIZED) return 'yes';
    if (state === PERHAPS_WRITTEN) found = 'perhaps';
  }
  return found;
}

/** The runs of some bytes that nothing has written. */
export function uninitializedRuns(
  { memory }: Piece,
  offset: number,
  count: number,
): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (let at = offset; at < offset + count; at++) {
    if (memory.stateAt(at) !== UNINITIALIZED) continue;
    const last = runs.at(-1);
    if (last?.[1] === at) last[1] = at + 1;
    else runs.push([at, at + 1]);
  }
  return runs;
}

/** Some bytes of a piece, and the virtual address by which they are meant. */
export interface Place {
  readonly piece: Piece;
  readonly offset: number;
  /** The number of its range among all. */
  readonly range: number;
}

interface LastLocated extends Pick<Place, 'piece' | 'range'> {
  readonly base: number;
  readonly window: Window;
  readonly manner: Manner;
  readonly placement: Placement;
}

/** A number by its bytes, if all are known. */
function inParts(count: number, byteAt: (at: number) => bigint | undefined): bigint | undefined {
  let value = 0n;
  for (let i = count - 1; i >= 0; i--) {
    const byte = byteAt(i);
    if (byte === undefined) return undefined;
    value = (value << 8n) | byte;
  }
  return value;
}

function put(bytes: DataView, at: number, count: number, value: bigint): void {
  if (count === 4) bytes.setUint32(at, Number(value & 0xffff_ffffn), true);
  else if (count === 8) bytes.setBigUint64(at, value, true);
  else for (let i = 0; i < count; i++) bytes.setUint8(at + i, Number((value >> BigInt(8 * i)) & 0xffn));
}

/** What a value that is open is in the run, where that is known. */
const valueInRun = ({ derived }: MadeOf): bigint | undefined =>
  derived === undefined || isOfWord(derived) ? undefined : derived.of(derived.now);

/** Who of those that have an object each for themselves has the one that a thread reaches. */
const ownerOf = ({ owner, cluster }: MemoryObject, who: Accessor): number =>
  owner !== undefined ? who.thread : cluster !== undefined ? who.cluster : 0;

/** The memory of a test while its launches are followed. */
export class MemoryImage {
  readonly pieces: Piece[] = [];
  /** How often something was written that was not there. */
  changes = 0;
  /** What was perhaps written last, and how often something had been written then. */
  private perhaps: { piece: Piece; offset: number; count: number; changes: number } | undefined;
  /** What was located last. */
  private last: LastLocated | undefined;
  private readonly byKey = new Map<string, Piece>();
  private readonly derived = new KnownWords<MadeOf>();
  private readonly numbers = new KnownWords<number>();
  private readonly words: OpenWords;
  private readonly rangeNumbers = new Map<VirtualRange, number>();
  /** Ranges that begin at one address, by that address, in order. */
  private readonly bases: readonly number[];
  private readonly ranges: ReadonlyMap<number, readonly VirtualRange[]>;

  constructor(
    private readonly locations: LocationTable,
    private readonly contested: Contested = NOT_CONTESTED,
    /** What is where nobody knows what is there. */
    private readonly given?: Contents,
    words?: WordsInRun,
  ) {
    this.words = new OpenWords(words);
    const ranges = new Map<number, VirtualRange[]>();
    for (const range of locations.ranges) {
      const base = Number(range.base);
      const own = ranges.get(base);
      if (own === undefined) ranges.set(base, [range]);
      else own.push(range);
    }
    this.ranges = ranges;
    this.bases = [...ranges.keys()].sort((a, b) => a - b);
  }

  /** What a thread means by an address; undefined outside of memory, or where it may not be accessed so. */
  locate(address: bigint, bytes: number, window: Window, manner: Manner, who: Accessor): Place | undefined {
    const at = Number(address);
    const { last } = this;
    // Lanes of a warp mostly access one object in one way.
    if (last?.window === window && last.manner === manner && last.placement === who.placement)
      if (at >= last.base && at + bytes <= last.base + last.piece.object.size)
        if (last.piece.owner === ownerOf(last.piece.object, who))
          return { piece: last.piece, offset: at - last.base, range: last.range };
    const base = this.bases[firstAbove(this.bases, (one) => one, at) - 1];
    if (base === undefined) return undefined;
    const range = this.ranges
      .get(base)
      ?.find(
        ({ object }) =>
          at + bytes <= base + object.size && (object.owner === undefined || object.owner === who.placement.thread),
      );
    if (range === undefined || !inWindow(range.object, window, who.placement)) return undefined;
    if (!allows(range.object.space, manner)) return undefined;
    const piece = this.piece(range.object, ownerOf(range.object, who));
    const found = { piece, range: this.numberOf(range) };
    this.last = { ...found, base, window, manner, placement: who.placement };
    return { ...found, offset: at - base };
  }

  /** The virtual address of a place. */
  addressOf({ range, offset }: Place): bigint {
    return (this.locations.ranges[range]?.base ?? 0n) + BigInt(offset);
  }

  /** What bytes hold; undefined where that is not known of all of them. */
  read(piece: Piece, offset: number, count: number): bigint | undefined {
    const { from, states } = piece.memory.pageAt(offset);
    if (offset + count > from + states.length) return inParts(count, (i) => this.read(piece, offset + i, 1));
    for (let i = offset - from; i < offset - from + count; i++) if (states[i] !== 0) return undefined;
    return this.find(piece, offset, count);
  }

  /** What bytes hold in this run, whatever they hold in others; undefined where not even that is known. */
  find(piece: Piece, offset: number, count: number): bigint | undefined {
    const { from, bytes, states } = piece.memory.pageAt(offset);
    const at = offset - from;
    if (at + count > states.length) return inParts(count, (i) => this.find(piece, offset + i, 1));
    for (let i = at; i < at + count; i++)
      if (states[i] !== 0 && states[i] !== CONTESTED && states[i] !== DERIVED) return undefined;
    switch (count) {
      case 1:
        return BigInt(bytes.getUint8(at));
      case 2:
        return BigInt(bytes.getUint16(at, true));
      case 4:
        return BigInt(bytes.getUint32(at, true));
      case 8:
        return bytes.getBigUint64(at, true);
    }
    return inParts(count, (i) => BigInt(bytes.getUint8(at + i)));
  }

  /** Writes a value; of one that is open, what it is made of, where that is known. */
  write(piece: Piece, offset: number, count: number, value: bigint | undefined, made?: MadeOf): void {
    const { from, bytes, states } = piece.memory.pageAt(offset);
    const at = offset - from;
    if (at + count > states.length) {
      for (let i = 0; i < count; i++) this.write(piece, offset + i, 1, value && (value >> BigInt(8 * i)) & 0xffn);
      return;
    }
    if (value !== undefined && this.read(piece, offset, count) === value) return;
    this.changes += 1;
    this.derived.drop(piece.id, offset, count);
    this.numbers.drop(piece.id, offset, count);
    const written = value ?? (made && valueInRun(made));
    const state = value !== undefined ? 0 : written !== undefined ? DERIVED : OPEN;
    if (!this.contested.bytes.has(piece.id)) states.fill(state, at, at + count);
    else for (let i = at; i < at + count; i++) if (states[i] !== CONTESTED) states[i] = state;
    if (value === undefined && made !== undefined) this.derived.put(piece.id, offset, count, made);
    if (written === undefined) return;
    put(bytes, at, count, written);
  }

  /** What bytes that are open are made of, where that is the same in every execution. */
  madeAt(piece: Piece, offset: number, count: number): MadeOf | undefined {
    const { id, memory } = piece;
    const written = this.derived.at(id, offset, count);
    const made = written ?? this.words.at(piece, offset, count);
    if (made === undefined) return undefined;
    const kept = written === undefined ? INITIAL : valueInRun(made) === undefined ? OPEN : DERIVED;
    const isSame = [...memory.statesOf(offset, count)].every((some) => some.every((state) => state === kept));
    return isSame ? made : undefined;
  }

  /** Numbers what is open in some bytes, as whoever writes or reads them first. */
  number(piece: Piece, offset: number, count: number, number: number): void {
    this.numbers.put(piece.id, offset, count, number);
  }

  /** The number of what is open in some bytes; undefined: each read may find something else there. */
  numberAt(piece: Piece, offset: number, count: number, numbers: ValueNumbers): number | undefined {
    for (const states of piece.memory.statesOf(offset, count))
      if (states.some((state) => UNLIKE.has(state))) return undefined;
    const known = this.numbers.at(piece.id, offset, count) ?? numbers.fresh();
    this.number(piece, offset, count, known);
    return known;
  }

  /** Some executions write bytes, and others do not, or others of these. */
  mayWrite(piece: Piece, offset: number, count: number, value: bigint | undefined): void {
    if (value !== undefined && this.read(piece, offset, count) === value) return;
    this.numbers.drop(piece.id, offset, count);
    // Many threads may write to any of the same bytes.
    const { perhaps } = this;
    if (perhaps?.piece === piece && perhaps.offset === offset && perhaps.count === count)
      if (perhaps.changes === this.changes) return;
    this.changes += 1;
    this.derived.drop(piece.id, offset, count);
    this.perhaps = { piece, offset, count, changes: this.changes };
    for (const states of piece.memory.statesOf(offset, count))
      for (const [i, state] of states.entries()) {
        if (state === UNINITIALIZED) states[i] = PERHAPS_WRITTEN;
        else if (state !== CONTESTED && state !== PERHAPS_WRITTEN) states[i] = OPEN;
      }
  }

  /** Whether it is not known what an atomic finds there. */
  isOpenTo({ piece: { id }, offset }: Place): boolean {
    const runs = this.contested.results.get(id);
    return runs !== undefined && (runs[firstAbove(runs, ([, to]) => to, offset)]?.[0] ?? offset + 1) <= offset;
  }

  /** What bytes of memory that all share hold. */
  contents(object: MemoryObject, offset: number, count: number): bigint | undefined {
    return this.read(this.piece(object, 0), offset, count);
  }

  private piece(object: MemoryObject, owner: number): Piece {
    const key = `${object.id} ${owner}`;
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const piece: Piece = {
      ...{ id: this.pieces.length, object, owner, mbarriers: new Set() },
      memory: new PieceMemory(object.size, (page) => this.begin(piece, page)),
    };
    this.byKey.set(key, piece);
    this.pieces.push(piece);
    return piece;
  }

  /** Writes into a page what is there before the launches. */
  private begin({ id, object, owner }: Piece, { from, bytes, states }: Page): void {
    const given = object.isUninitialized === true || this.given === undefined ? undefined : CONTENTS[this.given];
    const open = object.isUninitialized === true ? UNINITIALIZED : INITIAL;
    const width = object.elementType.width / 8;
    const element = Number.isInteger(width) && object.size % width === 0 ? width : 1;
    /** Behind the elements that are listed all are alike. */
    const listed = element === width ? Math.max(0, object.initial.length * width - from) : states.length;
    const isOpen = object.rest === undefined && given === undefined;
    if (isOpen) states.fill(open, Math.min(listed, states.length));
    const stop = isOpen || object.rest === 0n ? Math.min(listed, states.length) : states.length;
    for (let at = 0; at < stop; at += element) {
      const value = initialValue(object, from + at, element) ?? given?.((from + at) / element);
      if (value === undefined) states.fill(open, at, at + element);
      else if (value !== 0n) put(bytes, at, element, truncate(value, 8 * element));
    }
    const end = from + states.length;
    for (const word of this.words.in({ object, owner })) {
      const { offset, bytes: count, first, step } = word;
      if (offset < from || offset + count > end || (step > 0n && given === undefined)) continue;
      const value = given?.(offset / element) ?? first;
      put(bytes, offset - from, count, isWithin(value, word) ? value : first);
      states.fill(0, offset - from, offset - from + count);
    }
    const runs = this.contested.bytes.get(id) ?? [];
    for (let i = firstAbove(runs, ([, to]) => to, from); (runs[i]?.[0] ?? end) < end; i++) {
      const [first = end, to = end] = runs[i] ?? [];
      states.fill(CONTESTED, Math.max(first, from) - from, Math.min(to, end) - from);
    }
  }

  private numberOf(range: VirtualRange): number {
    const known = this.rangeNumbers.get(range) ?? this.locations.ranges.indexOf(range);
    this.rangeNumbers.set(range, known);
    return known;
  }
}
