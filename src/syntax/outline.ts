import { type Range, Scanner } from '../diagnostics/scanner.js';

/** What a text of tests is made of, as far as that can be told without reading it. */
export interface Outline {
  readonly comments: readonly Range[];
  /** Each from the word PTX on; behind it only descriptions and comments come before a brace. */
  readonly titles: readonly Range[];
  /** With their quotes. */
  readonly descriptions: readonly Range[];
}

/**
 * Finds comments, titles and descriptions: a title begins a line, behind comments at most, and descriptions stand in
 * quotes between it and a brace. So the grammar has it (Frame in litmus.ohm).
 */
export function outlineOf(text: string): Outline {
  const scanner = new Scanner(text);
  const comments: Range[] = [];
  const titles: Range[] = [];
  const descriptions: Range[] = [];
  let title: number | undefined;
  let inHeader = true;
  let beginsLine = true;
  const endTitle = (end: number): void => {
    if (title !== undefined) titles.push({ start: title, end });
    title = undefined;
  };
  while (!scanner.isAtEnd) {
    const { at: start, here } = scanner;
    const comment = scanner.commentEnd();
    const end = comment ?? (inHeader ? scanner.quoteEnd() : undefined);
    if (end !== undefined) {
      endTitle(start);
      (comment === undefined ? descriptions : comments).push({ start, end });
      beginsLine &&= comment !== undefined;
      scanner.at = end;
    } else if (beginsLine && scanner.takes(TITLE)) {
      endTitle(start);
      title = start;
      inHeader = true;
      beginsLine = false;
    } else {
      if (here === '{') {
        endTitle(start);
        inHeader = false;
      }
      beginsLine = here === '\n' || (beginsLine && BLANKS.includes(here));
      scanner.at += 1;
    }
  }
  endTitle(text.length);
  return { comments, titles, descriptions };
}

const TITLE = /(?:PTX|ptx)(?=\s)/y;
const BLANKS = ' \t\r\ufeff';
