import { Comments } from './comments.js';
import type { Range } from './split-litmus.js';

/** What may begin a comment, or look as if within a description. */
const MARKS = /\/\/|\/\*|\(\*|"[^"\n]*"/g;
const END_OF_LINE = /[ \t\r]*(?:\n|$)/y;

/**
 * A test without what means nothing: comments that end a line, blanks there, and empty lines. Two tests of the same
 * bare text mean the same, and only lines that are cited differ.
 */
export class BareText {
  readonly text: string;
  /** Of each line that is left: where it begins here and in the whole text. */
  private readonly lines: readonly { readonly here: number; readonly whole: number }[];

  constructor(whole: string) {
    const left = [...withoutComments(whole).matchAll(/^.*\S/gm)];
    this.text = left.map(([line]) => line).join('\n');
    let here = 0;
    this.lines = left.map(({ 0: line, index }) => {
      const begins = { here, whole: index };
      here += line.length + 1;
      return begins;
    });
  }

  /** Where an offset of the whole text is here. */
  offsetOf(whole: number): number {
    const line = this.lines.findLast((one) => one.whole <= whole);
    return line === undefined ? 0 : line.here + whole - line.whole;
  }

  /** Where an offset of this text is in the whole. */
  wholeOffsetOf(here: number): number {
    const line = this.lines.findLast((one) => one.here <= here);
    return line === undefined ? 0 : line.whole + here - line.here;
  }
}

/** The text with blanks in the place of each comment that ends a line, so that offsets stay. */
function withoutComments(whole: string): string {
  const dropped: Range[] = [];
  // From the last to the first: behind a comment others may stand that end the line.
  for (const comment of commentsIn(whole).reverse()) {
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

function commentsIn(whole: string): Range[] {
  const comments = new Comments(whole);
  const marks = new RegExp(MARKS);
  const found: Range[] = [];
  for (let match = marks.exec(whole); match !== null; match = marks.exec(whole)) {
    if (match[0].startsWith('"')) continue;
    const { index: start } = match;
    const end = comments.endOf(start);
    marks.lastIndex = end ?? start + 2;
    if (end !== undefined) found.push({ start, end });
  }
  return found;
}
