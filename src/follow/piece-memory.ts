/** Some bytes of a piece of memory, each with a state: what is known of it. */
export interface Page {
  /** Where it begins. */
  readonly from: number;
  readonly bytes: DataView;
  readonly states: Uint8Array;
}

/** What is larger is there by pages, each from when something in it is accessed. */
const LARGEST_WHOLE = 1 << 16;
const PAGE_BYTES = 1 << 14;

/** The bytes of a piece of memory, which may be as large as that of a GPU. */
export class PieceMemory {
  private readonly pages = new Map<number, Page>();
  private readonly pageBytes: number;
  private last: Page | undefined;

  constructor(
    readonly size: number,
    /** Says what is in a page first. */
    private readonly fill: (page: Page) => void,
  ) {
    this.pageBytes = size <= LARGEST_WHOLE ? Math.max(1, size) : PAGE_BYTES;
  }

  pageAt(offset: number): Page {
    const { last } = this;
    if (last !== undefined && offset >= last.from && offset < last.from + last.states.length) return last;
    const number = Math.floor(offset / this.pageBytes);
    const page = this.pages.get(number) ?? this.filled(number * this.pageBytes);
    this.pages.set(number, page);
    this.last = page;
    return page;
  }

  private filled(from: number): Page {
    const size = Math.min(this.pageBytes, this.size - from);
    const page = { from, bytes: new DataView(new ArrayBuffer(size)), states: new Uint8Array(size) };
    this.fill(page);
    return page;
  }

  stateAt(offset: number): number | undefined {
    const { from, states } = this.pageAt(offset);
    return states[offset - from];
  }

  /** The states of some bytes, page by page; what is changed in one is changed there. */
  *statesOf(offset: number, count: number): Iterable<Uint8Array> {
    for (let at = offset; at < offset + count; ) {
      const { from, states } = this.pageAt(at);
      const end = Math.min(offset + count, from + states.length);
      yield states.subarray(at - from, end - from);
      at = end;
    }
  }
}
