/** A text with the path by which messages name it. Offsets everywhere are UTF-16 code units into `text`. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** A half-open range `[start, end)` of a source text. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

export interface Position {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  readonly lineText: string;
}

export function spanOf(source: Source, start: number, end: number): Span {
  return { source, start, end };
}

/** The 1-based line and column of an offset, with the text of that line. */
export function positionOf(source: Source, offset: number): Position {
  const at = Math.min(offset, source.text.length);
  // lastIndexOf takes a negative place as 0.
  const lineStart = at === 0 ? 0 : source.text.lastIndexOf('\n', at - 1) + 1;
  const lineEnd = source.text.indexOf('\n', at);
  let line = 1;
  for (let i = source.text.indexOf('\n'); i !== -1 && i < at; i = source.text.indexOf('\n', i + 1)) line++;
  const lineText = source.text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd).replace(/\r$/, '');
  return { line, column: at - lineStart + 1, lineText };
}

/** The text that a span covers. */
export function textOf(span: Span): string {
  return span.source.text.slice(span.start, span.end);
}
