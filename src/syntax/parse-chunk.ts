import type { Grammar, MatchResult, Node } from 'ohm-js';
import type { DiagnosticCode } from '../diagnostics/codes.js';
import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { type Span, spanOf } from '../diagnostics/source.js';
import { compact } from './compact.js';

/** The most characters of a part of a test: a condition with some thousand atoms. Ohm takes some 10 us for each. */
export const LONGEST = 50_000;

/** A match, or what is to be said of the text. */
type Matched =
  | { readonly match: MatchResult; readonly failure?: never }
  | { readonly match?: never; readonly failure: Diagnostic };

/** Matches a chunk; on failure one diagnostic at the rightmost place reached, saying what could stand there. */
export function matchChunk(
  grammar: Grammar,
  span: Span,
  code: DiagnosticCode,
  what: string,
  startRule: string,
  longest = Number.POSITIVE_INFINITY,
): Matched {
  if (span.end - span.start > longest)
    return {
      failure: error(
        code,
        spanOf(span.source, span.start, span.start + 1),
        `${what}: it has ${span.end - span.start} characters, and no more than ${longest} are read`,
        'a semicolon or a brace may be missing',
      ),
    };
  try {
    return matchText(grammar, span, code, what, startRule);
  } catch (thrown) {
    // Ohm descends by recursion: what is nested deeper than the stack is an error of the text.
    if (!(thrown instanceof RangeError)) throw thrown;
    return {
      failure: error(
        code,
        spanOf(span.source, span.start, span.start + 1),
        `${what}: it is nested too deeply`,
        'take out parentheses, brackets or negations',
      ),
    };
  }
}

function matchText(...[grammar, span, code, what, startRule]: Parameters<typeof matchChunk>): Matched {
  const whole = span.source.text.slice(span.start, span.end);
  const { text, originalOf } = 'comment' in grammar.rules ? compact(whole) : { text: whole, originalOf: SAME };
  if (text !== whole) ORIGINALS.set(span, originalOf);
  const match: MatchResult = grammar.match(text, startRule);
  const succeeded: boolean = match.succeeded();
  if (succeeded) return { match };
  const rightmost = (match as unknown as { getRightmostFailurePosition(): number }).getRightmostFailurePosition();
  const at = Math.min(span.start + originalOf(rightmost), span.end);
  const remaining = span.source.text.slice(at, span.end);
  const found = /^\s*(\S[\w%.]*|)/.exec(remaining)?.[1] ?? '';
  const from = at + remaining.length - remaining.trimStart().length;
  const shown = found === '' ? 'the end of it' : `"${found}"`;
  // What is missing at the end is missing after the last word, not on a later line.
  const last = span.start + span.source.text.slice(span.start, span.end).trimEnd().length;
  const start = found === '' ? Math.min(at, last) : from;
  const end = found === '' ? start : from + found.length;
  const expected = expectations(match);
  return {
    failure: error(
      code,
      spanOf(span.source, start, end),
      `${what}: found ${shown}${expected === '' ? '' : `, expected ${expected}`}`,
    ),
  };
}

/** What could stand at the rightmost failure, sorted, without the comments that could stand anywhere. */
function expectations(match: MatchResult): string {
  const failures = (
    match as unknown as { getRightmostFailures(): readonly { isFluffy(): boolean; toString(): string }[] }
  ).getRightmostFailures();
  const texts = failures
    .filter((failure) => !failure.isFluffy())
    .map((failure) => failure.toString().replace('end of input', 'its end'))
    .filter((text) => text !== 'a comment' && !text.startsWith('not ') && text !== '"//"' && text !== 'any object');
  const unique = [...new Set(texts)]
    .sort((a, b) => Number(a.startsWith('"')) - Number(b.startsWith('"')) || a.length - b.length || a.localeCompare(b))
    .slice(0, 10);
  const last = unique.pop();
  if (last === undefined) return '';
  return unique.length === 0 ? last : `${unique.join(', ')} or ${last}`;
}

/** The span of a grammar node that was matched in a chunk of `span`. */
export function nodeSpan(chunk: Span, node: Node): Span {
  const { startIdx, endIdx } = node.source;
  const originalOf = ORIGINALS.get(chunk) ?? SAME;
  return spanOf(chunk.source, chunk.start + originalOf(startIdx), chunk.start + originalOf(endIdx));
}

const SAME = (offset: number): number => offset;
/** Of the chunks that were matched without their long comments: where their offsets are in the chunk itself. */
const ORIGINALS = new WeakMap<Span, (offset: number) => number>();
