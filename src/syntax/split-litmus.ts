import { type Past, type Range, Scanner } from '../diagnostics/scanner.js';

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

const NEGATION = /~|not(?![a-z0-9_$%]|\p{L})/uy;
const KEYWORD = /(?:exists|forall|permit|forbid|require|expect|allow|filter|locations)(?![a-z0-9_$%]|\p{L})/uy;
const LABEL = /[\p{L}_$%][\p{L}0-9_$%]*\s*:(?!:)/uy;
/** Directives that end with their line. */
const LINE_NOTE = /\.(loc|file)\s/y;
const PRAGMA = /\.pragma\s+"[^"\n]*"/y;
const LAUNCH = /launch\s+[\w$%]+\s*"/y;
const ALIAS = /alias\s+[\w$%]+\s*=/y;
/** A word of the place of a launch with what follows it. */
const PLACE = placePattern();
function placePattern(): RegExp {
  const values = String.raw`-?\w+\s*\.\.\s*-?\w+(?:\s*step\s+\w+)?|\{[^{}]*\}`;
  const count = String.raw`(?:[\w$%]+\s+in\b\s*)?(?:${values})|\w+\s*\*\s*[\w$%]+|[\w$%]+`;
  const size = String.raw`(?:grid|block|cluster|shared)\b\s*(?:\([^()]*\)|${count})`;
  return new RegExp(String.raw`${size}|gpu\s*\w+|cooperative|(?:after|dependent\s+on)\s+[\w$%]+`, 'y');
}
const WORD = /\p{L}[\p{L}0-9_]*/uy;

class Splitter extends Scanner {
  file(): Frame | undefined {
    this.skipBlanks();
    if (!this.takes('PTX') && !this.takes('ptx')) return undefined;
    for (let end = this.blankEnd(); end !== undefined && this.here !== '\n'; end = this.blankEnd()) this.at = end;
    const name = this.title().trim();
    const descriptions: string[] = [];
    for (this.skipBlanks(); this.here === '"'; this.skipBlanks()) {
      const end = this.quoteEnd();
      if (end === undefined) return undefined;
      descriptions.push(this.text.slice(this.at + 1, end - 1));
      this.at = end;
    }
    if (!this.takes('{')) return undefined;
    const declarations = this.listUntilBrace();
    if (declarations === undefined) return undefined;
    this.skipBlanks();
    this.takes(';');
    const functions = this.functions();
    const body = functions === undefined ? undefined : (this.blocks() ?? this.columns());
    if (body === undefined || functions === undefined) return undefined;
    const clauses = this.clauses();
    this.skipBlanks();
    if (!this.isAtEnd) return undefined;
    return { name, descriptions, declarations, functions, ...body, clauses };
  }

