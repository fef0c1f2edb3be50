import type { MemoryImage, Piece, Place } from './memory-image.js';
import type { Recorder } from './recorder.js';

/**
 * Which elements of a vector that another thread has stored last are found new; the others are found as they were
 * before. The elements of a vector come in no order (PTX ISA 8.2.4).
 */
export type NewElements = 'the first' | 'all but the first';

/** The elements of a vector. */
export interface Elements extends Pick<Place, 'piece' | 'offset'> {
  readonly count: number;
  readonly bytes: number;
}

/** The last strong store of a vector to some bytes. */
interface Stored {
  readonly thread: number;
  /** The row of its first element. */
  readonly row: number;
  readonly values: readonly (bigint | undefined)[];
  readonly before: readonly (bigint | undefined)[];
}

/** Strong loads that find elements of a vector from before another thread has stored it. */
export class TornVectors {
  private readonly stored = new Map<string, Stored>();

  constructor(
    private readonly image: MemoryImage,
    private readonly recorder: Recorder,
    private readonly areNew: NewElements | undefined,
  ) {}

  /** Takes down a store that is about to be made. */
  store(thread: number, row: number, to: Elements, values: readonly (bigint | undefined)[]): void {
    if (this.areNew === undefined || to.count < 2) return;
    this.stored.set(keyOf(to), { thread, row, values, before: this.contents(to) });
  }

  /** What a load finds in an element that is not new. */
  find(thread: number, row: number, from: Elements, part: number): bigint | undefined {
    if (this.areNew === undefined || from.count < 2 || (part === 0) === (this.areNew === 'the first')) return undefined;
    const last = this.stored.get(keyOf(from));
    const before = last?.before[part];
    if (last === undefined || last.thread === thread || before === undefined || before === last.values[part])
      return undefined;
    if (this.contents(from).some((value, i) => value === undefined || value !== last.values[i])) return undefined;
    this.recorder.torn.set(row + part, last.row + part);
    return before;
  }

  private contents({ piece, offset, count, bytes }: Elements): readonly (bigint | undefined)[] {
    return Array.from({ length: count }, (_, part) => this.image.read(piece, offset + part * bytes, bytes));
  }
}

const keyOf = ({ piece, offset, count, bytes }: Elements & { readonly piece: Piece }): string =>
  `${piece.id} ${offset} ${count} ${bytes}`;
