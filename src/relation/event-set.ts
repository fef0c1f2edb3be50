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
    const result = new EventSet(this.size);
    const { words } = result;
    for (let i = 0; i < words.length; i++) words[i] = (this.words[i] ?? 0) | (other.words[i] ?? 0);
    return result;
  }

  intersection(other: EventSet): EventSet {
    const result = new EventSet(this.size);
    const { words } = result;
    for (let i = 0; i < words.length; i++) words[i] = (this.words[i] ?? 0) & (other.words[i] ?? 0);
    return result;
  }

  difference(other: EventSet): EventSet {
    const result = new EventSet(this.size);
    const { words } = result;
    for (let i = 0; i < words.length; i++) words[i] = (this.words[i] ?? 0) & ~(other.words[i] ?? 0);
    return result;
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

/** The members that some of the words hold, the first of which begins at 0. */
export function membersOf(words: Uint32Array, from: number, to: number): readonly number[] {
  const members: number[] = [];
  for (let i = from; i < to; i++) {
    let word = words[i] ?? 0;
    while (word !== 0) {
      members.push((i - from) * 32 + 31 - Math.clz32(word & -word));
      word &= word - 1;
    }
  }
  return members;
}

export function isZero(words: Uint32Array): boolean {
  for (let i = 0; i < words.length; i++) if (words[i] !== 0) return false;
  return true;
}

export function areEqual(a: Uint32Array, b: Uint32Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
