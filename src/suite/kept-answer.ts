import { positionOf } from '../diagnostics/source.js';
import { type Cited, hasMarks, partsOf } from '../diagnostics/text-parts.js';
import { BareText } from '../syntax/bare-text.js';
import { md5, sha256 } from './digests.js';
import type { Answer } from './job.js';
import type { TestSource } from './test-source.js';

/** A text that cites something (`partsOf`), lines by their places in the bare text; no report has such a key. */
interface TextByParts {
  readonly 'by parts': readonly (string | Cited)[];
}

/**
 * An answer as it goes from process to process and into the cache: in JSON, its texts by parts, so that it holds for
 * every test of the same bare text.
 */
export function keptAnswer(answer: Answer<unknown>, { text }: TestSource): string {
  let bare: BareText | undefined;
  const placeOf = (whole: number): number => {
    bare ??= new BareText(text);
    return bare.offsetOf(whole);
  };
  const byParts = (value: string): TextByParts => ({
    'by parts': partsOf(value).map((part) => (typeof part === 'number' ? placeOf(part) : part)),
  });
  return JSON.stringify(
    replaced(answer, (value) => (typeof value === 'string' && hasMarks(value) ? byParts(value) : value)),
  );
}

/** What was kept, with its texts put together for a test. */
export function answerFor<T>(json: string, source: TestSource): Answer<T> {
  const { text } = source;
  let bare: BareText | undefined;
  const told = (cited: string | Cited | undefined): string | number => {
    if (typeof cited !== 'number') return cited === 'md5' ? md5(text) : sha256(text);
    bare ??= new BareText(text);
    return positionOf(source, bare.wholeOffsetOf(cited)).line;
  };
  const put = (parts: TextByParts['by parts']): string | number => {
    // A line that is no text, but a number.
    if (parts.length === 3 && parts[0] === '' && parts[2] === '') return told(parts[1]);
    return parts.map((part, i) => (i % 2 === 0 ? part : told(part))).join('');
  };
  return replaced(JSON.parse(json), (value) =>
    typeof value === 'object' && value !== null && 'by parts' in value
      ? put((value as TextByParts)['by parts'])
      : value,
  ) as Answer<T>;
}

/** Plain data, with what is given for some of its values in their place. */
function replaced(data: unknown, by: (value: unknown) => unknown): unknown {
  const value = by(data);
  if (value !== data || typeof data !== 'object' || data === null) return value;
  if (Array.isArray(data)) return data.map((one) => replaced(one, by));
  return Object.fromEntries(Object.entries(data).map(([name, one]) => [name, replaced(one, by)]));
}
