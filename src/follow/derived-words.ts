import type { Bounds } from './value-bounds.js';
import type { Derived, Ticket } from './warp.js';

/** What is known besides of a value that is open. */
export interface MadeOf {
  readonly derived?: Derived | undefined;
  readonly ticket?: Ticket | undefined;
  readonly bounds?: Bounds | undefined;
}

/** The same, with something made of it. */
export const madeBy = (derived: Derived, by: (bits: bigint) => bigint): Derived => ({
  ...derived,
  of: (found) => {
    const bits = derived.of(found);
    return bits === undefined ? undefined : by(bits);
  },
});

interface Word {
  readonly count: number;
  readonly made: MadeOf;
}

/** Words of memory that hold an open value of which it is known what it is made of. */
export class DerivedWords {
  private readonly byPiece = new Map<number, Map<number, Word>>();
  /** No word has more bytes. */
  private most = 1;

  put(piece: number, offset: number, count: number, made: MadeOf): void {
    this.most = Math.max(this.most, count);
    const words = this.byPiece.get(piece) ?? new Map<number, Word>();
    this.byPiece.set(piece, words.set(offset, { count, made }));
  }

  /** What a word is made of, if it was written as a whole. */
  at(piece: number, offset: number, count: number): MadeOf | undefined {
    const word = this.byPiece.get(piece)?.get(offset);
    return word?.count === count ? word.made : undefined;
  }

  /** Something else is written to some bytes. */
  drop(piece: number, offset: number, count: number): void {
    const words = this.byPiece.get(piece);
    if (words === undefined) return;
    const drop = (at: number, word: Word | undefined): void => {
      if (word !== undefined && at < offset + count && offset < at + word.count) words.delete(at);
    };
    if (words.size < count + this.most) for (const [at, word] of words) drop(at, word);
    else for (let at = offset - this.most + 1; at < offset + count; at++) drop(at, words.get(at));
  }
}
