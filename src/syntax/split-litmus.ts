import { Comments } from './comments.js';

/** A range of offsets in a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A statement of a body, or a block of them in braces of its own. */
export interface Piece extends Range {
  readonly inner?: readonly Piece[];
}

/** A litmus test cut into chunks, each of which a small grammar reads: what the grammar Frame says, in linear time. */
export interface Frame {
  readonly name: string;
  readonly descriptions: readonly string[];
  readonly declarations: readonly Range[];
  readonly layout: 'blocks' | 'columns';
  readonly functions: readonly { readonly header: Range; readonly body: readonly Piece[] | undefined }[];
  readonly threads: readonly { readonly header: Range; readonly cells: readonly Piece[] }[];
  readonly launches: readonly { readonly header: Range; readonly runs: Range | undefined }[];
  readonly aliases: readonly Range[];
  /** Cells of rows that have more cells than there are threads. */
  readonly surplus: readonly Range[];
  readonly clauses: readonly Range[];
}

/** Cuts a text; undefined if it has not the shape of a litmus test. */
export function splitLitmus(text: string): Frame | undefined {
  return new Splitter(text).file();
}

/** Cuts the body of a function that stands in a range of a text, and is followed by its closing brace. */
export function splitBody(text: string, { start }: Range): readonly Piece[] | undefined {
  return new Splitter(text, start).body();
}

const SPACE = 0x20;
const NAME_CHARACTER = /[a-z0-9_$%]|\p{L}/iu;
const KEYWORD = /(?:exists|forall|permit|forbid|require|expect|allow|filter|locations)(?![a-z0-9_$%]|\p{L})/uy;
const LABEL = /[\p{L}_$%][\p{L}0-9_$%]*\s*:(?!:)/uy;
/** Directives that end with their line. */
const LINE_NOTE = /\.(loc|file)\s/y;
const PRAGMA = /\.pragma\s+"[^"\n]*"/y;
const LAUNCH = /launch\s+[\w$%]+\s*"/y;
const ALIAS = /alias\s+[\w$%]+\s*=/y;
/** A word of the place of a launch with what follows it. */
const PLACE =
  /(?:grid|block|cluster)\s*(?:\d+|\([^){}]*\))|(?:shared|gpu)\s*\w+|cooperative|(?:after|dependent\s+on)\s+[\w$%]+/y;
const WORD = /\p{L}[\p{L}0-9_]*/uy;

class Splitter {
  private readonly comments: Comments;

  constructor(
    private readonly text: string,
    private at = 0,
  ) {
    this.comments = new Comments(text);
  }

  file(): Frame | undefined {
    this.skipSpace();
    if (!this.takes('PTX') && !this.takes('ptx')) return undefined;
    while (this.at < this.text.length && this.text[this.at] !== '\n' && this.isSpaceHere()) this.stepOverSpace();
    const name = this.title().trim();
    const descriptions: string[] = [];
    for (this.skipSpace(); this.text[this.at] === '"'; this.skipSpace()) {
      const end = this.text.indexOf('"', this.at + 1);
      if (end === -1) return undefined;
      descriptions.push(this.text.slice(this.at + 1, end));
      this.at = end + 1;
    }
    if (!this.takes('{')) return undefined;
    const declarations = this.listUntilBrace();
    if (declarations === undefined) return undefined;
    this.skipSpace();
    this.takes(';');
    const functions = this.functions();
    const body = functions === undefined ? undefined : (this.blocks() ?? this.columns());
    if (body === undefined || functions === undefined) return undefined;
    const clauses = this.clauses();
    this.skipSpace();
    if (this.at < this.text.length) return undefined;
    return { name, descriptions, declarations, functions, ...body, clauses };
  }

  private functions(): Frame['functions'] | undefined {
    const functions: Frame['functions'][number][] = [];
    for (this.skipSpace(); this.text[this.at] === '.'; this.skipSpace()) {
      const header = this.range('{};', 'without braces');
      if (this.takes(';')) {
        functions.push({ header, body: undefined });
        continue;
      }
      const body = this.takes('{') ? this.body() : undefined;
      if (body === undefined) return undefined;
      functions.push({ header, body });
    }
    return functions;
  }

