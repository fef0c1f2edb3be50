import type { Range } from '../diagnostics/scanner.js';
import { outlineOf } from './outline.js';

const END_OF_LINE = /[ \t\r]*(?:\n|$)/y;

/**
 * A test without what means nothing: comments that end a line, blanks there, and empty lines. Title and descriptions
 * are left as they are. Two tests of the same bare text mean the same, and only lines that are cited differ.
 */
export class BareText {
  readonly text: string;
  /** Of each piece that is left: where it begins here and in the whole text. */
  private readonly pieces: readonly { readonly here: number; readonly whole: number }[];

  constructor(whole: string) {
    const { comments, titles, descriptions } = outlineOf(whole);
    const text = withBlanks(whole, comments);
    // Without a title it is no test, and means just itself.
    const kept = titles.length === 0 ? [{ start: 0, end: whole.length }] : [...titles, ...descriptions].sort(byStart);
    const left: Range[] = [];
    let at = 0;
    for (const { start, end } of kept) {
      left.push(...linesIn(text, at, start), { start, end: start + text.slice(start, end).trimEnd().length });
      at = end;
    }
    left.push(...linesIn(text, at, whole.length));
    this.text = left.map(({ start, end }) => whole.slice(start, end)).join('\n');
    let here = 0;
    this.pieces = left.map(({ start, end }) => {
      const begins = { here, whole: start };
      here += end - start + 1;
      return begins;
    });
  }

  /** Where an offset of the whole text is here. */
  offsetOf(whole: number): number {
    const piece = this.pieces.findLast((one) => one.whole <= whole);
    return piece === undefined ? 0 : piece.here + whole - piece.whole;
  }

  /** Where an offset of this text is in the whole. */
  wholeOffsetOf(here: number): number {
    const piece = this.pieces.findLast((one) => one.here <= here);
    return piece === undefined ? 0 : piece.whole + here - piece.here;
  }
}

const byStart = (a: Range, b: Range): number => a.start - b.start;

/** The lines of a range in which something stands, without the blanks at their ends. */
function linesIn(text: string, from: number, to: number): readonly Range[] {
  const lines: Range[] = [];
  for (let start = from; start < to; ) {
    const newline = text.indexOf('\n', start);
    const next = newline === -1 || newline >= to ? to : newline + 1;
    let end = next;
    while (end > start && ' \t\r\n'.includes(text.charAt(end - 1))) end -= 1;
    if (end > start) lines.push({ start, end });
    start = next;
  }
  return lines;
}

/** The text with blanks in the place of each comment that ends a line, so that offsets stay. */
function withBlanks(whole: string, comments: readonly Range[]): string {
  const dropped: Range[] = [];
  // From the last to the first: behind a comment others may stand that end the line.
  for (const comment of comments.toReversed()) {
    const next = dropped.at(-1);
    END_OF_LINE.lastIndex = comment.end;
    if (END_OF_LINE.test(whole) || (next !== undefined && /^[ \t]*$/.test(whole.slice(comment.end, next.start))))
      dropped.push(comment);
  }
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of dropped.reverse()) {
    parts.push(whole.slice(from, start), whole.slice(start, end).replace(/[^\n]/g, ' '));
    from = end;
  }
  return [...parts, whole.slice(from)].join('');
}
