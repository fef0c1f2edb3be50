import type { Derived } from './warp.js';

interface Word {
  readonly count: number;
  readonly derived: Derived;
}

/** Words of memory that hold what is made of what an access has found, which others find in other executions. */
export class DerivedWords {
  private readonly byPiece = new Map<number, Map<number, Word>>();
  /** No word has more bytes. */
  private most = 1;

  put(piece: number, offset: number, count: number, derived: Derived): void {
    this.most = Math.max(this.most, count);
    const words = this.byPiece.get(piece) ?? new Map<number, Word>();
    this.byPiece.set(piece, words.set(offset, { count, derived }));
  }

  /** What a word is made of, if it was written as a whole. */
  at(piece: number, offset: number, count: number): Derived | undefined {
    const word = this.byPiece.get(piece)?.get(offset);
    return word?.count === count ? word.derived : undefined;
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
