import { type Compacted, compact } from '../diagnostics/compact.js';
import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { type Span, spanOf, textOf } from '../diagnostics/source.js';
import { integer } from './chunk-nodes.js';
import { LONGEST } from './parse-chunk.js';

/** A declaration that is no longer is read by its grammar, as it is. */
const SHORT = 5_000;
const LIST = /=\s*\{/;
const NUMBER = /^-?(?:0[fd][0-9a-f]+|0x[0-9a-f]+|0b[01]+|\d+\.\d+(?:e[+-]?\d+)?|\d+)U?$/i;

/** The text of a declaration whose list of numbers has its first one only, and the numbers. */
export interface LongList extends Compacted {
  readonly values: readonly (bigint | number)[];
}

/**
 * Takes a long list of numbers out of a declaration, in linear time: Ohm takes some 10 us and a kilobyte for each
 * character. What else may stand in a list is left to the grammar, unless that reads no text as long.
 */
export function longList(span: Span): LongList | { readonly failure: Diagnostic } | undefined {
  if (span.end - span.start <= SHORT) return undefined;
  const { text, originalOf } = compact(textOf(span));
  const opened = LIST.exec(text);
  if (opened === null) return undefined;
  const start = opened.index + opened[0].length;
  const end = text.indexOf('}', start);
  if (end === -1) return undefined;
  const values: (bigint | number)[] = [];
  let [at, first] = [start, ''];
  for (const element of text.slice(start, end).split(',')) {
    const number = element.trim();
    if (!NUMBER.test(number)) {
      if (text.length <= LONGEST) return undefined;
      const from = span.start + originalOf(at + element.length - element.trimStart().length);
      const where = spanOf(span.source, from, from + number.length);
      const found = number === '' ? 'nothing' : `"${number}"`;
      return {
        failure: error('L0002', where, `this declaration cannot be read: found ${found}, expected a number`),
      };
    }
    if (values.length === 0) first = element;
    values.push(number.includes('.') ? Number(number) : integer(number));
    at += element.length + 1;
  }
  const removed = end - start - first.length;
  const cut = start + first.length;
  return {
    text: `${text.slice(0, cut)}${text.slice(end)}`,
    originalOf: (offset) => originalOf(offset <= cut - 1 ? offset : offset + removed),
    values,
  };
}
