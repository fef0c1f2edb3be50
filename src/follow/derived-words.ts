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

interface Word<Known> {
  readonly count: number;
  readonly known: Known;
}

/** Words of memory that hold an open value of which something is known. */
export class KnownWords<Known> {
  private readonly byPiece = new Map<number, Map<number, Word<Known>>>();
  /** No word has more bytes. */
  private most = 1;

  put(piece: number, offset: number, count: number, known: Known): void {
    this.most = Math.max(this.most, count);
    const words = this.byPiece.get(piece) ?? new Map<number, Word<Known>>();
    this.byPiece.set(piece, words.set(offset, { count, known }));
  }

  /** What is known of a word, if it was written as a whole. */
  at(piece: number, offset: number, count: number): Known | undefined {
    const word = this.byPiece.get(piece)?.get(offset);
    return word?.count === count ? word.known : undefined;
  }

  /** Something else is written to some bytes. */
  drop(piece: number, offset: number, count: number): void {
    const words = this.byPiece.get(piece);
    if (words === undefined) return;
    const drop = (at: number, word: Word<Known> | undefined): void => {
      if (word !== undefined && at < offset + count && offset < at + word.count) words.delete(at);
    };
    if (words.size < count + this.most) for (const [at, word] of words) drop(at, word);
    else for (let at = offset - this.most + 1; at < offset + count; at++) drop(at, words.get(at));
  }
}
