import { areEqual, differenceOf, intersectionOf, isZero, membersOf, unionOf } from './words.js';

/** A set of events, each a number below `size`, as a bit set. Immutable once built. */
export class EventSet {
  readonly words: Uint32Array;

  constructor(
    readonly size: number,
    words?: Uint32Array,
  ) {
    this.words = words ?? new Uint32Array((size + 31) >>> 5);
  }

  static from(size: number, contains: (event: number) => boolean): EventSet {
    const set = new EventSet(size);
    for (let e = 0; e < size; e++) if (contains(e)) set.add(e);
    return set;
  }

  static full(size: number): EventSet {
    return EventSet.from(size, () => true);
  }

  /** Only for building; a set that has been handed out is not changed. */
  add(event: number): void {
    this.words[event >>> 5] = (this.words[event >>> 5] ?? 0) | (1 << (event & 31));
  }

  has(event: number): boolean {
    return (((this.words[event >>> 5] ?? 0) >>> (event & 31)) & 1) === 1;
  }

  union(other: EventSet): EventSet {
    return new EventSet(this.size, unionOf(this.words, other.words));
  }

  intersection(other: EventSet): EventSet {
    return new EventSet(this.size, intersectionOf(this.words, other.words));
  }

  difference(other: EventSet): EventSet {
    return new EventSet(this.size, differenceOf(this.words, other.words));
  }

  isEmpty(): boolean {
    return isZero(this.words);
  }

  equals(other: EventSet): boolean {
    return areEqual(this.words, other.words);
  }

  [Symbol.iterator](): Iterator<number> {
    return membersOf(this.words, 0, this.words.length)[Symbol.iterator]();
  }
}
