/** A text in which each long stretch of blanks and comments is one character, and the way back to the whole one. */
export interface Compacted {
  readonly text: string;
  /** The offset in the whole text of an offset in this one. */
  readonly originalOf: (offset: number) => number;
}

/** A shorter stretch costs little: Ohm remembers what it tried at each character of one. */
const LONG = 80;

/** Comments are `//`, nested `(* *)` and, of tests, `/* *\/`; what stands between quotes is kept. */
export function compact(text: string): Compacted {
  /** Where in the short text something was left out, and how much until there. */
  const cuts: { readonly after: number; readonly removed: number }[] = [];
  const parts: string[] = [];
  let [kept, length, removed, at] = [0, 0, 0, 0];
  while (at < text.length) {
    if (text[at] === '"') {
      const end = text.indexOf('"', at + 1);
      at = end === -1 ? text.length : end + 1;
      continue;
    }
    const { end, newline, endless } = blanksFrom(text, at);
    if (end - at > LONG) {
      parts.push(text.slice(kept, at), newline ? '\n' : ' ');
      length += at - kept + 1;
      removed += end - at - 1;
      cuts.push({ after: length, removed });
      kept = end;
    }
    // What follows a comment without an end is left as it is.
    if (endless) break;
    at = Math.max(end, at + 1);
  }
  if (cuts.length === 0) return { text, originalOf: (offset) => offset };
  parts.push(text.slice(kept));
  return {
    text: parts.join(''),
    originalOf: (offset) => offset + (cuts.findLast(({ after }) => after <= offset)?.removed ?? 0),
  };
}

/** Where the blanks and comments that begin at an offset end, and whether a line ends among them. */
function blanksFrom(
  text: string,
  from: number,
): { readonly end: number; readonly newline: boolean; readonly endless: boolean } {
  let [end, newline] = [from, false];
  while (end < text.length) {
    const character = text[end] ?? '';
    if (character === '\n') newline = true;
    const next = /\s/.test(character) ? end + 1 : commentFrom(text, end);
    if (next === undefined || next === 'endless') return { end, newline, endless: next !== undefined };
    end = next;
  }
  return { end, newline, endless: false };
}

/** Where a comment that begins at an offset ends; undefined if none begins there. */
function commentFrom(text: string, from: number): number | 'endless' | undefined {
  if (text.startsWith('//', from)) {
    const end = text.indexOf('\n', from);
    return end === -1 ? text.length : end;
  }
  if (text.startsWith('/*', from)) {
    const end = text.indexOf('*/', from + 2);
    return end === -1 ? 'endless' : end + 2;
  }
  if (!text.startsWith('(*', from)) return undefined;
  const marks = /\(\*|\*\)/g;
  marks.lastIndex = from + 2;
  for (let depth = 1; ; ) {
    const mark = marks.exec(text);
    if (mark === null) return 'endless';
    depth += mark[0] === '(*' ? 1 : -1;
    if (depth === 0) return mark.index + 2;
  }
}
