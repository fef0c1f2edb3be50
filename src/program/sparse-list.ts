const PAGE = 4096;

/** A list of any length of which few places are in use: it has pages where something is put. */
export class SparseList<T> {
  private readonly pages = new Map<number, (T | undefined)[]>();
  private last: { readonly number: number; readonly page: (T | undefined)[] } | undefined;

  at(index: number): T | undefined {
    return this.pageOf(Math.floor(index / PAGE))?.[index % PAGE];
  }

  set(index: number, value: T): void {
    const number = Math.floor(index / PAGE);
    const page = this.pageOf(number) ?? new Array<T | undefined>(PAGE);
    if (this.last?.page !== page) {
      this.pages.set(number, page);
      this.last = { number, page };
    }
    page[index % PAGE] = value;
  }

  /** Whether nothing is at any of some places. */
  isFree(from: number, to: number): boolean {
    for (let start = from; start < to; ) {
      const number = Math.floor(start / PAGE);
      const end = Math.min(to, (number + 1) * PAGE);
      const page = this.pages.get(number);
      if (page?.slice(start - number * PAGE, end - number * PAGE).some((one) => one !== undefined)) return false;
      start = end;
    }
    return true;
  }

  private pageOf(number: number): (T | undefined)[] | undefined {
    if (this.last?.number === number) return this.last.page;
    const page = this.pages.get(number);
    if (page !== undefined) this.last = { number, page };
    return page;
  }
}
