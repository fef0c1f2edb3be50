import { groupBy } from '../program/group-by.js';
import type { MemoryObject, MemoryRange } from '../program/locations.js';

/** Bytes of an object that a thread reads or writes. */
export interface Touch extends MemoryRange {
  readonly thread: number;
  readonly writes: boolean;
}

/** Bytes that the same threads touch. */
interface Piece {
  readonly start: number;
  readonly touchers: Set<number>;
  readonly writers: Set<number>;
  isAsked: boolean;
}

/** So many threads that share bytes may be a group: what more of them share is not their own. */
const MOST_SHARING = 4;

/** Who touches which bytes of memory. */
export class TouchedBytes {
  private readonly pieces = new Map<MemoryObject, readonly Piece[]>();
  /** By thread, the group that it is in. */
  private groupOf: readonly number[] = [];

  constructor(touches: readonly Touch[], asked: readonly MemoryRange[]) {
    for (const [object, own] of groupBy(touches, (one) => one.object)) {
      const wanted = asked.filter((one) => one.object === object);
      const ends = [...own, ...wanted].flatMap(({ offset, bytes }) => [offset, offset + bytes]);
      const starts = [...new Set([0, ...ends])].sort((a, b) => a - b);
      const places = new Map(starts.map((start, i) => [start, i]));
      const pieces = starts.map((start): Piece => ({ start, touchers: new Set(), writers: new Set(), isAsked: false }));
      const within = ({ offset, bytes }: MemoryRange): readonly Piece[] =>
        pieces.slice(places.get(offset), places.get(offset + bytes));
      for (const one of wanted) for (const piece of within(one)) piece.isAsked = true;
      for (const one of own)
        for (const { touchers, writers } of within(one)) {
          touchers.add(one.thread);
          if (one.writes) writers.add(one.thread);
        }
      this.pieces.set(object, pieces);
    }
  }

  /**
   * Groups of threads, of some that may be in one, each in their order: what a thread of a group writes nobody else
   * touches, and nobody asks for.
   */
  groups(threads: number, mayBeGrouped: readonly boolean[]): readonly (readonly number[])[] {
    const parents = Array.from({ length: threads }, (_, i) => i);
    const rootOf = (one: number): number => {
      let root = one;
      while (parents[root] !== root) root = parents[root] ?? root;
      return root;
    };
    const isShared = mayBeGrouped.map((may) => !may);
    for (const { touchers, writers, isAsked } of [...this.pieces.values()].flat()) {
      if (writers.size === 0) continue;
      const isOfFew = !isAsked && touchers.size <= MOST_SHARING && [...touchers].every((one) => mayBeGrouped[one]);
      if (isOfFew) {
        const [first = 0, ...others] = touchers;
        for (const other of others) parents[rootOf(other)] = rootOf(first);
      } else for (const one of writers) isShared[one] = true;
    }
    this.groupOf = parents.map((_, one) => rootOf(one));
    const all = groupBy([...parents.keys()], (one) => this.groupOf[one] ?? one);
    return [...all.values()].filter((group) => !group.some((one) => isShared[one]));
  }

  /** Whose some bytes are: of the threads of one group, nobody's, whom they may be read by, or of several threads. */
  ownersOf(object: MemoryObject, start: number, end: number): 'group' | 'nobody' | 'several' {
    const pieces = (this.pieces.get(object) ?? []).filter(
      (piece, i, all) => piece.start < end && (all[i + 1]?.start ?? object.size) > start,
    );
    if (pieces.every(({ writers }) => writers.size === 0)) return 'nobody';
    const groups = new Set(pieces.flatMap(({ touchers }) => [...touchers].map((one) => this.groupOf[one])));
    return groups.size === 1 ? 'group' : 'several';
  }
}