  private blocks(): Pick<Frame, 'layout' | 'threads' | 'surplus' | 'launches' | 'aliases'> | undefined {
    const threads: Frame['threads'][number][] = [];
    const launches: Frame['launches'][number][] = [];
    const aliases: Range[] = [];
    for (;;) {
      const before = this.at;
      this.skipSpace();
      if (this.isAt(LAUNCH)) {
        const launch = this.launch();
        if (launch === undefined) return undefined;
        launches.push(launch);
        continue;
      }
      if (this.isAt(ALIAS)) {
        aliases.push(this.range(';{}', 'without braces'));
        this.takes(';');
        continue;
      }
      const isHeader = this.keywordEnd(this.at) === undefined && this.text[this.at] !== '.';
      const header = isHeader ? this.range('{}|;', 'without braces') : undefined;
      const cells = header !== undefined && header.end > header.start && this.takes('{') ? this.body() : undefined;
      if (header === undefined || cells === undefined) {
        this.at = before;
        break;
      }
      threads.push({ header, cells });
    }
    const isEmpty = threads.length + launches.length === 0;
    return isEmpty ? undefined : { layout: 'blocks', threads, surplus: [], launches, aliases };
  }

  private isAt(start: RegExp): boolean {
    start.lastIndex = this.at;
    return start.test(this.text);
  }

  /** A launch ends with its run clauses in braces, or, without them, behind the last word of its place. */
  private launch(): Frame['launches'][number] | undefined {
    const start = this.at;
    while (this.at < this.text.length && !'@;'.includes(this.text[this.at] ?? '')) this.stepOver();
    this.takes('@');
    for (;;) {
      this.skipSpace();
      // What is no place is left to the grammar to complain of.
      if (this.isAt(PLACE)) this.at = PLACE.lastIndex;
      else this.range(',{;}\n', 'without braces');
      const end = this.at;
      this.skipSpace();
      if (this.takes(',')) continue;
      const header = { start, end };
      if (!this.takes('{')) {
        this.takes(';');
        return { header, runs: undefined };
      }
      const runs = this.range('}', 'without braces');
      return this.takes('}') ? { header, runs } : undefined;
    }
  }

  private stepOver(): void {
    const quoted = this.text[this.at] === '"' ? this.text.indexOf('"', this.at + 1) : -1;
    this.at = quoted === -1 ? (this.comments.endOf(this.at) ?? this.at + 1) : quoted + 1;
  }

  private columns(): Pick<Frame, 'layout' | 'threads' | 'surplus' | 'launches' | 'aliases'> | undefined {
    const headers = this.row('without braces');
    if (headers === undefined || headers.some(({ start, end }) => start === end)) return undefined;
    const rows: (readonly Range[])[] = [];
    for (;;) {
      const before = this.at;
      this.skipSpace();
      const row = this.keywordEnd(this.at) === undefined ? this.row('with braces') : undefined;
      if (row === undefined) {
        this.at = before;
        break;
      }
      rows.push(row);
    }
    return {
      layout: 'columns',
      threads: headers.map((header, column) => ({ header, cells: rows.flatMap((row) => row[column] ?? []) })),
      surplus: rows.flatMap((row) => row.slice(headers.length)),
      launches: [],
      aliases: [],
    };
  }

  /** Cells between bars, up to a semicolon. */
  private row(braces: Braces): readonly Range[] | undefined {
    const cells: Range[] = [];
    do {
      this.skipSpace();
      cells.push(this.range('{}|;', braces));
      this.skipSpace();
    } while (this.takes('|'));
    return this.takes(';') ? cells : undefined;
  }

  /** Parts between semicolons, up to a brace that closes them. */
  private listUntilBrace(): readonly Range[] | undefined {
    const parts: Range[] = [];
    do {
      this.skipSpace();
      parts.push(this.range(';{}', 'with braces'));
      this.skipSpace();
    } while (this.takes(';'));
    return this.takes('}') ? parts : undefined;
  }

  /** The statements up to the brace that closes them, where blocks may stand among them. */
  body(): readonly Piece[] | undefined {
    const pieces: Piece[] = [];
    for (;;) {
      this.skipSpace();
      const start = this.at;
      if (this.takes('}')) return [...pieces, { start, end: start }];
      this.skipLabels();
      if (this.text[this.at] === '{') {
        if (this.at > start) pieces.push({ start, end: this.at });
        const open = this.at;
        this.at += 1;
        const inner = this.body();
        if (inner === undefined) return undefined;
        pieces.push({ start: open, end: this.at, inner });
        continue;
      }
      LINE_NOTE.lastIndex = this.at;
      if (LINE_NOTE.test(this.text)) {
        if (this.at > start) pieces.push({ start, end: this.at });
        this.at = this.endOfLine();
        continue;
      }
      this.at = start;
      // What stands in quotes ends nothing.
      PRAGMA.lastIndex = start;
      if (PRAGMA.test(this.text)) this.at = PRAGMA.lastIndex;
      const { end } = this.range(';{}', 'with braces');
      pieces.push({ start, end });
      this.skipSpace();
      if (this.takes(';')) continue;
      return this.takes('}') ? pieces : undefined;
    }
  }

