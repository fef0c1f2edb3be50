/** The comments of a text: `// …`, `/* … *\/` and herd's `(* … *)`, which may hold others of its kind. */
export class Comments {
  /** No block comment that begins here or later is closed. */
  private unclosedFrom = Number.POSITIVE_INFINITY;
  private herd: ReadonlyMap<number, number> | undefined;

  constructor(private readonly text: string) {}

  /** Behind the comment that begins at an offset; undefined if none does, or if it is never closed. */
  endOf(at: number): number | undefined {
    const first = this.text.charCodeAt(at);
    if (first !== SLASH && first !== PARENTHESIS) return undefined;
    const second = this.text.charCodeAt(at + 1);
    if (first === PARENTHESIS) return second === STAR ? this.herdComments().get(at) : undefined;
    if (second === SLASH) {
      const end = this.text.indexOf('\n', at);
      return end === -1 ? this.text.length : end;
    }
    if (second !== STAR || at >= this.unclosedFrom) return undefined;
    const end = this.text.indexOf('*/', at + 2);
    if (end !== -1) return end + 2;
    this.unclosedFrom = at;
    return undefined;
  }

  /** Whether nothing but comments and blanks stands in a range. */
  areAll(start: number, end: number): boolean {
    for (let at = start; at < end; ) {
      const comment = this.endOf(at);
      if (comment === undefined && this.text.charCodeAt(at) > 0x20) return false;
      at = comment ?? at + 1;
    }
    return true;
  }

  /**
   * The ends of all herd comments by where they begin, from the last to the first: where one within another is never
   * closed, its opening is text like any other.
   */
  private herdComments(): ReadonlyMap<number, number> {
    if (this.herd !== undefined) return this.herd;
    const marks = [...this.text.matchAll(/\((?=\*)|\*(?=\))/g)].map(({ index }) => index);
    const ends = new Map<number, number>();
    /** By mark: behind the comment whose content goes on at that mark. */
    const behind: (number | undefined)[] = Array.from({ length: marks.length + 1 });
    const from = (at: number, first: number): number | undefined => {
      let [low, high] = [first, marks.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((marks[middle] ?? 0) < at) low = middle + 1;
        else high = middle;
      }
      return behind[low];
    };
    for (let i = marks.length - 1; i >= 0; i--) {
      const at = marks[i] ?? 0;
      if (this.text.charCodeAt(at) === STAR) {
        behind[i] = at + 2;
        continue;
      }
      const end = from(at + 2, i + 1);
      if (end !== undefined) ends.set(at, end);
      behind[i] = end === undefined ? from(at + 1, i + 1) : from(end, i + 1);
    }
    this.herd = ends;
    return ends;
  }
}

const SLASH = 0x2f;
const STAR = 0x2a;
const PARENTHESIS = 0x28;
