/**
 * The qualified name, without parameters and template arguments, that a name of the Itanium C++ ABI stands for
 * (5.1, External Names): `reduce` for `_Z6reducePKj`, `reduce::bar` for the variable `_ZZ6reducePKjE3bar`. Other names
 * stand for themselves.
 */
export function demangled(name: string): string {
  const read = name.startsWith('_Z') ? new Reader(name, 2).encoding() : undefined;
  return read ?? name;
}

class Reader {
  constructor(
    private readonly text: string,
    private at: number,
  ) {}

  encoding(): string | undefined {
    if (!this.takes('Z')) return this.name();
    const start = this.at;
    const outer = this.encoding();
    const end = this.endOfLocal(start);
    if (outer === undefined || end === undefined) return undefined;
    this.at = end + 1;
    const inner = this.name();
    return inner === undefined ? undefined : `${outer}::${inner}`;
  }

  /** Where the E stands behind the types of a function's parameters, before the name of what is local to it. */
  private endOfLocal(start: number): number | undefined {
    for (let at = Math.max(this.at, start); at < this.text.length; at++) {
      const rest = /^E(\d+)/.exec(this.text.slice(at));
      if (rest === null) continue;
      const length = Number(rest[1]);
      const from = at + rest[0].length;
      if (/^(_\d+|__\d+_)?$/.test(this.text.slice(from + length)) && from + length <= this.text.length) return at;
    }
    return undefined;
  }

  private name(): string | undefined {
    if (!this.takes('N')) return this.takes('St') ? this.scoped('std') : this.part();
    while (/[KVr]/.test(this.text[this.at] ?? '')) this.at += 1;
    const parts: string[] = [];
    while (this.at < this.text.length && !this.takes('E')) {
      if (this.takes('St')) parts.push('std');
      else if (this.text[this.at] === 'I') {
        if (!this.skipTemplate()) return undefined;
      } else if (this.takes('L')) continue;
      else {
        const part = this.part();
        if (part === undefined) return undefined;
        parts.push(part);
      }
    }
    return parts.filter((part) => !part.startsWith('_GLOBAL__N_') && !/^_INTERNAL_/.test(part)).join('::');
  }

  private scoped(scope: string): string | undefined {
    const part = this.part();
    return part === undefined ? undefined : `${scope}::${part}`;
  }

  private part(): string | undefined {
    this.takes('L');
    const digits = /^\d+/.exec(this.text.slice(this.at))?.[0];
    if (digits === undefined) return undefined;
    const from = this.at + digits.length;
    this.at = from + Number(digits);
    if (this.at > this.text.length) return undefined;
    return this.text.slice(from, this.at);
  }

  /** Template arguments: names in them are counted characters, and everything else is nested by I … E and the like. */
  private skipTemplate(): boolean {
    let depth = 0;
    while (this.at < this.text.length) {
      const character = this.text[this.at] ?? '';
      if (/\d/.test(character)) {
        if (this.part() === undefined) return false;
        continue;
      }
      this.at += 1;
      if ('INLXJ'.includes(character)) depth += 1;
      if (character === 'L') {
        // A literal: its type, then its digits up to E.
        const literal = /^[a-z]n?\d*E/.exec(this.text.slice(this.at))?.[0];
        if (literal !== undefined) {
          this.at += literal.length;
          depth -= 1;
        }
      }
      if (character === 'E') depth -= 1;
      if (depth === 0) return true;
    }
    return false;
  }

  private takes(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }
}
