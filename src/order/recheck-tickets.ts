import { kindOf, rowsTouching, type Trace } from '../follow/trace.js';
import { initialValue } from '../program/locations.js';
import { reachEachOther } from './recheck-patterns.js';

/** Words that are said to be counted upwards, looked at again: which accesses their tickets keep apart. */
export class CountedWords {
  private readonly names = new Map<number, string>();
  /** What does not hold. */
  readonly wrong: string | undefined;

  constructor(private readonly trace: Trace) {
    for (const { piece, offset, bytes, most } of trace.counts) {
      const touching = rowsTouching(trace, piece.id, offset, bytes);
      const rows = touching.filter((row) => kindOf(trace, row).writes);
      const added = rows.map((row) => this.addedBy(row, offset, bytes));
      const begin = initialValue(piece.object, offset, bytes);
      const end = added.reduce<bigint | undefined>(
        (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
        begin,
      );
      const isHeld = end !== undefined && end <= most && end < 2n ** BigInt(8 * bytes);
      if (!isHeld || !reachEachOther(trace, rows)) this.wrong ??= 'a word that is not only counted upwards';
    }
    for (const [row, { from, scale, first }] of trace.tickets) {
      const { pieces, starts } = trace.accesses;
      this.names.set(row, [pieces.at(from), starts.at(from), scale, first, kindOf(trace, row).unit].join());
    }
  }

  /** The accesses that are as far apart as their tickets; undefined of one that none gives. */
  nameOf(row: number): string | undefined {
    return this.names.get(row);
  }

  areApart(a: number, b: number): boolean {
    const name = this.names.get(a);
    return name !== undefined && name === this.names.get(b);
  }

  /** By how much it raises the word; undefined if it does something else. */
  private addedBy(row: number, offset: number, bytes: number): bigint | undefined {
    const { accesses } = this.trace;
    const { change, unit } = kindOf(this.trace, row);
    if (unit !== undefined || accesses.starts.at(row) !== offset || accesses.sizes.at(row) !== bytes) return undefined;
    if (typeof change !== 'object' || change.name !== 'add') return undefined;
    const value = accesses.values.at(row);
    return value === 0n ? undefined : value;
  }
}
