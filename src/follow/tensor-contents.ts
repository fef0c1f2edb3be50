import { WORD_BYTES } from '../program/tensor-memory.js';
import { type LaneValue, lift } from './lane-value.js';
import type { MemoryImage, Place } from './memory-image.js';

const WORD = 8 * WORD_BYTES;

/**
 * What columns of tensor memory hold, lane by lane, as far as it is known: what is stored as .32x32b is loaded as it
 * was (docs/decisions/tensor-memory.md).
 */
export class TensorContents {
  /** By piece and column of a band: a word for each lane of a warp. */
  private readonly words = new Map<string, LaneValue>();

  constructor(private readonly image: MemoryImage) {}

  /** Lanes of a warp store a word each into so many bytes of columns, or something is written there. */
  write({ piece, offset }: Place, bytes: number, value: LaneValue, size: number): void {
    // What the image holds tells only whether all of it is known, here or not.
    this.image.write(piece, offset, bytes, value === undefined ? undefined : 0n);
    for (let at = 0; value !== undefined && at < bytes; at += WORD_BYTES) {
      const word = lift(size, [value], ([bits = 0n]) => BigInt.asUintN(WORD, bits >> BigInt(8 * at)));
      this.words.set(`${piece.id} ${offset + at}`, word);
    }
  }

  /** What lanes of a warp load: a word of each column, one behind the other. */
  read({ piece, offset }: Place, bytes: number, size: number): LaneValue {
    if (this.image.read(piece, offset, bytes) === undefined) return undefined;
    const words = Array.from({ length: bytes / WORD_BYTES }, (_, i) =>
      this.words.get(`${piece.id} ${offset + WORD_BYTES * i}`),
    );
    return lift(size, words, (all) => all.reduce((sum, bits, i) => sum | (bits << BigInt(WORD * i)), 0n));
  }
}
