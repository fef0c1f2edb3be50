import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compact } from '../../src/diagnostics/compact.js';
import { programOf } from '../support.js';

const PIECES = ['a', '"', ' ', '\n', '//', '/*', '*/', '(*', '*)', ' '.repeat(90), `// ${'c'.repeat(90)}\n`, 'x = 1;'];

describe('a text without its comments', () => {
  it('is what it was where there is none', () => {
    const text = 'PTX a\n  { x = 0; }';
    expect(compact(text).text).toBe(text);
  });

  it('has a blank in their place', () => {
    const comment = `/* ${'c'.repeat(100)} */`;
    expect(compact(`a${comment}b`).text).toBe('a b');
    expect(compact(`a // ${'c'.repeat(100)}\n\nb`).text).toBe('a b');
    expect(compact(`a (* ${'c'.repeat(100)} (* nested *) *) b`).text).toBe('a b');
    expect(compact(`a "${comment}" b`).text).toBe(`a "${comment}" b`);
  });

  it('leads back to every character that is left', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }), (pieces) => {
        const whole = pieces.join('');
        const { text, originalOf } = compact(whole);
        for (let i = 0; i < text.length; i++) if (!/\s/.test(text[i] ?? '')) expect(whole[originalOf(i)]).toBe(text[i]);
        expect(originalOf(text.length)).toBe(whole.length);
        expect(text.replace(/\s+/g, '').length).toBeLessThanOrEqual(whole.replace(/\s+/g, '').length);
      }),
    );
  });

  it('gives a program and places in it as the whole text does', () => {
    const filler = `\n${'// what follows is explained here at some length\n'.repeat(4)}`;
    const program = programOf(
      `PTX MP${filler}{ .global .u32 x = 0; }\nP0 {${filler} st.relaxed.gpu.global.u32 [x], 1; }\nexists (x == 1)`,
    );
    const span = program.threads[0]?.statements[0]?.span;
    expect(span?.source.text.slice(span.start, span.end)).toBe('st.relaxed.gpu.global.u32 [x], 1');
  });
});
