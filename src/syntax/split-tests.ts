import type { Source } from '../diagnostics/source.js';
import { Comments } from './comments.js';

/** What begins a test, and what may only look as if: a header within a comment or a description. */
const MARKS = /\/\/|\/\*|\(\*|"[^"\n]*"|^[ \t]*(?:PTX|ptx)[ \t]+\S/gm;

/**
 * The tests that a text holds, each beginning with the line of its header `PTX name`; what stands before the first
 * header belongs to the first test. A template of nvlitmus is cut into its rows where it is read.
 */
export function splitTests(source: Source): readonly Source[] {
  const { path, text, firstLine = 1 } = source;
  if (path.endsWith('.test')) return [source];
  const [, ...later] = headers(text);
  if (later.length === 0) return [source];
  let line = firstLine;
  return [0, ...later].map((start, i): Source => {
    const part = text.slice(start, later[i]);
    const first = line;
    for (let at = part.indexOf('\n'); at !== -1; at = part.indexOf('\n', at + 1)) line += 1;
    return { ...source, text: part, firstLine: first };
  });
}

/** What the header of a test calls it. */
export function testName(text: string): string | undefined {
  const [header] = headers(text);
  const name = /^\s*\w+((?:(?!\/\/|\/\*|\(\*)[^"{])*)/
    .exec(header === undefined ? '' : text.slice(header))?.[1]
    ?.trim();
  return name === '' ? undefined : name;
}

/** Where the headers begin. */
function headers(text: string): readonly number[] {
  const comments = new Comments(text);
  const found: number[] = [];
  const marks = new RegExp(MARKS);
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const [mark] = match;
    if (mark.startsWith('"')) continue;
    if (/^[/(]/.test(mark)) marks.lastIndex = comments.endOf(match.index) ?? match.index + 2;
    else found.push(match.index);
  }
  return found;
}
