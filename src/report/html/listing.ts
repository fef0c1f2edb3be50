import { escaped } from '../markup.js';

/** A text that a page quotes. */
export interface QuotedText {
  readonly text: string;
  /** The line of the file on which it begins; 1 if not given. */
  readonly firstLine?: number | undefined;
}

/** Longer texts are shown around what is marked only. */
const SHORT = 60;
const AROUND = 5;

/** The lines of a text, those marked standing out; of a long one what is around them. */
export function listingOf(
  path: string,
  { text, firstLine = 1 }: QuotedText,
  marked: ReadonlySet<number>,
  test: string,
): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const isNear = (line: number): boolean => [...marked].some((one) => Math.abs(one - line) <= AROUND);
  const isWhole = lines.length <= SHORT;
  const rows: string[] = [];
  let left = 0;
  const leaveOut = (): void => {
    if (left > 0) rows.push(`<tr><td>…</td><td class="faint">${left} lines</td></tr>`);
    left = 0;
  };
  for (const [i, content] of lines.entries()) {
    const line = firstLine + i;
    if (!isWhole && !isNear(line) && !(marked.size === 0 && i < SHORT)) {
      left += 1;
      continue;
    }
    leaveOut();
    const isMarked = marked.has(line);
    const number = isMarked ? `<span class="word">▶ ${line}</span>` : line;
    const code = `<code>${escaped(content.replace(/\r$/, ''))}</code>`;
    rows.push(`<tr${isMarked ? ' class="marked"' : ''}><td>${number}</td><td>${code}</td></tr>`);
  }
  leaveOut();
  return (
    `<details open><summary><code>${escaped(path)}</code></summary>` +
    `<div class="scroll" tabindex="0" role="group" aria-label="${escaped(`${path} of ${test}`)}">` +
    `<table class="listing" role="presentation"><tbody>${rows.join('')}</tbody></table></div></details>`
  );
}
