import { describe, expect, it } from 'vitest';
import { quoteOf } from '../../src/diagnostics/source.js';

describe('the quote of a text', () => {
  it.each([
    ['ld.u32  r0,\n [x]', 'ld.u32 r0, [x]'],
    ['ld.u32 r0, /* a // b */ [x] // c', 'ld.u32 r0, [x]'],
    ['(* see https://x.y *) ld.u32 r0, [x]', 'ld.u32 r0, [x]'],
    ['ld.u32 (* a (* /* *) *) r0, [x]', 'ld.u32 r0, [x]'],
    ['.pragma "a // b"', '.pragma "a // b"'],
    ['ld.u32 (* r0', 'ld.u32 (* r0'],
  ])('%j has no comments', (text, quote) => {
    expect(quoteOf({ source: { path: 'a', text: `; ${text};` }, start: 2, end: text.length + 2 })).toBe(quote);
  });

  it('has of a long vector the first element and the last', () => {
    const text = `mma {${Array.from({ length: 9 }, (_, i) => `%f${i}`).join(', ')}}, {%r1, %r2}`;
    expect(quoteOf({ source: { path: 'a', text }, start: 0, end: text.length })).toBe('mma {%f0, …, %f8}, {%r1, %r2}');
  });
});
