/** A range of offsets in a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What counts as one where a range is looked for: what stands in braces or in quotes. Comments always do. */
export interface Past {
  readonly braces?: boolean;
  /** `closed`: a quote that is never closed is a character like any other; `all`: it goes on to the end of the text. */
  readonly quotes?: 'closed' | 'all';
}

/**
 * A place in a text, which goes on over words, blanks and comments: `// …`, `/* … *\/` and herd's `(* … *)`, which may
 * hold others of its kind.
 */
export class Scanner {
  /** No block comment that begins here or later is closed. */
  private unclosedFrom = Number.POSITIVE_INFINITY;
  private herd: ReadonlyMap<number, number> | undefined;

  constructor(
    readonly text: string,
    public at = 0,
  ) {}

  /** The character here; none at the end. */
  get here(): string {
    return this.text.charAt(this.at);
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Behind the comment that begins at an offset; undefined if none does, or if it is never closed. */
  commentEnd(at = this.at): number | undefined {
    const first = this.text.charCodeAt(at);
    if (first !== SLASH && first !== PARENTHESIS) return undefined;
    const second = this.text.charCodeAt(at + 1);
    if (first === PARENTHESIS) return second === STAR ? this.herdComments().get(at) : undefined;
    if (second === SLASH) return this.lineEnd(at);
    if (second !== STAR || at >= this.unclosedFrom) return undefined;
    const end = this.text.indexOf('*/', at + 2);
    if (end !== -1) return end + 2;
    this.unclosedFrom = at;
    return undefined;
  }

  /** Behind the quote here and its closing one; undefined if there is none. */
  quoteEnd(): number | undefined {
    const end = this.here === '"' ? this.text.indexOf('"', this.at + 1) : -1;
    return end === -1 ? undefined : end + 1;
  }

  lineEnd(at = this.at): number {
    const end = this.text.indexOf('\n', at);
    return end === -1 ? this.text.length : end;
  }

  /** Behind the blank or comment here; undefined if something else stands here. */
  blankEnd(): number | undefined {
    return this.commentEnd() ?? (this.text.charCodeAt(this.at) <= SPACE ? this.at + 1 : undefined);
  }

  /** Goes on behind blanks and comments; the last of these comments. */
  skipBlanks(): Range | undefined {
    let comment: Range | undefined;
    for (let end = this.blankEnd(); end !== undefined; end = this.blankEnd()) {
      if (end > this.at + 1) comment = { start: this.at, end };
      this.at = end;
    }
    return comment;
  }

  /** Whether nothing but comments and blanks stands in a range. */
  isBlank({ start, end }: Range): boolean {
    for (let at = start; at < end; ) {
      const comment = this.commentEnd(at);
      if (comment === undefined && this.text.charCodeAt(at) > SPACE) return false;
      at = comment ?? at + 1;
    }
    return true;
  }

  /** Whether a word stands here, or what a sticky expression matches. */
  isAt(word: string | RegExp): boolean {
    if (typeof word === 'string') return this.text.startsWith(word, this.at);
    word.lastIndex = this.at;
    return word.test(this.text);
  }

  /** The same, and goes on behind it. */
  takes(word: string | RegExp): boolean {
    if (!this.isAt(word)) return false;
    this.at = typeof word === 'string' ? this.at + word.length : word.lastIndex;
    return true;
  }

  /** Goes on to one of some characters, or to the end; the range until there. */
  upTo(stops: string, past: Past = {}): Range {
    const start = this.at;
    while (!this.isAtEnd) {
      const end = this.commentEnd() ?? (past.quotes === undefined ? undefined : this.quoteEnd());
      if (end !== undefined) this.at = end;
      else if (past.quotes === 'all' && this.here === '"') this.at = this.text.length;
      else if (past.braces && this.here === '{') {
        if (!this.takesBraces()) break;
      } else if (stops.includes(this.here)) break;
      else this.at += 1;
    }
    return { start, end: this.at };
  }

  /** Goes on behind the brace that closes the one here, if there is one. */
  takesBraces(past: Past = {}): boolean {
    const open = this.at;
    let depth = 0;
    do {
      this.upTo('{}', past);
      if (this.isAtEnd) {
        this.at = open;
        return false;
      }
      depth += this.here === '{' ? 1 : -1;
      this.at += 1;
    } while (depth > 0);
    return true;
  }

  /**
   * The ends of all herd comments by where they begin, from the last to the first: where one within another is never
   * closed, its opening is text like any other.
   */
  private herdComments(): ReadonlyMap<number, number> {
    if (this.herd !== undefined) return this.herd;
    const marks = this.herdMarks();
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

  /** Where `(*` or `*)` stands, up to the last `*)`: no comment that begins behind it is closed. */
  private herdMarks(): readonly number[] {
    const marks: number[] = [];
    const last = this.text.lastIndexOf('*)');
    for (let star = this.text.indexOf('*'); star !== -1 && star <= last; star = this.text.indexOf('*', star + 1)) {
      if (this.text.charCodeAt(star - 1) === PARENTHESIS) marks.push(star - 1);
      if (this.text.charCodeAt(star + 1) === CLOSING) marks.push(star);
    }
    return marks;
  }
}

const SLASH = 0x2f;
const STAR = 0x2a;
const PARENTHESIS = 0x28;
const CLOSING = 0x29;
const SPACE = 0x20;
