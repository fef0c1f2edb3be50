import { Scanner } from './scanner.js';

/** A text in which each long stretch of blanks and comments is one character, and the way back to the whole one. */
export interface Compacted {
  readonly text: string;
  /** The offset in the whole text of an offset in this one. */
  readonly originalOf: (offset: number) => number;
}

/** A shorter stretch costs little: Ohm remembers what it tried at each character of one. */
const LONG = 80;
const OPENING = /\/\*|\(\*/y;

/** What stands between quotes is kept. */
export function compact(text: string): Compacted {
  /** Where in the short text something was left out, and how much until there. */
  const cuts: { readonly after: number; readonly removed: number }[] = [];
  const parts: string[] = [];
  const scanner = new Scanner(text);
  let [kept, length, removed] = [0, 0, 0];
  while (!scanner.isAtEnd) {
    const start = scanner.at;
    if (scanner.here === '"') {
      scanner.at = scanner.quoteEnd() ?? text.length;
      continue;
    }
    const blank = takesBlanks(scanner);
    if (scanner.at - start > LONG) {
      parts.push(text.slice(kept, start), blank);
      length += start - kept + 1;
      removed += scanner.at - start - 1;
      cuts.push({ after: length, removed });
      kept = scanner.at;
    }
    // What follows a comment without an end is left as it is.
    if (scanner.isAt(OPENING)) break;
    if (scanner.at === start) scanner.at += 1;
  }
  if (cuts.length === 0) return { text, originalOf: (offset) => offset };
  parts.push(text.slice(kept));
  return {
    text: parts.join(''),
    originalOf: (offset) => offset + (cuts.findLast(({ after }) => after <= offset)?.removed ?? 0),
  };
}

/** Goes on behind blanks and comments; what may stand for them: a line end, where a line ends between them. */
function takesBlanks(scanner: Scanner): ' ' | '\n' {
  let blank: ' ' | '\n' = ' ';
  for (let end = scanner.blankEnd(); end !== undefined; end = scanner.blankEnd()) {
    if (scanner.here === '\n') blank = '\n';
    scanner.at = end;
  }
  return blank;
}
