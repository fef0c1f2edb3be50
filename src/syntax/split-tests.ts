import { Scanner } from '../diagnostics/scanner.js';
import type { Source } from '../diagnostics/source.js';
import { outlineOf } from './outline.js';

/**
 * The tests that a text holds, each beginning with the line of its header `PTX name`; comments before the first header
 * belong to the first test. A template of nvlitmus is cut into its rows where it is read.
 */
export function splitTests(source: Source): readonly Source[] {
  const { path, text, firstLine = 1 } = source;
  if (path.endsWith('.test')) return [source];
  const { titles } = outlineOf(text);
  const [first] = titles;
  // What is no test is told of by itself.
  const isFirst = first === undefined || new Scanner(text).isBlank({ start: 0, end: first.start });
  const later = (isFirst ? titles.slice(1) : titles).map(({ start }) => text.lastIndexOf('\n', start) + 1);
  if (later.length === 0) return [source];
  let line = firstLine;
  return [0, ...later].map((start, i): Source => {
    const part = text.slice(start, later[i]);
    const begins = line;
    for (let at = part.indexOf('\n'); at !== -1; at = part.indexOf('\n', at + 1)) line += 1;
    return { ...source, text: part, firstLine: begins };
  });
}

/** What the header of a test calls it. */
export function testName(text: string): string | undefined {
  const [title] = outlineOf(text).titles;
  const name = title && text.slice(title.start + 'PTX'.length, title.end).trim();
  return name === '' ? undefined : name;
}
