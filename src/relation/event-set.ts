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
    return new EventSet(
      this.size,
      this.words.map((w, i) => w | (other.words[i] ?? 0)),
    );
  }

  intersection(other: EventSet): EventSet {
    return new EventSet(
      this.size,
      this.words.map((w, i) => w & (other.words[i] ?? 0)),
    );
  }

  difference(other: EventSet): EventSet {
    return new EventSet(
      this.size,
      this.words.map((w, i) => w & ~(other.words[i] ?? 0)),
    );
  }

  isEmpty(): boolean {
    return this.words.every((w) => w === 0);
  }

  equals(other: EventSet): boolean {
    return this.words.every((w, i) => w === other.words[i]);
  }

  *[Symbol.iterator](): Generator<number> {
    for (let i = 0; i < this.words.length; i++) {
      let word = this.words[i] ?? 0;
      while (word !== 0) {
        const bit = 31 - Math.clz32(word & -word);
        yield i * 32 + bit;
        word &= word - 1;
      }
    }
  }
}