  private skipLabels(): void {
    for (;;) {
      LABEL.lastIndex = this.at;
      if (!LABEL.test(this.text)) return;
      this.at = LABEL.lastIndex;
      this.skipSpace();
    }
  }

  private endOfLine(): number {
    const end = this.text.indexOf('\n', this.at);
    return end === -1 ? this.text.length : end;
  }

  private clauses(): readonly Range[] {
    const clauses: Range[] = [];
    for (;;) {
      const before = this.at;
      this.skipSpace();
      const start = this.at;
      const end = this.keywordEnd(start);
      if (end === undefined) {
        this.at = before;
        return clauses;
      }
      this.at = end;
      this.toNextKeyword();
      clauses.push({ start, end: this.at });
    }
  }

  private toNextKeyword(): void {
    while (this.at < this.text.length) {
      const character = this.text[this.at] ?? '';
      const comment = this.comments.endOf(this.at);
      if (' 0123456789:='.includes(character)) this.at += 1;
      else if (comment !== undefined) this.at = comment;
      else if (character === '"') this.stepOver();
      else if (this.keywordEnd(this.at) !== undefined) return;
      else {
        WORD.lastIndex = this.at;
        this.at = WORD.test(this.text) ? WORD.lastIndex : this.at + 1;
      }
    }
  }

  /** Where a condition keyword ends that begins there: `exists`, `~exists`, `not exists`, `forall` … */
  private keywordEnd(at: number): number | undefined {
    let from = at;
    const negated =
      this.text[at] === '~'
        ? at + 1
        : this.text.startsWith('not', at) && !this.isNameCharacter(at + 3)
          ? at + 3
          : undefined;
    if (negated !== undefined) {
      const here = this.at;
      this.at = negated;
      this.skipSpace();
      from = this.at;
      this.at = here;
      if (!this.text.startsWith('exists', from)) return undefined;
    }
    KEYWORD.lastIndex = from;
    return KEYWORD.test(this.text) ? KEYWORD.lastIndex : undefined;
  }

  private isNameCharacter(at: number): boolean {
    const code = this.text.codePointAt(at);
    return code !== undefined && NAME_CHARACTER.test(String.fromCodePoint(code));
  }

  /** A range up to one of some characters, comments and braces with their content counting as one. */
  private range(stops: string, braces: Braces): Range {
    const start = this.at;
    while (this.at < this.text.length) {
      const character = this.text[this.at] ?? '';
      const comment = this.comments.endOf(this.at);
      if (comment !== undefined) this.at = comment;
      else if (character === '{' && braces === 'with braces') {
        const end = this.closingBrace(this.at);
        if (end === undefined) break;
        this.at = end;
      } else if (stops.includes(character)) break;
      else this.at += 1;
    }
    return { start, end: this.at };
  }

  /** Behind the brace that closes one. */
  private closingBrace(open: number): number | undefined {
    let depth = 0;
    for (let at = open; at < this.text.length; ) {
      const comment = this.comments.endOf(at);
      if (comment !== undefined) {
        at = comment;
        continue;
      }
      if (this.text[at] === '{') depth += 1;
      else if (this.text[at] === '}') depth -= 1;
      at += 1;
      if (depth === 0) return at;
    }
    return undefined;
  }

  private title(): string {
    const start = this.at;
    while (
      this.at < this.text.length &&
      !'"{'.includes(this.text[this.at] ?? '') &&
      this.comments.endOf(this.at) === undefined
    )
      this.at += 1;
    return this.text.slice(start, this.at);
  }

  private takes(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  private skipSpace(): void {
    while (this.at < this.text.length && this.isSpaceHere()) this.stepOverSpace();
  }

  private isSpaceHere(): boolean {
    return this.text.charCodeAt(this.at) <= SPACE || this.comments.endOf(this.at) !== undefined;
  }

  private stepOverSpace(): void {
    this.at = this.comments.endOf(this.at) ?? this.at + 1;
  }
}

type Braces = 'with braces' | 'without braces';