  private functions(): Frame['functions'] | undefined {
    const functions: Frame['functions'][number][] = [];
    for (this.skipBlanks(); this.here === '.'; this.skipBlanks()) {
      const header = this.upTo('{};');
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
      this.skipBlanks();
      if (this.isAt(LAUNCH)) {
        const launch = this.launch();
        if (launch === undefined) return undefined;
        launches.push(launch);
        continue;
      }
      if (this.isAt(ALIAS)) {
        aliases.push(this.upTo(';{}'));
        this.takes(';');
        continue;
      }
      const isHeader = !this.isAtKeyword() && this.here !== '.';
      const header = isHeader ? this.upTo('{}|;') : undefined;
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

  /** A launch ends with its run clauses in braces, or, without them, behind the last word of its place. */
  private launch(): Frame['launches'][number] | undefined {
    const start = this.at;
    this.upTo('@;', { quotes: 'closed' });
    this.takes('@');
    for (;;) {
      this.skipBlanks();
      // What is no place is left to the grammar to complain of.
      if (!this.takes(PLACE)) this.upTo(',{;}\n');
      const end = this.at;
      this.skipBlanks();
      if (this.takes(',')) continue;
      const header = { start, end };
      if (!this.takes('{')) {
        this.takes(';');
        return { header, runs: undefined };
      }
      const runs = this.upTo('}');
      return this.takes('}') ? { header, runs } : undefined;
    }
  }

  private columns(): Pick<Frame, 'layout' | 'threads' | 'surplus' | 'launches' | 'aliases'> | undefined {
    const headers = this.row({});
    if (headers === undefined || headers.some(({ start, end }) => start === end)) return undefined;
    const rows: (readonly Range[])[] = [];
    for (;;) {
      const before = this.at;
      this.skipBlanks();
      const row = !this.isAtKeyword() ? this.row({ braces: true }) : undefined;
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
  private row(past: Past): readonly Range[] | undefined {
    const cells: Range[] = [];
    do {
      this.skipBlanks();
      cells.push(this.upTo('{}|;', past));
      this.skipBlanks();
    } while (this.takes('|'));
    return this.takes(';') ? cells : undefined;
  }

  /** Parts between semicolons, up to a brace that closes them. */
  private listUntilBrace(): readonly Range[] | undefined {
    const parts: Range[] = [];
    do {
      this.skipBlanks();
      parts.push(this.upTo(';{}', { braces: true }));
      this.skipBlanks();
    } while (this.takes(';'));
    return this.takes('}') ? parts : undefined;
  }

  /** The statements up to the brace that closes them, where blocks may stand among them. */
  body(): readonly Piece[] | undefined {
    const pieces: Piece[] = [];
    for (;;) {
      this.skipBlanks();
      const start = this.at;
      if (this.takes('}')) return [...pieces, { start, end: start }];
      this.skipLabels();
      if (this.here === '{') {
        if (this.at > start) pieces.push({ start, end: this.at });
        const open = this.at;
        this.at += 1;
        const inner = this.body();
        if (inner === undefined) return undefined;
        pieces.push({ start: open, end: this.at, inner });
        continue;
      }
      if (this.isAt(LINE_NOTE)) {
        if (this.at > start) pieces.push({ start, end: this.at });
        this.at = this.lineEnd();
        continue;
      }
      this.at = start;
      // What stands in quotes ends nothing.
      this.takes(PRAGMA);
      const { end } = this.upTo(';{}', { braces: true });
      pieces.push({ start, end });
      this.skipBlanks();
      if (this.takes(';')) continue;
      return this.takes('}') ? pieces : undefined;
    }
  }

  private skipLabels(): void {
    while (this.takes(LABEL)) this.skipBlanks();
  }

  private clauses(): readonly Range[] {
    const clauses: Range[] = [];
    for (;;) {
      const before = this.at;
      this.skipBlanks();
      const start = this.at;
      if (!this.takesKeyword()) {
        this.at = before;
        return clauses;
      }
      this.toNextKeyword();
      clauses.push({ start, end: this.at });
    }
  }

  private toNextKeyword(): void {
    while (!this.isAtEnd) {
      const end = ' 0123456789:='.includes(this.here) ? this.at + 1 : (this.commentEnd() ?? this.quoteEnd());
      if (end !== undefined) this.at = end;
      else if (this.isAtKeyword()) return;
      else if (!this.takes(WORD)) this.at += 1;
    }
  }

  private isAtKeyword(): boolean {
    const start = this.at;
    const isKeyword = this.takesKeyword();
    this.at = start;
    return isKeyword;
  }

  /** Goes on behind a condition keyword: `exists`, `~exists`, `not exists`, `forall` … */
  private takesKeyword(): boolean {
    const start = this.at;
    const isNegated = this.takes(NEGATION);
    if (isNegated) this.skipBlanks();
    if ((!isNegated || this.isAt('exists')) && this.takes(KEYWORD)) return true;
    this.at = start;
    return false;
  }

  private title(): string {
    const start = this.at;
    while (!this.isAtEnd && !'"{'.includes(this.here) && this.commentEnd() === undefined) this.at += 1;
    return this.text.slice(start, this.at);
  }
}
