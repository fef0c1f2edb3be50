import type { ActionDict, BaseActionDict, Grammar, MatchResult, Node } from 'ohm-js';
import type { DiagnosticCode } from '../diagnostics/codes.js';
import { type Compacted, compact } from '../diagnostics/compact.js';
import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { type Span, spanOf, textOf } from '../diagnostics/source.js';

/** The most characters of a part of a test: a condition with some thousand atoms. Ohm takes some 10 us for each. */
export const LONGEST = 50_000;

/** What a chunk says, or what is to be said of it. */
export type Read<T> =
  | { readonly value: T; readonly failure?: never }
  | { readonly value?: never; readonly failure: Diagnostic };

/** How the grammar of a chunk is used: where it starts, and what is said of a chunk that it does not take. */
interface ChunkKind {
  readonly grammar: Grammar;
  readonly rule: string;
  readonly code: DiagnosticCode;
  readonly what: string;
  readonly longest?: number;
  /** Otherwise they are blanks before the grammar sees the text. */
  readonly comments?: 'kept';
  /** A better word on some chunks that the grammar does not take. */
  readonly explain?: (span: Span) => Diagnostic | undefined;
}

/**
 * A reader of chunks of one kind. The actions make values of the nodes of the grammar, and take those of their children
 * by the functions of `chunk-nodes.ts`; a node with one child and without an action has the value of the child.
 */
export function reader<T>(
  kind: ChunkKind,
  actions: BaseActionDict<unknown>,
): (span: Span, shortened?: Compacted) => Read<T> {
  const semantics = kind.grammar.createSemantics().addOperation<T>('read', actions as ActionDict<T>);
  return (span, shortened) => {
    const { match, originalOf, failure } = matchChunk(kind, span, shortened);
    if (failure !== undefined) return { failure: kind.explain?.(span) ?? failure };
    chunk = { span, originalOf };
    try {
      return { value: semantics(match)['read']() };
    } catch (thrown) {
      if (!(thrown instanceof Misfit)) throw thrown;
      return { failure: error(kind.code, thrown.span, thrown.message, thrown.hint) };
    }
  };
}

/** Thrown by actions where a text that the grammar takes cannot be meant. */
export class Misfit extends Error {
  constructor(
    readonly span: Span,
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** The chunk that is being read; Ohm's operations take no context. */
let chunk: { readonly span: Span; readonly originalOf: Compacted['originalOf'] };

/** Where a node of the chunk stands that is being read. */
export function spanOfNode({ source: { startIdx, endIdx } }: Node): Span {
  const { span, originalOf } = chunk;
  return spanOf(span.source, span.start + originalOf(startIdx), span.start + originalOf(endIdx));
}

/** A match and where its offsets are in the chunk itself, or what is to be said of the text. */
type Matched =
  | { readonly match: MatchResult; readonly originalOf: Compacted['originalOf']; readonly failure?: never }
  | { readonly match?: never; readonly originalOf?: never; readonly failure: Diagnostic };

/** Matches a chunk; on failure one diagnostic at the rightmost place reached, saying what could stand there. */
export function matchChunk(kind: ChunkKind, span: Span, shortened?: Compacted): Matched {
  const { code, what, longest = LONGEST } = kind;
  const length = shortened?.text.length ?? span.end - span.start;
  const atStart = (message: string, hint: string): Matched => ({
    failure: error(code, spanOf(span.source, span.start, span.start + 1), `${what}: ${message}`, hint),
  });
  if (length > longest)
    return atStart(
      `it has ${length} characters, and no more than ${longest} are read`,
      'a semicolon or a brace may be missing',
    );
  try {
    return matchText(kind, span, shortened);
  } catch (thrown) {
    // Ohm descends by recursion: what is nested deeper than the stack is an error of the text.
    if (!(thrown instanceof RangeError)) throw thrown;
    return atStart('it is nested too deeply', 'take out parentheses, brackets or negations');
  }
}

function matchText({ grammar, rule, code, what, comments }: ChunkKind, span: Span, shortened?: Compacted): Matched {
  const whole = textOf(span);
  const { text, originalOf }: Compacted =
    shortened ?? (comments === 'kept' ? { text: whole, originalOf: (offset) => offset } : compact(whole));
  const match: MatchResult = grammar.match(text, rule);
  const succeeded: boolean = match.succeeded();
  if (succeeded) return { match, originalOf };
  const rightmost = (match as unknown as { getRightmostFailurePosition(): number }).getRightmostFailurePosition();
  const at = Math.min(span.start + originalOf(rightmost), span.end);
  const remaining = span.source.text.slice(at, span.end);
  const found = /^\s*(\S[\w%.]*|)/.exec(remaining)?.[1] ?? '';
  const from = at + remaining.length - remaining.trimStart().length;
  const shown = found === '' ? 'the end of it' : `"${found}"`;
  // What is missing at the end is missing after the last word, not on a later line.
  const last = span.start + whole.trimEnd().length;
  const start = found === '' ? Math.min(at, last) : from;
  const end = found === '' ? start : from + found.length;
  const expected = expectations(match);
  const message = `${what}: found ${shown}${expected === '' ? '' : `, expected ${expected}`}`;
  return { failure: error(code, spanOf(span.source, start, end), message) };
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
