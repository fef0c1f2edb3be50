import { type Range, Scanner } from '../diagnostics/scanner.js';

/** What a text of tests is made of, as far as that can be told without reading it. */
export interface Outline {
  readonly comments: readonly Range[];
  /** Each from the word PTX on; behind it only descriptions and comments come before a brace. */
  readonly titles: readonly Range[];
  /** With their quotes. */
  readonly descriptions: readonly Range[];
}

const MARKS = /\/\/|\/\*|\(\*|"|\{|\b(?:PTX|ptx)(?=\s)/g;

/**
 * Finds comments, titles and descriptions: a title begins a line, behind comments at most, and descriptions stand in
 * quotes between it and a brace. So the grammar has it (Frame in litmus.ohm).
 */
export function outlineOf(text: string): Outline {
  const scanner = new Scanner(text);
  const marks = new RegExp(MARKS);
  const comments: (Range & { readonly beginsLine: boolean })[] = [];
  const titles: { readonly start: number; end: number }[] = [];
  const descriptions: Range[] = [];
  let inTitle = false;
  let inHeader = true;
  const beginsLine = (at: number): boolean => {
    let before = at;
    while (before > 0 && BLANK.test(text.charAt(before - 1))) before -= 1;
    const comment = comments.at(-1);
    return before === 0 || text[before - 1] === '\n' || (comment?.end === before && comment.beginsLine);
  };
  const endTitle = (at: number): void => {
    const title = titles.at(-1);
    if (inTitle && title !== undefined) title.end = at;
    inTitle = false;
  };
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const { 0: mark, index } = match;
    if (mark === '{') {
      endTitle(index);
      inHeader = false;
    } else if (mark === '"') {
      const end = inHeader ? text.indexOf('"', index + 1) : -1;
      if (end === -1) continue;
      endTitle(index);
      descriptions.push({ start: index, end: end + 1 });
      marks.lastIndex = end + 1;
    } else if (/^[Pp]/.test(mark)) {
      if (!beginsLine(index)) continue;
      endTitle(index);
      titles.push({ start: index, end: text.length });
      [inHeader, inTitle] = [true, true];
    } else {
      const end = scanner.commentEnd(index);
      marks.lastIndex = end ?? index + 2;
      if (end === undefined) continue;
      endTitle(index);
      comments.push({ start: index, end, beginsLine: beginsLine(index) });
    }
  }
  return { comments, titles, descriptions };
}

const BLANK = /[ \t\r\ufeff]/;
