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

  /** `I … E`, or a pack of arguments, `J … E`. */
  private skipTemplate(): boolean {
    this.at += 1;
    return this.skipUntilEnd(() => this.skipArgument());
  }

  /** Parts of one kind up to the E behind them. */
  private skipUntilEnd(skip: () => boolean): boolean {
    while (!this.takes('E')) if (this.at >= this.text.length || !skip()) return false;
    return true;
  }

  private skipArgument(): boolean {
    if (this.takes('X')) return this.skipUntilEnd(() => this.skipOperand());
    if (this.takes('L')) return this.skipLiteral();
    return this.text[this.at] === 'J' ? this.skipTemplate() : this.skipType();
  }

  /** A part of an expression: operators are small letters. */
  private skipOperand(): boolean {
    if (this.takes('L')) return this.skipLiteral();
    return /^[\dNSTIJ]/.test(this.text[this.at] ?? '') ? this.skipArgument() : this.matches(/[a-zA-DF-Z_]/y);
  }

  /** A type and a number, or the name of a function. */
  private skipLiteral(): boolean {
    if (this.takes('_Z')) return this.skipUntilEnd(() => this.skipType());
    return this.skipType() && this.matches(/n?[\da-f]*E/y);
  }

  private skipType(): boolean {
    this.matches(/([rVKPROCG]|Dp|A\d*_|Dv\d+_)+/y);
    // The types that have letters of their own, and what stands for a type that has been named.
    if (this.matches(/DF\d+_?b?|D[a-su-z]|[a-z]/y)) return true;
    if (this.matches(/S[\dA-Z]*_|S[absiod]|T[\dA-Z]*_/y)) return this.skipArguments();
    if (this.takes('N')) return this.skipUntilEnd(() => this.skipNested());
    if (this.takes('F')) return this.skipUntilEnd(() => this.takes('Y') || this.skipType());
    if (this.takes('M')) return this.skipType() && this.skipType();
    if (this.takes('Z')) return this.skipUntilEnd(() => this.skipType()) && this.skipName();
    this.takes('St');
    return this.skipName();
  }

  private skipNested(): boolean {
    if (this.text[this.at] === 'I') return this.skipTemplate();
    return this.matches(/S[\dA-Z]*_|S[tabsiod]|T[\dA-Z]*_|[KVr]|[CD]\d/y) || this.skipName();
  }

  /** A name with its arguments; one of a lambda, of what has none, or of an operator. */
  private skipName(): boolean {
    if (this.takes('Ul')) return this.skipUntilEnd(() => this.skipType()) && this.matches(/\d*_/y);
    if (this.matches(/Ut\d*_|[a-z]{2}/y)) return this.skipArguments();
    return this.part() !== undefined && this.skipArguments();
  }

  private skipArguments(): boolean {
    return this.text[this.at] !== 'I' || this.skipTemplate();
  }

  private matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found !== '';
  }

  private takes(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }
}
