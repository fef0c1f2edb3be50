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
});
