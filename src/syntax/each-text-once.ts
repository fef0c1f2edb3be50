import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { type Span, spanOf } from '../diagnostics/source.js';

/** So many different texts are remembered: then all are forgotten. */
const MOST_TEXTS = 10_000;
/** Longer texts hardly come twice. */
const LONGEST = 300;

/**
 * A reader of chunks that reads each text once: tests are made of the same instructions over and over. What it returns
 * may hold spans at any depth, which are moved to where the text stands now; what it cannot read it reads anew.
 */
export function eachTextOnce<T extends { readonly failure?: Diagnostic }>(read: (span: Span) => T): (span: Span) => T {
  const known = new Map<string, { readonly value: T; readonly start: number }>();
  return (span) => {
    const text = span.source.text.slice(span.start, span.end);
    const before = known.get(text);
    if (before !== undefined) return moved(before.value, span, span.start - before.start) as T;
    const value = read(span);
    if (value.failure !== undefined || text.length > LONGEST) return value;
    if (known.size >= MOST_TEXTS) known.clear();
    // Without the text around it, which would be kept as long as the chunk is remembered.
    const alone = { ...span, source: { path: '', text: '' } };
    known.set(text, { value: moved(value, alone, 0) as T, start: span.start });
    return value;
  };
}

function moved(value: unknown, to: Span, by: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => moved(one, to, by));
  if (isSpan(value)) return spanOf(to.source, value.start + by, value.end + by);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, moved(one, to, by)]));
}

const isSpan = (value: object): value is Span => 'source' in value && 'start' in value && 'end' in value;
