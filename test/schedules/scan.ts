/**
 * A PTX module as pieces: statements, labels and braces, each with its line and the source line that `.loc` gives.
 * Comments and what only tools read (`.section`, `.file`, ...) are gone.
 */
export interface Piece {
  readonly kind: 'open' | 'close' | 'label' | 'statement';
  readonly text: string;
  readonly line: number;
  /** `reduce.cu:42`: the innermost line of the file of the kernel. */
  readonly source: string | undefined;
}

const TO_LINE_END = /^\.(version|target|address_size|loc|file)\b/;
const HEADER = /\.(entry|func)\b/;

/** Which `.loc` belongs to the file of the kernel, through the calls that were inlined. */
class SourceLines {
  private readonly files = new Map<string, string>();
  private readonly own: string | undefined;
  private readonly inlinedAt = new Map<string, string>();
  current: string | undefined;

  constructor(text: string) {
    for (const [, number = '', path = ''] of text.matchAll(/^\s*\.file\s+(\d+)\s+"([^"]*)"/gm))
      this.files.set(number, path.split('/').at(-1) ?? path);
    this.own = [...this.files].find(([, name]) => name.endsWith('.cu'))?.[0] ?? '1';
  }

  take(directive: string): void {
    const found = /^\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?/.exec(directive);
    if (found === null) return;
    const [, file, line, column, ...at] = found;
    let place: string | undefined = `${file} ${line} ${column}`;
    const outer = at[0] === undefined ? undefined : at.join(' ');
    if (outer !== undefined && outer !== place) this.inlinedAt.set(place, outer);
    if (outer === undefined) this.inlinedAt.delete(place);
    for (let depth = 0; place !== undefined && depth < 50; depth++) {
      const [of = '', where]: string[] = place.split(' ');
      if (of === this.own) {
        this.current = `${this.files.get(of) ?? of}:${where}`;
        return;
      }
      place = this.inlinedAt.get(place);
    }
  }
}

class Scanner {
  private at = 0;
  private line = 1;
  private text = '';
  private start = 1;
  private braces = 0;
  private readonly pieces: Piece[] = [];
  private readonly lines: SourceLines;
  private readonly module: string;

  constructor(module: string) {
    this.module = module;
    this.lines = new SourceLines(module);
  }

  scan(): readonly Piece[] {
    while (this.at < this.module.length) if (!this.skipped()) this.take();
    if (this.text.trim() !== '') throw new Error(`line ${this.start}: a statement without end: ${this.text.trim()}`);
    return this.pieces;
  }

  private emit(kind: Piece['kind'], text: string): void {
    this.pieces.push({ kind, text: text.replace(/\s+/g, ' ').trim(), line: this.start, source: this.lines.current });
    this.text = '';
  }

  /** Goes over so many characters, and counts lines. */
  private pass(count: number): string {
    const passed = this.module.slice(this.at, this.at + count);
    this.at += passed.length;
    for (let i = 0; i < passed.length; i++) if (passed.charCodeAt(i) === 10) this.line++;
    return passed;
  }

  private passTo(end: string, fallback = this.module.length): string {
    const found = this.module.indexOf(end, this.at);
    return this.pass((found < 0 ? fallback : found + end.length) - this.at);
  }

  /** Comments, and between statements what has no meaning here. */
  private skipped(): boolean {
    if (this.module.startsWith('//', this.at)) {
      const end = this.module.indexOf('\n', this.at);
      this.pass((end < 0 ? this.module.length : end) - this.at);
      return true;
    }
    if (this.module.startsWith('/*', this.at)) return this.passTo('*/') !== '';
    if (this.text !== '' || this.module[this.at] !== '.') return false;
    const rest = this.module.slice(this.at, this.at + 16);
    if (TO_LINE_END.test(rest)) {
      this.lines.take(this.passTo('\n').trim());
      return true;
    }
    if (/^\.section\b/.test(rest)) return this.passTo('}') !== '';
    if (/^\.pragma\b/.test(rest)) return this.passTo(';') !== '';
    return false;
  }

  private take(): void {
    const next = this.module[this.at]!;
    if (this.text.trim() === '') {
      this.text = '';
      this.start = this.line;
    }
    const isEmpty = this.text === '';
    if (next === ';' && this.braces === 0) {
      if (!isEmpty) this.emit('statement', this.text);
    } else if (next === '{' && (isEmpty || HEADER.test(this.text)) && this.braces === 0) {
      if (!isEmpty) this.emit('statement', this.text);
      this.emit('open', '');
    } else if (next === '}' && this.braces === 0) {
      this.emit('close', '');
    } else if (next === ':' && this.module[this.at + 1] !== ':' && /^\s*[\w$%]+\s*$/.test(this.text)) {
      this.emit('label', this.text);
    } else if (!(isEmpty && /\s/.test(next))) {
      if (next === '{') this.braces++;
      if (next === '}') this.braces--;
      this.text += next;
    }
    this.pass(1);
  }
}

export function scanModule(text: string): readonly Piece[] {
  return new Scanner(text).scan();
}
