import { computeArithmetic } from '../program/integer.js';
import { initialValue } from '../program/locations.js';
import type { Place } from './memory-image.js';
import type { Recorder } from './recorder.js';

/** So many values of one word are told apart. */
const MOST_VALUES = 256;

/** What may be in words of memory at some time, by what a run that is over has written there, in whatever order. */
export class WordValues {
  private rows: ReadonlyMap<number, readonly number[]> | undefined;
  private readonly known = new Map<string, readonly bigint[] | undefined>();

  constructor(private readonly recorder: Recorder) {}

  /** Undefined where something else writes there than whole words, or something that is open. */
  at({ piece, offset }: Place, bytes: number): readonly bigint[] | undefined {
    const key = `${piece.id} ${offset} ${bytes}`;
    if (!this.known.has(key)) this.known.set(key, this.find(piece, offset, bytes));
    return this.known.get(key);
  }

  /** Whether anything is written to a word, or a part of it. */
  isWritten({ piece, offset }: Place, bytes: number): boolean {
    const { starts, sizes } = this.recorder.accesses;
    return this.writesTo(piece.id).some(
      (row) => starts.at(row) < offset + bytes && offset < starts.at(row) + sizes.at(row),
    );
  }

  private find({ id, object }: Place['piece'], offset: number, bytes: number): readonly bigint[] | undefined {
    const first = initialValue(object, offset, bytes);
    const { accesses, kinds } = this.recorder;
    // What nobody knows is not found by who waits: that order sees, or nothing is known of the wait.
    const all = new Set(first === undefined ? [] : [first]);
    const sums: { readonly row: number; readonly value: bigint }[] = [];
    for (const row of this.writesTo(id)) {
      const [start, size] = [accesses.starts.at(row), accesses.sizes.at(row)];
      if (start >= offset + bytes || start + size <= offset) continue;
      const { change } = kinds[accesses.kinds.at(row)] ?? {};
      if (change === 'same') continue;
      const value = accesses.values.at(row);
      if (start !== offset || size !== bytes || value === undefined || change === 'unknown') return undefined;
      if (change === 'set') all.add(BigInt.asUintN(8 * bytes, value));
      else sums.push({ row, value });
    }
    for (const { row, value } of sums) {
      const { change } = kinds[accesses.kinds.at(row)] ?? {};
      if (change === undefined || typeof change === 'string') return undefined;
      for (const old of [...all]) all.add(BigInt.asUintN(8 * bytes, computeArithmetic(change, [old, value])));
      if (all.size > MOST_VALUES) return undefined;
    }
    return all.size === 0 ? undefined : [...all];
  }

  private writesTo(piece: number): readonly number[] {
    this.rows ??= this.writes();
    return this.rows.get(piece) ?? [];
  }

  /** By piece, the accesses that write. */
  private writes(): ReadonlyMap<number, readonly number[]> {
    const { accesses, kinds } = this.recorder;
    const rows = new Map<number, number[]>();
    for (let row = 0; row < accesses.count; row++) {
      if (kinds[accesses.kinds.at(row)]?.writes !== true) continue;
      const piece = accesses.pieces.at(row);
      const own = rows.get(piece);
      if (own === undefined) rows.set(piece, [row]);
      else own.push(row);
    }
    return rows;
  }
}
