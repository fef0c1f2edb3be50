import { Scanner } from './scanner.js';

/** A text in which each comment, and each long stretch of blanks, is one blank, and the way back to the whole one. */
export interface Compacted {
  readonly text: string;
  /** The offset in the whole text of an offset in this one. */
  readonly originalOf: (offset: number) => number;
}

/** A shorter stretch costs little: Ohm remembers what it tried at each character of one. */
const LONG = 80;

/** What stands between quotes is kept. */
export function compact(text: string): Compacted {
  /** Where in the short text something was left out, and how much until there. */
  const cuts: { readonly after: number; readonly removed: number }[] = [];
  const parts: string[] = [];
  const scanner = new Scanner(text);
  let [kept, length, removed] = [0, 0, 0];
  while (!scanner.isAtEnd) {
    const start = scanner.at;
    const comment = scanner.skipBlanks();
    if (comment !== undefined || scanner.at - start > LONG) {
      parts.push(text.slice(kept, start), ' ');
      length += start - kept + 1;
      removed += scanner.at - start - 1;
      cuts.push({ after: length, removed });
      kept = scanner.at;
    } else scanner.at = scanner.quoteEnd() ?? scanner.at + 1;
  }
  if (cuts.length === 0) return { text, originalOf: (offset) => offset };
  parts.push(text.slice(kept));
  return {
    text: parts.join(''),
    originalOf: (offset) => offset + (cuts.findLast(({ after }) => after <= offset)?.removed ?? 0),
  };
}
