/** A list of numbers that grows. */
class Column {
  private values: Uint32Array | Float64Array;
  length = 0;

  /** Offsets in memory may have more than 32 bits. */
  constructor(private readonly kind: typeof Uint32Array | typeof Float64Array = Uint32Array) {
    this.values = new kind(1024);
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new this.kind(2 * this.length);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = value;
  }

  set(index: number, value: number): void {
    this.values[index] = value;
  }

  at(index: number): number {
    return this.values[index] ?? 0;
  }
}

/** Values of accesses, by row; undefined where one is not known. */
class Values {
  private bits = new BigUint64Array(1024);
  private known = new Uint8Array(1024);

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

  get count(): number {
    return this.threads.length;
  }
}

/** A read of memory that nothing has written: of an asynchronous one, each run of such bytes. */
export interface UninitializedRead {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}
