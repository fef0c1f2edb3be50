/** Room for so many rows is made at first. */
const FIRST_ROOM = 1024;

/** Numbers of accesses, by row. */
class Column {
  private values: Uint32Array | Float64Array;

  /** Offsets in memory may have more than 32 bits. */
  constructor(private readonly kind: typeof Uint32Array | typeof Float64Array = Uint32Array) {
    this.values = new kind(FIRST_ROOM);
  }

  /** Makes room for so many rows. */
  grow(room: number): void {
    const grown = new this.kind(room);
    grown.set(this.values);
    this.values = grown;
  }

  set(row: number, value: number): void {
    this.values[row] = value;
  }

  at(row: number): number {
    return this.values[row] ?? 0;
  }
}

/** Values of accesses, by row; undefined where one is not known. */
class Values {
  private bits = new BigUint64Array(FIRST_ROOM);
  private known = new Uint8Array(FIRST_ROOM);

  set(row: number, value: bigint | undefined): void {
    if (value === undefined) return;
    if (row >= this.known.length) {
      const size = 2 ** Math.ceil(Math.log2(row + 1));
      const [bits, known] = [new BigUint64Array(size), new Uint8Array(size)];
      bits.set(this.bits);
      known.set(this.known);
      [this.bits, this.known] = [bits, known];
    }
    this.bits[row] = value;
    this.known[row] = 1;
  }

  at(row: number): bigint | undefined {
    return this.known[row] === 1 ? this.bits[row] : undefined;
  }
}

/** An access when it is made: nobody makes it together with others, and no mbarrier object tells of it yet. */
export interface Access {
  readonly thread: number;
  readonly position: number;
  readonly end: number;
  readonly kind: number;
  readonly piece: number;
  readonly range: number;
  readonly start: number;
  readonly size: number;
}

/** All accesses of a followed run, in the order in which it makes them: a row each. */
export class Accesses {
  /** Who makes it, and as what of all that the thread does. */
  readonly threads = new Column();
  readonly positions = new Column();
  /**
   * From when on it is complete. Of what no mbarrier object tells: the step of its thread, the next, but of an
   * asynchronous access behind the wait for its group. Else one more than the phase that tells of it.
   */
  readonly ends = new Column();
  /** One more than the mbarrier object that tells of it; 0 if none does. */
  readonly tellers = new Column();
  readonly kinds = new Column();
  readonly pieces = new Column();
  /** By which name of its memory it is made (an alias has its own). */
  readonly ranges = new Column();
  readonly starts = new Column(Float64Array);
  readonly sizes = new Column(Float64Array);
  /** One more than the issue by several threads that it belongs to; 0 if its thread alone makes it. */
  readonly issues = new Column();
  /** What a write of at most 8 bytes puts there, or an atomic with what is there. */
  readonly values = new Values();
  /** By write of an open value: its number, if values are numbered; equal numbers are equal values. */
  readonly numbers = new Map<number, number>();

  private rows = 0;
  private room = FIRST_ROOM;

  get count(): number {
    return this.rows;
  }

  /** Takes down an access; gives its row. */
  add({ thread, position, end, kind, piece, range, start, size }: Access): number {
    if (this.rows === this.room) this.grow();
    const row = this.rows++;
    this.threads.set(row, thread);
    this.positions.set(row, position);
    this.ends.set(row, end);
    this.kinds.set(row, kind);
    this.pieces.set(row, piece);
    this.ranges.set(row, range);
    this.starts.set(row, start);
    this.sizes.set(row, size);
    return row;
  }

  private grow(): void {
    this.room *= 2;
    const { threads, positions, ends, tellers, kinds, pieces, ranges, starts, sizes, issues } = this;
    for (const column of [threads, positions, ends, tellers, kinds, pieces, ranges, starts, sizes, issues])
      column.grow(this.room);
  }
}

/** A read of memory that nothing has written: of an asynchronous one, each run of such bytes. */
export interface UninitializedRead {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}
